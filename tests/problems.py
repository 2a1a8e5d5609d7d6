"""Functions whose cost is known by hand: each problem carries its exact answer."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from repcost import PiecewiseLinear, TwoLayer


@dataclass(frozen=True)
class KnownCost:
    """A function of one variable, a network that equals it, and its cost, R-bar."""

    name: str
    function: PiecewiseLinear
    network: TwoLayer
    cost: Fraction

    def __str__(self) -> str:
        return self.name


def _units(*rows: tuple[float, float, float], c: float = 0.0) -> TwoLayer:
    """A one-variable network from rows (w, a, b)."""
    w, a, b = np.array(rows, dtype=float).T
    return TwoLayer(w[:, None], a, b, c)


ONE_VARIABLE = [
    KnownCost(
        "constant",
        PiecewiseLinear([], [0.0], (0, 5)),
        TwoLayer(np.zeros((0, 1)), [], [], 5.0),
        Fraction(0),
    ),
    # A line with slope s costs 2|s|, not |s|: two units bend, and the bends must cancel.
    KnownCost(
        "line",
        PiecewiseLinear([], [3.0], (0, 1)),
        _units((1, 3, 0), (-1, -3, 0), c=1.0),
        Fraction(6),
    ),
    KnownCost(
        "one unit", PiecewiseLinear([2.0], [0.0, 1.5], (2, 0)), _units((1, 1.5, -2)), Fraction(3, 2)
    ),
    KnownCost(
        "absolute value",
        PiecewiseLinear([0.0], [-1, 1]),
        _units((1, 1, 0), (-1, 1, 0)),
        Fraction(2),
    ),
    KnownCost(
        "hat",
        PiecewiseLinear([-1, 0, 1], [0, 1, -1, 0], (0, 1)),
        _units((1, 1, 1), (1, -2, 0), (1, 1, -1)),
        Fraction(4),
    ),
    # Slopes 1, 2: the outer slopes win over the variation.
    KnownCost("steep", PiecewiseLinear([0.0], [1, 2]), _units((1, 2, 0), (-1, -1, 0)), Fraction(3)),
    KnownCost(
        "sawtooth",
        PiecewiseLinear([1, 2, 3, 4], [0, 1, -1, 1, 0], (0, 0)),
        _units((1, 1, -1), (1, -2, -2), (1, 2, -3), (1, -1, -4)),
        Fraction(6),
    ),
]
