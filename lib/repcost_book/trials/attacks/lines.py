"""Functions of one variable, against fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from repcost import PiecewiseLinear, function_cost, interpolate_line
from repcost_book.trials.fuzz import Attack, WrongError, as_narrow_as_said
from repcost_book.trials.hostile import hostile_floats

# How wide a bracket may be in these functions, which promise floating-point rounding only.
NARROW = 1e-12
# Costs below it are as good as none.
LOST = 2.0**-1000


def _points(rng: np.random.Generator) -> dict:
    n = int(rng.integers(1, 9))
    reach = rng.choice([0.05, 0.3, 1.0])
    x, y = hostile_floats(rng, (n,), reach), hostile_floats(rng, (n,), reach)
    return {"x": x, "y": y, "depth": int(rng.choice([2, 3, 4, 10, 64]))}


def _interpolated(x: np.ndarray, y: np.ndarray, depth: int) -> str:
    found = interpolate_line(x, y, depth=depth).cost
    points = sorted(
        {(Fraction(a), Fraction(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)}
    )
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(points)]
    # R_2 = max(T, (T + S) / 2): Theorem 3.3 of Savarese et al. (2019).
    T, S = _variation(slopes), abs(slopes[0] + slopes[-1]) if slopes else Fraction(0)
    return _judged(found, max(T, (T + S) / 2), depth)


def _variation(slopes: list[Fraction]) -> Fraction:
    return sum((abs(after - before) for before, after in pairwise(slopes)), Fraction(0))


def _judged(found, cost: Fraction, depth: int) -> str:
    """The bracket must hold cost^(2/L); powers of its ends are exact as fractions."""
    # (cost^(2/L))^L = cost^2 has no root in it; an infinite upper end claims nothing.
    for end, sign in ((found.lower, -1), (found.upper, 1)):
        if end != np.inf and sign * (Fraction(float(end)) ** depth - cost**2) < 0:
            raise WrongError(f"{found} does not hold {float(cost) ** (2 / depth)}")
    return as_narrow_as_said(found, NARROW, LOST)


def _function(rng: np.random.Generator) -> dict:
    k = int(rng.integers(0, 7))
    reach = rng.choice([0.05, 0.3, 1.0])
    return {
        "knots": np.sort(hostile_floats(rng, (k,), reach)),
        "slopes": hostile_floats(rng, (k + 1,), reach),
    }


def _priced(knots: np.ndarray, slopes: np.ndarray) -> str:
    found = function_cost(PiecewiseLinear(knots, slopes))
    exact = [Fraction(slope) for slope in slopes.tolist()]
    # Theorem 3.1 of Savarese et al. (2019).
    return _judged(found, max(_variation(exact), abs(exact[0] + exact[-1])), 2)


ATTACKS = (
    Attack("interpolate_line", _points, _interpolated, "interpolate_line(x, y, depth=depth).cost"),
    Attack("function_cost", _function, _priced, "function_cost(PiecewiseLinear(knots, slopes))"),
)
