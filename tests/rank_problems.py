"""Small networks in whole numbers whose Jacobian and bottleneck ranks are known, and ways to put networks together."""

from dataclasses import dataclass

import numpy as np
from deep_problems import CROSS, CUBE, SQUARE

from repcost import DeepNet


@dataclass(frozen=True, eq=False)
class RankProblem:
    """ranks = (Jacobian, bottleneck)."""

    name: str
    network: DeepNet
    domain: tuple
    ranks: tuple[int, int]

    def __str__(self) -> str:
        return self.name


def after(outer: DeepNet, inner: DeepNet) -> DeepNet:
    """outer o inner: the last layer of one and the first of the other become one."""
    weight, bias = outer.weights[0], outer.biases[0]
    weights = [*inner.weights[:-1], weight @ inner.weights[-1], *outer.weights[1:]]
    biases = [*inner.biases[:-1], weight @ inner.biases[-1] + bias, *outer.biases[1:]]
    return DeepNet(weights, biases, inner.negative_slope)


def plus(one: DeepNet, other: DeepNet) -> DeepNet:
    """The sum of two functions of the same variables, for networks of the same depth."""
    weights = [np.vstack([one.weights[0], other.weights[0]])]
    for A, B in zip(one.weights[1:-1], other.weights[1:-1], strict=True):
        zeros = np.zeros((len(A), B.shape[1])), np.zeros((len(B), A.shape[1]))
        weights.append(np.block([[A, zeros[0]], [zeros[1], B]]))
    weights.append(np.hstack([one.weights[-1], other.weights[-1]]))
    biases = [np.append(a, b) for a, b in zip(one.biases[:-1], other.biases[:-1], strict=True)]
    return DeepNet(weights, [*biases, one.biases[-1] + other.biases[-1]])


IDENTITY = DeepNet([np.eye(2)], [np.zeros(2)])
# (x, relu(y - 0.999)): rank two on a thousandth of the square.
LATE = DeepNet([[[1, 0], [-1, 0], [0, 1]], [[1, -1, 0], [0, 0, 1]]], [[0, 0, -0.999], [0, 0]])
# t = x + y, then (t, |t|): a bend, but one number.
BEND = DeepNet([[[1, 1], [-1, -1]], [[1, -1], [1, 1]]], [[0, 0], [0, 0]])
# |t - 1|, |t + 1| behind (x, -x): the outputs span the plane, the Jacobian has rank one.
FOLDED = DeepNet(
    [[[1, 0], [-1, 0]], [[1, -1], [-1, 1], [1, -1], [-1, 1]], [[1, 1, 0, 0], [0, 0, 1, 1]]],
    [[0, 0], [-1, 1, 1, -1], [0, 0]],
)
DEAD = DeepNet([np.eye(2), np.eye(2)], [[-5, -5], [1, 1]])
CONSTANT = DeepNet([np.zeros((2, 2))], [[1, 2]])
DEEP_CROSS = after(CROSS, DeepNet([[[1, 0, 0], [0, 1, 0]]], [[0, 0]]))

RANKS = [
    RankProblem("cross", CROSS, SQUARE, (1, 2)),
    RankProblem("cross of two out of three variables", DEEP_CROSS, CUBE, (1, 2)),
    RankProblem("identity", IDENTITY, SQUARE, (2, 2)),
    RankProblem("late", LATE, SQUARE, (2, 2)),
    RankProblem("late, where it has not begun", LATE, ([-1, -1], [1, 0.999]), (1, 1)),
    RankProblem("bend", BEND, SQUARE, (1, 1)),
    RankProblem("folded", FOLDED, SQUARE, (1, 1)),
    RankProblem("dead units", DEAD, SQUARE, (0, 0)),
    RankProblem("constant", CONSTANT, SQUARE, (0, 0)),
    RankProblem("constant of one variable", DeepNet([[[1]], [[1]]], [[-5], [2]]), ([-1], [1]), (0, 0)),
    RankProblem("one variable", DeepNet([[[1], [-1]], [[1, 2], [3, 4]]], [[0, 0], [0, 0]]), ([-1], [1]), (1, 1)),
    RankProblem("matrix of rank two", DeepNet([[[1, 2, 3], [4, 5, 6], [7, 8, 9]]], [[0, 0, 0]]), CUBE, (2, 2)),
]
