"""The dual of a regularised fit: its conditions of optimality, and its value in fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from repcost import function_cost, largest_useful_strength, regularised_fit
from repcost.costs.fit_problem import FitProblem
from tests.fit_problems import LOSSES, with_repetitions
from tests.line_problems import largest_dual_value


@pytest.mark.parametrize("seed", range(5))
def test_residuals_are_the_projection_onto_the_dual_ball(seed):
    """Optimality for the squared loss: beta = y - z is feasible, and beta . z = strength R-bar."""
    rng = np.random.default_rng(seed)
    x, y = with_repetitions(rng)
    strength = 0.3
    fit = regularised_fit(x, y, strength)
    beta = y - fit.fitted
    assert beta.sum() == pytest.approx(0, abs=1e-8)
    assert float(largest_dual_value([Fraction(b) for b in beta], x)) <= strength * (1 + 1e-6)
    assert beta @ fit.fitted == pytest.approx(
        strength * function_cost(fit.function).value, rel=1e-6
    )


def test_the_least_useful_strength_divides_constants_from_the_rest():
    rng = np.random.default_rng(2)
    for x, y in [
        with_repetitions(rng),
        rng.normal(size=(2, 9)),
        (np.arange(5.0), np.array([0.0, 1, 4, 9, 17])),
    ]:
        limit = largest_useful_strength(x, y)
        above, below = regularised_fit(x, y, 1.0001 * limit), regularised_fit(x, y, 0.99 * limit)
        assert np.ptp(above.fitted) == 0 and above.fitted[0] == pytest.approx(np.mean(y))
        assert np.ptp(below.fitted) > 1e-4 * np.ptp(y)
    assert largest_useful_strength([3], [1]) == largest_useful_strength([0, 1, 4], [2, 2, 2]) == 0
    assert largest_useful_strength(x + 1e6, y + 2.0**40) == pytest.approx(limit, rel=1e-14)


def least(pull: Fraction, y: list[Fraction], loss: str) -> Fraction:
    """min over z of sum loss(z - y_n) + pull * z, for the points of one group."""
    if loss == "squared":
        z = (sum(y, Fraction(0)) - pull) / len(y)
        return sum(((z - v) ** 2 / 2 for v in y), Fraction(0)) + pull * z
    assert abs(pull) <= len(y)
    return min(sum((abs(z - v) for v in y), Fraction(0)) + pull * z for z in y)


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_lower_end_is_a_value_of_the_dual(loss, offset):
    """Rational arithmetic never finds less than `dual` promises for any rho, made feasible."""
    rng, strength = np.random.default_rng(3), 0.3
    for size in 10.0 ** rng.integers(-2, 3, size=60):
        x, y = rng.integers(0, 8, size=12) / 3, offset + rng.normal(size=12)
        problem = FitProblem.grouped(x, y, loss)
        rho = size * rng.normal(size=len(problem.x) - 1)
        pulls = [
            b - a
            for a, b in pairwise(
                [Fraction(0), *map(Fraction, problem.feasible(rho, strength)), Fraction(0)]
            )
        ]
        assert largest_dual_value(pulls, problem.x) <= strength
        groups = [[Fraction(v) for v in y[x == at]] for at in problem.x]
        value = sum(
            (least(b, group, loss) for b, group in zip(pulls, groups, strict=True)), Fraction(0)
        )
        lower = problem.dual(rho, strength)
        assert max(value, 0) - Fraction(1, 10**5 if offset else 10**12) <= lower <= max(value, 0)
