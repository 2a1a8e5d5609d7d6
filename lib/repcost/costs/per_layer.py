"""What each layer of a very deep network costs: between a rank and the width of a bottleneck.

From below in two ways. At any point inside a linear region a network of depth L is a product of L
matrices, which costs what the singular values of the Jacobian ask for. And all paths of weights
from an input to an output together have room for its steepest slope up and its steepest slope down,
even where these occur in different regions. From above an explicit network: somewhere in the given
one its values are carried through identity layers, which do nothing to what is not negative, and
then all units are rescaled.
"""

import numpy as np
from jaxtyping import Float

from repcost.balance import rebalance
from repcost.bounds import Bracket
from repcost.conventions import PER_LAYER
from repcost.costs.identity_layers import insertions
from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Domain, box
from repcost.networks import TwoLayer
from repcost.regions import linear_regions
from repcost.rounding import UNIT, gamma
from repcost.scalars import whole_depth
from repcost.scales import cost_scaled_back, exponent_if_far

__all__ = ["cost_per_layer", "deepened", "slopes_both_ways"]


def cost_per_layer(net: DeepNet | TwoLayer, depth: int, domain: Domain) -> Bracket:
    """R(f; domain, L) / L: what each of L layers costs in the cheapest network that equals `net`.

    Equal on the box, with L = `depth`. Section 2 of Jacot (2023): the sum of squares of all
    weights and biases over L, any widths, the activation of `net`; L is at least the depth of
    `net`. Lower end: sum_k s_k(J)^(2/L), Proposition 3, the largest over the linear regions
    (in more than three variables over those found); or |M|_F^(2/L), unless slopes of the
    activation are negative, with the M of `slopes_both_ways`. Upper end: the network of `deepened`.
    Certified for exactly these floats; what `rebalance` refuses for its size, and what overflows on
    the way through the network, is refused.

    >>> line = DeepNet([[[1.0]]], [[0.0]])
    >>> cost_per_layer(line, 4, ([0.0], [1.0])).relative_gap < 1e-12
    True
    """
    net, depth = as_deep(net), whole_depth(depth, least=1, built=True)
    low, high = box(domain, net.widths[0])
    best = deepened(net, depth, (low, high))
    count = sum(part.size for part in (*best.weights, *best.biases))
    # One rounding a term of the sum and a few a weight; squares below the smallest float are
    # lost.
    upper = best.squared_norm / depth * (1 + UNIT * (count + 60)) + count * 2.0**-1073
    jacobians = np.stack([region.jacobian for region in linear_regions(net, (low, high))])
    lower = _least_cost(jacobians, depth, net.activation.negative_slope >= 0)
    return Bracket(lower, upper, "certified", counts=PER_LAYER)


def slopes_both_ways(net: DeepNet | TwoLayer, domain: Domain) -> Float[np.ndarray, "m d"]:
    """The steepest slope up plus the steepest slope down, of each output along each input.

    A matrix M, over the linear regions in the box (in three and more variables those found). A
    slope is a sum over paths of weights; units pass on a share from zero to one, so that it is at
    most P, the sum of all positive products, and at least -N, that of the negative ones. So
    P + N >= M, entry by entry, and P + N = |W_L| ... |W_1|, with the sizes of all entries, has a
    Frobenius norm of at most that of all layers multiplied: R(f; L) >= L |M|_F^(2/L).

    >>> tent = DeepNet([[[1.0], [1.0]], [[2.0, -4.0]]], [[0.0, -0.5], [0.0]])
    >>> slopes_both_ways(tent, ([0.0], [1.0]))
    array([[4.]])
    """
    net = as_deep(net)
    regions = linear_regions(net, box(domain, net.widths[0]))
    return _both_ways(np.stack([region.jacobian for region in regions]))


def deepened(net: DeepNet | TwoLayer, depth: int, domain: Domain) -> DeepNet:
    """The cheapest network found that has `depth` layers and equals `net` on the box, rebalanced.

    Identity layers carry what some layer receives, or a factor of it if its weights have a
    lower rank, or what it passes on, flipped and shifted until none of it is negative on the
    domain; every layer is tried. Up to the rounding of the weights its function is exactly
    that of `net`.

    >>> deepened(DeepNet([[[1.0]]], [[0.0]]), 3, ([0.0], [1.0])).weights
    (array([[1.]]), array([[1.]]), array([[1.]]))
    """
    net, depth = as_deep(net), whole_depth(depth, least=1, built=True)
    low, high = box(domain, net.widths[0])
    if depth < net.depth:
        raise ValueError(
            f"depth is {depth}, but net has {net.depth} layers; take at least {net.depth}"
        )
    if depth == net.depth:
        return rebalance(net)
    candidates = (insertion.network(net, depth) for insertion in insertions(net, low, high))
    # Rebalancing decides: what is narrow before it need not be cheap after it.
    return min(map(rebalance, candidates), key=lambda candidate: candidate.squared_norm)


def _least_cost(jacobians: Float[np.ndarray, "n m d"], depth: int, monotone: bool) -> float:
    """The largest sum of powers of their singular values, or the power of |M|_F, from below."""
    # Squares of very large or small slopes are no floats.
    exponent = exponent_if_far(jacobians)
    scaled = np.ldexp(jacobians, -exponent)
    least = _schatten_from_below(scaled, depth).max()
    if monotone:
        least = max(least, _both_ways_from_below(scaled, depth))
    return float(cost_scaled_back(least, least, exponent, depth)[0] if exponent else least)


def _schatten_from_below(J: Float[np.ndarray, "n m d"], depth: int) -> Float[np.ndarray, " n"]:
    """sum_k s_k^(2/L) of matrices whose entries were rounded once.

    With U and V off orthogonality by e and f, U S V^T has singular values of at least
    (1 - e) (1 - f) s_k, and those of J are off by at most |J - U S V^T| (Weyl).
    """
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    k = s.shape[-1]
    product = (U * s[:, None, :]) @ Vt
    slips = [_slip(U), _slip(np.swapaxes(Vt, 1, 2))]
    shrunk = 1 - 1.01 * sum(slips) - 4 * k * gamma(sum(J.shape[1:]))
    left = 1.01 * np.linalg.norm(J - product, axis=(1, 2))
    left = left + gamma(k + 4) * k * np.linalg.norm(J, axis=(1, 2))
    below = np.maximum(s * shrunk[:, None] - left[:, None], 0.0)
    # The exponent is rounded too, and |log| of a float is below 750.
    return (below ** (2 / depth)).sum(1) * (1 - UNIT * (k + 20 + 1500 / depth))


def _both_ways_from_below(J: Float[np.ndarray, "n m d"], depth: int) -> float:
    """|M|_F^(2/L) for the slopes of `slopes_both_ways`."""
    # Nothing is negative, so no digits are lost.
    norm = np.linalg.norm(_both_ways(J)) * (1 - gamma(J[0].size + 16))
    return float(norm ** (2 / depth) * (1 - UNIT * (40 + 1500 / depth)))


def _both_ways(J: Float[np.ndarray, "n m d"]) -> Float[np.ndarray, "m d"]:
    return np.maximum(J, 0).max(axis=0) + np.maximum(-J, 0).max(axis=0)


def _slip(Q: Float[np.ndarray, "n m k"]) -> Float[np.ndarray, " n"]:
    """How far the columns are from orthonormal, as floats see it."""
    return np.linalg.norm(np.swapaxes(Q, 1, 2) @ Q - np.eye(Q.shape[-1]), axis=(1, 2))
