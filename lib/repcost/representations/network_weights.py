"""The weights of a network: its representations at the points, and what these do not see of them.

Each row of W_l acts on the rows of S_{l-1} only, so it is the sum of a part in their span, which
decides Z_l, and an orthogonal part, which decides nothing: |W_l|^2 is the sum of the two squares.
"""

from repcost.arrays import ArrayLike
from repcost.deep_networks import DeepNet, as_deep
from repcost.networks import TwoLayer
from repcost.representations.augmented import Weights, augmented_weights, with_its_constant
from repcost.representations.hidden_layers import Representations


def representations(net: DeepNet | TwoLayer, X: ArrayLike, bias: float = 1.0) -> Representations:
    """What the layers of `net` receive at the rows of X, as in section 2 of Jacot et al. (2022).

    `bias` is the beta that multiplies the bias weights: a unit with bias b has the weight b / beta.
    It may be zero for a network without biases only.

    >>> net = DeepNet([[[1.0], [-1.0]], [[1.0, 1.0]]], [[0.0, 0.0], [0.0]])
    >>> representations(net, [[-1.0], [2.0]]).preactivations[1].tolist()
    [[1.0], [2.0]]
    """
    net, bias = with_its_constant(net, bias)
    return Representations(X, net.preactivations(X), bias, net.activation)


def residual_weights(
    net: DeepNet | TwoLayer, X: ArrayLike, bias: float = 1.0
) -> tuple[Weights, ...]:
    """The part of each W_l that the points X do not see: W_l = (S_{l-1}^+ Z_l)^T + residual.

    The two are orthogonal, so |W|^2 = representations(net, X, bias).cost + the squares of
    these: the first display of section 3.1, with the equality that Proposition 1 follows
    from.

    >>> residual_weights(DeepNet([[[1.0, 2.0]]], [[0.0]]), [[3.0, 0.0]], bias=0.0)[0].tolist()
    [[0.0, 2.0, 0.0]]
    """
    net = as_deep(net)
    # The seen part is the projection of W on the rows of S, had from Z without W.
    seen = representations(net, X, bias).weights
    return tuple(W - part for W, part in zip(augmented_weights(net, bias), seen, strict=True))
