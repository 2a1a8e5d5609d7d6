"""Matrices with a given product: the balanced ones, of least sum of squares, and all others.

And vectors with a given entrywise product, which are diagonal matrices.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from repcost.arrays import ArrayLike, finite_array, listed
from repcost.scalars import generator, whole_number

Matrix = Float[np.ndarray, "_ _"]


def balanced_factors(W: Matrix, parts: int) -> list[Matrix]:
    """Matrices W_1, ..., W_parts with W_parts ... W_1 = W, each with singular values s^(1/parts).

    Lemma 3.2 of Ongie & Willett (2022): with W = U S V^T they are S^(1/n) V^T, S^(1/n), ...,
    U S^(1/n), and no others with this product have a smaller sum of squares, n sum s^(2/n).

    >>> factors = balanced_factors(np.diag([8.0, 1.0]), 3)
    >>> [round(float(np.sum(M**2)), 12) for M in factors]
    [5.0, 5.0, 5.0]
    """
    W, parts = finite_array(W, "W", 2), whole_number(parts, "parts", 1)
    # With one part there is nothing to share.
    if parts == 1:
        return [W]
    U, s, Vt = np.linalg.svd(W, full_matrices=False)
    root = s ** (1 / parts)
    return [root[:, None] * Vt, *[np.diag(root)] * (parts - 2), U * root]


def balanced_vectors(w: ArrayLike, parts: int) -> list[Float[np.ndarray, " _"]]:
    """Vectors with the entrywise product w, of entries |w|^(1/parts); the first has the signs.

    The introduction of Jacot (2023): no others have a smaller sum of squares, n sum |w|^(2/n).

    >>> [part.round(12).tolist() for part in balanced_vectors([-8.0, 1.0], 3)]
    [[-2.0, 1.0], [2.0, 1.0], [2.0, 1.0]]
    """
    w, parts = finite_array(w, "w", 1), whole_number(parts, "parts", 1)
    root = np.abs(w) ** (1 / parts)
    return [np.sign(w) * root, *[root] * (parts - 1)]


def changed_between(matrices: Sequence[Matrix], changes: Sequence[Matrix]) -> list[Matrix]:
    """... W_2 M^-1 M W_1: other matrices of the same product, one M between each two neighbours.

    Every factorisation of a matrix of full rank into such shapes is of this kind.

    >>> changed = changed_between([np.eye(2), np.eye(2)], [np.diag([2.0, 4.0])])
    >>> (changed[1] @ changed[0]).tolist(), changed[0].tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 4.0]])
    """
    # Those that stay are handed back as they came.
    given = listed(matrices, "matrices", "matrices")
    both = zip(given, _matrices(matrices, "matrices"), strict=True)
    changed = [one if isinstance(one, np.ndarray) else made for one, made in both]
    between = _matrices(changes, "changes")
    if len(between) > len(changed) - 1:
        raise ValueError(f"changes has {len(between)} matrices for {len(changed)}; give one less")
    for i, M in enumerate(between):
        if M.shape != (len(changed[i]), len(changed[i])) or np.linalg.matrix_rank(M) < len(M):
            raise ValueError(f"changes[{i}] must be square, as matrices[{i}] has rows, and regular")
        changed[i] = M @ changed[i]
        try:
            changed[i + 1] = changed[i + 1] @ np.linalg.inv(M)
        except np.linalg.LinAlgError:
            raise ValueError(f"changes[{i}] has no inverse; give another") from None
    return changed


def _matrices(given: Sequence[Matrix], name: str) -> list[Matrix]:
    parts = listed(given, name, "matrices")
    return [finite_array(part, f"{name}[{i}]", 2) for i, part in enumerate(parts)]


def descended_factors(W: Matrix, parts: int, rng: np.random.Generator) -> list[Matrix]:
    """Factors of W that a descent of their sum of squares ends at, from factors far from balanced.

    An independent look at what `balanced_factors` attain: nothing but products is asked for.

    >>> made = descended_factors(np.diag([8.0, 1.0]), 3, np.random.default_rng(0))
    >>> ((made[2] @ made[1] @ made[0]).round(6) + 0.0).tolist()
    [[8.0, 0.0], [0.0, 1.0]]
    >>> float(np.sum(np.square(made)).round(6))
    15.0
    """
    first, rng = balanced_factors(W, parts), generator(rng)
    k = len(first[0])
    start = np.eye(k) + 0.4 * rng.normal(size=(len(first) - 1, k, k))

    def changed(M: np.ndarray) -> list[Matrix]:
        return changed_between(first, list(M.reshape(start.shape)))

    def squares(M: np.ndarray) -> float:
        return sum(float(np.sum(factor**2)) for factor in changed(M))

    return changed(minimize(squares, start.ravel()).x)
