"""What a cost counts: the papers count alike up to factors, and readers mix these up first of all.

A `Convention` stands on every Bracket that is a cost and is printed with it. It says what any
network pays by it (`paid_by`), so that a cost can be held against the weights that attain it. To
compare two costs, bring them to one convention: `book/start/conversions` has the table.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

__all__ = [
    "ALL_OF_WEIGHTS",
    "ALL_OF_WEIGHTS_AND_BIASES",
    "HALF_OF_WEIGHTS",
    "HALF_OF_WEIGHTS_AND_BIASES",
    "HALF_WITH_HIDDEN_BIASES",
    "HALF_WITH_HIDDEN_BIASES_BESIDE_A_LINE",
    "PER_LAYER",
    "WEIGHTS_OVER_DEPTH",
    "Convention",
    "all_with_biases",
]


@dataclass(frozen=True)
class Convention:
    """Which squares of a network's weights and biases count, and how much.

    squares: which multiple of the sum of squares counts; L is the number of layers.
    biases: whether theirs are in it. Free ones may be anything; with "no biases" all are zero. Of
        "hidden biases" the output's is free, and where its slope is free too, a linear function
        of the input stands beside the network for nothing.
    bias: where biases are paid, the constant input that they are weights of: b counts as
        (b / bias)^2.
    penalty: whether a number contains this as the penalty beside a loss, and is no cost alone.

    >>> print(HALF_OF_WEIGHTS)
    half the squares, biases free
    >>> print(all_with_biases(0.5).in_penalty)
    penalty: the squares, biases over 0.5 paid
    """

    squares: Literal["half the squares", "the squares", "the squares over L"]
    biases: Literal[
        "biases free",
        "biases paid",
        "no biases",
        "hidden biases paid, output bias free",
        "hidden biases paid, output bias and slope free",
    ]
    bias: float = 1.0
    penalty: bool = False

    def __str__(self) -> str:
        over = self.biases == "biases paid" and self.bias != 1
        biases = f"biases over {self.bias:g} paid" if over else self.biases
        return f"{'penalty: ' * self.penalty}{self.squares}, {biases}"

    @property
    def in_penalty(self) -> "Convention":
        """The same, of a number that is a loss and a multiple of this, its strength."""
        return replace(self, penalty=True)

    def factor(self, depth: int) -> float:
        """What the square of a weight counts in a network of `depth` layers."""
        factors = {"half the squares": 0.5, "the squares": 1.0, "the squares over L": 1 / depth}
        return factors[self.squares]

    def paid_by(self, weights: Sequence[ArrayLike], biases: Sequence[ArrayLike] = ()) -> float:
        """What a network pays as it stands, in float64; an array of weights is a layer.

        >>> network = [[[4.0]], [[2.0]]], [[1.0], [3.0]]
        >>> HALF_OF_WEIGHTS.paid_by(*network), ALL_OF_WEIGHTS_AND_BIASES.paid_by(*network)
        (10.0, 30.0)
        """
        paid = biases[:-1] if self.biases.startswith("hidden") else biases
        return self.factor(len(weights)) * (_squares(weights) + self._of_biases(_squares(paid)))

    def _of_biases(self, squares: float) -> float:
        if self.biases == "no biases":
            return math.inf if squares else 0.0
        return 0.0 if self.biases == "biases free" else squares / self.bias**2


def all_with_biases(bias: float) -> Convention:
    """All squares, biases as weights of a constant input of this size; 0 allows none.

    >>> print(all_with_biases(0))
    the squares, no biases
    """
    return replace(ALL_OF_WEIGHTS_AND_BIASES, bias=float(bias)) if bias else ALL_OF_WEIGHTS


def _squares(parts: Sequence[ArrayLike]) -> float:
    return math.fsum(float(np.sum(np.square(part, dtype=np.float64))) for part in parts)


# function_cost, regularised_fit: Savarese et al. (2019), equation (3).
HALF_OF_WEIGHTS = Convention("half the squares", "biases free")
# The same with biases="paid": what PyTorch's weight_decay counts is output="paid".
HALF_WITH_HIDDEN_BIASES = Convention("half the squares", "hidden biases paid, output bias free")
HALF_WITH_HIDDEN_BIASES_BESIDE_A_LINE = Convention(
    "half the squares", "hidden biases paid, output bias and slope free"
)
HALF_OF_WEIGHTS_AND_BIASES = Convention("half the squares", "biases paid")
# interpolate_line, interpolate_plane, linear layers, parallel_cost: Ongie & Willett (2022), (4).
WEIGHTS_OVER_DEPTH = Convention("the squares over L", "biases free")
# linear_map_cost, diagonal_cost: maps without kinks and without biases.
ALL_OF_WEIGHTS = Convention("the squares", "no biases")
# rebalanced_norm, shallow_cost, shallow_optimum: Jacot et al. (2022); R(f; L) of Jacot (2023).
ALL_OF_WEIGHTS_AND_BIASES = Convention("the squares", "biases paid")
# cost_per_layer: R(f; L) / L of Jacot (2023).
PER_LAYER = Convention("the squares over L", "biases paid")
