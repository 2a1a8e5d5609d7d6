"""A wide network of one variable whose units are merged, first in pairs, then by a programme."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost import DeepNet, prune
from repcost.arrays import ArrayLike, with_bias
from repcost.shallow.merging import Groups, mergeable
from repcost_book.kernel.widgets.allowed import checked_points, listed, whole_number
from repcost_book.kernel.widgets.base import Checked, Drawing, script, style

__all__ = [
    "ALL",
    "DIRECTIONS",
    "GAP",
    "LIMIT",
    "PROGRAMME",
    "WAVE",
    "Merging",
    "MergingWidget",
]

# As in the script. An odd number of directions: opposite ones bend at different places, at least
# one in every gap.
DIRECTIONS, LIMIT, GAP = 61, 1.5, 0.25
FEWEST_POINTS, MOST_POINTS = 2, 6
# Steps: so many pairs cannot be merged, and one step more is the linear programme.
ALL, PROGRAMME = DIRECTIONS - 1, DIRECTIONS
WAVE = ((-1.25, 0.75), (-0.5, -0.25), (0.0, 0.5), (0.5, 0.75), (1.25, -0.5))

# A balanced unit a [cx + d]_+, a^2 = c^2 + d^2, is kept as the sign of a and v = |a| (c, d); it
# costs 2 |v|.
Signs = Float[np.ndarray, " k"]
Vectors = Float[np.ndarray, "k 2"]


@dataclass(frozen=True)
class Merging:
    """A network through `points` after `steps` merges of two units.

    Proposition 15 of Jacot et al. (2022). It begins with `DIRECTIONS` units, their incoming weights
    around the circle, their outgoing ones with the least sum of squares. `steps = ALL` merges all
    pairs that can be, `steps = PROGRAMME` is `repcost.prune` of the start.

    >>> for steps in (0, 5, ALL, PROGRAMME):
    ...     net = Merging(((-1, 0), (0, 1), (1, 0)), steps).network
    ...     outputs = net([[-1], [0], [1]])[:, 0].round(9) + 0.0
    ...     print(net.widths[1], round(net.squared_norm, 4), outputs)
    45 8.3475 [0. 1. 0.]
    40 8.3337 [0. 1. 0.]
    7 8.051 [0. 1. 0.]
    3 7.8869 [0. 1. 0.]
    """

    points: tuple[tuple[float, float], ...]
    steps: int = 0

    def __post_init__(self) -> None:
        # The class is frozen, and what was checked gets in by this door only.
        object.__setattr__(self, "points", tuple((x, y) for x, y in allowed_points(self.points)))
        object.__setattr__(self, "steps", allowed_steps(self.steps))

    @property
    def X(self) -> Float[np.ndarray, "N 1"]:
        """The inputs as rows."""
        return np.array([[x] for x, _ in self.points])

    @property
    def start(self) -> DeepNet:
        """Through the points, with the outer weights where training these alone from zero ends."""
        return _network(*self._units)

    @property
    def pairs(self) -> int:
        """How many merges there can be."""
        first, group = self._sectors(*self._units)
        return len(group) - len(first)

    @property
    def network(self) -> DeepNet:
        """What is left after the steps."""
        if self.steps >= PROGRAMME:
            return prune(self.start, self.X)
        signs, vectors = self._units
        into, sector = self._sectors(signs, vectors)
        # Around the circle; the first unit of a sector takes in the others.
        others = [k for k in range(len(signs)) if into[sector[k]] != k][: self.steps]
        for k in others:
            vectors[into[sector[k]]] += vectors[k]
        kept = np.delete(np.arange(len(signs)), others)
        return _network(signs[kept], vectors[kept])

    @property
    def _units(self) -> tuple[Signs, Vectors]:
        at = 2 * np.pi * (np.arange(DIRECTIONS) + 0.25) / DIRECTIONS
        directions = np.column_stack([np.cos(at), np.sin(at)])
        features = np.maximum(with_bias(self.X, 1) @ directions.T, 0)
        # Of all outer weights that fit the points, those with the least sum of squares.
        outer = features.T @ np.linalg.solve(
            features @ features.T, np.array([y for _, y in self.points])
        )
        used = np.abs(outer) > 1e-12
        return np.sign(outer[used]), directions[used] * np.abs(outer[used, None])

    def _sectors(self, signs: Signs, vectors: Vectors) -> Groups:
        """Which units can be merged: those of one sign that the same points see."""
        return mergeable(with_bias(self.X, 1), vectors, signs[:, None])


def allowed_points(points: ArrayLike) -> list[list[float]]:
    """The points by increasing x; ValueError where the drawing has no place for them."""
    # Of nearer points too few units bend between them.
    found = checked_points(points, FEWEST_POINTS, MOST_POINTS, gap=GAP)
    if np.abs(found).max() > LIMIT:
        raise ValueError(f"points must lie between -{LIMIT} and {LIMIT}, in x and in y; scale them")
    return found


def allowed_steps(steps: int) -> int:
    """The number of steps; ValueError if there cannot be so many."""
    return whole_number("steps", steps, 0, PROGRAMME, f"{ALL} merge all pairs")


class MergingWidget(Drawing):
    """Points to move, a wide network through them, and ever fewer units with the same outputs.

    Proposition 15 of Jacot et al. (2022), and the linear programme that the book adds to it. On a
    page there is no kernel: there the script computes what `Merging` computes, to 1e-9
    (tests/browser/test_merging_widget.py).
    """

    kind, names = "merging", ("points", "steps")
    _esm, _css = script("merging"), style("merging")
    points = Checked(allowed_points, WAVE).tag(sync=True)
    steps = Checked(allowed_steps, 0).tag(sync=True)

    def __init__(self, points: ArrayLike = WAVE, steps: int = 0, **others: Any):
        super().__init__(points=allowed_points(points), steps=steps, **others)

    @property
    def merging(self) -> Merging:
        """What is drawn, with its networks."""
        return Merging(tuple((x, y) for x, y in self.points), self.steps)

    def _in_words(self) -> str:
        stages = {
            "at the start": 0,
            "with all pairs merged": ALL,
            "after the linear programme": PROGRAMME,
        }
        nets = {name: Merging(self.merging.points, steps).network for name, steps in stages.items()}
        told = ", ".join(
            f"{name} {_units(net)} of {net.squared_norm:.4g}" for name, net in nets.items()
        )
        return (
            "Needs JavaScript: a drawing of points to move, now at "
            f"{listed(self.points)}, of a network through them, and of its units as vectors that "
            f"can be merged. Their number and their sum of squares: {told}."
        )


def _network(signs: Signs, vectors: Vectors) -> DeepNet:
    """Balanced: incoming and outgoing weights of a unit have the same length."""
    # Both sides get the length |v|^(1/2), so that their squares add up to 2 |v|.
    root = np.sqrt(np.linalg.norm(vectors, axis=1))
    inner = vectors / root[:, None]
    return DeepNet([inner[:, :1], (signs * root)[None]], [inner[:, 1], [0.0]])


def _units(net: DeepNet) -> str:
    return "1 unit" if net.widths[1] == 1 else f"{net.widths[1]} units"
