"""The command line: the only room that speaks to a person.

Each command is a `Command`: a function of the project and the options, what its help says, and
which packages it needs. `making` has those that run chapters and make pages, `testing` those that
measure and test, `fuzzing`, `floors` and `elsewhere` the tests that take long, `tools` the others,
and `new` the one that begins a chapter. `main` puts them into a parser. The functions are short:
what they do is in the other rooms.

Those rooms are imported inside the functions. So the help is there at once, and a package that is
not installed is named together with the way to install it.
"""
