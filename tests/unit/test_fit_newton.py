"""Newton's method for fits proposes; here it is judged by the ends that its answer proves."""

import numpy as np
import pytest
from numpy.random import default_rng

from repcost import regularised_fit
from repcost.costs import fits
from repcost.costs.fit_newton import newton_fit
from repcost.costs.fit_points import Points
from repcost.costs.fit_problem import FitProblem, tails
from repcost.costs.fit_programme import proposed_fit
from repcost.costs.fit_splines import Spline


def gap(x, y, strength):
    problem = FitProblem.grouped(np.asarray(x, float), np.asarray(y, float), "squared")
    found = newton_fit(problem, strength)
    assert found is not None
    z, _, rho = found
    upper = problem.objective(z, strength)
    return (upper - problem.dual(rho, strength)) / upper


@pytest.mark.parametrize("strength", [1e-4, 1e-2, 1.0, 30.0])
@pytest.mark.parametrize("count", [2, 3, 10, 300, 3000])
def test_both_ends_meet(count, strength):
    rng = default_rng(count)
    x, y = rng.uniform(0, 10, count), rng.normal(size=count)
    # Rounding takes more of the dual where there is less to pay.
    assert gap(x, y, strength) < 1e-12 * max(1, count / strength**0.5)


def test_both_ends_meet_where_points_share_an_x():
    rng = default_rng(0)
    x, y = rng.integers(0, 30, 500), rng.normal(size=500)
    assert gap(x, y, 0.5) < 1e-11


@pytest.mark.parametrize(
    ("y", "h"),
    [
        ([0, 1, 0, 1, 0], "zero"),  # the ends' slopes add up to less than the bends
        ([0, 1, 2, 3, 4], "one"),  # a line: only the slopes at the ends cost anything
        ([0, -0.1, 1, 3, 6], "between"),  # flat at the left: both are equal
    ],
)
def test_whatever_decides_the_cost(y, h):
    """h, the derivative of the cost by the slope at the left, is 0, the strength, or between."""
    x, strength = np.arange(5.0), 0.1
    problem = FitProblem.grouped(x, np.array(y, float), "squared")
    found = newton_fit(problem, strength)
    assert found is not None
    share = abs(tails(found[2], np.diff(x))[0]) / strength
    assert {"zero": share < 1e-9, "one": share > 1 - 1e-9, "between": 0.01 < share < 0.99}[h]
    assert gap(x, y, strength) < 1e-12


def test_it_finds_what_a_cone_programme_finds():
    rng = default_rng(1)
    for _ in range(10):
        problem = FitProblem.grouped(rng.uniform(0, 5, 60), rng.normal(size=60), "squared")
        found = newton_fit(problem, 0.2)
        assert found is not None
        (theirs, _), _ = proposed_fit(problem, 0.2)
        assert found[0] == pytest.approx(theirs, abs=1e-6)


def test_few_knots_are_enough_for_many_points():
    rng = default_rng(2)
    x = np.sort(rng.uniform(0, 10, 20_000))
    fit = regularised_fit(x, np.sin(x) + 0.1 * rng.normal(size=x.size), 1.0)
    assert fit.objective.relative_gap < 1e-9 and len(fit.function.knots) < 60


def test_where_it_gives_up_the_cone_programme_decides(monkeypatch):
    rng = default_rng(3)
    x, y = rng.uniform(0, 5, 40), rng.normal(size=40)
    ours = regularised_fit(x, y, 0.3).objective
    for answer in (None, (np.full(40, np.nan), np.ones(40, bool), np.full(39, np.nan))):
        monkeypatch.setattr(fits, "newton_fit", lambda *given, answer=answer: answer)
        theirs = regularised_fit(x, y, 0.3).objective
        assert max(ours.lower, theirs.lower) <= min(ours.upper, theirs.upper)
        assert theirs.relative_gap < 1e-9


def test_a_poor_proposal_is_seen(monkeypatch):
    """The constant for a fit that bends: its ends do not meet, so the other method is asked."""

    def poor(problem, strength):
        flat = np.full(len(problem.x), problem.middle)
        return flat, np.ones(len(flat), dtype=bool), np.zeros(len(flat) - 1)

    monkeypatch.setattr(fits, "newton_fit", poor)
    x = np.linspace(0, 1, 30)
    assert regularised_fit(x, np.abs(x - 0.5), 1e-3).objective.relative_gap < 1e-9


def test_the_best_spline_with_given_bends_is_a_least_squares_fit():
    """Against normal equations with ramps, which know nothing of hat functions."""
    rng = default_rng(4)
    x, centres = np.sort(rng.uniform(0, 1, 12)), rng.normal(size=12)
    signs = np.zeros(12)
    signs[[4, 8]] = [1.0, -1.0]
    points = Points(x, np.ones(12), centres)
    ours = Spline.best(points, 0.0, signs).at_all
    ramps = np.column_stack([np.ones(12), x, *(np.maximum(x - x[k], 0) for k in (4, 8))])
    price = np.array([0.0, 0.0, 1.0, -1.0])
    weights = np.linalg.solve(ramps.T @ ramps, ramps.T @ centres - price)
    assert ours == pytest.approx(ramps @ weights, abs=1e-9)
