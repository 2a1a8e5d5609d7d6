"""Spheres and balls in d dimensions, and directions that cover a sphere evenly."""

import numpy as np
from jaxtyping import Float, Int
from scipy.special import gamma
from scipy.stats import norm
from scipy.stats.qmc import Sobol

from repcost.scalars import whole_number

Dimension = int | Int[np.ndarray, " n"]
Size = float | Float[np.ndarray, " n"]


def sphere_area(d: Dimension) -> Size:
    """The area of the unit sphere in d dimensions, 2 pi^(d/2) / Gamma(d/2); 2 for d = 1.

    >>> round(float(sphere_area(3) / np.pi), 12)
    4.0
    """
    return 2 * np.pi ** (d / 2) / gamma(d / 2)


def ball_volume(d: Dimension) -> Size:
    """The volume of the unit ball in d dimensions, pi^(d/2) / Gamma(d/2 + 1); 1 for d = 0.

    >>> round(float(ball_volume(3) / np.pi), 12), float(ball_volume(0))
    (1.333333333333, 1.0)
    """
    return np.pi ** (d / 2) / gamma(d / 2 + 1)


def even_directions(d: int, power: int, rng: np.random.Generator) -> Float[np.ndarray, "n d"]:
    """2^power points on the unit sphere in d dimensions, more even than independent ones.

    Scrambled Sobol points, made normal coordinate by coordinate and scaled to length one. The
    error of a mean over them falls faster than that over independent points, 1 / sqrt(2^power).

    >>> n = even_directions(3, 10, np.random.default_rng(0))
    >>> n.shape, bool(np.abs(n.mean(axis=0)).max() < 0.005)
    ((1024, 3), True)
    """
    d, power = whole_number(d, "d", 1), whole_number(power, "power", 0, 30)
    # scipy 1.13 knows only this name; later ones take it too, but their types do not.
    sobol = Sobol(d, seed=rng)  # pyright: ignore[reportCallIssue]
    points = norm.ppf(sobol.random_base2(power))
    return points / np.linalg.norm(points, axis=1, keepdims=True)
