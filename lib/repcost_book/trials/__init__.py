"""What puts the book to the test from outside: faults, fuzzing, other machines."""
