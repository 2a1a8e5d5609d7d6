"""The book around `repcost`: what a chapter imports, and the program that runs the chapters.

The rooms stand in one row, and each imports only from itself and from the ones before it:

- `kernel`: what runs inside a chapter. Its names are these here, and the widgets beside them.
- `runner`: which chapters must run again, in which processes, and what became of them.
- `pages`: from executed notebooks to HTML, and the tables that are made from the library itself.
- `trials`: what puts the book to the test from outside.
- `commands`: the command line, `python -m repcost_book`.
"""

from repcost_book.kernel import Run, check, figure, glue

__all__ = ["Run", "check", "figure", "glue"]
