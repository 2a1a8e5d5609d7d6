"""A teacher of few directions as a deep network: two ways to carry what it needs.

Figure 1 of Jacot (2023). A teacher with one hidden layer reads its inputs through k numbers of any
sign, and ReLUs carry numbers that are not negative. Either the k numbers are shifted, which is paid
for with biases; or k + 1 numbers are carried, of which none is negative and which need no shift.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.balance import rebalance
from repcost.constructions.chains import chained
from repcost.deep_networks import DeepNet

Points = Float[np.ndarray, "n d"]


@dataclass(frozen=True, eq=False)
class Factors:
    """weights[0] of the teacher is back @ read, and numbers = X read^T are what it knows of X."""

    read: Float[np.ndarray, "k d"]
    back: Float[np.ndarray, "width k"]
    numbers: Float[np.ndarray, "n k"]

    @classmethod
    def of(cls, teacher: DeepNet, X: Points, k: int) -> "Factors":
        U, s, V = np.linalg.svd(teacher.weights[0], full_matrices=False)
        return cls(V[:k], U[:, :k] * s[:k], X @ V[:k].T)


def shifted_teacher(
    teacher: DeepNet,
    X: Points,
    k: int,
    depth: int,
    shift: Float[np.ndarray, " k"] | None = None,
) -> DeepNet:
    """The teacher at the points X as a balanced network of `depth` layers that carries k numbers.

    Beside Figure 1 of Jacot (2023). shift: added to the k numbers; the least that makes them not
    negative at X unless it is given.

    >>> from repcost.datasets import taught_rank_five
    >>> X, Y, teacher = taught_rank_five(40, dimension=6, rank=2, width=9)
    >>> net = shifted_teacher(teacher, X, 2, 7)
    >>> net.widths, bool(np.abs(net(X) - Y).max() < 1e-12)
    ((6, 2, 2, 2, 2, 2, 9, 6), True)
    """
    factors = Factors.of(teacher, X, k)
    # Biases are paid for: the least shift will do.
    shift = -factors.numbers.min(axis=0) if shift is None else shift
    outer = DeepNet([factors.back, teacher.weights[1]], teacher.biases)
    inner = DeepNet([factors.read], [np.zeros(k)])
    return rebalance(chained(outer, inner, shift, identities=depth - 3))


def one_more_teacher(
    teacher: DeepNet, X: Points, k: int, depth: int, rng: np.random.Generator
) -> DeepNet:
    """The same, carrying k + 1 numbers without a shift: the coordinates of a simplex, and a length.

    The numbers z are written with ReLUs of +-D z for a random D, ten times as many rows as numbers.
    Each of k + 1 directions of a simplex gets a share of a length that grows with z, so large that
    none is negative; the directions add up to zero, so the length does not change z.

    >>> from repcost.datasets import taught_rank_five
    >>> X, Y, teacher = taught_rank_five(40, dimension=6, rank=2, width=9)
    >>> net = one_more_teacher(teacher, X, 2, 7, np.random.default_rng(0))
    >>> net.widths, bool(np.abs(net(X) - Y).max() < 1e-12)
    ((6, 40, 3, 3, 3, 3, 9, 6), True)
    """
    factors = Factors.of(teacher, X, k)
    # Many rows, so that the sum of |D z| is nearly a multiple of the length of z.
    D = rng.normal(size=(10 * k, k))
    z_from = np.linalg.solve(D.T @ D, np.hstack([D.T, -D.T]))  # of ReLUs of +-D z
    # k + 1 vectors that add up to zero, orthonormal in the columns.
    corners = np.linalg.svd(np.ones((k + 1, 1)))[0][:, 1:]
    z = factors.numbers
    length = np.abs(z @ D.T).sum(axis=1)  # grows in all directions
    spread = corners @ z_from + np.max(-(z @ corners.T).min(axis=1) / length)
    carried = [np.eye(k + 1)] * (depth - 4)
    read = np.vstack([D, -D]) @ factors.read
    weights = [read, spread, *carried, factors.back @ corners.T]
    biases = [np.zeros(len(W)) for W in weights[:-1]]
    return rebalance(DeepNet([*weights, teacher.weights[1]], [*biases, *teacher.biases]))
