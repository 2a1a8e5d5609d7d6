"""Ranks, truncations and tours, against fractions and all orders."""

from fractions import Fraction
from itertools import pairwise, permutations

import mpmath
import numpy as np

from repcost import (
    DeepNet,
    bottleneck_rank,
    jacobian_rank,
    open_tour,
    shortest_open_tour,
    truncation_error,
)
from repcost_book.trials.attacks.networks import drawn_network, exact_layers, sizes_of_terms
from repcost_book.trials.fuzz import RIGHT, WIDE, Attack, WrongError
from repcost_book.trials.hostile import hostile_floats

Exact = list[Fraction]

# How wide a bracket may be where only rounding separates its ends.
NARROW = 1e-9


def exact_jacobian(net: DeepNet, x: Exact) -> list[Exact] | None:
    """The Jacobian at x; None where a unit that may depend on x receives zero there."""
    received = exact_layers(net, x)[:-1]
    if any(t == 0 for layer in received for t in layer):
        return None
    product = _fractions(net.weights[0])
    for layer, weight in zip(received, net.weights[1:], strict=True):
        # The chain rule from the input on: units scale the rows, and the layer mixes them.
        slopes = [Fraction(1) if t > 0 else Fraction(net.negative_slope) for t in layer]
        below = [[s * p for p in row] for s, row in zip(slopes, product, strict=True)]
        product = [
            [
                sum((w * b[j] for w, b in zip(row, below, strict=True)), Fraction(0))
                for j in range(len(x))
            ]
            for row in _fractions(weight)
        ]
    return product


def exact_rank(matrix: list[Exact]) -> int:
    """By elimination in fractions."""
    rows, rank = [list(row) for row in matrix], 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(rank + 1, len(rows)):
            factor = rows[i][column] / rows[rank][column]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return rank


def drawn_box(rng: np.random.Generator, dimension: int, reach: float) -> dict:
    """A box as two rows, low < high everywhere."""
    ends = np.sort(hostile_floats(rng, (2, dimension), reach), axis=0)
    equal = ends[0] == ends[1]
    # The thinnest box that floats allow, where both ends came out alike.
    high = np.where(equal, np.nextafter(ends[1], np.inf), ends[1])
    return {"domain": np.stack([ends[0], high])}


def _on_a_box(rng: np.random.Generator) -> dict:
    reach = float(rng.choice([0.02, 0.2, 1.0]))
    given = drawn_network(rng, reach, inputs=int(rng.choice([1, 2])))
    return {**given, **drawn_box(rng, given["weights"][0].shape[1], reach)}


def _ranks(weights: list, biases: list, slope: float, domain: np.ndarray) -> str:
    net = DeepNet(weights, biases, slope)
    jacobian, bottleneck = (rank(net, tuple(domain)) for rank in (jacobian_rank, bottleneck_rank))
    (low, high), seen = domain, 0
    for x in rational_points(low, high, 6):
        matrix = exact_jacobian(net, x)
        seen = max(seen, exact_rank(matrix) if matrix else 0)
    # A rank that occurs at one point bounds both from below; no upper end may be less.
    if seen > jacobian.upper or seen > bottleneck.upper:
        raise WrongError(f"rank {seen} at a point, but {jacobian} and {bottleneck}")
    if jacobian.upper > bottleneck.upper:
        raise WrongError(f"Jacobian rank {jacobian} above bottleneck rank {bottleneck}")
    return RIGHT if bottleneck.lower == bottleneck.upper else WIDE


def rational_points(low: np.ndarray, high: np.ndarray, number: int) -> list[Exact]:
    """Points inside a box, the same shares of it each time."""
    shares = np.random.default_rng(number).integers(1, 1000, (number, len(low))).tolist()
    ends = [(Fraction(a), Fraction(b)) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    return [
        [a + (b - a) * Fraction(s, 1000) for s, (a, b) in zip(row, ends, strict=True)]
        for row in shares
    ]


def _truncation(rng: np.random.Generator) -> dict:
    given = _on_a_box(rng)
    if rng.random() < 0.1:
        given = {**given, **drawn_network(rng, 0.2, inputs=3), **drawn_box(rng, 3, 0.2)}
    layer = int(rng.integers(len(given["weights"])))
    return {**given, "layer": layer}


def _truncated(weights: list, biases: list, slope: float, domain: np.ndarray, layer: int) -> str:
    """Against the truncation to rank zero: the network from the middle of the box on."""
    net = DeepNet(weights, biases, slope)
    (low, high), found = domain, truncation_error(net, tuple(domain), layer=layer, rank=0)
    ends = zip(low.tolist(), high.tolist(), strict=True)
    at_middle = exact_layers(net, [(Fraction(a) + Fraction(b)) / 2 for a, b in ends])[-1]
    # All corners of an interval or a rectangle; of a box in space two opposite ones.
    corners = [low, high, *([[low[0], high[1]], [high[0], low[1]]] if len(low) == 2 else [])]
    points = [[Fraction(float(c)) for c in corner] for corner in corners]
    at_most = [max(abs(x[i]) for x in points) for i in range(len(low))]
    for x in points + rational_points(low, high, 3):
        values = exact_layers(net, x)[-1]
        apart = sum(((a - b) ** 2 for a, b in zip(values, at_middle, strict=True)), Fraction(0))
        # The bias that agrees at the middle is a float, whatever it is added to.
        rounded = max(sizes_of_terms(net, at_most))
        _not_above(apart, found.upper, rounded / 10**12)
    return RIGHT if found.gap <= NARROW * found.upper else WIDE


def _not_above(squared: Fraction, upper: float, rounded: Fraction) -> None:
    """WrongError where the root of a fraction is above the upper end by more than rounding."""
    if np.isfinite(upper) and squared > (Fraction(upper) + rounded) ** 2:
        raise WrongError(f"a distance of 10^{log10(squared) / 2:.6g} is above {upper}")


def log10(number: Fraction) -> float:
    with mpmath.workdps(30):
        return float(mpmath.log10(mpmath.mpf(number.numerator) / number.denominator))


def _places(rng: np.random.Generator) -> dict:
    n, k = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    return {"points": hostile_floats(rng, (n, k), float(rng.choice([0.02, 0.2, 0.6, 1.0])))}


def _toured(points: np.ndarray) -> str:
    try:
        found = shortest_open_tour(points)
    except ValueError as refusal:
        if "longer than floats go" in str(refusal):
            return WIDE
        raise
    # Differences of floats span at most 632 digits: with 700 only the lengths are rounded.
    with mpmath.workdps(700):
        rows = [[mpmath.mpf(x) for x in row] for row in points.tolist()]
        table = [[mpmath.norm(minus(a, b)) for b in rows] for a in rows]
        # At most six points were drawn, and 720 orders can all be tried.
        orders = permutations(range(len(rows)))
        least = min(mpmath.fsum(table[a][b] for a, b in pairwise(order)) for order in orders)
        if not found.lower <= least <= found.upper:
            raise WrongError(f"[{found.lower}, {found.upper}] misses {mpmath.nstr(least, 20)}")
    if sorted(open_tour(points).tolist()) != list(range(len(points))):
        raise WrongError("the order is none of all points")
    return RIGHT if found.gap <= NARROW * found.upper else WIDE


def minus(a: Exact, b: Exact) -> Exact:
    return [x - y for x, y in zip(a, b, strict=True)]


def _fractions(matrix: np.ndarray) -> list[Exact]:
    return [[Fraction(x) for x in row] for row in matrix.tolist()]


_NET, _BOX = "DeepNet(weights, biases, slope)", "tuple(domain)"
RANKS = (
    Attack("bottleneck_rank", _on_a_box, _ranks, f"bottleneck_rank({_NET}, {_BOX})"),
    Attack(
        "truncation_error",
        _truncation,
        _truncated,
        f"truncation_error({_NET}, {_BOX}, layer=layer, rank=0)",
    ),
    Attack("shortest_open_tour", _places, _toured, "shortest_open_tour(points)"),
)
