"""What training minimises, by the paper: sum or mean, which factor, and whether biases pay."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from repcost.arrays import ArrayLike, finite_array, same_length
from repcost.bounds import Bracket
from repcost.costs.fits import RegularisedFit, regularised_fit
from repcost.costs.linear_layers.networks import LinearLayersNetwork
from repcost.deep_networks import DeepNet
from repcost.networks import TwoLayer
from repcost.shallow.optimum import ShallowOptimum, shallow_optimum

Network = TwoLayer | DeepNet | LinearLayersNetwork
Loss = Literal["squared", "cross-entropy"]


@dataclass(frozen=True)
class Objective:
    """loss over the points + strength * cost; make it by the name of the paper whose convention it
    is.

    loss: "squared" is |f(x) - y|^2, never halved, "cross-entropy" takes labels 0, 1, ...; mean:
    averaged over the points, or added up. The cost is the sum of squared weights plus `bias_price`
    times that of squared biases, divided by the depth L if per_layer.

    >>> net = TwoLayer([[3.0]], [4.0], [5.0])
    >>> [o(1e-3).cost(net) for o in (Objective.savarese_2019, Objective.jacot_2023, Objective.jacot_2022)]
    [12.5, 25.0, 50.0]
    """

    strength: float
    loss: Loss
    mean: bool
    per_layer: bool
    bias_price: float

    def __post_init__(self):
        if self.loss not in ("squared", "cross-entropy"):
            raise ValueError(f'loss must be "squared" or "cross-entropy", not {self.loss!r}')
        if not 0 <= self.strength < math.inf:
            raise ValueError(f"strength must be finite and not negative, not {self.strength}")
        if not self.bias_price >= 0:
            raise ValueError(f"bias_price must not be negative, but is {self.bias_price}")

    @classmethod
    def savarese_2019(cls, strength: float) -> "Objective":
        """sum_n (f(x_n) - y_n)^2 + strength * C, eq. (10): C is the sum of squared weights / L,
        biases free.

        Two layers pay half the sum of squares, eq. (3); deeper networks share it as in appendix C.
        """
        return cls(strength, "squared", mean=False, per_layer=True, bias_price=0.0)

    @classmethod
    def ongie_willett_2022(cls, strength: float) -> "Objective":
        """mean_n (f(x_n) - y_n)^2 + strength * C_L, eq. (4): C_L is the sum of squared weights / L,
        biases free.
        """
        return cls(strength, "squared", mean=True, per_layer=True, bias_price=0.0)

    @classmethod
    def jacot_2022(
        cls, strength: float, *, loss: Loss = "squared", bias: float = 1.0
    ) -> "Objective":
        """mean_n loss + strength * |W|^2, section 2.1: biases pay, as weights of a constant input
        `bias` (beta).
        """
        if not 0 <= bias < math.inf:
            raise ValueError(f"bias must be finite and not negative, not {bias}")
        return cls(
            strength, loss, mean=True, per_layer=False, bias_price=bias**-2 if bias else math.inf
        )

    @classmethod
    def jacot_2023(
        cls, strength: float, *, loss: Loss = "squared", per_layer: bool = True
    ) -> "Objective":
        """mean_n loss + strength / L * |W|^2, section 4, biases pay; per_layer=False: section 2,
        Proposition 12.
        """
        return cls(strength, loss, mean=True, per_layer=per_layer, bias_price=1.0)

    def factor(self, depth: int) -> float:
        """What the square of a weight costs in a network with `depth` layers."""
        return 1 / depth if self.per_layer else 1.0

    def cost(self, net: Network) -> float:
        """The paper's C, C_L, |W|^2 or |W|^2 / L: the penalty without its strength."""
        weights, biases = _parameters(net)
        squares = sum(float(np.sum(W**2)) for W in weights)
        paying = sum(float(np.sum(b**2)) for b in biases) if self.bias_price else 0.0
        return self.factor(len(weights)) * (squares + (self.bias_price * paying if paying else 0.0))

    def penalty(self, net: Network) -> float:
        return self.strength * self.cost(net)

    def data_loss(self, net: Network, X: ArrayLike, Y: ArrayLike) -> float:
        """The loss of the points alone: X (n, d), or (n,) in one variable; Y (n, m), (n,) or
        labels.
        """
        X = points(X)
        outputs = net(X).reshape(len(X), -1)
        Y = self.targets(Y, outputs.shape[1])
        same_length(X=X, Y=Y)
        if self.loss == "squared":
            total = float(np.sum((outputs - Y) ** 2))
        else:
            total = float(np.sum(logsumexp(outputs, axis=1) - np.sum(outputs * Y, axis=1)))
        return total / len(X) if self.mean else total

    def value(self, net: Network, X: ArrayLike, Y: ArrayLike) -> float:
        """data_loss + penalty, in float64."""
        return self.data_loss(net, X, Y) + self.penalty(net)

    def targets(self, Y: ArrayLike, outputs: int) -> Float[np.ndarray, "n m"]:
        """Y as (n, outputs); labels become rows of the unit matrix."""
        flat = np.ndim(Y) == 1
        Y = finite_array(Y, "Y", 1 if flat else 2)
        if self.loss == "cross-entropy":
            if (
                not flat
                or (Y % 1 != 0).any()
                or Y.min(initial=0) < 0
                or Y.max(initial=0) >= outputs
            ):
                raise ValueError(
                    f"Y must hold labels 0 to {outputs - 1}, one per point, for the cross-entropy"
                )
            return np.eye(outputs)[Y.astype(int)]
        Y = Y[:, None] if flat else Y
        if Y.shape[1] != outputs:
            raise ValueError(
                f"Y has {Y.shape[1]} columns, but the network has {outputs} outputs; points are rows"
            )
        return Y

    def regularised_fit(self, x: ArrayLike, y: ArrayLike) -> RegularisedFit:
        """The best that any network with one hidden layer can reach on points of one variable, from
        both sides.

        `repcost.regularised_fit` at the strength that means the same, its bracket in the scale of
        this objective.
        """
        if self.loss != "squared" or self.bias_price:
            raise ValueError(
                "regularised_fit needs the squared loss and free biases; see shallow_optimum for others"
            )
        scale = 1 / np.size(x) if self.mean else 1.0
        # half the squares + strength * R-bar, where this objective has scale * squares + strength *
        # 2 factor * R-bar
        fit = regularised_fit(x, y, self.strength * self.factor(2) / scale)
        return replace(fit, objective=_scaled(fit.objective, 2 * scale))

    def shallow_optimum(self, X: ArrayLike, Y: ArrayLike) -> ShallowOptimum:
        """The best that any network with one hidden layer can reach where biases pay, from both
        sides.

        `repcost.shallow_optimum` at the strength and bias that mean the same, its bracket in this
        objective's scale.
        """
        if self.loss != "squared" or not self.bias_price:
            raise ValueError(
                "shallow_optimum needs the squared loss and biases that pay; see regularised_fit"
            )
        X, bias = points(X), self.bias_price**-0.5
        scale = 1.0 if self.mean else float(len(X))
        found = shallow_optimum(X, Y, self.strength * self.factor(2) / scale, bias=bias)
        return replace(found, loss=_scaled(found.loss, scale))


def points(X: ArrayLike) -> Float[np.ndarray, "n d"]:
    """Points as rows; one variable also comes as (n,)."""
    X = np.asarray(X)
    X = finite_array(X[:, None] if X.ndim == 1 else X, "X", 2)
    if not len(X):
        raise ValueError("X is empty; give at least one point")
    return X


def _parameters(net: Network) -> tuple[list[np.ndarray], list[np.ndarray]]:
    if isinstance(net, TwoLayer):
        return [net.W, net.a], [net.b, np.asarray(net.c)]
    if isinstance(net, LinearLayersNetwork):
        return [*net.matrices, net.a], [net.b, np.asarray(net.c)]
    return list(net.weights), list(net.biases)


def _scaled(bracket: Bracket, scale: float) -> Bracket:
    """In another unit; the strength and the ends were rounded once or twice each, which 2^-50
    covers.
    """
    lower, upper = bracket.lower * scale * (1 - 2.0**-50), bracket.upper * scale * (1 + 2.0**-50)
    return replace(bracket, lower=lower, upper=upper)
