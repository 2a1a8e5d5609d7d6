"""Hostile floats: numbers at the ends of the range, near ties, exact ties, and plain ones."""

import numpy as np
from jaxtyping import Float

Floats = Float[np.ndarray, "..."]

# Smallest denormal and largest float, as exponents of two.
DENORMAL, LARGEST = -1074, 1023


def hostile_floats(rng: np.random.Generator, shape: tuple[int, ...], reach: float = 1.0) -> Floats:
    """Floats of one of eight moods, the same for the whole array; finite, with both signs.

    reach: the part of the range of exponents that is used; 1 is all of it, denormals too.
    """
    mood = MOODS[rng.integers(len(MOODS))]
    # At the upper end of the range a mood may overflow; what is drawn stays finite.
    return np.nan_to_num(mood(rng, shape, reach), posinf=1e300, neginf=-1e300)


def _normal(rng: np.random.Generator, shape: tuple[int, ...], reach: float) -> Floats:
    return rng.normal(size=shape)


def _whole(rng: np.random.Generator, shape: tuple[int, ...], reach: float) -> Floats:
    """Small whole numbers: exact ties, dependent rows, zeros."""
    return rng.integers(-3, 4, size=shape).astype(float)


def _one_scale(rng: np.random.Generator, shape: tuple[int, ...], reach: float) -> Floats:
    """All of one size, anywhere in the range."""
    return np.ldexp(rng.normal(size=shape), int(_exponents(rng, (), reach)))


def _all_scales(rng: np.random.Generator, shape: tuple[int, ...], reach: float) -> Floats:
    """Each of a size of its own."""
    return np.ldexp(rng.uniform(1, 2, size=shape), _exponents(rng, shape, reach)) * _signs(
        rng, shape
    )


def _near_ties(rng: np.random.Generator, shape: tuple[int, ...], reach: float) -> Floats:
    """Few different numbers, each up to three units in the last place away from itself."""
    few = rng.normal(size=3) * 2.0 ** int(_exponents(rng, (), reach / 4))
    chosen = few[rng.integers(3, size=shape)]
    return chosen + rng.integers(-3, 4, size=shape) * np.spacing(chosen)


def _ties(rng: np.random.Generator, shape: tuple[int, ...], reach: float) -> Floats:
    return rng.normal(size=3)[rng.integers(3, size=shape)]


def _sparse(rng: np.random.Generator, shape: tuple[int, ...], reach: float) -> Floats:
    return np.where(rng.random(shape) < 0.6, 0.0, rng.normal(size=shape))


def _edges(rng: np.random.Generator, shape: tuple[int, ...], reach: float) -> Floats:
    """Powers of two and their neighbours, where the spacing of floats changes."""
    powers = np.ldexp(1.0, _exponents(rng, shape, reach))
    towards = np.where(rng.random(shape) < 0.5, 0.0, np.inf)
    return np.where(rng.random(shape) < 0.5, powers, np.nextafter(powers, towards)) * _signs(
        rng, shape
    )


MOODS = (_normal, _whole, _one_scale, _all_scales, _near_ties, _ties, _sparse, _edges)


def _exponents(rng: np.random.Generator, shape: tuple[int, ...], reach: float) -> np.ndarray:
    return rng.integers(int(DENORMAL * reach), int(LARGEST * reach), size=shape)


def _signs(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return rng.choice([-1.0, 1.0], size=shape)
