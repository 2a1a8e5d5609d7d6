"""Fits of points over the whole range of strengths and sizes, against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import regularised_fit
from repcost_book.trials.attacks.fits import FITS, exact_objective
from repcost_book.trials.fuzz import fuzz

SIZES = st.floats(1e-99, 1e99)


@pytest.mark.parametrize("attack", FITS, ids=lambda attack: attack.name)
def test_hostile_cases(attack):
    assert fuzz(attack, 12, range(40)).findings == []


@settings(max_examples=60, deadline=None)
@given(SIZES, SIZES, st.floats(5e-324, 1.7e308), st.sampled_from(["squared", "absolute"]))
def test_two_points_of_any_size(width, height, strength, loss):
    found = regularised_fit([0.0, width], [0.0, height], strength, loss=loss).objective
    price, apart = Fraction(strength) / Fraction(width), Fraction(height)
    if loss == "squared":
        move = min(price, apart / 2)
        truth = move**2 + price * (apart - 2 * move)
    else:
        truth = min(apart, price * apart)
    assert found.lower <= truth <= found.upper
    assert found.relative_gap < 1e-8 or truth < Fraction(1, 10**300)


@pytest.mark.parametrize("strength", [5e-324, 1e-320, 1e-200, 1e200, 1.7e308])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_strengths_beyond_use_are_the_interpolant_and_the_constant(strength, loss):
    x, y = np.array([0.0, 1.0, 2.0, 4.0]) * 1e90, np.array([0.0, 3.0, 1.0, 1.5]) * 1e90
    found = regularised_fit(x, y, strength, loss=loss)
    exact = exact_objective(x.tolist(), y.tolist(), found.fitted.tolist(), strength, loss)
    assert found.objective.lower <= exact <= found.objective.upper
    if strength < 1:
        assert found.fitted.tolist() == y.tolist()
    else:
        assert np.ptp(found.fitted) == 0
    assert found.objective.relative_gap < 1e-8 or strength < 1e-300


def test_a_wide_bracket_gives_its_reason():
    x = [0.0, 1e-15, 1.0, 2.0]
    found = regularised_fit(x, [0.0, 1.0, 0.0, 1.0], 1e-3).objective
    assert found.relative_gap < 1e-8 or "too close" in found.reason
    assert regularised_fit([0, 1, 2], [0, 0, 3], 0.5).objective.reason == ""


def test_a_step_of_no_numbers_is_refused_without_a_warning():
    x = [0.0, -9.818186930595453e-91, 1.629628781067589e91, 5.271098971615262e-82]
    found = regularised_fit(x, [0.0, 0.0, 0.0, 1.0], 1.0).objective
    # A constant costs 3/4; what is certified lies below.
    assert 0 < found.lower < found.upper <= 0.75 and found.reason
