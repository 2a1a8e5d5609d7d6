"""The weights of networks with linear layers, moved downhill: what formulas are held against.

The costs of Ongie & Willett (2022) are minima over weights or over scales of units. Here they are
minimised as they are defined, by a general-purpose method that knows none of the formulas.
"""

from dataclasses import dataclass
from functools import reduce

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from repcost.arrays import ArrayLike, finite_array
from repcost.scalars import generator, whole_depth, whole_number

# What a fit pays for missing its points by one; the rest of a fit is of size one.
_MISSING = 1e9


@dataclass(frozen=True, eq=False)
class ScaleSearch:
    """The least sum that was found, and the scales (K,) where it was."""

    cost: float
    scales: Float[np.ndarray, " K"]


def sum_of_weights(W: ArrayLike, a: ArrayLike, depth: int) -> float:
    """|a|^2/L + (L-1)/L |W|_q^q for q = 2/(L-1): what a network pays as it stands.

    Equation (10) of Ongie & Willett (2022), by a plain singular value decomposition of W (K, d).

    >>> sum_of_weights([[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0], 3)
    3.0
    """
    W, a, depth = finite_array(W, "W", 2), finite_array(a, "a", 1), whole_depth(depth)
    return _scaled_sum(np.zeros(len(a)), W, a, depth)[0]


def least_over_scales(
    W: ArrayLike, a: ArrayLike, depth: int, *, start: ArrayLike | None = None
) -> ScaleSearch:
    """The sum of the weights, minimised over the scales of the units: equation (11).

    A quasi-Newton method over the logarithms of the scales; `start` holds those it begins with,
    zero unless given. An experiment, which ends where no step leads down.

    >>> found = least_over_scales([[1.0, 0.0], [0.0, 1.0]], [8.0, 1.0], 3)
    >>> round(found.cost, 6), (found.scales / found.scales[1]).round(4).tolist()
    (5.0, [4.0, 1.0])
    """
    W, a, depth = finite_array(W, "W", 2), finite_array(a, "a", 1), whole_depth(depth)
    first = np.zeros(len(a)) if start is None else finite_array(start, "start", 1)
    options = {"ftol": 1e-16, "gtol": 1e-12, "maxiter": 5000}
    arguments = {"args": (W, a, depth), "jac": True, "method": "L-BFGS-B", "options": options}
    found = minimize(_scaled_sum, first, **arguments)
    return ScaleSearch(float(found.fun), np.exp(found.x))


def _scaled_sum(
    t: Float[np.ndarray, " K"], W: Float[np.ndarray, "K d"], a: Float[np.ndarray, " K"], depth: int
) -> tuple[float, Float[np.ndarray, " K"]]:
    """The sum for the scales e^t, and its derivative by t."""
    q, outer = 2 / (depth - 1), a**2 * np.exp(-2 * t)
    U, s, _ = np.linalg.svd(np.exp(t)[:, None] * W, full_matrices=False)
    value = (outer.sum() + (depth - 1) * np.sum(s**q)) / depth
    # A row that is scaled up adds its part of each singular vector to the power of that value.
    return float(value), 2 / depth * (U**2 @ s**q - outer)


def descended_fits(
    x: ArrayLike, y: ArrayLike, depth: int, rng: np.random.Generator, *, units: int, starts: int
) -> Float[np.ndarray, " starts"]:
    """Costs of networks with linear layers that fit points of one variable, from random starts.

    Problem (5) of Ongie & Willett (2022): the inner matrices and biases go downhill, and the outer
    weights are at each step the smallest that fit; the output bias is free. Linear layers have
    two units. A start that misses the points at its end costs far more than any fit.
    """
    x, y = finite_array(x, "x", 1), finite_array(y, "y", 1)
    depth, units = whole_depth(depth), whole_number(units, "units", 1)
    starts, rng = whole_number(starts, "starts", 1), generator(rng)
    shapes = [(2, 1), *[(2, 2)] * (depth - 3), (units, 2)] if depth > 2 else [(units, 1)]
    count = units + sum(rows * columns for rows, columns in shapes)

    def descend(start: Float[np.ndarray, " weights"]) -> float:
        arguments = (x, y - y.mean(), shapes, depth)
        options = {"maxiter": 2000}
        found = minimize(
            _cost_of_fit, start, arguments, jac=True, method="L-BFGS-B", options=options
        )
        return float(found.fun)

    return np.sort([descend(rng.normal(size=count)) for _ in range(starts)])


def _cost_of_fit(
    weights: Float[np.ndarray, " weights"],
    x: Float[np.ndarray, " n"],
    z: Float[np.ndarray, " n"],
    shapes: list[tuple[int, int]],
    depth: int,
) -> tuple[float, Float[np.ndarray, " weights"]]:
    """C_L with the smallest outer weights, and a price for what they miss of the centred z."""
    *flat, b = np.split(weights, np.cumsum([rows * columns for rows, columns in shapes]))
    inner = [part.reshape(shape) for part, shape in zip(flat, shapes, strict=True)]
    pre = x * reduce(lambda below, M: M @ below, inner) + b[:, None]
    # Centred values need no output bias.
    A = np.maximum(pre, 0).T
    A = A - A.mean(axis=0)
    a = np.linalg.lstsq(A, z, rcond=1e-8)[0]
    missed, squares = A @ a - z, weights[: -len(b)] @ weights[: -len(b)]
    value = (a @ a + squares) / depth + _MISSING * missed @ missed
    # |a|^2 is <z, (A A^T)^+ z>, with the derivative -2 m a^T by A, where m = (A A^T)^+ z solves
    # A^T m = a.
    pull = -np.linalg.lstsq(A.T, a, rcond=1e-8)[0] / depth + _MISSING * missed
    by_pre = 2 * np.outer(a, pull) * (pre > 0)
    slopes = [*_slopes(inner, by_pre @ x[:, None]), by_pre.sum(axis=1)]
    slopes = np.concatenate([slope.ravel() for slope in slopes])
    slopes[: -len(b)] += 2 / depth * weights[: -len(b)]
    return float(value), slopes


def _slopes(
    inner: list[Float[np.ndarray, "_ _"]], by_product: Float[np.ndarray, "K d"]
) -> list[Float[np.ndarray, "_ _"]]:
    """Derivatives by each factor, from that by the product of all."""
    slopes = []
    for i, M in reversed(list(enumerate(inner))):
        below = reduce(lambda product, W: W @ product, inner[:i], np.eye(inner[0].shape[1]))
        slopes.append(by_product @ below.T)
        by_product = M.T @ by_product
    return slopes[::-1]
