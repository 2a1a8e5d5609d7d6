"""What training minimises, by the paper: sum or mean, which factor, and whether biases pay."""

import math
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, as_rows, points_on_line, same_length
from repcost.bounds import Bracket
from repcost.conventions import Convention
from repcost.costs.fits import RegularisedFit, regularised_fit
from repcost.costs.linear_layers.networks import LinearLayersNetwork
from repcost.deep_networks import DeepNet
from repcost.networks import TwoLayer
from repcost.scalars import bias_constant, flag, nonnegative_number, one_of, whole_depth
from repcost.shallow.optimum import ShallowOptimum, shallow_optimum
from repcost.training.losses import Loss, targets_of, total_loss

Network = TwoLayer | DeepNet | LinearLayersNetwork


@dataclass(frozen=True)
class Objective:
    """loss over the points + strength * cost; make it by the name of the paper that writes it so.

    The cost is the sum of squared weights plus `bias_price` times that of squared biases, divided
    by the depth L if `per_layer`, and by two at every depth if `halved`.

    loss: "squared" is |f(x) - y|^2, never halved; "cross-entropy" takes labels 0, 1, ...
    mean: whether the loss is averaged over the points, or added up.

    >>> net = TwoLayer([[3.0]], [4.0], [5.0])
    >>> papers = Objective.savarese_2019, Objective.jacot_2023, Objective.jacot_2022
    >>> [paper(1e-3).cost(net) for paper in papers]
    [12.5, 25.0, 50.0]
    """

    strength: float
    loss: Loss
    mean: bool
    per_layer: bool
    bias_price: float
    halved: bool = False

    def __post_init__(self):
        one_of(self.loss, "loss", get_args(Loss))
        # Infinite where biases are forbidden.
        price = self.bias_price
        unpaid = isinstance(price, float) and price == math.inf
        settled = {
            "strength": nonnegative_number(self.strength, "strength"),
            "mean": flag(self.mean, "mean"),
            "per_layer": flag(self.per_layer, "per_layer"),
            "halved": flag(self.halved, "halved"),
            "bias_price": price if unpaid else nonnegative_number(price, "bias_price"),
        }
        if settled["per_layer"] and settled["halved"]:
            raise ValueError("halved is for costs that are not divided by L; give per_layer=False")
        # Frozen means that only the constructor may do this.
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    @classmethod
    def savarese_2019(cls, strength: float) -> "Objective":
        """sum_n (f(x_n) - y_n)^2 + strength * C, eq. (10), biases free.

        C is the sum of squared weights / L. Two layers pay half the sum of squares, eq. (3); deeper
        networks share it as in appendix C.
        """
        return cls(strength, "squared", mean=False, per_layer=True, bias_price=0.0)

    @classmethod
    def savarese_2019_code(cls, strength: float) -> "Objective":
        """mean_n (f(x_n) - y_n)^2 + strength * half the sum of squared weights, biases free.

        As the paper's public code trains (github.com/lolemacs/bounded-norm-relu): n points and L
        layers at strength s are `savarese_2019` at n L s / 2.
        """
        return cls(strength, "squared", mean=True, per_layer=False, bias_price=0.0, halved=True)

    @classmethod
    def ongie_willett_2022(cls, strength: float) -> "Objective":
        """mean_n (f(x_n) - y_n)^2 + strength * C_L, eq. (4), biases free.

        C_L is the sum of squared weights / L.
        """
        return cls(strength, "squared", mean=True, per_layer=True, bias_price=0.0)

    @classmethod
    def jacot_2022(
        cls, strength: float, *, loss: Loss = "squared", bias: float = 1.0
    ) -> "Objective":
        """mean_n loss + strength * |W|^2, section 2.1, biases pay.

        Biases are weights of a constant input `bias` (beta).
        """
        bias = bias_constant(bias)
        if bias and not 1e-150 <= bias <= 1e150:
            raise ValueError(f"bias must be 0 or between 1e-150 and 1e150, not {bias}")
        # A bias b is `bias` times a weight b / bias; no weight makes one from a constant input 0.
        price = bias**-2 if bias else math.inf
        return cls(strength, loss, mean=True, per_layer=False, bias_price=price)

    @classmethod
    def jacot_2023(
        cls, strength: float, *, loss: Loss = "squared", per_layer: bool = True
    ) -> "Objective":
        """mean_n loss + strength / L * |W|^2, section 4, biases pay.

        per_layer=False: without 1 / L, as in section 2, Proposition 12.
        """
        return cls(strength, loss, mean=True, per_layer=per_layer, bias_price=1.0)

    @property
    def counts(self) -> Convention:
        """What the penalty counts, its strength left out.

        >>> print(Objective.jacot_2022(1e-3).counts)
        the squares, biases paid
        """
        whole = "half the squares" if self.halved else "the squares"
        squares = "the squares over L" if self.per_layer else whole
        if not self.bias_price:
            return Convention(squares, "biases free")
        if math.isinf(self.bias_price):
            return Convention(squares, "no biases")
        return Convention(squares, "biases paid", self.bias_price**-0.5)

    def factor(self, depth: int) -> float:
        """What the square of a weight costs in a network with `depth` layers."""
        share = 1 / whole_depth(depth, least=1)
        return share if self.per_layer else 0.5 if self.halved else 1.0

    def cost(self, net: Network) -> float:
        """The paper's C, C_L, |W|^2 or |W|^2 / L: the penalty without its strength."""
        weights, biases = _parameters(net)
        with np.errstate(over="ignore"):  # infinite beyond the range of floats
            squares = sum(float(np.sum(W**2)) for W in weights)
            paying = sum(float(np.sum(b**2)) for b in biases) if self.bias_price else 0.0
        # Where all biases are zero, an infinite price is not paid: inf * 0 would be NaN.
        return self.factor(len(weights)) * (squares + (self.bias_price * paying if paying else 0.0))

    def penalty(self, net: Network) -> float:
        return self.strength * self.cost(net)

    def data_loss(self, net: Network, X: ArrayLike, Y: ArrayLike) -> float:
        """The loss of the points alone.

        X: points (n, d), or (n,) in one variable.
        Y: values (n, m) or (n,), or labels.
        """
        X, net = points(X), _network(net)
        # Beyond the range of floats outputs are infinite or unknown, and the loss is infinite.
        with np.errstate(over="ignore", invalid="ignore"):
            outputs = net(X).reshape(len(X), -1)
            Y = self.targets(Y, outputs.shape[1])
            same_length(X=X, Y=Y)
            total = total_loss(self.loss, outputs, Y)
        total = math.inf if math.isnan(total) else total
        return total / len(X) if self.mean else total

    def value(self, net: Network, X: ArrayLike, Y: ArrayLike) -> float:
        """data_loss + penalty, in float64."""
        return self.data_loss(net, X, Y) + self.penalty(net)

    def targets(self, Y: ArrayLike, outputs: int) -> Float[np.ndarray, "n m"]:
        """Y as (n, outputs); labels become rows of the unit matrix."""
        return targets_of(self.loss, Y, outputs)

    def regularised_fit(self, x: ArrayLike, y: ArrayLike) -> RegularisedFit:
        """The best of all networks with one hidden layer on points of one variable, biases free.

        `repcost.regularised_fit` at the strength that means the same, its bracket in the scale of
        this objective.
        """
        if self.loss != "squared" or self.bias_price:
            needs = "regularised_fit needs the squared loss and free biases"
            raise ValueError(f"{needs}; see shallow_optimum for others")
        x = points_on_line(x)
        scale = 1 / max(1, len(x)) if self.mean else 1.0
        # There: half the squares + strength * R-bar. Here, with R-bar the least half sum of squared
        # weights: scale * squares + strength * 2 factor(2) * R-bar, which is 2 scale times that.
        fit = regularised_fit(x, y, self.strength * self.factor(2) / scale)
        return replace(fit, objective=self._told(fit.objective, 2 * scale))

    def shallow_optimum(self, X: ArrayLike, Y: ArrayLike) -> ShallowOptimum:
        """The best of all networks with one hidden layer where biases pay, from both sides.

        `repcost.shallow_optimum` at the strength and bias that mean the same, its bracket in this
        objective's scale.
        """
        if self.loss != "squared" or not self.bias_price:
            needs = "shallow_optimum needs the squared loss and biases that pay"
            raise ValueError(f"{needs}; see regularised_fit")
        X, bias = points(X), self.bias_price**-0.5
        scale = 1.0 if self.mean else float(len(X))
        found = shallow_optimum(X, Y, self.strength * self.factor(2) / scale, bias=bias)
        return replace(found, loss=self._told(found.loss, scale))

    def _told(self, bracket: Bracket, scale: float) -> Bracket:
        """In this objective's scale; what was rounded once or twice each, 2^-50 covers."""
        down, up = scale * (1 - 2.0**-50), scale * (1 + 2.0**-50)
        ends = {"lower": bracket.lower * down, "upper": bracket.upper * up}
        return replace(bracket, **ends, counts=self.counts.in_penalty)


def points(X: ArrayLike) -> Float[np.ndarray, "n d"]:
    """Points as rows; one variable also comes as (n,)."""
    X = as_rows(X)
    if not len(X):
        raise ValueError("X is empty; give at least one point")
    return X


def _network(net: Network) -> Network:
    if not isinstance(net, TwoLayer | DeepNet | LinearLayersNetwork):
        kinds = "a TwoLayer, a DeepNet or a LinearLayersNetwork"
        raise ValueError(f"net must be {kinds}, not {type(net).__name__}")
    return net


def _parameters(net: Network) -> tuple[list[np.ndarray], list[np.ndarray]]:
    net = _network(net)
    if isinstance(net, TwoLayer):
        return [net.W, net.a], [net.b, np.asarray(net.c)]
    if isinstance(net, LinearLayersNetwork):
        return [*net.matrices, net.a], [net.b, np.asarray(net.c)]
    return list(net.weights), list(net.biases)
