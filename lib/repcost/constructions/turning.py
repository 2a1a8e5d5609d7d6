"""Units turned into other directions so that values at given points stay.

A unit turned away from its points sees them under a smaller angle, so its outer weight must
grow. With two layers that costs; with linear layers before the units it can pay, because
units in fewer directions share their matrices. Sections 4 and 5 of Ongie & Willett (2022)
compare the two.
"""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.deep_networks import as_two_layer
from repcost.networks import TwoLayer, points_for

Points = Float[np.ndarray, "n d"]
Projection = Float[np.ndarray, "d d"]


def turned_to(net: TwoLayer, u: ArrayLike) -> TwoLayer:
    """Each unit turned to u or -u, with the values that it had along its own direction.

    The network g of Proposition 5.2 of Ongie & Willett (2022), there with u = w_0: for s_k =
    <w_k, u> a unit gets the direction sign(s_k) u, the bias |s_k| b_k and the outer weight
    a_k / |s_k|. u: (d,), of length one and orthogonal to no unit.

    >>> net = turned_to(TwoLayer([[0.6, 0.8]], [2.0], [-1.0]), [1.0, 0.0])
    >>> net.W.tolist(), net([[0.6, 0.8], [1.8, 2.4]]).round(12).tolist()
    ([[1.0, 0.0]], [0.0, 4.0])
    """
    net, u = as_two_layer(net), finite_array(u, "u", 1)
    if len(u) != net.dimension:
        raise ValueError(f"u has {len(u)} entries, but net takes {net.dimension} variables")
    # The sign says which of u and -u the unit is nearer to, the size under which angle.
    s = net.W @ u
    if np.any(s == 0):
        raise ValueError("u must not be orthogonal to a unit: nothing of such a unit is left")
    return TwoLayer(np.outer(np.sign(s), u), net.a / np.abs(s), np.abs(s) * net.b, net.c)


def projected_shares(net: TwoLayer, X: Points, P: Projection) -> Float[np.ndarray, " K"]:
    """q_k: what is left of <w_k, x> at the points of unit k if w_k is projected.

    The q_k of equations (20) to (23) of Ongie & Willett (2022), by least squares over the rows x
    of X at which the unit is active; P (d, d) projects. q_k <w_k, x> = <P w_k, x> holds at all of
    them only if these points lie on a line through zero, as the unit sees them.

    >>> onto_diagonal = np.full((2, 2), 0.5)
    >>> net = TwoLayer([[1.0, 0.0]], [1.0], [0.0])
    >>> projected_shares(net, np.array([[1.0, 0.0], [2.0, 0.0]]), onto_diagonal).tolist()
    [0.5]
    """
    net, X, P = _checked(net, X, P)
    before, after = X @ net.W.T, X @ P @ net.W.T
    # Points at which a unit is off say nothing about it.
    active = before + net.b > 0
    squares = np.sum(active * before**2, axis=0)
    if not squares.all():
        raise ValueError("X has no point at which some unit is active and not zero; leave it out")
    return np.sum(active * before * after, axis=0) / squares


def turned_into(net: TwoLayer, X: Points, P: Projection) -> TwoLayer:
    """g_S: the units projected by P, then scaled so as to keep their values at the rows of X.

    Equations (21) to (23) of Ongie & Willett (2022) as printed: directions P w_k of length
    one, and r_k = q_k / |P w_k|, by which outer weights are divided and biases multiplied. It
    fits where `projected_shares` are positive and exact, and no unit is switched on by
    turning.

    >>> onto_diagonal = np.full((2, 2), 0.5)
    >>> net, X = TwoLayer([[1.0, 0.0]], [1.0], [0.0]), np.array([[1.0, 0.0], [2.0, 0.0]])
    >>> turned_into(net, X, onto_diagonal)(X).round(12).tolist()
    [1.0, 2.0]
    """
    net, X, P = _checked(net, X, P)
    projected = net.W @ P
    length = np.linalg.norm(projected, axis=1)
    r = projected_shares(net, X, P) / length
    return TwoLayer(projected / length[:, None], net.a / r, net.b * r, net.c)


def _checked(net: TwoLayer, X: Points, P: Projection) -> tuple[TwoLayer, Points, Projection]:
    net, P = as_two_layer(net), finite_array(P, "P", 2)
    if P.shape != (net.dimension, net.dimension):
        raise ValueError(f"P has shape {P.shape}, but net takes {net.dimension} variables")
    return net, points_for(X, net.dimension), P
