"""The hidden representations of a network, and what its weights cost seen from there.

Section 3.1 and Proposition 1 of Jacot et al. (2022), with points as rows: Z_l = S_{l-1} W_l^T
is what layer l receives, S_l = [sigma(Z_l), beta 1] what it sends on, and every weight is
paid for, the last column of each W_l (the biases divided by beta) among them. The part of W_l
that the data see is (S_{l-1}^+ Z_l)^T.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from repcost.activations import Activation
from repcost.arrays import ArrayLike, finite_array, listed, same_length, with_bias
from repcost.column_spaces import column_space, pseudo_inverse
from repcost.deep_networks import DeepNet
from repcost.representations.augmented import Weights, network_of
from repcost.scalars import bias_constant

# One row per point.
PerPoint = Float[np.ndarray, "n _"]


@dataclass(frozen=True, eq=False)
class Representations:
    """What the layers of a network receive at the points X (n, d).

    preactivations[l - 1] is Z_l, (n, n_l). They need not come from a network: some network
    has them exactly if `misfit` is zero.

    >>> chain = Representations([[1.0], [2.0]], [[[1.0], [2.0]], [[3.0], [6.0]]], bias=0.0)
    >>> round(chain.cost, 12), round(chain.misfit, 12)
    (10.0, 0.0)
    """

    X: PerPoint
    preactivations: tuple[PerPoint, ...]
    bias: float
    activation: Activation

    def __init__(
        self,
        X: ArrayLike,
        preactivations: Sequence[ArrayLike],
        bias: float = 1.0,
        negative_slope: float | Activation = 0.0,
    ):
        X = finite_array(X, "X", 2)
        parts = listed(preactivations, "preactivations", "arrays, one per layer")
        named = {f"preactivations[{i}]": layer for i, layer in enumerate(parts)}
        layers = {name: finite_array(layer, name, 2) for name, layer in named.items()}
        if not layers or not len(X):
            given = f"X has {len(X)} points and preactivations {len(layers)} layers"
            raise ValueError(f"{given}; give at least one of each")
        same_length(X=X, **layers)
        # A frozen dataclass lets nobody set its fields in the plain way.
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "preactivations", tuple(layers.values()))
        object.__setattr__(self, "bias", bias_constant(bias))
        object.__setattr__(self, "activation", Activation.checked(negative_slope))

    @property
    def negative_slope(self) -> float:
        """Of the activation."""
        return self.activation.negative_slope

    def with_layers(self, preactivations: Sequence[ArrayLike]) -> "Representations":
        """Other layers for the same points, bias and activation."""
        return Representations(self.X, preactivations, self.bias, self.activation)

    @cached_property
    def activations(self) -> tuple[PerPoint, ...]:
        """S_0 = [X, beta 1], S_1, ..., S_{L-1}: S_l is (n, n_l + 1)."""
        # Z_L is the output, which passes no activation.
        sent = (self.activation(Z) for Z in self.preactivations[:-1])
        return tuple(with_bias(A, self.bias) for A in (self.X, *sent))

    @cached_property
    def weights(self) -> tuple[Weights, ...]:
        """The least W_l with these representations, (S_{l-1}^+ Z_l)^T, (n_l, n_{l-1} + 1) each."""
        # Z = S W^T with points as rows, so the pseudo-inverse gives the transpose of W.
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
        """The largest |Z_l - S_{l-1} W_l^T| over |Z_l|: zero where each Im Z_l is in Im S_{l-1}."""
        layers = zip(self.preactivations, self.activations, self.weights, strict=True)
        # A layer of zeros is missed by nothing, and nothing is divided by its size.
        return max(
            float(np.linalg.norm(Z - S @ W.T) / (np.linalg.norm(Z) or 1.0)) for Z, S, W in layers
        )

    @property
    def covariances(self) -> tuple[tuple[PerPoint, ...], tuple[PerPoint, ...]]:
        """(K_1, ..., K_L), K_l = Z_l Z_l^T, and (K_0^sigma, ..., K_{L-1}^sigma) of the S_l."""
        return tuple(Z @ Z.T for Z in self.preactivations), tuple(S @ S.T for S in self.activations)

    @property
    def network(self) -> DeepNet:
        """The network with the least weights; it has these representations if `misfit` is zero."""
        return network_of(self.weights, self.bias, self.activation)

    def projected(self) -> "Representations":
        """Z_l projected on Im S_{l-1}, from the first to the last: what a network can have.

        Section 3.3 of Jacot et al. (2022).

        >>> chain = Representations([[1.0], [0.0]], [[[2.0], [3.0]]], bias=0.0)
        >>> chain.projected().preactivations[0].tolist()
        [[2.0], [0.0]]
        """
        sent, Z = with_bias(self.X, self.bias), []
        for layer in self.preactivations:
            # U U^T is a matrix of N by N, and not needed as such.
            U = column_space(sent)
            Z.append(U @ (U.T @ layer))
            # A layer is projected on what the projected one below it sends.
            sent = with_bias(self.activation(Z[-1]), self.bias)
        return self.with_layers(Z)
