"""Two functions of one variable, one of them drawn by hand, and every price that is a formula."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from repcost import PiecewiseLinear, TwoLayer, function_cost
from repcost.arrays import ArrayLike
from repcost.constructions import facing_away
from repcost_book.kernel.widgets.allowed import checked_points, listed, whole_number
from repcost_book.kernel.widgets.base import Checked, Drawing, script, style

# As in the script.
LIMIT, SIDE, GAP, COUNT = 2, 5, 0.25, 5
SHALLOWEST, DEEPEST = 3, 64
HIGH = ((-5.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (5.0, 0.0))
LOW = ((-5.0, 0.0), (2.0, 0.0), (3.0, 0.8125), (4.0, 0.0), (5.0, 0.0))
# By the script's keys; of the deep one only two ends are known.
NAMES = {
    "free": "biases free",
    "hidden": "hidden biases paid",
    "linear": "these, a line free",
    "paid": "all biases paid",
    "layers": "linear layers",
    "deep": "layers of ReLUs",
    "rank": "both ranks",
}

Ends = tuple[float, float]


@dataclass(frozen=True)
class Priced:
    """The function that is linear between `points` and goes on straight beyond them.

    >>> hats = Priced(HIGH).ends(16), Priced(LOW).ends(16)
    >>> for name in ("free", "paid", "deep"):
    ...     print(name, *(tuple(round(end, 3) for end in hat[name]) for hat in hats))
    free (4.0, 4.0) (3.25, 3.25)
    paid (4.828, 4.828) (10.306, 10.306)
    deep (1.091, 1.218) (1.063, 1.339)
    """

    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple((x, y) for x, y in allowed_points(self.points)))

    @property
    def function(self) -> PiecewiseLinear:
        """On the whole line."""
        return PiecewiseLinear.through(*np.array(self.points).T)

    def ends(self, depth: int) -> dict[str, Ends]:
        """What each price is known to be, from both sides, by the names in NAMES.

        The first four are half the squares of two layers, the fifth the squares over L with L - 2
        linear layers in front; the sixth is of L layers of ReLUs on [-5, 5], the squares of all
        weights and biases over L; the last is a rank.
        """
        f = self.function
        free, paid = function_cost(f), partial(function_cost, f, biases="paid")
        found = {
            "free": free,
            "hidden": paid(),
            "linear": paid(output="linear"),
            "paid": paid(output="paid"),
        }
        rank = float(np.any(f.slopes != 0))
        return {
            **{name: (cost.lower, cost.upper) for name, cost in found.items()},
            "layers": (free.lower ** (2 / depth), free.upper ** (2 / depth)),
            "deep": self._deep(depth),
            "rank": (rank, rank),
        }

    def _deep(self, depth: int) -> Ends:
        """From below both steepest slopes, from above the bends and a shift, as formulas."""
        slopes = self.function.slopes
        lower = (max(slopes.max(), 0.0) + max(-slopes.min(), 0.0)) ** (2 / depth)
        x, y = np.array(self.points).T
        nets = [*facing_away(x, y), *facing_away(-x, y)]
        return float(lower), min(_carried(net, y, depth) for net in nets)


def _carried(net: TwoLayer, values: np.ndarray, depth: int) -> float:
    """(S + m)^(2/L) and the last bias: the box on the depth that is needed, either way up."""
    bends = np.abs(net.a) @ np.hypot(net.W[:, 0], net.b)
    down, up = max(net.c - values.min(), 0.0), max(values.max() - net.c, 0.0)
    both = ((down, net.c - down), (up, net.c + up))
    return float(min((bends + m) ** (2 / depth) + left**2 / depth for m, left in both))


def preferred(one: Ends, other: Ends) -> str:
    """Which of two prices is the lower, as far as their ends tell."""
    close = 1e-9 * (1 + abs(one[1]) + abs(other[1]))
    if one[1] < other[0] - close:
        return "drawn"
    if other[1] < one[0] - close:
        return "kept"
    exact = one[1] - one[0] < close and other[1] - other[0] < close
    return "neither" if exact else "not known"


def allowed_points(points: ArrayLike) -> list[list[float]]:
    """The five points by increasing x; ValueError where the drawing has no place for them."""
    found = checked_points(points, COUNT, COUNT, gap=GAP)
    x, y = np.array(found).T
    if (x[0], x[-1]) != (-SIDE, SIDE):
        raise ValueError(f"points must begin at x = -{SIDE} and end at x = {SIDE}; rescale x")
    if np.abs(y).max() > LIMIT:
        raise ValueError(f"points must have y between -{LIMIT} and {LIMIT}; scale them")
    return found


def allowed_depth(depth: int) -> int:
    """The depth; ValueError where the slider has no place for it."""
    return whole_number("depth", depth, SHALLOWEST, DEEPEST)


class PricesWidget(Drawing):
    """A function to draw and one that is kept, with every price of both, and which it prefers.

    On a page there is no kernel: there the script computes what `Priced` has of the library, to
    1e-9 (tests/browser/test_prices_widget.py).
    """

    kind, names = "prices", ("points", "kept", "depth")
    _esm, _css = script("prices"), style("prices")
    points = Checked(allowed_points, HIGH).tag(sync=True)
    kept = Checked(allowed_points, LOW).tag(sync=True)
    depth = Checked(allowed_depth, 16).tag(sync=True)

    def __init__(
        self, points: ArrayLike = HIGH, kept: ArrayLike = LOW, depth: int = 16, **others: Any
    ):
        drawn, other = allowed_points(points), allowed_points(kept)
        super().__init__(points=drawn, kept=other, depth=depth, **others)

    @property
    def preferences(self) -> dict[str, str]:
        """What each price prefers: "drawn", "kept", "neither", or "not known"."""
        if self.points == self.kept:
            return dict.fromkeys(NAMES, "neither")
        drawn, kept = (self._priced(points) for points in (self.points, self.kept))
        return {name: preferred(drawn[name], kept[name]) for name in NAMES}

    def _priced(self, points: list[list[float]]) -> dict[str, Ends]:
        return Priced(tuple((x, y) for x, y in points)).ends(self.depth)

    def _in_words(self) -> str:
        drawn, kept = (self._priced(points) for points in (self.points, self.kept))
        told = "; ".join(
            f"{words}: {_told(drawn[name])} and {_told(kept[name])}"
            for name, words in NAMES.items()
        )
        return (
            "Needs JavaScript: a drawing of a function with five knots to move, now at "
            f"{listed(self.points)}, beside one that is kept, at {listed(self.kept)}. Their prices "
            f"at {self.depth} layers: {told}."
        )


def _told(ends: Ends) -> str:
    low, high = (f"{end:.4g}" for end in ends)
    return low if low == high else f"{low} to {high}"
