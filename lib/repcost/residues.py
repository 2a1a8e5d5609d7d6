"""Matrices of floats modulo a prime: ranks proved from below, at the speed of floats.

Floats are whole numbers times powers of two, and an odd prime divides no power of two. So sums and
products of floats have residues modulo p, which are those of the exact results. A minor that is not
zero modulo p is not zero: the rank modulo p is never above the rank. It is below it only if p
happens to divide all largest minors, which for matrices that do not know p is a matter of one in a
million.
"""

import numpy as np
from jaxtyping import Float, Int

__all__ = ["PRIME", "inverses", "product", "rank", "residues", "squeezed"]

# Products of two residues are below 2^40, so sums of 2^13 of them are exact in float64.
PRIME = 2**20 - 3
_AT_ONCE = 2**13

# Whole numbers from 0 to PRIME - 1, as floats.
Residues = Float[np.ndarray, "..."]
Matrix = Float[np.ndarray, "_ _"]


def residues(array: Float[np.ndarray, "..."], prime: int = PRIME) -> Residues:
    """Of each float, exactly; modulo this prime or a smaller one.

    >>> residues(np.array([3.0, 0.5])).tolist(), 2 * 524287 % PRIME
    ([3.0, 524287.0], 1)
    """
    significands, exponents = np.frexp(array)
    whole, exponents = np.ldexp(significands, 53).astype(np.int64), exponents - 53
    lowest = int(exponents.min(initial=0))
    # One power for each exponent that occurs; there are about two thousand.
    powers = np.zeros(int(exponents.max(initial=0)) - lowest + 1, dtype=np.int64)
    for exponent in np.unique(exponents).tolist():
        powers[exponent - lowest] = pow(2, exponent, prime)
    return (whole % prime * powers[exponents - lowest] % prime).astype(np.float64)


def product(A: Matrix, B: Matrix, prime: int = PRIME) -> Matrix:
    """A B modulo the prime."""
    parts = (slice(i, i + _AT_ONCE) for i in range(0, A.shape[1], _AT_ONCE))
    found = np.zeros((len(A), B.shape[1]))
    for part in parts:
        found = (found + A[:, part] @ B[part] % prime) % prime
    return found


def inverses(x: Int[np.ndarray, " n"], prime: int = PRIME) -> Int[np.ndarray, " n"]:
    """Of numbers that are not zero modulo the prime.

    >>> (inverses(np.array([2, 3, 5])) * np.array([2, 3, 5]) % PRIME).tolist()
    [1, 1, 1]
    """
    if len(x) < 2:
        return np.array([pow(int(each), -1, prime) for each in x], dtype=np.int64)
    # Of two at a time from that of their product: one power in all, and three products each.
    left, right = x[: len(x) // 2], x[len(x) // 2 : len(x) // 2 * 2]
    both = inverses(left * right % prime, prime)
    last = inverses(x[len(x) // 2 * 2 :], prime)
    return np.concatenate([both * right % prime, both * left % prime, last])


def rank(A: Matrix) -> int:
    """The rank modulo the prime: at most that of the exact matrix with these residues.

    >>> rank(residues(np.array([[0.5, 1.0], [1.0, 2.0]]))), rank(residues(np.eye(3)))
    (1, 3)
    """
    rest, found = A.astype(np.int64), 0
    for column in range(rest.shape[1]):
        below = np.flatnonzero(rest[found:, column])
        if not len(below):
            continue
        pivot = found + below[0]
        rest[[found, pivot]] = rest[[pivot, found]]
        rest[found] = rest[found] * pow(int(rest[found, column]), -1, PRIME) % PRIME
        factors = rest[found + 1 :, column, None]
        rest[found + 1 :] = (rest[found + 1 :] - factors * rest[found]) % PRIME
        found += 1
        if found == len(rest):
            break
    return found


def squeezed(size: int, most: int, rng: np.random.Generator) -> Matrix:
    """A matrix of at most `most` rows that keeps ranks up to `most` of what it is multiplied by.

    The identity if that is small enough; else random, which fails as rarely as the prime does.
    """
    if size <= most:
        return np.eye(size)
    return rng.integers(0, PRIME, (most, size)).astype(np.float64)
