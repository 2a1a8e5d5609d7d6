"""Other networks for a function, for it plus an affine one, and for it after a linear map."""

import numpy as np
from jaxtyping import Bool, Float

from repcost.arrays import ArrayLike, finite_array
from repcost.networks import TwoLayer
from repcost.scalars import real_number


def rescaled(net: TwoLayer, scale: ArrayLike) -> TwoLayer:
    """The same function with the weights into unit k multiplied by scale_k > 0, those out divided.

    The freedom of Lemma 1 of Savarese et al. (2019): s_k w_k, s_k b_k, a_k / s_k. scale:
    (K,).

    >>> net = rescaled(TwoLayer([[1.0]], [6.0], [-1.0]), [2.0])
    >>> net.W.tolist(), net.a.tolist(), net.b.tolist()
    ([[2.0]], [3.0], [-2.0])
    """
    scale = finite_array(scale, "scale", 1)
    if len(scale) != net.width:
        raise ValueError(f"scale has {len(scale)} entries, but net has {net.width} units")
    if np.any(scale <= 0):
        raise ValueError("scale must be positive; a negative one would turn the unit round")
    return TwoLayer(net.W * scale[:, None], net.a / scale, net.b * scale, net.c)


def plus_affine(net: TwoLayer, v: ArrayLike, shift: float = 0.0) -> TwoLayer:
    """x -> net(x) + <v, x> + shift, by two more units that bend at one hyperplane.

    [t]_+ - [-t]_+ = t for t = <v, x> + shift: what makes the second term of R-bar in Theorem
    3.1 of Savarese et al. (2019), and why an affine function is not free. v: (d,).

    >>> plus_affine(TwoLayer([[1.0, 0.0]], [1.0], [0.0]), [0.0, 2.0], 1.0)([[3.0, -4.0]]).tolist()
    [-4.0]
    """
    v, shift = finite_array(v, "v", 1), real_number(shift, "shift")
    if len(v) != net.dimension:
        raise ValueError(f"v has {len(v)} entries, but net takes {net.dimension} variables")
    return TwoLayer(
        np.vstack([net.W, v, -v]),
        np.append(net.a, [1.0, -1.0]),
        np.append(net.b, [shift, -shift]),
        net.c,
    )


def turned_round(net: TwoLayer, which: Bool[np.ndarray, " K"]) -> TwoLayer:
    """The same function, where the units in `which` (K,) face the other way.

    [t]_+ = [-t]_+ + t: two more units carry the affine functions that this leaves. Lemma 3.3 of
    Ongie & Willett (2022) says that such networks cost no less, however many linear layers come
    before the units.

    >>> net = turned_round(TwoLayer([[1.0]], [2.0], [1.0]), np.array([True]))
    >>> net.W.tolist(), net([-3.0, 0.0]).tolist()
    ([[-1.0], [2.0], [-2.0]], [0.0, 2.0])
    """
    if np.shape(which) != (net.width,):
        raise ValueError(f"which has shape {np.shape(which)}, but net has {net.width} units")
    # The affine functions of all these units add up to one.
    v, shift = net.a[which] @ net.W[which], float(net.a[which] @ net.b[which])
    sign = np.where(which, -1.0, 1.0)
    return plus_affine(TwoLayer(sign[:, None] * net.W, net.a, sign * net.b, net.c), v, shift)


def after_map(net: TwoLayer, T: Float[np.ndarray, "d m"]) -> TwoLayer:
    """x -> net(T x), with units T^T w_k: for a projection T the network projected onto its range.

    Proposition 4.1 of Ongie & Willett (2022), where T projects onto the span of the points.

    >>> along_x = np.array([[1.0, 0.0], [0.0, 0.0]])
    >>> after_map(TwoLayer([[1.0, 1.0]], [1.0], [0.0]), along_x).W.tolist()
    [[1.0, 0.0]]
    """
    T = finite_array(T, "T", 2)
    if len(T) != net.dimension:
        raise ValueError(f"T has {len(T)} rows, but net takes {net.dimension} variables")
    return TwoLayer(net.W @ T, net.a, net.b, net.c)
