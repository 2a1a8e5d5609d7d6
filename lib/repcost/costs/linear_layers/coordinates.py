"""The scaled rows in coordinates of their row space, with everything lost on the way bounded."""

import math
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from repcost.costs.linear_layers.directions import pivot_rows
from repcost.costs.linear_layers.orthogonality import departure, sheared_departure, straightened
from repcost.costs.linear_layers.scaled_rows import Each, Floats, ScaledRows
from repcost.integers import rank_exceeds
from repcost.rounding import TINY, UNIT, exact_product, gamma

# Rows smaller than the largest by more than this power of two are not squared; they only widen
# the upper end.
FAINTEST = -300


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Y = M Q up to `error` (entry by entry), for rows M scaled down by 2^top.

    stretch: |Q^T Q - 1| is at most this, so singular values change by factors of at most
        sqrt(1 +- stretch).
    residual: |m_k - Q Q^T m_k| is at most this; None where Q is square.
    rank_known: the rows are proved to have exactly as many independent directions as Y has
        columns, so that the residual acts as a factor (fact 5) and not as a term (fact 6).
    basis: Q as far as floats hold it; None where nobody asks for it.
    """

    Y: Float[np.ndarray, "*batch K r"]
    error: Float[np.ndarray, "*batch K r"]
    stretch: Each
    residual: Float[np.ndarray, "*batch K"] | None = None
    rank_known: bool = True
    basis: Float[np.ndarray, "d r"] | None = None


def plain_coordinates(rows: ScaledRows) -> Coordinates:
    """For rows of comparable size: the given axes, or a basis if there are fewer rows than axes."""
    shift = np.maximum(rows.exponents - rows.top[..., None], FAINTEST)
    M = np.ldexp((rows.factors * rows.alive)[..., None] * rows.directions, shift[..., None])
    K, d = M.shape[-2:]
    if d <= K:
        return Coordinates(M, UNIT * np.abs(M) + TINY, np.zeros(M.shape[:-2]))
    Q = np.linalg.qr(np.swapaxes(M, -1, -2))[0]
    Y = M @ Q
    error = gamma(d + 1) * 1.01 * (np.abs(M) @ np.abs(Q)) + TINY
    return Coordinates(Y, error, departure(Q), residual(M, Y, Q))


def graded_coordinates(rows: ScaledRows) -> Coordinates:
    """For one problem, rows of any size: every column of Y is accurate, however small the column.

    Pivot rows are taken from large to small and become lower triangular, so that a large row
    has (almost) no entry in the columns that belong to small rows. Products are exact sums, so
    no large row spills its rounding into them.
    """
    scale = np.ldexp(rows.factors, rows.exponents - rows.top)
    Q, pivots = pivot_rows(rows.directions, scale)
    r, d = len(pivots), rows.directions.shape[1]
    # Every direction has length near 1 here, and the scale comes last: no digits are lost.
    Y = scale[:, None] * _exact_products(rows.directions, Q)

    def out_of_pivot(Y: Float[np.ndarray, "K r"], i: int) -> Float[np.ndarray, " rest"]:
        return -Y[pivots[i], i + 1 :] / Y[pivots[i], i]

    graded = straightened(Y, 2.1 * UNIT * np.abs(Y) + TINY, out_of_pivot, range(r - 1))
    stretch = sheared_departure(departure(Q), graded.sheared)
    square = Coordinates(graded.Z, graded.error, stretch, basis=Q)
    if r == d:
        return square
    lengths = np.linalg.norm(rows.directions, axis=1)
    missed = residual(rows.directions, rows.directions @ Q, Q) + 1.1 * lengths * graded.sheared
    known = _spanned_by(rows.directions, pivots)
    return replace(square, residual=1.01 * scale * missed, rank_known=known)


def _spanned_by(directions: Float[np.ndarray, "K d"], pivots: list[int]) -> bool:
    """Whether all rows are proved to be combinations of these."""
    K, r = len(directions), len(pivots)
    if r == K:
        return True
    # Pivots first: then the first row that adds a direction ends the elimination.
    order = np.argsort(~np.isin(np.arange(K), pivots), kind="stable")
    return not rank_exceeds(directions[order], r)


def _exact_products(
    A: Float[np.ndarray, "K d"], B: Float[np.ndarray, "d r"]
) -> Float[np.ndarray, "K r"]:
    """A B, every entry rounded once."""
    columns = []
    for column in B.T:
        terms = np.concatenate(exact_product(A, np.broadcast_to(column, A.shape)), axis=1)
        columns.append([math.fsum(row) for row in terms.tolist()])
    return np.array(columns).T


def residual(M: Floats, Y: Floats, Q: Floats) -> Floats:
    """A bound of |m_k - Q Q^T m_k|, row by row."""
    d, r = Q.shape[-2:]
    left = np.linalg.norm(M - Y @ np.swapaxes(Q, -1, -2), axis=-1)
    # The products that are rounded are at most r |m_k| together: entries of |M| |Q| |Q|^T.
    return 1.01 * left + 1.1 * (gamma(d + 1) + gamma(r + 2)) * r * np.linalg.norm(M, axis=-1)
