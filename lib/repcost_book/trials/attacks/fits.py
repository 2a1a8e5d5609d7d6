"""Fits of points of one variable, against objectives in fractions and two points by hand."""

from fractions import Fraction
from itertools import pairwise
from typing import Literal

import numpy as np

from repcost import largest_useful_strength, regularised_fit
from repcost_book.trials.fuzz import RIGHT, Attack, WrongError, as_narrow_as_said
from repcost_book.trials.hostile import hostile_floats

NARROW = 1e-8


def _points(rng: np.random.Generator) -> dict:
    n = int(rng.integers(1, 7))
    reach = rng.choice([0.02, 0.1, 0.3])
    x, y = hostile_floats(rng, (n,), reach), hostile_floats(rng, (n,), reach)
    # Repetitions, now and then.
    return {"x": x[rng.integers(n, size=n)] if rng.random() < 0.3 else x, "y": y}


def _problem(rng: np.random.Generator) -> dict:
    strength = np.abs(hostile_floats(rng, (1,), 1.0))[0]
    if rng.random() < 0.5:
        strength = 10.0 ** rng.uniform(-6, 2)
    loss = str(rng.choice(["squared", "absolute"]))
    return {**_points(rng), "strength": float(strength), "loss": loss}


def exact_objective(x, y, z, strength: float, loss: str) -> Fraction:
    """That of the cheapest function with the values z: Theorem 3.3 of Savarese et al. (2019)."""
    misses = [Fraction(a) - Fraction(b) for a, b in zip(z, y, strict=True)]
    paid = [m * m / 2 if loss == "squared" else abs(m) for m in misses]
    # A set: places that are repeated have one value, and would give a slope of 0 / 0.
    points = sorted({(Fraction(a), Fraction(b)) for a, b in zip(x, z, strict=True)})
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(points)] or [Fraction(0)]
    turn = sum((abs(b - a) for a, b in pairwise(slopes)), Fraction(0))
    cost = max(turn, (turn + abs(slopes[0] + slopes[-1])) / 2)
    return sum(paid, Fraction(0)) + Fraction(strength) * cost


def _fitted(
    x: np.ndarray, y: np.ndarray, strength: float, loss: Literal["squared", "absolute"]
) -> str:
    found = regularised_fit(x, y, strength, loss=loss)
    bracket = found.objective
    own = exact_objective(x.tolist(), y.tolist(), found.fitted.tolist(), strength, loss)
    if own > bracket.upper:
        raise WrongError(f"{bracket}, but its values cost {float(own)}")
    for values in _candidates(x, y):
        known = exact_objective(x.tolist(), y.tolist(), values, strength, loss)
        if known < bracket.lower:
            raise WrongError(f"{bracket}, but {float(known)} is known")
    if len(x) == 2 and x[0] != x[1]:
        _compare(bracket, _by_hand(x.tolist(), y.tolist(), Fraction(strength), loss))
    return as_narrow_as_said(bracket, NARROW)


def _candidates(x: np.ndarray, y: np.ndarray) -> list[list]:
    """Constants, and the points themselves where no x is repeated."""
    values = [Fraction(v) for v in y.tolist()]
    # The mean is the best constant for squares, a median for absolute values.
    constants = [sum(values, Fraction(0)) / len(values), sorted(values)[len(values) // 2]]
    found = [[constant] * len(values) for constant in constants]
    return [*found, values] if len(set(x.tolist())) == len(x) else found


def _by_hand(x: list, y: list, strength: Fraction, loss: str) -> Fraction:
    """Both values move towards each other, as far as that pays."""
    apart, per_unit = (
        abs(Fraction(y[1]) - Fraction(y[0])),
        strength / abs(Fraction(x[1]) - Fraction(x[0])),
    )
    if loss == "absolute":
        # Linear in the move, so that either the values meet, or they stay where they are.
        return min(apart, per_unit * apart)
    # Each moves by m: m^2 + per_unit (apart - 2 m) is least at m = per_unit, or where they meet.
    move = min(per_unit, apart / 2)
    return move**2 + per_unit * (apart - 2 * move)


def _compare(bracket, truth: Fraction) -> None:
    if not bracket.lower <= truth or not truth <= bracket.upper:
        raise WrongError(f"{bracket}, but it is {float(truth)}")


def _useful(x: np.ndarray, y: np.ndarray) -> str:
    found = largest_useful_strength(x, y)
    places, values = ([Fraction(v) for v in each.tolist()] for each in (x, y))
    mean = sum(values, Fraction(0)) / len(values)
    pulls = [v - mean for v in values]
    truth, size = Fraction(0), sum(map(abs, pulls)) * (max(places) - min(places))
    # What a hinge earns is linear in its place between points, so that the points are enough.
    for t in places:
        for sign in (1, -1):
            hinge = [max(sign * (p - t), Fraction(0)) for p in places]
            truth = max(truth, abs(sum(a * b for a, b in zip(pulls, hinge, strict=True))))
    if abs(Fraction(found) - truth) > size * Fraction(1, 10**13) * len(x):
        raise WrongError(f"{found}, but it is {float(truth)}")
    return RIGHT


FITS = (
    Attack(
        "regularised_fit",
        _problem,
        _fitted,
        "regularised_fit(x, y, strength, loss=loss).objective",
    ),
    Attack("largest_useful_strength", _points, _useful, "largest_useful_strength(x, y)"),
)
