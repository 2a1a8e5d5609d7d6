"""Networks of one variable that equal a piecewise linear function on an interval.

On an interval the way in which a unit faces is a choice: turning one round leaves an affine
function, which another unit carries. So it may be chosen for small biases, which deep networks pay.
Or a bend is made once and folded over by later layers, so that many pieces share it.
"""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, as_rows
from repcost.constructions.one_number import chords
from repcost.deep_networks import DeepNet
from repcost.networks import TwoLayer
from repcost.scalars import whole_number

Vector = Float[np.ndarray, " n"]
Slopes = Float[np.ndarray, " pieces"]


def facing_away(t: ArrayLike, Y: ArrayLike) -> list[TwoLayer]:
    """Networks that equal the joined dots (t_i, y_i) from the first dot to the last.

    One for each piece between two dots: [x - t_0]_+ carries its slope, and at every inner dot bends
    a unit that is zero on the piece. And one for each dot at which the function turns: two units
    that begin there carry the slopes beside it, and no other is above zero there. t: (n,), Y: (n,)
    or (n, 1).

    >>> for net in facing_away([0.0, 1.0, 3.0], [0.0, 2.0, 1.0]):
    ...     print(net.W.ravel().tolist(), net.b.tolist(), net([0.0, 0.5, 3.0]).tolist())
    [1.0, 1.0] [-1.0, -0.0] [0.0, 1.0, 1.0]
    [-1.0, 1.0] [1.0, -0.0] [0.0, 1.0, 1.0]
    [1.0, -1.0] [-1.0, 1.0] [0.0, 1.0, 1.0]
    """
    t, Y, slopes = chords(t, as_rows(Y, "Y"))
    if Y.shape[1] != 1 or len(t) < 2:
        raise ValueError(
            f"Y has the shape {Y.shape}; give one value for each of two places or more"
        )
    y, slopes = Y[:, 0], slopes[:, 0]
    turns = 1 + np.flatnonzero(slopes[:-1] * slopes[1:] < 0)
    return [
        *(_away_from_piece(piece, t, y, slopes) for piece in range(len(slopes))),
        *(_away_from_dot(turn, t, y, slopes) for turn in turns.tolist()),
    ]


def _away_from_piece(piece: int, t: Vector, y: Vector, slopes: Slopes) -> TwoLayer:
    dots = np.arange(1, len(t) - 1)
    # Units right of the piece face right, the others left. A bend turns the slope by the same from
    # either side: its outer weight does not depend on the way.
    way = np.where(dots > piece, 1.0, -1.0)
    w, a = np.append(way, 1.0), np.append(np.diff(slopes), slopes[piece])
    b = np.append(-way * t[dots], -t[0])
    # The last unit, [x - t_0]_+, is zero at t_0, and c sets the height.
    return TwoLayer(w[:, None], a, b, y[piece] - slopes[piece] * (t[piece] - t[0]))


def _away_from_dot(turn: int, t: Vector, y: Vector, slopes: Slopes) -> TwoLayer:
    dots = np.delete(np.arange(1, len(t) - 1), turn - 1)
    way = np.where(dots > turn, 1.0, -1.0)
    w = np.append(way, [1.0, -1.0])
    a = np.append(np.delete(np.diff(slopes), turn - 1), [slopes[turn], -slopes[turn - 1]])
    b = np.append(-way * t[dots], [-t[turn], t[turn]])
    return TwoLayer(w[:, None], a, b, float(y[turn]))


def folded_zigzag(folds: int) -> DeepNet:
    """The zigzag of 2^folds pieces of slopes -1 and 1 on [-1, 1], by a hidden layer for each fold.

    Each folds what it receives at its middle, y -> |y - 2^-j|; the first one is |x|. A fold doubles
    the pieces for one layer of norm two, where one hidden layer pays for every bend.

    >>> twice = folded_zigzag(2)
    >>> twice([[-1.0], [-0.5], [0.0], [0.75]]).ravel().tolist(), twice.depth
    ([0.5, 0.0, 0.5, 0.25], 3)
    """
    folds = whole_number(folds, "folds", 1, 50)
    middles = [2.0**-j for j in range(1, folds)]
    both, sides = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1.0, -1.0])
    weights = [sides[:, None], *[both] * (folds - 1), np.ones((1, 2))]
    return DeepNet(weights, [np.zeros(2), *(-middle * sides for middle in middles), np.zeros(1)])


def tied_networks() -> dict[str, DeepNet]:
    """Three networks through (-1, 1), (0, 0), (1, 1), all as cheap as two hidden layers can be.

    The norms of their layers have the product 2 (each 2^(1/3) after rescaling, so that the sum of
    squares is 3 * 2^(2/3)), and their functions bend more and more beyond the points: a sharpening
    of Section 6 of Savarese et al. (2019). Outside, a unit that is zero bends what it feeds, and
    B - [B - u]_+ in place of [u]_+ levels it off.

    >>> [net([[-2.0], [-1.0], [0.0], [1.0], [2.0]]).ravel().tolist() for net in
    ...     tied_networks().values()]
    [[2.0, 1.0, 0.0, 1.0, 2.0], [1.0, 1.0, 0.0, 1.0, 2.0], [1.0, 1.0, 0.0, 1.0, 1.0]]
    """
    both_ways, none = [[1], [-1]], [0, 0]
    return {
        "|x|": DeepNet([both_ways, [[1, 1]], [[1]]], [none, [0], [0]]),
        "one first unit": DeepNet([[[1]], both_ways, [[1, 1]]], [[1], [-1, 1], [0]]),
        "flipped": DeepNet([both_ways, [[-1, -1]], [[-1]]], [none, [1], [1]]),
    }
