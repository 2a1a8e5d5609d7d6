"""What matrices cost, in as many digits as their sizes ask for: nothing here is in floats."""

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

Rows = list[list[Fraction]]

# A column of mpmath's numbers, or one of them.
Many = list[Any]


def all_rows(W: np.ndarray, a: np.ndarray) -> Rows:
    """a_k w_k as fractions."""
    outer = [Fraction(x) for x in a.tolist()]
    return [[x * Fraction(w) for w in row] for x, row in zip(outer, W.tolist(), strict=True)]


def exact_rows(W: np.ndarray, a: np.ndarray) -> Rows:
    """Those that are not zero."""
    return [row for row in all_rows(W, a) if any(row)]


def exact_rank(rows: Rows) -> int:
    """By elimination in fractions."""
    rows, rank = [list(row) for row in rows], 0
    for column in range(len(rows[0]) if rows else 0):
        # Any pivot but zero will do: fractions have no accuracy to lose.
        pivot = next((k for k in range(rank, len(rows)) if rows[k][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for row in rows[rank + 1 :]:
            share = row[column] / rows[rank][column]
            for j, x in enumerate(rows[rank]):
                row[j] -= share * x
        rank += 1
    return rank


def digits_for(rows: Rows) -> int:
    """Enough to tell the smallest singular value that is not zero from zero, squared, and 30."""
    sizes = [abs(x) for row in rows for x in row if x]
    if not sizes:
        return 30
    least, most = min(sizes), max(sizes)
    # The product of all squared singular values is a sum of squares of minors, each of them a
    # multiple of the product of the last bits of its entries.
    decades = mpmath.log10(mpmath.mpf(most.numerator) / most.denominator) - mpmath.log10(
        mpmath.mpf(least.numerator) / least.denominator
    )
    # An entry is a product of two floats, so that its 106 bits are 32 digits: hence 34.
    return 60 + int(min(len(rows), len(rows[0])) * 2 * (decades + 34))


def singular_values(rows: Rows, rank: int) -> Many:
    """The squares of those that are not zero."""
    if not rank:
        return []
    M = _matrix(rows)
    found = mpmath.eigsy(M * M.T if len(rows) <= len(rows[0]) else M.T * M, eigvals_only=True)
    # The exact rank tells true values from zeros that are only rounded.
    return sorted(found)[-rank:]


def schatten(rows: Rows, power: Any) -> Any:
    """sum s_j^(2 power) over the singular values of these rows."""
    rank = exact_rank(rows)
    with mpmath.workdps(digits_for(rows)):
        return sum((mpmath.power(s, power) for s in singular_values(rows, rank)), mpmath.mpf(0))


def phi(rows: Rows, depth: int) -> Any:
    """Phi_L of these rows: equation (11) of Ongie & Willett (2022) at its fixed point.

    lambda_k^2 is in proportion to |u_k|, the k-th row of U S^(q/2) for D_lambda^(-1) M = U S V^T,
    where the derivative of (11) is zero; the function is convex in log lambda.
    """
    rank = exact_rank(rows)
    if not rank:
        return mpmath.mpf(0)
    with mpmath.workdps(digits_for(rows)):
        M, power = _matrix(rows), mpmath.mpf(1) / (depth - 1)
        sizes = [mpmath.sqrt(sum(x * x for x in M[k, :])) for k in range(M.rows)]
        # Phi_2 is the path norm: the sum of the lengths of the rows.
        if depth == 2:
            return sum(sizes)
        for _ in range(400):
            pulls = _pulls(M, sizes, rank, power)
            step = max(abs(mpmath.log(p / c)) for p, c in zip(pulls, sizes, strict=True))
            # Half of the way in logarithms for each, which is the geometric mean.
            sizes = [mpmath.sqrt(p * c) for p, c in zip(pulls, sizes, strict=True)]
            # The cost is stationary there: its error is of the order of the square of this.
            if step < mpmath.mpf(10) ** -20:
                break
        return _cost(M, sizes, rank, depth)


def _pulls(M: Any, c: Many, rank: int, power: Any) -> Many:
    """c_k times what the k-th row of D_c^(-1/2) M has of the sum of powers, for a sum of 1 each."""
    X = _divided(M, c)
    s, U = mpmath.eigsy(X * X.T)
    # Of a rounded zero the power 1 / (L - 1) would be no small number; so the rank decides.
    kept = sorted(range(len(s)), key=lambda j: s[j])[-rank:]
    return [sum(U[k, j] ** 2 * s[j] ** power for j in kept) for k in range(M.rows)]


def _cost(M: Any, c: Many, rank: int, depth: int) -> Any:
    s = sorted(mpmath.eigsy(_divided(M, c) * _divided(M, c).T, eigvals_only=True))[-rank:]
    total = sum(mpmath.power(x, mpmath.mpf(1) / (depth - 1)) for x in s)
    # A common factor of all c cancels: what it takes from the first power it gives the second.
    return total ** (mpmath.mpf(depth - 1) / depth) * sum(c) ** (mpmath.mpf(1) / depth)


def _divided(M: Any, c: Many) -> Any:
    X = M.copy()
    for k in range(M.rows):
        for j in range(M.cols):
            X[k, j] = M[k, j] / mpmath.sqrt(c[k])
    return X


def _matrix(rows: Rows) -> Any:
    return mpmath.matrix([[mpmath.mpf(x.numerator) / x.denominator for x in row] for row in rows])
