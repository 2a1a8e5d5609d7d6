"""The book around `repcost`: what chapters import (below), and `python -m repcost_book`, which runs
them.
"""

from repcost_book.kernel.checks import check
from repcost_book.kernel.figures import figure
from repcost_book.kernel.run import Run
from repcost_book.kernel.values import glue

__all__ = ["Run", "check", "figure", "glue"]
