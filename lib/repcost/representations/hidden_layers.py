"""The hidden representations of a network, and what its weights cost seen from there.

Section 3.1 and Proposition 1 of Jacot et al. (2022), with points as rows: Z_l = S_{l-1} W_l^T is
what layer l receives, S_l = [sigma(Z_l), beta 1] what it sends on, and every weight is paid for,
the last column of each W_l (the biases divided by beta) among them. The part of W_l that the data
see is (S_{l-1}^+ Z_l)^T.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, same_length, with_bias
from repcost.column_spaces import column_space, pseudo_inverse
from repcost.deep_networks import DeepNet

# One row per point; one row per unit, its bias weight in the last column.
Layer = Float[np.ndarray, "n _"]
Weights = Float[np.ndarray, "_ _"]


@dataclass(frozen=True, eq=False)
class Representations:
    """What the layers of a network receive at the points X (n, d): preactivations[l - 1] is Z_l,
    (n, n_l).

    They need not come from a network: some network has them exactly if `misfit` is zero.

    >>> chain = Representations([[1.0], [2.0]], [[[1.0], [2.0]], [[3.0], [6.0]]], bias=0.0)
    >>> round(chain.cost, 12), round(chain.misfit, 12)
    (10.0, 0.0)
    """

    X: Layer
    preactivations: tuple[Layer, ...]
    bias: float
    negative_slope: float

    def __init__(
        self, X: ArrayLike, preactivations, bias: float = 1.0, negative_slope: float = 0.0
    ):
        X = finite_array(X, "X", 2)
        Z = tuple(
            finite_array(layer, f"preactivations[{i}]", 2) for i, layer in enumerate(preactivations)
        )
        if not Z or not len(X):
            raise ValueError(
                f"there are {len(X)} points and {len(Z)} layers; give at least one of each"
            )
        same_length(X=X, **{f"preactivations[{i}]": layer for i, layer in enumerate(Z)})
        numbers = {"bias": bias, "negative_slope": negative_slope}
        numbers = {name: float(finite_array(number, name, 0)) for name, number in numbers.items()}
        for name, value in ({"X": X, "preactivations": Z} | numbers).items():
            object.__setattr__(self, name, value)

    @cached_property
    def activations(self) -> tuple[Layer, ...]:
        """S_0 = [X, beta 1], S_1, ..., S_{L-1}: S_l is (n, n_l + 1)."""
        sent = (np.where(Z >= 0, Z, self.negative_slope * Z) for Z in self.preactivations[:-1])
        return tuple(with_bias(A, self.bias) for A in (self.X, *sent))

    @cached_property
    def weights(self) -> tuple[Weights, ...]:
        """The least W_1, ..., W_L with these representations, (S_{l-1}^+ Z_l)^T, each (n_l, n_{l-1}
        + 1).
        """
        pairs = zip(self.activations, self.preactivations, strict=True)
        return tuple((pseudo_inverse(S) @ Z).T for S, Z in pairs)

    @property
    def layer_costs(self) -> Float[np.ndarray, " L"]:
        """|S_{l-1}^+ Z_l|_F^2 of every layer."""
        return np.array([np.sum(W**2) for W in self.weights])

    @property
    def cost(self) -> float:
        """The sum in the loss L^r of Proposition 1: what it costs to have these representations."""
        return float(self.layer_costs.sum())

    @property
    def misfit(self) -> float:
        """The largest |Z_l - S_{l-1} W_l^T| relative to |Z_l|: zero where Im Z_l lies in Im S_{l-1}
        for every l.
        """
        layers = zip(self.preactivations, self.activations, self.weights, strict=True)
        return max(
            float(np.linalg.norm(Z - S @ W.T) / (np.linalg.norm(Z) or 1.0)) for Z, S, W in layers
        )

    @property
    def covariances(self) -> tuple[tuple[Layer, ...], tuple[Layer, ...]]:
        """(K_1, ..., K_L) and (K_0^sigma, ..., K_{L-1}^sigma): K_l = Z_l Z_l^T, K_l^sigma = S_l
        S_l^T.
        """
        return tuple(Z @ Z.T for Z in self.preactivations), tuple(S @ S.T for S in self.activations)

    @property
    def network(self) -> DeepNet:
        """The network with the least weights; it has these representations if `misfit` is zero."""
        return DeepNet(
            [W[:, :-1] for W in self.weights],
            [self.bias * W[:, -1] for W in self.weights],
            self.negative_slope,
        )

    def projected(self) -> "Representations":
        """Z_l projected on Im S_{l-1}, from the first layer to the last: what a network can have
        (section 3.3).
        """
        sent, Z = with_bias(self.X, self.bias), []
        for layer in self.preactivations:
            U = column_space(sent)
            Z.append(U @ (U.T @ layer))
            sent = with_bias(np.where(Z[-1] >= 0, Z[-1], self.negative_slope * Z[-1]), self.bias)
        return Representations(self.X, Z, self.bias, self.negative_slope)


def representations(net: DeepNet, X: ArrayLike, bias: float = 1.0) -> Representations:
    """What the layers of `net` receive at the rows of X, as in section 2 of Jacot et al. (2022).

    `bias` is the beta that multiplies the bias weights: a unit with bias b has the weight b / beta.
    It may be zero for a network without biases only.

    >>> net = DeepNet([[[1.0], [-1.0]], [[1.0, 1.0]]], [[0.0, 0.0], [0.0]])
    >>> representations(net, [[-1.0], [2.0]]).preactivations[1].tolist()
    [[1.0], [2.0]]
    """
    augmented_weights(net, bias)  # refuses a bias that does not fit
    return Representations(X, net.preactivations(X), bias, net.negative_slope)


def augmented_weights(net: DeepNet, bias: float = 1.0) -> tuple[Weights, ...]:
    """W_l with the bias weights b_l / beta as last column, (n_l, n_{l-1} + 1): |W|^2 sums the
    squares of these.
    """
    if bias == 0 and any(b.any() for b in net.biases):
        raise ValueError(
            "bias is 0, but the network has biases; give the beta that multiplies its bias weights"
        )
    return tuple(
        np.column_stack([W, b / bias if bias else b])
        for W, b in zip(net.weights, net.biases, strict=True)
    )


def residual_weights(net: DeepNet, X: ArrayLike, bias: float = 1.0) -> tuple[Weights, ...]:
    """The part of each W_l that the points X do not see: W_l = (S_{l-1}^+ Z_l)^T + residual, the
    two orthogonal.

    So |W|^2 = representations(net, X, bias).cost + the squares of these: the first display of
    section 3.1, with the equality that Proposition 1 follows from.

    >>> residual_weights(DeepNet([[[1.0, 2.0]]], [[0.0]]), [[3.0, 0.0]], bias=0.0)[0].tolist()
    [[0.0, 2.0, 0.0]]
    """
    seen = representations(net, X, bias).weights
    return tuple(W - part for W, part in zip(augmented_weights(net, bias), seen, strict=True))
