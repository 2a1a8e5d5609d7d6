"""A piecewise linear function whose knots are moved, and what a layer of a network of any depth
pays for it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import traitlets
from jaxtyping import Float

from repcost import Bracket, TwoLayer, cost_per_layer
from repcost.arrays import ArrayLike
from repcost_book.kernel.widgets.base import Drawing, Points, script, style
from repcost_book.kernel.widgets.line import checked_points

# As in the script.
LIMIT, GAP = 2, 0.125
FEWEST_POINTS, MOST_POINTS = 2, 6
SHALLOWEST, DEEPEST = 2, 256
ZIGZAG = ((-1.0, -0.5), (-0.5, 1.0), (0.0, -1.0), (0.5, 1.0), (1.0, 0.5))


@dataclass(frozen=True)
class Knots:
    """The function that is linear between `points`, the first at x = -1 and the last at x = 1.

    >>> zigzag = Knots(((-1, 0), (-0.5, 1), (0, 0), (1, 1)))
    >>> [[round(float(end), 4) for end in (cost.lower, cost.upper)] for cost in map(zigzag.cost, (2, 16, 256))]
    [[2.0, 7.4721], [1.0905, 1.2858], [1.0054, 1.0158]]
    """

    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple((x, y) for x, y in allowed_points(self.points)))

    @property
    def networks(self) -> list[TwoLayer]:
        """On [-1, 1], with units that face away from a piece or a turning knot; the second half is
        of f(-x).
        """
        mirrored = [(-x, y) for x, y in reversed(self.points)]
        return [
            net for points in (self.points, mirrored) for net in _facing_away(*np.array(points).T)
        ]

    @property
    def steepest(self) -> float:
        """The largest slope, up or down."""
        x, y = np.array(self.points).T
        return float(np.abs(np.diff(y) / np.diff(x)).max())

    def cost(self, depth: int) -> Bracket:
        """R(f; [-1, 1], L) / L: Proposition 3 from below, from above the cheapest of these networks
        made as deep.
        """
        found = [cost_per_layer(net, depth, ([-1], [1])) for net in self.networks]
        return Bracket(
            max(cost.lower for cost in found), min(cost.upper for cost in found), "certified"
        )


def allowed_points(points: ArrayLike) -> list[list[float]]:
    """The points as a list of [x, y] of floats, by increasing x; ValueError where the drawing has
    no place for them.
    """
    found = checked_points(points)
    x, y = np.array(found).T
    if not FEWEST_POINTS <= len(found) <= MOST_POINTS:
        raise ValueError(
            f"points must be {FEWEST_POINTS} to {MOST_POINTS} pairs, but holds {len(found)}"
        )
    if (x[0], x[-1]) != (-1, 1):
        raise ValueError(
            f"points must begin at x = -1 and end at x = 1, but are on [{x[0]:g}, {x[-1]:g}]; rescale x"
        )
    if np.abs(y).max() > LIMIT:
        raise ValueError(f"points must have y between -{LIMIT} and {LIMIT}; scale them")
    if np.diff(x).min() < GAP - 1e-12:
        raise ValueError(f"two points are nearer than {GAP} in x; move one")
    return found


class DepthWidget(Drawing):
    """A function whose knots the reader moves, and the two sides of what a layer pays for it
    against the depth.

    Propositions 3 and 5 of Jacot (2023). On a page there is no kernel: there the script minimises
    over one scale what `Knots` leaves to the library, and finds the same to 1e-9
    (tests/browser/test_depth_widget.py).
    """

    kind, names = "depth", ("points", "depth")
    _esm, _css = script("depth"), style("depth")
    points = Points(allowed_points, ZIGZAG).tag(sync=True)
    depth = traitlets.Int(16).tag(sync=True)

    def __init__(self, points: ArrayLike = ZIGZAG, depth: int = 16, **others: Any):
        super().__init__(points=allowed_points(points), depth=depth, **others)

    @traitlets.validate("depth")
    def _valid_depth(self, proposal: Any) -> int:
        if not SHALLOWEST <= proposal["value"] <= DEEPEST:
            raise ValueError(
                f"depth must be between {SHALLOWEST} and {DEEPEST}, but is {proposal['value']}"
            )
        return proposal["value"]

    @property
    def knots(self) -> Knots:
        """The function that is drawn, with what it costs by the library."""
        return Knots(tuple((x, y) for x, y in self.points))

    @property
    def cost(self) -> Bracket:
        """What a layer costs at the depth that is drawn, by the library."""
        return self.knots.cost(self.depth)

    def _in_words(self) -> str:
        where = ", ".join(f"({x:.4g}, {y:.4g})" for x, y in self.points)
        costs = {depth: self.knots.cost(depth) for depth in sorted({SHALLOWEST, self.depth, 64})}
        told = ", ".join(
            f"{cost.lower:.4f} to {cost.upper:.4f} at depth {L}" for L, cost in costs.items()
        )
        return (
            f"Needs JavaScript: a drawing of a function with knots to move, now at {where}, and of what a layer of a "
            f"network that equals it costs, from two sides: {told}."
        )


def _facing_away(x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"]) -> list[TwoLayer]:
    """One unit a knot that is zero on one piece, and one for the slope there; or two at a knot
    where f turns.
    """
    slopes, knots = np.diff(y) / np.diff(x), np.arange(1, len(x) - 1)
    bends, nets = np.diff(slopes), []
    for piece, slope in enumerate(slopes):
        way = np.where(knots > piece, 1.0, -1.0)
        w, a, b = np.append(way, 1.0), np.append(bends, slope), np.append(-way * x[knots], 1.0)
        nets.append(TwoLayer(w[:, None], a, b, y[piece] - slope * (x[piece] + 1)))
    for turn in knots[slopes[:-1] * slopes[1:] < 0]:
        way, rest = np.where(knots > turn, 1.0, -1.0), knots != turn
        w, a = (
            np.append(way[rest], [1.0, -1.0]),
            np.append(bends[rest], [slopes[turn], -slopes[turn - 1]]),
        )
        b = np.append((-way * x[knots])[rest], [-x[turn], x[turn]])
        nets.append(TwoLayer(w[:, None], a, b, float(y[turn])))
    return nets
