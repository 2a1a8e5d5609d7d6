"""The covariance whose plateau begins late: two halves of points, each joined to all of the other.

After Proposition 14 of Jacot et al. (2022): for inputs I_N and outputs Y with Y^T Y = B_N^2 the
best layer has nearly the covariance B_N, and that takes N^2/4 units though its rank is N - 1.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import minimize

from repcost.arrays import ArrayLike, finite_array
from repcost.scalars import generator, positive_number, whole_number

# Descents in many variables that must come to rest: a run is stopped by its gradient, not by luck.
_OPTIONS = {"maxiter": 3000, "maxfun": 6000, "ftol": 1e-16, "gtol": 1e-11}


def bipartite_covariance(N: int) -> Int[np.ndarray, "N N"]:
    """B_N for an even N: N/2 on the diagonal, 1 between the halves, 0 within them.

    Section 4.2 of Jacot et al. (2022). Its graph has N^2/4 edges and no triangle, so that is its
    CP-rank.

    >>> bipartite_covariance(4)[0].tolist()
    [2, 0, 1, 1]
    """
    half = _even(N) // 2
    ones = np.ones((half, half), dtype=int)
    eye = half * np.eye(half, dtype=int)
    return np.block([[eye, ones], [ones, eye]])


def edge_rows(pairs: ArrayLike) -> Int[np.ndarray, "edges vertices"]:
    """The matrix E of a graph: a row for each of its edges, with ones at the two ends.

    Proposition 13 of Jacot et al. (2022): without triangles E^T E has the number of edges as its
    CP-rank.

    >>> edge_rows([(0, 1), (1, 2)]).tolist()
    [[1, 1, 0], [0, 1, 1]]
    """
    ends = _ends(pairs)
    E = np.zeros((len(ends), 1 + ends.max()), dtype=int)
    E[np.arange(len(ends))[:, None], ends] = 1
    return E


def bipartite_edges(N: int) -> Int[np.ndarray, "edges N"]:
    """The rows of all N^2/4 edges between two halves of N points: B_N = E^T E.

    >>> E = bipartite_edges(4)
    >>> len(E), bool((E.T @ E == bipartite_covariance(4)).all())
    (4, True)
    """
    half = _even(N) // 2
    return edge_rows([(i, half + j) for i in range(half) for j in range(half)])


def bipartite_least_loss(N: int, strength):
    """The least loss of any width for B_N: lambda N^2 - N (N - 1) lambda^2.

    Our closed form, for the mean squared error and a lambda below 1/2 that leaves the zeros of B_N
    zero. A number as exact as the strength that is given.

    >>> bipartite_least_loss(4, 0.125), bipartite_least_loss(4, Fraction(1, 3))
    (1.8125, Fraction(4, 1))
    """
    N = _even(N)
    # As it is: a fraction stays one, also one that is no float.
    if not isinstance(strength, Fraction):
        positive_number(strength, "strength")
    return strength * N**2 - N * (N - 1) * strength**2


def bipartite_ends(N: int, root: Fraction, inner: Fraction) -> tuple[Fraction, Fraction]:
    """The loss of a network with N^2/4 units for B_N, and a lower bound of all losses: both exact.

    root and inner are rational roots of 1 - strength and of 1 - 2 strength. Each edge has a unit
    that sends q + inner at its two ends and q elsewhere; its outer weights are the same. The bound
    is the dual value of the projection away from (1, ..., 1, -1, ..., -1).

    >>> least = bipartite_least_loss(4, Fraction(24, 49))
    >>> bipartite_ends(4, Fraction(5, 7), Fraction(1, 7)) == (least, least)
    True
    """
    N = _even(N)
    for name, value in (("root", root), ("inner", inner)):
        if not isinstance(value, Fraction) or not 0 <= value < 1:
            raise ValueError(f"{name} must be a Fraction from 0 to below 1, not {value!r:.40}")
    strength = 1 - root**2
    if inner**2 != 1 - 2 * strength:
        raise ValueError("inner must be the root of 2 root^2 - 1, such as 1/7 for the root 5/7")
    half, B = N // 2, bipartite_covariance(N).astype(object)
    ends = [(i, half + j) for i in range(half) for j in range(half)]
    C = np.full((len(ends), N), (root - inner) / half, dtype=object)
    for unit, both in zip(C, ends, strict=True):
        unit[list(both)] += inner
    side = np.array([1] * half + [-1] * half, dtype=object)
    V = np.eye(N, dtype=int).astype(object) - np.outer(side, side) * Fraction(1, N)
    # The network has W_1 = C and W_2 = C^T, so its outputs are C^T C.
    loss = np.sum((C.T @ C - B) ** 2) / N + 2 * strength * np.sum(C * C)
    return loss, strength * (2 * np.sum(V * B) - N * strength * np.sum(V * V))


def _ends(pairs: ArrayLike) -> Int[np.ndarray, "edges 2"]:
    """Two different vertices for each edge, counted from 0."""
    ends = finite_array(pairs, "pairs", 2)
    whole = ends.astype(int)
    loops = ends.shape[1] != 2 or (whole[:, 0] == whole[:, 1]).any()
    if not len(ends) or loops or (whole != ends).any() or whole.min() < 0:
        raise ValueError("pairs must name two different vertices for each edge, counted from 0")
    return whole


def _even(N: int) -> int:
    whole = whole_number(N, "N", 2)
    if whole % 2:
        raise ValueError(f"N must be even, not {whole}: it is two halves of points")
    return whole


@dataclass(frozen=True, eq=False)
class Descents:
    """losses: (starts,), where they ended, sorted; best: (width, N), the layer of the lowest."""

    losses: Float[np.ndarray, " starts"]
    best: Float[np.ndarray, "width N"]


def nonnegative_descents(
    target: ArrayLike, width: int, strength: float, starts: int, rng: np.random.Generator
) -> Descents:
    """Descents from random layers of `width` units to small losses, for inputs I_N.

    Proposition 14 of Jacot et al. (2022): target is Y^T Y, (N, N). With the identity as inputs and
    no biases a hidden layer is any nonnegative C (width, N), and with the best outer weights the
    loss is lambda (|C|^2 + Tr target (C^T C + N lambda)^-1). L-BFGS from |normal| entries.

    >>> B = bipartite_covariance(4)
    >>> found = nonnegative_descents(B @ B, 4, 0.05, 3, np.random.default_rng(0))
    >>> found.best.shape, bool(found.losses[0] >= bipartite_least_loss(4, 0.05) - 1e-9)
    ((4, 4), True)
    """
    target, strength = finite_array(target, "target", 2), positive_number(strength, "strength")
    N, width = len(target), whole_number(width, "width", 1)
    if target.shape != (N, N) or not N:
        raise ValueError(f"target has shape {target.shape}; it must be (N, N) for N points")
    starts, rng = whole_number(starts, "starts", 1), generator(rng)
    # The loss is a mean over the N points, so its penalty is N times as strong in the sum.
    ridge = N * strength * np.eye(N)

    def objective(flat: Float[np.ndarray, " size"]) -> tuple[float, Float[np.ndarray, " size"]]:
        C = flat.reshape(width, N)
        inverse = np.linalg.inv(C.T @ C + ridge)
        # d Tr B M^-1 = -Tr M^-1 B M^-1 dM for M = C^T C + ridge.
        slope = 2 * C - 2 * C @ inverse @ target @ inverse
        value = np.sum(C**2) + np.sum(target * inverse)
        # Not yet times the strength: where the method stops is decided at size one.
        return value, slope.ravel()

    ends = [
        minimize(
            objective,
            start,
            jac=True,
            bounds=[(0, None)] * (width * N),
            method="L-BFGS-B",
            options=_OPTIONS,
        )
        for start in np.abs(rng.normal(size=(starts, width * N)))
    ]
    ends.sort(key=lambda end: end.fun)
    losses = strength * np.array([end.fun for end in ends])
    return Descents(losses, ends[0].x.reshape(width, N))
