"""Functions of networks with one hidden layer, in one and two variables, and of deeper ones."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np

from repcost import (
    Bracket,
    PiecewiseLinear,
    TwoLayer,
    cheapest_network,
    cost_per_layer,
    function_cost,
)
from repcost_book.trials.attacks.linear_layers import judged
from repcost_book.trials.fuzz import RIGHT, Attack, WrongError
from repcost_book.trials.hostile import hostile_floats

Vector = list[Fraction]


def _units(variables: int) -> Any:
    def draw(rng: np.random.Generator) -> dict[str, Any]:
        # With less than half of the exponents each, products of two numbers stay in range.
        K, reach = int(rng.integers(1, 6)), rng.choice([0.03, 0.2, 0.45])
        W = hostile_floats(rng, (K, variables), reach)
        a, b = hostile_floats(rng, (K,), reach), hostile_floats(rng, (K,), reach)
        if rng.random() < 0.5:  # units of one hyperplane, exactly, whichever side they face
            which = rng.integers(K, size=2)
            factor = float(rng.choice([-2.0, -1.0, 0.5, 4.0]))
            W[which[0]], b[which[0]] = factor * W[which[1]], factor * b[which[1]]
        return {"W": W, "a": a, "b": b}

    return draw


def _of_units(W: np.ndarray, a: np.ndarray, b: np.ndarray) -> str:
    found = function_cost(TwoLayer(W, a, b))
    return judged(found, _truth(W, a, b), 1e-7 if W.shape[1] > 1 else 1e-12)


def _truth(W: np.ndarray, a: np.ndarray, b: np.ndarray) -> Any:
    """sum |c_j| + the distance of g from the sums of s_j c_j u_j, as Theorem 3.1 in space."""
    kinks: dict[tuple, Vector] = {}
    g = [Fraction(0)] * W.shape[1]
    for row, outer, bias in zip(W.tolist(), a.tolist(), b.tolist(), strict=True):
        w, x, t = [Fraction(v) for v in row], Fraction(outer), Fraction(bias)
        if not any(w):
            continue
        # Divided by this, a hyperplane has the same name from both of its sides.
        pivot = next(v for v in w if v)
        normal = tuple(v / pivot for v in w)
        # c_j u_j is a_k |w_k| times the unit normal, turned to one side for all.
        side = 1 if pivot > 0 else -1
        total = kinks.setdefault((normal, t / pivot), [Fraction(0)] * len(w))
        for i, v in enumerate(w):
            total[i] += side * x * v
            g[i] += x * v
    # Squares of products of these floats span about 1200 digits, none of which is dropped.
    with mpmath.workdps(1500):
        generators = [_numbers(c) for c in kinks.values() if any(c)]
        sizes = sum((_length(c) for c in generators), mpmath.mpf(0))
        return sizes + _distance(_numbers(g), generators)


def _distance(point: list, generators: list) -> Any:
    """From a point to the sums of s_j m_j, |s_j| <= 1: an interval, or a polygon with its edges."""
    if len(point) == 1:
        return max(
            abs(point[0]) - sum((abs(m[0]) for m in generators), mpmath.mpf(0)), mpmath.mpf(0)
        )
    if not generators:
        return _length(point)
    ordered = sorted(
        ([x, y] if (y > 0 or (y == 0 and x > 0)) else [-x, -y] for x, y in generators),
        key=lambda m: mpmath.atan2(m[1], m[0]),
    )
    # From the lowest corner the edges, ordered by angle, go round against the clock: the inside
    # is on the left of each.
    corner = [-sum((m[i] for m in ordered), mpmath.mpf(0)) for i in range(2)]
    nearest, inside = mpmath.inf, True
    for m in [*ordered, *([-x, -y] for x, y in ordered)]:
        step = [2 * v for v in m]
        off = [p - c for p, c in zip(point, corner, strict=True)]
        inside = inside and step[0] * off[1] - step[1] * off[0] > 0
        along = sum(s * o for s, o in zip(step, off, strict=True)) / sum(s * s for s in step)
        along = min(max(along, mpmath.mpf(0)), mpmath.mpf(1))
        nearest = min(nearest, _length([o - along * s for o, s in zip(off, step, strict=True)]))
        corner = [c + s for c, s in zip(corner, step, strict=True)]
    return mpmath.mpf(0) if inside else nearest


def _numbers(v: Vector) -> list:
    return [mpmath.mpf(x.numerator) / x.denominator for x in v]


def _length(v: list) -> Any:
    return mpmath.sqrt(sum(x * x for x in v))


def _spline(rng: np.random.Generator) -> dict[str, Any]:
    k, reach = int(rng.integers(0, 6)), rng.choice([0.03, 0.2, 0.45])
    knots = np.unique(hostile_floats(rng, (k,), reach))
    return {"knots": knots, "slopes": hostile_floats(rng, (len(knots) + 1,), reach)}


def _attained(knots: np.ndarray, slopes: np.ndarray) -> str:
    """The network has the slopes of the function, and no more weight than it should."""
    f = PiecewiseLinear(knots, slopes)
    net, cost = cheapest_network(f), function_cost(f)
    size = float(np.abs(slopes).max())
    if not cost.lower * (1 - 1e-12) <= net.path_norm <= cost.upper * (1 + 1e-12):
        raise WrongError(f"weighs {net.path_norm!r}, and the cost is {cost}")
    # Far out on either side those units are active that face there; their slopes add up.
    left, right = (net.a * net.W[:, 0] * (net.W[:, 0] * s > 0) for s in (-1, 1))
    for made, slope in ((left.sum(), slopes[0]), (right.sum(), slopes[-1])):
        if abs(made - slope) > 1e-12 * (1 + len(slopes)) * size:
            raise WrongError(f"has the slope {made!r} at an end, not {slope!r}")
    return RIGHT


def _deep(rng: np.random.Generator) -> dict[str, Any]:
    K, reach = int(rng.integers(1, 4)), rng.choice([0.01, 0.02, 0.1, 0.45])
    W, a = hostile_floats(rng, (K, 1), reach), hostile_floats(rng, (K,), reach)
    return {"W": W, "a": a, "b": rng.normal(size=K), "depth": int(rng.choice([2, 3, 4, 30]))}


def _per_layer(W: np.ndarray, a: np.ndarray, b: np.ndarray, depth: int) -> str:
    """The lower end must be below what the slopes need, and that below the upper end."""
    found: Bracket = cost_per_layer(TwoLayer(W, a, b), depth, ([-1.0], [1.0]))
    both = _both_ways(W, a, b)
    with mpmath.workdps(60):
        slope = mpmath.mpf(both.numerator) / both.denominator
        # What a layer pays at least, by the slopes up and down: see `slopes_both_ways`.
        needed = mpmath.power(slope, mpmath.mpf(2) / depth)
        # Slopes on pieces shorter than rounding are none that a search must find.
        if not found.lower <= needed * (1 + mpmath.mpf(10) ** -12) or needed > found.upper * (
            1 + mpmath.mpf(10) ** -9
        ):
            raise WrongError(f"{found!r}, and a slope needs {mpmath.nstr(needed, 17)}")
    return RIGHT


def _both_ways(W: np.ndarray, a: np.ndarray, b: np.ndarray) -> Fraction:
    """The steepest slope up and the steepest down on [-1, 1], added up, exactly."""
    w, x, t = ([Fraction(v) for v in part.ravel().tolist()] for part in (W, a, b))
    kinks = {-s / v for v, s in zip(w, t, strict=True) if v and -1 < -s / v < 1}
    ends = sorted({Fraction(-1), *kinks, Fraction(1)})
    # Between neighbouring kinks the slope is constant, so that the middles see all of them.
    middles = [(one + other) / 2 for one, other in pairwise(ends)]
    units = list(zip(w, x, t, strict=True))
    slopes = [Fraction(0), *(_slope(units, at) for at in middles)]
    return max(slopes) - min(slopes)


def _slope(units: list[tuple[Fraction, Fraction, Fraction]], at: Fraction) -> Fraction:
    return sum((o * v for v, o, s in units if v * at + s > 0), Fraction(0))


_CALL = "f = TwoLayer(W, a, b); function_cost(f)"
FUNCTIONS = (
    Attack("function_cost_of_units", _units(1), _of_units, _CALL),
    Attack("function_cost_in_the_plane", _units(2), _of_units, _CALL),
    Attack(
        "cheapest_network",
        _spline,
        _attained,
        "cheapest_network(PiecewiseLinear(knots, slopes))",
    ),
    Attack(
        "cost_per_layer",
        _deep,
        _per_layer,
        "net = TwoLayer(W, a, b); cost_per_layer(net, depth, domain=([-1.0], [1.0]))",
    ),
)
