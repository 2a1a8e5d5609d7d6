"""Networks of ramps; other ones of a function, of sums with others, after a linear map."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float

from repcost.arrays import ArrayLike, finite_array, listed
from repcost.deep_networks import as_two_layer
from repcost.networks import TwoLayer
from repcost.scalars import positive_number, real_number


def of_ramps(thresholds: ArrayLike, right: ArrayLike, left: ArrayLike, c: float = 0.0) -> TwoLayer:
    """x -> sum_k right_k [x - t_k]_+ + left_k [t_k - x]_+ + c: ramps that face right, and left.

    Equation (12) of Savarese et al. (2019). thresholds, right, left: (K,); the first K units face
    right, and the others left.

    >>> hat = of_ramps([-1, 0, 1], [1, -1, 0], [0, -1, 1], -1.0)
    >>> hat([-2.0, 0.0, 0.5, 2.0]).tolist(), hat.path_norm
    ([0.0, 1.0, 0.5, 0.0], 4.0)
    """
    t = finite_array(thresholds, "thresholds", 1)
    right, left = finite_array(right, "right", 1), finite_array(left, "left", 1)
    _one_each("right", right, len(t), "threshold", "thresholds")
    _one_each("left", left, len(t), "threshold", "thresholds")
    facing = np.repeat([[1.0], [-1.0]], len(t), axis=0)
    return TwoLayer(facing, np.append(right, left), np.append(-t, t), c)


def rescaled(net: TwoLayer, scale: ArrayLike) -> TwoLayer:
    """The same function with the weights into unit k multiplied by scale_k > 0, those out divided.

    The freedom of Lemma 1 of Savarese et al. (2019): s_k w_k, s_k b_k, a_k / s_k. scale:
    (K,).

    >>> net = rescaled(TwoLayer([[1.0]], [6.0], [-1.0]), [2.0])
    >>> net.W.tolist(), net.a.tolist(), net.b.tolist()
    ([[2.0]], [3.0], [-2.0])
    """
    net, scale = as_two_layer(net), finite_array(scale, "scale", 1)
    _one_each("scale", scale, net.width, "unit")
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
    net, v, shift = as_two_layer(net), finite_array(v, "v", 1), real_number(shift, "shift")
    _one_each("v", v, net.dimension, "variable")
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
    net, which = as_two_layer(net), np.asarray(which)
    if which.dtype != bool or which.shape != (net.width,):
        raise ValueError(f"which must be {net.width} times True or False, one per unit")
    # The affine functions of all these units add up to one.
    v, shift = net.a[which] @ net.W[which], float(net.a[which] @ net.b[which])
    sign = np.where(which, -1.0, 1.0)
    return plus_affine(TwoLayer(sign[:, None] * net.W, net.a, sign * net.b, net.c), v, shift)


def weighted_sum(nets: Sequence[TwoLayer], shares: ArrayLike) -> TwoLayer:
    """x -> sum_i s_i net_i(x): the units of all networks side by side, output biases added up.

    Its path norm is sum_i |s_i| times theirs, so what a function costs is convex, as after (11) of
    Savarese et al. (2019). shares: (n,), s_i of either sign.

    >>> up, down = TwoLayer([[1.0]], [2.0], c=4.0), TwoLayer([[-1.0]], [6.0])
    >>> mean = weighted_sum([up, down], [0.5, 0.5])
    >>> mean([3.0, -1.0]).tolist(), mean.path_norm
    ([5.0, 5.0], 4.0)
    """
    nets = [as_two_layer(net, "nets") for net in listed(nets, "nets", "networks")]
    shares = finite_array(shares, "shares", 1)
    if len(nets) != len(shares) or len({net.dimension for net in nets}) != 1:
        raise ValueError("nets must be one or more of as many variables, and shares one for each")
    parts = list(zip(shares, nets, strict=True))
    W, b = np.vstack([net.W for net in nets]), np.concatenate([net.b for net in nets])
    a = np.concatenate([share * net.a for share, net in parts])
    return TwoLayer(W, a, b, sum(share * net.c for share, net in parts))


def cheap_constants(eps: float) -> dict[str, TwoLayer]:
    """Networks of x without an output bias that are the constant one, for less the smaller eps is.

    Footnote 2 of Savarese et al. (2019). One unit with w = 0, of cost eps^2/2; and four units with
    directions of length one, of path norm 4 eps: lines of slope eps, 1/eps apart, two ramps each.

    >>> [net([-3.0, 7.0]).tolist() for net in cheap_constants(0.25).values()]
    [[1.0, 1.0], [1.0, 1.0]]
    """
    eps = positive_number(eps, "eps")
    apart, both_ways = 1 / eps, [[1.0], [-1.0]]
    four = TwoLayer(both_ways * 2, [eps, -eps, -eps, eps], [apart, -apart, 0.0, 0.0])
    return {"one unit": TwoLayer([[0.0]], [eps], [apart]), "four units": four}


def after_map(net: TwoLayer, T: Float[np.ndarray, "d m"]) -> TwoLayer:
    """x -> net(T x), with units T^T w_k: for a projection T the network projected onto its range.

    Proposition 4.1 of Ongie & Willett (2022), where T projects onto the span of the points.

    >>> along_x = np.array([[1.0, 0.0], [0.0, 0.0]])
    >>> after_map(TwoLayer([[1.0, 1.0]], [1.0], [0.0]), along_x).W.tolist()
    [[1.0, 0.0]]
    """
    net, T = as_two_layer(net), finite_array(T, "T", 2)
    _one_each("T", T, net.dimension, "variable")
    return TwoLayer(net.W @ T, net.a, net.b, net.c)


def _one_each(
    name: str, given: Float[np.ndarray, "..."], count: int, of: str, has: str = "net"
) -> None:
    if len(given) != count:
        raise ValueError(f"{name} has {len(given)} entries, but {has} has {count}; one per {of}")
