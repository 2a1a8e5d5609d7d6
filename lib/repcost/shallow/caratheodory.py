"""Carathéodory's theorem with floats: a sum in p dimensions needs no more than p of its terms.

A non-negative combination of more than p columns of length p has a linear dependence among
them. Moving the weights along it, in the direction in which their total does not rise,
changes no entry of the sum, and a first weight becomes zero. Repeated, this leaves p columns
at most.

A linear programme does the same at once, as the vertices of {t >= 0: C t = c} are the
combinations with independent columns; it also looks for the least total. Its tolerance is
1e-9, so the weights are solved for once more on the columns that it chose.
"""

import contextlib

import numpy as np
from jaxtyping import Float
from scipy.optimize import linprog, nnls

from repcost.scales import exponent_of, lengths
from repcost.shallow.merging import Outer

Columns = Float[np.ndarray, "p k"]
Weights = Float[np.ndarray, " k"]


def basic_weights(columns: Columns, weights: Weights) -> Weights:
    """Weights >= 0 with the same sum of columns, no greater total, and at most p positive ones.

    The weighted sum of the columns (p, k) and the total agree with those of the given
    non-negative `weights` (k,) to about twelve digits. Where rounding gets in the way of
    that, the given weights come back.

    >>> columns = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    >>> basic_weights(columns, np.array([1.0, 2.0, 1.0])).round(12).tolist()
    [0.0, 1.0, 2.0]
    """
    if not np.abs(columns).max(initial=0.0) or not weights.any():
        return 0 * weights
    # At size one nothing overflows, and what vanishes is nothing beside the rest.
    exponent = exponent_of(weights)
    columns, weights = np.ldexp(columns, -exponent_of(columns)), np.ldexp(weights, -exponent)
    return np.ldexp(_basic(columns, weights), exponent)


def _basic(columns: Columns, weights: Weights) -> Weights:
    for proposal in (_by_programme, _by_steps):
        kept = proposal(columns, weights)
        if kept is not None and _is_as_good(columns, weights, kept):
            return kept
    return weights


def basic_outer(hidden: Float[np.ndarray, "N k"], A: Outer) -> Outer:
    """Outer weights with the same outputs hidden A (N, m), no more cost, and at most N m rows left.

    The other rows are zero. Each neuron is a column of N m outputs, its outer weights at
    length one, and is weighted by the length of these.
    """
    size = lengths(A)
    directions = A / size[:, None]
    outputs = hidden[:, None, :] * directions.T
    kept = basic_weights(outputs.reshape(len(hidden) * A.shape[1], len(A)), size)
    # A faint row may have to grow by more than floats reach; its direction may not.
    return directions * kept[:, None]


def _is_as_good(columns: Columns, weights: Weights, other: Weights) -> bool:
    wanted, most = columns @ weights, (np.abs(columns) @ weights).max()
    same = (np.abs(columns @ other - wanted) <= 1e-12 * most).all()
    return bool(same and other.sum() <= weights.sum() * (1 + 1e-13))


def _by_programme(columns: Columns, weights: Weights) -> Weights | None:
    """The vertex of least total; None if the programme finds nothing."""
    total = weights.sum()
    scale = np.abs(columns).max()
    # Both sides at size one, as the solver's tolerance is absolute.
    scaled, wanted = columns / scale, columns @ weights / (scale * total)
    found = linprog(np.ones(len(weights)), A_eq=scaled, b_eq=wanted, method="highs-ds").x
    if found is None:
        return None
    basis = np.flatnonzero(found > 1e-12)
    # What is wanted may be below the tolerance; scipy's compiled solver of the equations would end
    # the process on an empty matrix.
    if not len(basis):
        return None
    kept = np.zeros(len(weights))
    # The programme is solved to nine digits; on its basis the equations are solved to all.
    with contextlib.suppress(RuntimeError):  # too many iterations
        kept[basis] = total * nnls(columns[:, basis] / scale, wanted)[0]
    return kept


def _by_steps(columns: Columns, weights: Weights) -> Weights:
    """The proof of the theorem: along a dependence, not uphill, until a weight is zero.

    Slower than the programme, but its error is rounding, not the tolerance of the programme.
    """
    weights, p = np.array(weights), len(columns)
    while len(some := np.flatnonzero(weights)[: p + 1]) > p:
        # The last column of Q is orthogonal to the span of the p rows.
        direction = np.linalg.qr(columns[:, some].T, mode="complete")[0][:, -1]
        # Of the two ways along it, the one on which the total does not rise.
        direction *= -np.copysign(1.0, direction.sum())
        with np.errstate(divide="ignore"):
            steps = np.where(direction < 0, weights[some] / np.abs(direction), np.inf)
        weights[some] = np.maximum(weights[some] + steps.min() * direction, 0.0)
        # Rounding may leave a trace, and then the loop would not end.
        weights[some[steps.argmin()]] = 0.0
    return weights
