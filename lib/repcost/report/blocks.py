"""The squares of a layer's weights, by the classes of channels that they make and take."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array

from repcost.report.labels import Term

Numbers = Float[np.ndarray, " _"]
Squares = Float[np.ndarray, "..."]


@dataclass(frozen=True, eq=False)
class Block:
    """Squares by the classes of what they make and of what they take, each class once.

    squares: (plus, minus) as a table, or one for each pair where both stand in one list.
    """

    term: str
    squares: Squares
    plus: Int[np.ndarray, " _"]
    minus: Int[np.ndarray, " _"]

    @property
    def is_table(self) -> bool:
        return self.squares.ndim == 2

    def received(self) -> Numbers:
        return self.squares.sum(1) if self.is_table else self.squares

    def sent(self) -> Numbers:
        return self.squares.sum(0) if self.is_table else self.squares

    def scaled(self, u: Numbers) -> "Block":
        """The squares after this rescaling."""
        up, down = np.exp(2 * u[self.plus]), np.exp(-2 * u[self.minus])
        both = up[:, None] * down if self.is_table else up * down
        return replace(self, squares=self.squares * both)

    def total(self, u: Numbers) -> float:
        """The sum of the squares after this rescaling."""
        up, down = np.exp(2 * u[self.plus]), np.exp(-2 * u[self.minus])
        return float(up @ (self.squares @ down) if self.is_table else self.squares @ (up * down))

    def turned(self, v: Numbers) -> tuple[Numbers, Numbers]:
        """The curvature times v over four, at what is made and at what is taken."""
        here, below = v[self.plus], v[self.minus]
        if not self.is_table:
            changes = self.squares * (here - below)
            return changes, -changes
        at_plus = self.received() * here - self.squares @ below
        return at_plus, self.sent() * below - here @ self.squares

    def without(self, gone: Bool[np.ndarray, " classes"]) -> "Block":
        """With nothing that some classes make or take."""
        up, down = ~gone[self.plus], ~gone[self.minus]
        kept = up[:, None] * down if self.is_table else up * down
        return replace(self, squares=self.squares * kept)


def block_of(term: Term, squares: Squares, classes: Int[np.ndarray, " count"]) -> Block:
    plus, minus = classes[term.plus], classes[term.minus]
    varying = [[axis for axis, n in enumerate(each.shape) if n != 1] for each in (plus, minus)]
    axes = sorted({*varying[0], *varying[1]})
    rest = tuple(axis for axis in range(squares.ndim) if axis not in axes)
    squares = squares.sum(axis=rest, keepdims=True) if rest else squares
    if len(varying[0]) <= 1 and len(varying[1]) <= 1 and varying[0] != varying[1]:
        return _table(term.constant, squares, plus, minus)
    plus, minus = (np.broadcast_to(each, squares.shape).ravel() for each in (plus, minus))
    pairs, place = np.unique(np.stack([plus, minus]), axis=1, return_inverse=True)
    return Block(term.constant, np.bincount(place.ravel(), squares.ravel()), *pairs)


def _table(name: str, squares: Squares, plus: np.ndarray, minus: np.ndarray) -> Block:
    """Rows by what is made, columns by what is taken; rows and columns of one class are added."""
    table = (
        squares.reshape(plus.size, minus.size)
        if _rows_first(plus, minus)
        else (squares.reshape(minus.size, plus.size).T)
    )
    rows, row = np.unique(plus.ravel(), return_inverse=True)
    columns, column = np.unique(minus.ravel(), return_inverse=True)
    return Block(
        name, _added(_added(table, row, len(rows)).T, column, len(columns)).T, rows, columns
    )


def _rows_first(plus: np.ndarray, minus: np.ndarray) -> bool:
    """Whether the axis of what is made stands before that of what is taken."""
    if plus.size == 1 or minus.size == 1:
        return True
    first, second = (int(np.argmax(np.array(each.shape) != 1)) for each in (plus, minus))
    return first < second


def _added(table: Squares, place: Int[np.ndarray, " n"], many: int) -> Squares:
    """Rows of one place are added."""
    n = len(place)
    if many == n:
        return table[np.argsort(place)]
    return csr_array((np.ones(n), (place, np.arange(n))), shape=(many, n)) @ table
