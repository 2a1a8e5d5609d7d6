"""Networks, points and subspaces on which to try what `turning` does to units.

The conditions under which equations (20) to (23) of Ongie & Willett (2022) keep a fit: cases where
all hold, where they hold one by one, and at the border of (26).
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.constructions.turning import Points, Projection
from repcost.datasets import random_two_layer
from repcost.networks import TwoLayer
from repcost.scalars import flag, generator

Case = tuple[TwoLayer, Points, Projection]


def exactly_turned(w: ArrayLike, points: ArrayLike, s: ArrayLike) -> list[Fraction]:
    """Values at points of the unit [<w, x>]_+ turned into the line of s, in fractions.

    Equations (20) to (23) of Ongie & Willett (2022), where the unit is active at all rows x of
    `points`: it becomes [<P w, x> / q]_+. The floats given are taken as what they are.

    >>> [str(value) for value in exactly_turned([1, 0], [[1, 0], [1, 1]], [1, 1])]
    ['2/3', '4/3']
    """
    rows, line = finite_array(points, "points", 2), _exact(finite_array(s, "s", 1))
    unit = _exact(finite_array(w, "w", 1))
    if not any(line):
        raise ValueError("s is zero, and spans no line")
    if len({len(unit), len(line), rows.shape[1]}) > 1:
        raise ValueError("w, s and the rows of points must have the same number of entries")
    before = [_dot(unit, _exact(x)) for x in rows]
    if not before or min(before) <= 0:
        raise ValueError("points must be such that the unit is active at all of them")
    share = _dot(unit, line) / _dot(line, line)
    after = [share * _dot(line, _exact(x)) for x in rows]
    q = _dot(before, after) / _dot(before, before)
    if q == 0:
        raise ValueError("s must be such that the unit sees something of points along it")
    return [max(value / q, Fraction(0)) for value in after]


def projection_onto(u: ArrayLike) -> Projection:
    """The projection onto the line of u (d,), of any length but zero.

    >>> projection_onto([3.0, 3.0]).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    u = finite_array(u, "u", 1)
    if not u.any():
        raise ValueError("u is zero, and spans no line")
    return np.outer(u, u) / (u @ u)


def units_with_own_points(rng: np.random.Generator) -> Case:
    """Three units in six dimensions, four points of each, and the projection onto a random plane.

    Data for which `turned_into` keeps the values. The points of a unit are multiples of its
    direction plus something that no unit and no projected unit sees. Directions, projected or not,
    are at obtuse angles and biases at most zero, so no point switches another unit on.

    >>> net, X, P = units_with_own_points(np.random.default_rng(0))
    >>> from repcost.constructions import turned_into
    >>> bool(np.allclose(turned_into(net, X, P)(X), net(X)))
    True
    """
    rng = generator(rng)
    while True:
        W = rng.normal(size=(3, 6))
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        B = np.linalg.qr(rng.normal(size=(6, 2)))[0]
        if _obtuse(W) and _obtuse(W @ B):
            break
    P, sizes = B @ B.T, rng.uniform(0.1, 2, (3, 4, 1))
    # The last right singular vector is orthogonal to all that is seen.
    unseen = np.linalg.svd(np.vstack([W, W @ P]))[2][-1]
    X = sizes * W[:, None] + rng.normal(size=(3, 4, 1)) * unseen
    net = TwoLayer(W, rng.normal(size=3), -rng.uniform(0, 0.1, 3), rng.normal())
    return net, X.reshape(-1, 6), P


def unit_with_one_point(rng: np.random.Generator) -> Case:
    """A unit in space, one point at which it is active, and the projection onto a random line.

    With one point any q other than zero keeps the fit; it is negative in half of the cases.

    >>> net, X, P = unit_with_one_point(np.random.default_rng(0))
    >>> X.shape, bool(X[0] @ net.W[0] + net.b[0] > 0)
    ((1, 3), True)
    """
    net = random_two_layer(1, 3, rng=generator(rng), unit_directions=True)
    X = rng.normal(size=(1, 3))
    bias = 0.1 - np.minimum(X @ net.W[0], 0)
    return TwoLayer(net.W, net.a, bias), X, projection_onto(rng.normal(size=3))


def units_turned_to_a_line(rng: np.random.Generator, *, border: bool = False) -> Case:
    """Two units in space, active at all points, and the projection onto a random line.

    border: the points lie at the same angle to the line as to each unit, up to signs, so that
    |q_k| = |P w_k|, which is the border of (26); otherwise they are six at random.

    >>> net, X, P = units_turned_to_a_line(np.random.default_rng(0), border=True)
    >>> from repcost.constructions import projected_shares
    >>> q, lengths = projected_shares(net, X, P), np.linalg.norm(net.W @ P, axis=1)
    >>> bool(np.allclose(np.abs(q), lengths))
    True
    """
    rng, border = generator(rng), flag(border, "border")
    net, u = random_two_layer(2, 3, rng=rng, unit_directions=True), rng.normal(size=3)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(6, 3))
    if border:
        # Orthogonal to both differences: <w_k, x> = +-<u, x> for both units.
        nearer = np.where(net.W @ u > 0, 1.0, -1.0)[:, None] * u
        X = np.outer(rng.uniform(0.5, 2, 3), np.cross(*(net.W - nearer)))
    b = np.abs(net.b) + np.max(-X @ net.W.T, axis=0)
    return TwoLayer(net.W, net.a, b, net.c), X, projection_onto(u)


def _obtuse(M: Float[np.ndarray, "K d"]) -> bool:
    return bool(np.all((M @ M.T)[np.triu_indices(len(M), 1)] <= 0))


def _exact(values: Float[np.ndarray, " n"]) -> list[Fraction]:
    return [Fraction(float(value)) for value in values]


def _dot(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    return sum((x * z for x, z in zip(u, v, strict=True)), Fraction(0))
