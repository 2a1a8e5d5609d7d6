"""A piecewise linear function whose knots are moved, and what a layer of a network pays for it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from repcost import Bracket, TwoLayer, cost_per_layer
from repcost.arrays import ArrayLike
from repcost.constructions import facing_away
from repcost_book.kernel.widgets.allowed import checked_points, listed, whole_number
from repcost_book.kernel.widgets.base import Checked, Drawing, script, style

# As in the script.
LIMIT, GAP = 2, 0.125
FEWEST_POINTS, MOST_POINTS = 2, 6
SHALLOWEST, DEEPEST = 2, 256
ZIGZAG = ((-1.0, -0.5), (-0.5, 1.0), (0.0, -1.0), (0.5, 1.0), (1.0, 0.5))


@dataclass(frozen=True)
class Knots:
    """The function that is linear between `points`, the first at x = -1 and the last at x = 1.

    >>> zigzag = Knots(((-1, 0), (-0.5, 1), (0, 0), (1, 1)))
    >>> for cost in map(zigzag.cost, (2, 16, 256)):
    ...     print(f"{cost.lower:.4f} {cost.upper:.4f}")
    4.0000 7.4721
    1.1892 1.2858
    1.0109 1.0158
    """

    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple((x, y) for x, y in allowed_points(self.points)))

    @property
    def networks(self) -> list[TwoLayer]:
        """On [-1, 1], with units that face away from a piece or a turning knot.

        The second half is of f(-x), which costs as much but passes its input on otherwise.
        """
        x, y = np.array(self.points).T
        return [*facing_away(x, y), *facing_away(-x, y)]

    @property
    def steepest(self) -> tuple[float, float]:
        """The steepest slope up, and the steepest slope down."""
        x, y = np.array(self.points).T
        slopes = np.diff(y) / np.diff(x)
        return max(float(slopes.max()), 0.0), max(float(-slopes.min()), 0.0)

    def cost(self, depth: int) -> Bracket:
        """R(f; [-1, 1], L) / L, from below by the steepest slopes up and down, together.

        From above by the cheapest of these networks, made as deep.
        """
        found = [cost_per_layer(net, depth, ([-1], [1])) for net in self.networks]
        # All of these are one function, so that the best end of any of them holds for it.
        lower, upper = max(cost.lower for cost in found), min(cost.upper for cost in found)
        return replace(found[0], lower=lower, upper=upper)


def allowed_points(points: ArrayLike) -> list[list[float]]:
    """The points by increasing x; ValueError where the drawing has no place for them."""
    found = checked_points(points, FEWEST_POINTS, MOST_POINTS, gap=GAP)
    x, y = np.array(found).T
    if (x[0], x[-1]) != (-1, 1):
        raise ValueError(
            f"points must begin at x = -1 and end at x = 1, but are on [{x[0]:g}, {x[-1]:g}]; "
            "rescale x"
        )
    if np.abs(y).max() > LIMIT:
        raise ValueError(f"points must have y between -{LIMIT} and {LIMIT}; scale them")
    return found


def allowed_depth(depth: int) -> int:
    """The depth; ValueError where the chart has no place for it."""
    return whole_number("depth", depth, SHALLOWEST, DEEPEST)


class DepthWidget(Drawing):
    """A function whose knots the reader moves, and the two sides of what a layer pays for it.

    Below, what slopes up and down cost; above, explicit networks. On a page there is no kernel:
    there the script minimises over one scale what `Knots` leaves to the library, and finds the same
    to 1e-9 (tests/browser/test_depth_widget.py).
    """

    kind, names = "depth", ("points", "depth")
    _esm, _css = script("depth"), style("depth")
    points = Checked(allowed_points, ZIGZAG).tag(sync=True)
    depth = Checked(allowed_depth, 16).tag(sync=True)

    def __init__(self, points: ArrayLike = ZIGZAG, depth: int = 16, **others: Any):
        super().__init__(points=allowed_points(points), depth=depth, **others)

    @property
    def knots(self) -> Knots:
        """The function that is drawn, with what it costs by the library."""
        return Knots(tuple((x, y) for x, y in self.points))

    @property
    def cost(self) -> Bracket:
        """What a layer costs at the depth that is drawn, by the library."""
        return self.knots.cost(self.depth)

    def _in_words(self) -> str:
        costs = {depth: self.knots.cost(depth) for depth in sorted({SHALLOWEST, self.depth, 64})}
        told = ", ".join(
            f"{cost.lower:.4f} to {cost.upper:.4f} at depth {L}" for L, cost in costs.items()
        )
        return (
            "Needs JavaScript: a drawing of a function with knots to move, now at "
            f"{listed(self.points)}, and of what a layer of a network that equals it costs, from "
            f"two sides: {told}."
        )
