"""Small networks in whole numbers whose Jacobian and bottleneck ranks are known by hand."""

from dataclasses import dataclass

import numpy as np

from repcost import DeepNet
from repcost.joined import composed
from tests.deep_problems import CROSS, CUBE, SQUARE


@dataclass(frozen=True, eq=False)
class RankProblem:
    """ranks = (Jacobian, bottleneck)."""

    name: str
    network: DeepNet
    domain: tuple
    ranks: tuple[int, int]

    def __str__(self) -> str:
        return self.name


LINE = ([-1], [1])
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
CONSTANT_OF_ONE = DeepNet([[[1]], [[1]]], [[-5], [2]])
CURVE = DeepNet([[[1], [-1]], [[1, 2], [3, 4]]], [[0, 0], [0, 0]])
DEEP_CROSS = composed(CROSS, DeepNet([[[1, 0, 0], [0, 1, 0]]], [[0, 0]]))
# The third row is twice the second less the first.
PLANE_IN_SPACE = DeepNet([[[1, 2, 3], [4, 5, 6], [7, 8, 9]]], [[0, 0, 0]])

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
    RankProblem("constant of one variable", CONSTANT_OF_ONE, LINE, (0, 0)),
    RankProblem("one variable", CURVE, LINE, (1, 1)),
    RankProblem("matrix of rank two", PLANE_IN_SPACE, CUBE, (2, 2)),
]
