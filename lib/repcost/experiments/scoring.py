"""What somebody's network or bound is worth for an open question of the book, in one line each.

- `score`: what a network pays for a given function, and whether it has that function. It is a
  record if its `per_layer` lies below what is known, and its `miss` is rounding.
- `known_on_line` and `score_bound`: what is known of a function of one variable, and what a bound
  from below adds. It is a record if it closes some of a gap, and is over no network.
- `score_layers`: how near the hidden layers of a network are to one direction. It is a record if
  its `ratio` does not fall with the depth while `beyond` stays bounded, and units are cheapest.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from repcost.arrays import ArrayLike, finite_array
from repcost.balance import rebalance, rebalanced_norm
from repcost.bounds import Bracket
from repcost.constructions import facing_away
from repcost.conventions import PER_LAYER
from repcost.costs.per_layer import cost_per_layer, deepened
from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Domain
from repcost.joined import added
from repcost.networks import TwoLayer
from repcost.regions import linear_regions
from repcost.representations import second_directions
from repcost.rounding import UNIT
from repcost.scalars import whole_depth


@dataclass(frozen=True)
class Score:
    """per_layer: squares of all weights and biases over the depth, once the units are rescaled.

    miss: the largest difference from the function at a corner of a region. Both are affine in each,
    so it is the largest on the domain, up to rounding.
    """

    depth: int
    per_layer: Bracket
    miss: float

    def __str__(self) -> str:
        return f"{self.depth} layers pay {self.per_layer} each; off by {self.miss:.2g} at most"


def score(net: DeepNet | TwoLayer, target: DeepNet | TwoLayer, domain: Domain) -> Score:
    """What `net` pays, and how far it is from the function of `target` on the box `domain`.

    In one and two variables.

    >>> line, twice = DeepNet([[[1.0]]], [[0.0]]), DeepNet([[[2.0]], [[0.5]]], [[0.0], [0.0]])
    >>> found = score(twice, line, ([0.0], [1.0]))
    >>> found.depth, 1.0 in found.per_layer, found.miss
    (2, True, 0.0)
    """
    net, target = as_deep(net), as_deep(target, "target")
    depth = max(net.depth, target.depth)
    ours, theirs = (deepened(each, depth, domain) for each in (net, target))
    difference = added(ours, _negated(theirs))
    corners = [region.vertices for region in linear_regions(difference, domain)]
    miss = np.abs(difference(np.vstack(corners))).max()
    paid = rebalanced_norm(net)
    # A quotient is rounded once.
    lower = np.nextafter(paid.lower / net.depth, -np.inf)
    upper = np.nextafter(paid.upper / net.depth, np.inf)
    per_layer = Bracket(float(lower), float(upper), "certified", counts=PER_LAYER)
    return Score(net.depth, per_layer, float(miss))


def _negated(net: DeepNet) -> DeepNet:
    weights = [*net.weights[:-1], -net.weights[-1]]
    return net.with_layers(weights, [*net.biases[:-1], -net.biases[-1]])


# ---- Functions of one variable, on [-1, 1] ----


def both_ways(points: ArrayLike, depth: int) -> float:
    """At least this is paid for each layer: (u + d)^(2/L), the steepest slopes up and down.

    A path of weights through a network is positive or negative. Slopes up are made of positive
    paths and slopes down of negative ones, so all paths together, which the norms of the layers
    bound, are at least u + d.

    >>> [round(both_ways([(-1, left), (0, 0), (1, 1)], 2), 9) for left in (1, 0, -1)]
    [2.0, 1.0, 1.0]
    """
    x, y = _joined(points).T
    depth = whole_depth(depth, least=1)
    slopes = np.diff(y) / np.diff(x)
    total = max(slopes.max(), 0.0) + max(-slopes.min(), 0.0)
    # Three roundings a slope and one of the sum; then the power, whose exponent is rounded, too.
    return float((total * (1 - 5 * UNIT)) ** (2 / depth) * (1 - UNIT * (40 + 1500 / depth)))


def known_on_line(points: ArrayLike, depth: int) -> Bracket:
    """What is known of R(f; [-1, 1], L) / L, with f joining the points from x = -1 to x = 1.

    From below by `both_ways`, and by the bias that the rise from end to end needs. From above by
    the cheapest network of one hidden layer whose units face away from a piece or a turn, made as
    deep; from somebody's network by `score`.

    >>> known_on_line([(-1, 1), (0, 0), (1, 1)], 64).relative_gap < 1e-12
    True
    """
    dots, depth = _joined(points), whole_depth(depth, built=True)
    x, y = dots.T
    # Section "A line through zero" of the book: the rise of all layers is at most their norms'.
    rise = abs(y[-1] - y[0]) / 2 * (1 - 4 * UNIT)
    for_rise = float((2 * rise**2) ** (1 / depth) * (1 - UNIT * (40 + 1500 / depth)))
    # What a piece and its mirror image cost is the same, but they pass their inputs on otherwise.
    nets = [*facing_away(x, y), *facing_away(-x, y)]
    upper = min(cost_per_layer(net, depth, ([-1.0], [1.0])).upper for net in nets)
    return Bracket(max(both_ways(dots, depth), for_rise), upper, "certified", counts=PER_LAYER)


@dataclass(frozen=True)
class BoundScore:
    """closed: which part of a gap between known ends the bound closes, where that is largest.

    over: by how much it exceeds what a network pays, at most; if positive, it is no bound.
    """

    closed: float
    over: float

    def __str__(self) -> str:
        if self.over > 0:
            return f"no bound: {self.over:.3g} more than a network pays"
        return f"closes {self.closed:.1%} of a gap, and no network pays less"


def score_bound(
    bound: Callable[[np.ndarray, int], float],
    functions: Mapping[str, ArrayLike],
    known: Mapping[tuple[str, int], Bracket],
) -> BoundScore:
    """What `bound(points, depth)`, a price for each layer from below, adds to what is known.

    known: for the name of a function and a depth.

    >>> vee = {"vee": [(-1, 1), (0, 0), (1, 1)]}
    >>> ends = {("vee", 4): Bracket(1.0, 1.5, "certified")}
    >>> found = score_bound(lambda points, depth: 1.25, vee, ends)
    >>> found.closed, found.over
    (0.5, -0.25)
    """
    found = [
        (bound(_joined(functions[name]), depth), ends) for (name, depth), ends in known.items()
    ]
    # What rounding leaves open is no gap.
    closed = [(value - ends.lower) / ends.gap for value, ends in found if ends.gap > 1e-9]
    over = [value - ends.upper for value, ends in found]
    return BoundScore(float(np.clip(max(closed, default=0.0), 0.0, 1.0)), float(max(over)))


def _joined(points: ArrayLike) -> np.ndarray:
    dots = finite_array(points, "points", 2)
    x = dots[:, 0]
    if dots.shape[1:] != (2,) or (x[0], x[-1]) != (-1, 1) or not (x[1:] > x[:-1]).all():
        raise ValueError("points must be pairs (x, y) with x increasing from -1 to 1")
    return dots


# ---- How near to one direction ----


@dataclass(frozen=True)
class LayersScore:
    """beyond: squares of all weights and biases less the depth, once the units are rescaled.

    ratio: the least s_2 / s_1 of a hidden layer then, uncentred; centred: the same, centred.
    """

    depth: int
    beyond: float
    ratio: float
    centred: float


def score_layers(net: DeepNet | TwoLayer, X: ArrayLike) -> LayersScore:
    """How far from one direction the hidden layers of `net` are at the rows of X, and for what.

    Rescaled units are balanced, and units that no output uses are gone.

    >>> score_layers(DeepNet([[[1.0], [0.0]], [[1.0, 0.0]]], [[0, 1], [0]]), [[0.0], [1.0]])
    LayersScore(depth=2, beyond=0.0, ratio=0.0, centred=0.0)
    """
    cheapest = rebalance(net)
    plain, centred = (
        second_directions(cheapest, X, centring=centring).ratio[1:].min()
        for centring in (False, True)
    )
    beyond = cheapest.squared_norm - cheapest.depth
    return LayersScore(cheapest.depth, float(beyond), float(plain), float(centred))
