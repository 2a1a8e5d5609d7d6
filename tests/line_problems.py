"""Points on a line, and what they cost in rational arithmetic on the same floats."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

# Ten points like those of Figure 1, with the cost 4.35 of its caption.
FIGURE_1 = (
    [-2, -1.5, -1.1, -0.6, -0.2, 0.3, 0.7, 1.2, 1.6, 2],
    [0.5, 0.2, 0.12, 0.345, 0.685, 0.86, 0.74, 0.29, 0.13, 0.23],
)


HARD = {
    "a gap of 1e-9": ([0, 1e-9, 1, 2], [0, 1e-9, 0, 1]),
    "a gap of 2^-40": ([0, 2.0**-40, 1, 2], [0, 1, 1, 0]),
    "an offset of 1e9": (
        [1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.7, 1e9 + 1.3],
        [1e9 + 0.3, 1e9, 1e9 + 0.1, 1e9 + 0.7],
    ),
    "nearly a line": ([0, 1, 2, 3, 4], [0, 0.1, 0.2, 0.3, 0.4]),
    "inexact differences": ([-0.1, 0.3, 1e-20, 7.1, 1e5], [1e-9, 3e7, -0.7, 0.1, 1 / 3]),
    "thirds": ([0, 3, 6, 7, 10], [0, 1, 2, 9, 10]),
    "one point": ([3], [4]),
    "two points": ([0, 3], [0, 1]),
    "a constant": ([0, 0.1, 0.3], [0.7, 0.7, 0.7]),
    "Figure 1": FIGURE_1,
    "below the smallest float": ([0, 1, 2e200], [1e-300, 0, 3e-310]),
    "large": ([-1e250, 0, 1e-40, 1e-39], [1e250, 0, 1e200, 1]),
}


def slopes_of(x, y) -> list[Fraction]:
    points = sorted({(Fraction(a), Fraction(b)) for a, b in zip(x, y, strict=True)})
    return [(d - b) / (c - a) for (a, b), (c, d) in pairwise(points)]


def variation_and_ends(x, y) -> tuple[Fraction, Fraction]:
    """T and S of Theorem 3.3."""
    slopes = slopes_of(x, y)
    ends = slopes[0] + slopes[-1] if slopes else Fraction(0)
    return sum((abs(b - a) for a, b in pairwise(slopes)), Fraction(0)), abs(ends)


def least_cost(x, y) -> Fraction:
    variation, ends = variation_and_ends(x, y)
    return max(variation, (variation + ends) / 2)


def integer_points(rng, most=8) -> tuple[np.ndarray, np.ndarray]:
    """Few values, so that points are often collinear, runs long and T = S."""
    n = rng.integers(2, most)
    return np.sort(rng.permutation(12)[:n]).astype(float), rng.integers(-3, 4, size=n).astype(float)


def largest_dual_value(beta, x) -> Fraction:
    x = [Fraction(a) for a in x]
    return max(
        abs(sum((b * max(sign * (a - t), 0) for a, b in zip(x, beta, strict=True)), Fraction(0)))
        for t in x
        for sign in (1, -1)
    )
