"""Points on lines, rays and curves, and what a teacher network says about random points.

Points are rows. The papers do not print the data of their figures; these have the properties that
the text states.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int

from repcost.arrays import finite_array
from repcost.deep_networks import DeepNet
from repcost.scalars import nonnegative_number, real_number, whole_number, whole_numbers

Points = Float[np.ndarray, "n d"]
Values = Float[np.ndarray, " n"]


def ten_points() -> tuple[Values, Values]:
    """(x, y) with a least interpolation cost of exactly 4.35.

    As in Figure 1 of Savarese et al. (2019).

    >>> from repcost import interpolate_line
    >>> round(interpolate_line(*ten_points()).cost.value, 12)
    4.35
    """
    x = [-2, -1.5, -1.1, -0.6, -0.2, 0.3, 0.7, 1.2, 1.6, 2]
    y = [0.5, 0.2, 0.12, 0.345, 0.685, 0.86, 0.74, 0.29, 0.13, 0.23]
    return np.array(x), np.array(y)


def two_rays(
    angle: float = 2 * np.pi / 3,
    *,
    heights: tuple[float, float] = (0.75, -0.75),
    offset: float = -0.5,
    bend: float = 0.6,
    along: Sequence[float] = (0.2, 0.4, 0.6, 0.8, 1.0),
) -> tuple[Points, Values]:
    """Points on two rays `angle` apart, with values offset + height [distance - bend]_+.

    Sections 5.2 and 5.3 of Ongie & Willett (2022): the first ray goes through (2, 1). The defaults
    are Figure 3; heights=(1.125, -0.375) and offset=0 with angles 0.55 pi and 0.52 pi are Figure 2.

    heights: one for each ray.
    along: the distances of the points from the corner, the same on both.

    >>> X, y = two_rays()
    >>> X.shape, round(float(y.max() - y.min()), 12)
    ((10, 2), 0.6)
    """
    angle, offset, bend = (
        real_number(value, name)
        for name, value in (("angle", angle), ("offset", offset), ("bend", bend))
    )
    both = finite_array(heights, "heights", 1)
    if len(both) != 2:
        raise ValueError(f"heights must be two numbers, one for each ray, not {len(both)}")
    # Both rays start at the origin; the second is the first, turned.
    first = np.array([2.0, 1.0]) / np.sqrt(5)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    t = finite_array(along, "along", 1)
    X = np.concatenate([t[:, None] * first, t[:, None] * (turn @ first)])
    y = np.concatenate([offset + height * np.maximum(t - bend, 0.0) for height in both])
    return X, y


def taught(
    n: int = 1000, *, widths: Sequence[int] = (50, 10, 10, 10), seed: int = 0
) -> tuple[Points, Float[np.ndarray, "n m"], DeepNet]:
    """(X, Y, teacher): Gaussian points, and what a random ReLU network without biases says there.

    Figure 2 (right) of Jacot et al. (2022); teacher weights have variance 1 / inputs. Call the
    teacher for more.

    >>> X, Y, teacher = taught(5)
    >>> X.shape, Y.shape, bool((Y == teacher(X)).all())
    ((5, 50), (5, 10), True)
    """
    n, widths = (
        whole_number(n, "n", 0, of="points"),
        whole_numbers(widths, "widths", 1, least_count=2),
    )
    rng = np.random.default_rng(whole_number(seed, "seed", 0))
    weights = [rng.normal(scale=into**-0.5, size=(out, into)) for into, out in pairwise(widths)]
    teacher = DeepNet(weights, [np.zeros(out) for out in widths[1:]])
    X = rng.normal(size=(n, widths[0]))
    return X, teacher(X), teacher


def taught_rank_five(
    n: int = 2000, *, dimension: int = 50, rank: int = 5, width: int = 100, seed: int = 0
) -> tuple[Points, Points, DeepNet]:
    """(X, Y, teacher): a map of R^50 to itself that only sees five directions.

    As in Figure 1 of Jacot (2023). Points are Gaussian; the teacher is one hidden ReLU layer after
    a linear map onto R^5. Outputs have mean zero and a mean squared length of 5 over these points.

    >>> X, Y, teacher = taught_rank_five(200)
    >>> Y.shape, round(float((Y**2).sum(1).mean()), 12)
    ((200, 50), 5.0)
    >>> int(np.linalg.matrix_rank(teacher.jacobians(X)).max())
    5
    """
    # The mean over one point is that point, and nothing is left to scale.
    n, dimension = whole_number(n, "n", 2, of="points"), whole_number(dimension, "dimension", 1)
    rank, width = whole_number(rank, "rank", 1), whole_number(width, "width", 1)
    rng = np.random.default_rng(whole_number(seed, "seed", 0))
    # Scales keep the size of what passes; the 2 is for the half that a ReLU drops.
    A = rng.normal(scale=dimension**-0.5, size=(rank, dimension))
    W = rng.normal(scale=(2 / rank) ** 0.5, size=(width, rank))
    V = rng.normal(scale=(2 / width) ** 0.5, size=(dimension, width))
    b = rng.normal(scale=0.5, size=width)
    X = rng.normal(size=(n, dimension))
    outputs = np.maximum(X @ A.T @ W.T + b, 0.0) @ V.T
    # The last layer centres and scales, so that the teacher itself gives such outputs.
    middle = outputs.mean(0)
    scale = np.sqrt(5 / np.mean(np.sum((outputs - middle) ** 2, axis=1)))
    teacher = DeepNet([W @ A, scale * V], [b, -scale * middle])
    return X, teacher(X), teacher


def s_shapes(
    each: int = 100, *, noise: float = 0.03, seed: int = 0
) -> tuple[Points, Int[np.ndarray, " n"]]:
    """(X, labels): four classes in the plane, each along an S, side by side.

    As in Figure 2 of Jacot (2023).

    >>> X, labels = s_shapes()
    >>> X.shape, np.bincount(labels).tolist()
    ((400, 2), [100, 100, 100, 100])
    """
    each, noise = whole_number(each, "each", 0, of="points"), nonnegative_number(noise, "noise")
    rng = np.random.default_rng(whole_number(seed, "seed", 0))
    # Four copies of one S, a unit apart.
    labels = np.repeat(np.arange(4), each)
    t = rng.uniform(-1, 1, size=4 * each)
    X = np.column_stack([labels - 1.5 - np.sin(np.pi * t), 1.5 * t])
    return X + noise * rng.normal(size=X.shape), labels


def sine_curve(n: int = 200, *, amplitude: float = 0.4, seed: int = 0) -> Points:
    """Points of a curve in the plane, (1.5 t, amplitude sin(pi t)) for t in (-1, 1).

    As in Figure 3 B of Jacot (2023).

    >>> sine_curve(3).shape
    (3, 2)
    """
    n, amplitude = whole_number(n, "n", 0, of="points"), real_number(amplitude, "amplitude")
    t = np.random.default_rng(whole_number(seed, "seed", 0)).uniform(-1, 1, size=n)
    return np.column_stack([1.5 * t, amplitude * np.sin(np.pi * t)])
