"""The rows m_k = a_k w_k in coordinates of their row space, with everything that is lost on the way
bounded.

The costs of linear layers depend on singular values raised to small powers, so a direction that
rounding adds or
removes matters: by eps^(2/L). The number of directions is therefore decided once, on rows of unit
length.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.rounding import UNIT, exact_product, gamma

Floats = Float[np.ndarray, "..."]
# One number per problem: an array for a batch, a number for a problem on its own.
Each = Floats | float

# Rows smaller than the largest by more than this power of two are not squared; they only widen the
# upper end.
FAINTEST = -300
# More than what underflow takes from an entry of rows whose largest are near 1.
TINY = 1e-290
# Products of whole numbers that the exact test of the rank may take: about a quarter of a second.
_EXACT_WORK = 300_000


@dataclass(frozen=True, eq=False)
class ScaledRows:
    """m_k = 2^exponents_k factors_k directions_k exactly: factors and the largest entry of a
    direction in [1/2, 1).
    """

    directions: Float[np.ndarray, "*batch K d"]
    factors: Float[np.ndarray, "*batch K"]
    exponents: Int[np.ndarray, "*batch K"]
    alive: Bool[np.ndarray, "*batch K"]

    @property
    def top(self) -> Int[np.ndarray, "*batch"]:
        """The largest exponent of a row that is not zero."""
        return np.asarray(np.where(self.alive, self.exponents, -100_000).max(-1, initial=-100_000))

    def part(
        self, which: Int[np.ndarray, " n"] | Bool[np.ndarray, " n"] | np.integer
    ) -> "ScaledRows":
        """Some problems of a batch, or some rows of a problem."""
        return ScaledRows(
            self.directions[which], self.factors[which], self.exponents[which], self.alive[which]
        )


def scaled_rows(W: Floats, a: Floats) -> ScaledRows:
    """Nothing is rounded, so a and W may be as far from 1 as floats go."""
    _, exponents = np.frexp(np.abs(W).max(-1, initial=0.0))
    factors, shifts = np.frexp(np.abs(a))
    exponents = exponents.astype(np.int64)
    directions = np.ldexp(W, -exponents[..., None])
    alive = (factors != 0) & directions.any(-1)
    return ScaledRows(directions, factors, exponents + shifts, alive)


def outward(
    lower: Each, upper: Each, top: Int[np.ndarray, "..."], depth: int
) -> tuple[Floats, Floats]:
    """Times 2^(2 top / L), whose whole part is exact."""
    whole, rest = np.divmod(2 * top, depth)
    with np.errstate(over="ignore", under="ignore"):
        ends = [np.ldexp(end * 2.0 ** (rest / depth), whole) for end in (lower, upper)]
    low = np.where(lower > 0, np.nextafter(ends[0] * (1 - 8 * UNIT), 0.0), 0.0)
    return low, np.where(upper > 0, np.nextafter(ends[1] * (1 + 8 * UNIT), np.inf), 0.0)


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Y = M V up to `error` (entry by entry), for rows M scaled down by 2^top.

    stretch: |V^T V - 1| is at most this, so singular values change by a factor sqrt(1 +- stretch)
    at most.
    residual: |m_k - V V^T m_k| is at most this; None where V is square. divides: the rows are known
    to have exactly as many independent directions as Y has columns, so that the residual acts as a
    factor and not as a term.
    """

    Y: Float[np.ndarray, "*batch K r"]
    error: Float[np.ndarray, "*batch K r"]
    stretch: Each
    residual: Float[np.ndarray, "*batch K"] | None = None
    divides: bool = True


def plain_coordinates(rows: ScaledRows) -> Coordinates:
    """For rows of comparable size: the given axes, or an orthonormal basis if there are fewer rows
    than axes.
    """
    shift = np.maximum(rows.exponents - rows.top[..., None], FAINTEST)
    M = np.ldexp((rows.factors * rows.alive)[..., None] * rows.directions, shift[..., None])
    K, d = M.shape[-2:]
    if d <= K:
        return Coordinates(M, UNIT * np.abs(M) + TINY, np.zeros(M.shape[:-2]))
    Q = np.linalg.qr(np.swapaxes(M, -1, -2))[0]
    Y = M @ Q
    error = gamma(d + 1) * 1.01 * (np.abs(M) @ np.abs(Q)) + TINY
    return Coordinates(Y, error, _departure(Q), _residual(M, Y, Q))


def graded_coordinates(rows: ScaledRows) -> Coordinates:
    """For one problem, rows of any size: relative accuracy in every column of Y, however small the
    column.

    Pivot rows are taken from large to small and become lower triangular, so that a large row has
    (almost) no entry in the columns that belong to small rows. Products are exact sums, so no large
    row spills its rounding into them.
    """
    scale = np.ldexp(rows.factors, rows.exponents - rows.top)
    Q, pivots = _independent_rows(rows.directions, scale)
    r = len(pivots)
    K, d = rows.directions.shape
    Y = scale[:, None] * _exact_products(rows.directions, Q)
    error = 2.1 * UNIT * np.abs(Y) + TINY
    Y, error, sheared = straightened(
        Y, error, lambda Y, i: -Y[pivots[i], i + 1 :] / Y[pivots[i], i], range(r - 1)
    )
    stretch = _departure(Q)
    stretch = stretch + (1 + stretch) * sheared
    plain = Coordinates(Y, error, stretch)
    if r == d:
        return plain
    lengths = np.linalg.norm(rows.directions, axis=1)
    outside = _residual(rows.directions, rows.directions @ Q, Q) + 1.1 * lengths * sheared
    known = r == K or not rank_exceeds(
        rows.directions[np.argsort(~np.isin(np.arange(K), pivots), kind="stable")], r
    )
    return replace(plain, residual=1.01 * scale * outside, divides=known)


def straightened(
    Z: Float[np.ndarray, "K r"],
    error: Float[np.ndarray, "K r"],
    shear_of: Callable[[Float[np.ndarray, "K r"], int], Float[np.ndarray, " rest"]],
    columns: Iterable[int],
) -> tuple[Float[np.ndarray, "K r"], Float[np.ndarray, "K r"], float]:
    """Z T, its error and a bound of |T^T T - 1|: each of `columns`, times a shear, is added to all
    columns after it.

    This takes out of short columns what is left in them of longer ones: an entry of V that should
    be 1e-12 is known to 1e-16 only, and a large row shows that in a short column. T is as near to 1
    as these errors of V are small; V T is never formed, where it would be rounded again. A last
    step makes T orthogonal up to the square of the shears.
    """
    r = Z.shape[1]
    Z, error, T, steps = Z.copy(), error.copy(), np.eye(r), 0
    for i in columns:
        shear = shear_of(Z, i)
        moved = Z[:, i : i + 1] * shear
        error[:, i + 1 :] += error[:, i : i + 1] * np.abs(shear) + 4 * UNIT * (
            np.abs(Z[:, i + 1 :]) + np.abs(moved)
        )
        Z[:, i + 1 :] += moved
        T[:, i + 1 :] += T[:, i : i + 1] * shear
        steps += 1
    back = np.triu(T, 1).T
    error += error @ np.abs(back) + 1.1 * gamma(r + 2) * (np.abs(Z) + np.abs(Z) @ np.abs(back))
    Z, T = Z - Z @ back, T - T @ back
    size = np.linalg.norm(T)
    departure = np.linalg.norm(T.T @ T - np.eye(r)) + gamma(4 * steps + 4 * r + 8) * (1 + size) ** 2
    return Z, 1.01 * error, float(1.01 * departure)


def independent_directions(W: Float[np.ndarray, "K d"]) -> int:
    """The rank of W, decided on rows of unit length."""
    rows = scaled_rows(W, np.ones(len(W)))
    return len(_independent_rows(rows.directions[rows.alive], np.ones(int(rows.alive.sum())))[1])


def rank_exceeds(W: Float[np.ndarray, "K d"], r: int) -> bool:
    """False is a proof, by elimination in whole numbers (Bareiss 1968); True also where that would
    take too long.
    """
    K, d = W.shape
    if K * d * (r + 1) > _EXACT_WORK:
        return True
    digits, exponents = np.frexp(W)
    lowest = np.where(W != 0, exponents, 10_000).min(-1, keepdims=True)
    shifts = np.where(W != 0, exponents - lowest, 0)
    pivots: list[tuple[list[int], int]] = []
    for k in range(K):
        row = [int(x) << int(s) for x, s in zip(np.ldexp(digits[k], 53), shifts[k], strict=True)]
        before = 1
        for pivot, column in pivots:
            row = [
                (pivot[column] * x - row[column] * y) // before
                for x, y in zip(row, pivot, strict=True)
            ]
            before = pivot[column]
        column = next((j for j, x in enumerate(row) if x), None)
        if column is not None:
            if len(pivots) == r:
                return True
            pivots.append((row, column))
    return False


def _independent_rows(
    directions: Float[np.ndarray, "K d"], scale: Float[np.ndarray, " K"]
) -> tuple[Float[np.ndarray, "d r"], list[int]]:
    """Pivoted Gram-Schmidt: the row with most left is next, among those of which more than rounding
    is left.
    """
    K, d = directions.shape
    tolerance = 8 * np.finfo(float).eps * max(K, d)
    left = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    basis, pivots = np.zeros((d, 0)), []
    while len(pivots) < min(K, d):
        lengths = np.linalg.norm(left, axis=1)
        pivot = int(np.argmax(np.where(lengths > tolerance, lengths * scale, -1.0)))
        if lengths[pivot] <= tolerance:
            break
        q = left[pivot] / lengths[pivot]
        for _ in range(2):  # twice is enough (Kahan): orthogonal to rounding
            q = q - basis @ (basis.T @ q)
            q = q / np.linalg.norm(q)
        basis, pivots = np.column_stack([basis, q]), [*pivots, pivot]
        left = left - np.outer(left @ q, q)
        left[pivot] = 0.0
    return basis, pivots


def _exact_products(
    A: Float[np.ndarray, "K d"], B: Float[np.ndarray, "d r"]
) -> Float[np.ndarray, "K r"]:
    """A B, every entry rounded once."""
    columns = []
    for column in B.T:
        terms = np.concatenate(exact_product(A, np.broadcast_to(column, A.shape)), axis=1)
        columns.append([math.fsum(row) for row in terms.tolist()])
    return np.array(columns).T


def _departure(Q: Floats) -> Each:
    """A bound of |Q^T Q - 1|."""
    d, r = Q.shape[-2:]
    return (
        1.01 * np.linalg.norm(np.swapaxes(Q, -1, -2) @ Q - np.eye(r), axis=(-2, -1))
        + 1.1 * gamma(d + 1) * r
    )


def _residual(M: Floats, Y: Floats, Q: Floats) -> Floats:
    """A bound of |m_k - Q Q^T m_k|, row by row; the entries of |M| |Q| |Q|^T are at most r |m_k|."""
    d, r = Q.shape[-2:]
    left = np.linalg.norm(M - Y @ np.swapaxes(Q, -1, -2), axis=-1)
    return 1.01 * left + 1.1 * (gamma(d + 1) + gamma(r + 2)) * r * np.linalg.norm(M, axis=-1)
