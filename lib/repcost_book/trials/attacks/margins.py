"""Margins of triods and of antipodes, against the exact images of their paths."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from repcost import DeepNet, antipodal_margin, triod_margin
from repcost_book.trials.attacks.networks import drawn_network, exact_layers
from repcost_book.trials.attacks.ranks import NARROW, Exact, log10, minus
from repcost_book.trials.fuzz import RIGHT, WIDE, Attack, WrongError
from repcost_book.trials.hostile import hostile_floats


def _triod(rng: np.random.Generator) -> dict:
    reach = float(rng.choice([0.02, 0.2, 1.0]))
    given = drawn_network(rng, reach)
    d = given["weights"][0].shape[1]
    return {**given, "points": hostile_floats(rng, (4, d), reach)}


def _triod_of(weights: list, biases: list, slope: float, points: np.ndarray) -> str:
    net = DeepNet(weights, biases, slope)
    found = triod_margin(net, points[:3], points[3])
    exact = [[Fraction(x) for x in row] for row in points.tolist()]
    images = [exact_image(net, tip, exact[3]) for tip in exact[:3]]
    # Shifted by the value at tip i, each piece of another path is a segment to be told from zero.
    margin = min(
        _to_origin(minus(a, images[i][0]), minus(b, images[i][0]))
        for i in range(3)
        for j in range(3)
        if i != j
        for a, b in pairwise(images[j])
    )
    return _judged(found, margin)


def _circle(rng: np.random.Generator) -> dict:
    reach = float(rng.choice([0.02, 0.2, 1.0]))
    given = drawn_network(rng, reach)
    return {**given, "points": hostile_floats(rng, (4, given["weights"][0].shape[1]), reach)}


def _antipodes(weights: list, biases: list, slope: float, points: np.ndarray) -> str:
    net = DeepNet(weights, biases, slope)
    found = antipodal_margin(net, points)
    corners = [[Fraction(x) for x in row] for row in points.tolist()]
    margin = None
    for side in (0, 1):
        # A point and its antipode walk along opposite sides; the other two walks swap them.
        ends = [(corners[i], corners[(i + 1) % 4]) for i in (side, side + 2)]
        shares = sorted(set().union(*(_kinks(net, *both) for both in ends)))
        # Between the kinks of either side both values are linear, and so is their gap.
        one, other = ([_value(net, *both, t) for t in shares] for both in ends)
        gaps = [minus(a, b) for a, b in zip(one, other, strict=True)]
        least = min(_to_origin(a, b) for a, b in pairwise(gaps))
        margin = least if margin is None else min(margin, least)
    assert margin is not None
    return _judged(found, margin)


def exact_image(net: DeepNet, start: Exact, end: Exact) -> list[Exact]:
    """The values at the kinks along a segment."""
    return [_value(net, start, end, share) for share in _kinks(net, start, end)]


def _value(net: DeepNet, start: Exact, end: Exact, share: Fraction) -> Exact:
    return exact_layers(net, _at(start, end, share))[-1]


def _at(start: Exact, end: Exact, share: Fraction) -> Exact:
    return [a + share * (b - a) for a, b in zip(start, end, strict=True)]


def _kinks(net: DeepNet, start: Exact, end: Exact) -> list[Fraction]:
    shares = [Fraction(0), Fraction(1)]
    # Layer by layer: between the kinks below, what a layer receives is linear in the share.
    for layer in range(net.depth - 1):
        received = [exact_layers(net, _at(start, end, share))[layer] for share in shares]
        new = {
            s + (t - s) * u / (u - v)
            for (s, one), (t, other) in pairwise(zip(shares, received, strict=True))
            for u, v in zip(one, other, strict=True)
            if u * v < 0
        }
        shares = sorted({*shares, *new})
    return shares


def _to_origin(a: Exact, b: Exact) -> Fraction:
    """The squared distance of a segment from zero."""
    step = minus(b, a)
    length = sum((x * x for x in step), Fraction(0))
    along = -sum((x * y for x, y in zip(a, step, strict=True)), Fraction(0))
    share = min(max(along / length, Fraction(0)), Fraction(1)) if length else Fraction(0)
    return sum(((x + share * y) ** 2 for x, y in zip(a, step, strict=True)), Fraction(0))


def _judged(found, squared: Fraction) -> str:
    """The bracket must hold the root of this fraction."""
    # Squares are compared, as the root of a fraction need not be one.
    above = np.isfinite(found.upper) and Fraction(found.upper) ** 2 < squared
    if above or Fraction(found.lower) ** 2 > squared:
        raise WrongError(f"[{found.lower}, {found.upper}] misses 10^{log10(squared) / 2:.17g}")
    return RIGHT if found.upper - found.lower <= NARROW * found.upper else WIDE


_NET = "DeepNet(weights, biases, slope)"
MARGINS = (
    Attack("triod_margin", _triod, _triod_of, f"triod_margin({_NET}, points[:3], points[3])"),
    Attack("antipodal_margin", _circle, _antipodes, f"antipodal_margin({_NET}, points)"),
)
