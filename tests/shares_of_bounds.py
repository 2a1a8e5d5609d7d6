"""How much of a bound is used, against fractions, and pairs of floats to try bounds with."""

from fractions import Fraction

import numpy as np

from repcost.regions.pairs import Pair

EXACTLY = np.vectorize(Fraction, otypes=[object])


def share(exact, floats, bound):
    """The largest part of a bound that is used; more than 1 where it is wrong."""
    gaps = np.abs(exact - EXACTLY(floats)).ravel()
    bounds = EXACTLY(bound).ravel()
    assert all(gap == 0 for gap, most in zip(gaps, bounds, strict=True) if not most)
    return max((float(g / b) for g, b in zip(gaps, bounds, strict=True) if b), default=0.0)


def pairs(rng, shape):
    """Floats of many sizes with a rest, some of them zero."""
    return with_rests(
        rng,
        rng.normal(size=shape) * 2.0 ** rng.integers(-30, 30, shape) * rng.integers(0, 4, shape),
    )


def with_rests(rng, high):
    low = high * 2.0**-54 * rng.uniform(-1, 1, high.shape)
    return Pair(high, low, np.abs(high) * 2.0**-100)


def value(pair):
    return EXACTLY(pair.high) + EXACTLY(pair.low)
