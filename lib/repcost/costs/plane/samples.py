"""Points and values, moved and scaled to where solvers like them, with the way back kept exact."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from repcost.costs.plane.arcs import Direction, Points, Values
from repcost.networks import TwoLayer
from repcost.scales import at_size_one


@dataclass(frozen=True, eq=False)
class NormalisedSamples:
    """Distinct points and values, moved and scaled until the largest entries are in [1/2, 1].

    points and values are 2^(-point_exponent) (given_points - centre) and 2^(-value_exponent)
    (given_values - middle), each entry rounded once.
    """

    given_points: Points
    given_values: Values
    points: Points
    values: Values
    centre: Direction
    middle: float
    point_exponent: int
    value_exponent: int

    @classmethod
    def of(cls, X: Points, y: Values) -> "NormalisedSamples":
        centre, middle = _mid_range(X), float(_mid_range(y))
        # Centring rounds each entry once, which is why the points as given are kept.
        points, point_exponent = at_size_one(X - centre)
        values, value_exponent = at_size_one(y - middle)
        if len(np.unique(points, axis=0)) < len(points):
            raise ValueError(
                "two points of X are too close for their distance to the others; merge them"
            )
        return cls(X, y, points, values, centre, middle, point_exponent, value_exponent)

    def restored(self, net: TwoLayer) -> TwoLayer:
        """The network of the points as they were given, its weights and biases rounded."""
        # The directions W stay: a unit of the scaled points has the scale in a and b alone.
        b = np.ldexp(net.b, self.point_exponent) - net.W @ self.centre
        c = float(np.ldexp(net.c, self.value_exponent)) + self.middle
        return TwoLayer(net.W, np.ldexp(net.a, self.value_exponent - self.point_exponent), b, c)

    def shortfalls(self, net: TwoLayer) -> Values:
        """Values less those of the network, both taken exactly, rounded once."""
        units = _exact_rows(np.column_stack([net.W, net.b, net.a]))
        short = []
        for point, value in zip(self._exact_points(), self._exact_values(), strict=True):
            total = sum((_exact_output(unit, point) for unit in units), Fraction(net.c))
            short.append(float(value - total))
        return np.array(short)

    def levels(self, along: Direction) -> tuple[Int[np.ndarray, " levels"], Int[np.ndarray, " n"]]:
        """A point of each level of <along, x>, and the level of each point: exactly, as given."""
        # In floats, points that are not on one level may come to lie there.
        u, v = map(Fraction, along.tolist())
        heights = [u * x + v * z for x, z in _exact_rows(self.given_points)]
        number = {height: k for k, height in enumerate(dict.fromkeys(heights))}
        level = np.array([number[height] for height in heights])
        return np.unique(level, return_index=True)[1], level

    def _exact_points(self) -> list[tuple[Fraction, Fraction]]:
        """The points where they would be without rounding."""
        unit = Fraction(2) ** -self.point_exponent
        p, q = map(Fraction, self.centre.tolist())
        return [((x - p) * unit, (z - q) * unit) for x, z in _exact_rows(self.given_points)]

    def _exact_values(self) -> list[Fraction]:
        unit, middle = Fraction(2) ** -self.value_exponent, Fraction(self.middle)
        return [(Fraction(value) - middle) * unit for value in self.given_values.tolist()]


def _exact_rows(rows: Float[np.ndarray, "n _"]) -> list[list[Fraction]]:
    return [[Fraction(entry) for entry in row] for row in rows.tolist()]


def _exact_output(unit: list[Fraction], point: tuple[Fraction, Fraction]) -> Fraction:
    """a [<w, x> + b]_+ for the unit (w, b, a)."""
    u, v, bias, a = unit
    height = u * point[0] + v * point[1] + bias
    return a * height if height > 0 else Fraction(0)


def _mid_range(entries: Float[np.ndarray, "..."]) -> Any:
    """The middle of the range of a vector, or of each column."""
    low, high = entries.min(axis=0), entries.max(axis=0)
    # (low + high) / 2 would overflow sooner.
    return low + (high - low) / 2
