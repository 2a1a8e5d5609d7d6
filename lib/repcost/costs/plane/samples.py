"""Points and values, moved and scaled to where solvers like them, with the way back kept exact."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from repcost.costs.plane.directions import Direction, Points, Values
from repcost.integers import Whole, nearest_floats, whole_numbers
from repcost.networks import TwoLayer
from repcost.scales import at_size_one

# N and e for the numbers N / 2^e.
Exact = tuple[Whole, int]


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
        (points, point_bits), (values, value_bits) = self._exact
        (W, bias, a, c), bits = whole_numbers(net.W, net.b, net.a, np.array([net.c]))
        # Each line is over one power of two: heights over 2^(point_bits + bits), and so on.
        heights = points @ W.T + bias * 2**point_bits
        outputs = np.maximum(heights, 0) @ a + c * 2 ** (point_bits + bits)
        output_bits = point_bits + 2 * bits
        short = values * 2**output_bits - outputs * 2**value_bits
        return nearest_floats(short, output_bits + value_bits)

    def levels(self, along: Direction) -> tuple[Int[np.ndarray, " levels"], Int[np.ndarray, " n"]]:
        """A point of each level of <along, x>, and the level of each point: exactly, as given."""
        # In floats, points that are not on one level may come to lie there.
        (points, direction), _ = whole_numbers(self.given_points, along)
        heights = (points @ direction).tolist()
        number = {height: k for k, height in enumerate(dict.fromkeys(heights))}
        level = np.array([number[height] for height in heights])
        return np.unique(level, return_index=True)[1], level

    @cached_property
    def _exact(self) -> tuple[Exact, Exact]:
        """Points and values where they would be without rounding."""
        (points, centre), point_bits = whole_numbers(self.given_points, self.centre)
        (values, middle), value_bits = whole_numbers(self.given_values, np.array([self.middle]))
        # The largest entries are in [1/2, 1], so neither power of two is below one.
        return (
            (points - centre, point_bits + self.point_exponent),
            (values - middle, value_bits + self.value_exponent),
        )


def _mid_range(entries: Float[np.ndarray, "..."]) -> Any:
    """The middle of the range of a vector, or of each column."""
    low, high = entries.min(axis=0), entries.max(axis=0)
    # (low + high) / 2 would overflow sooner.
    return low + (high - low) / 2
