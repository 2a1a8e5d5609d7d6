"""The book around `repcost`: what chapters import (below), and `python -m repcost_book`, which runs them."""

from repcost_book.checks import check
from repcost_book.figures import figure
from repcost_book.run import Run
from repcost_book.values import glue

__all__ = ["Run", "check", "figure", "glue"]
