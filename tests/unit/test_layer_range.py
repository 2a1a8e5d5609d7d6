"""Covariances and forces over the whole range of floats, against fractions and known layers."""

import numpy as np
import pytest

from repcost import covariance_rank, cp_rank
from repcost.covariances import covariance_cost
from repcost.representations import forces
from repcost_book.trials.attacks.layers import LAYERS
from repcost_book.trials.fuzz import fuzz


@pytest.mark.parametrize("attack", LAYERS, ids=lambda attack: attack.name)
def test_hostile_cases(attack):
    assert fuzz(attack, 13, range(10)).findings == []


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e308, 1.7e308])
def test_ranks_do_not_depend_on_the_size(size):
    rank = cp_rank([[size]])
    assert (rank.lower, rank.upper) == (1, 1)
    rank = covariance_rank([[size]], [[size]], 0.0)
    assert (rank.lower, rank.upper) == (1, 1)
    with pytest.raises(ValueError, match="check bias"):
        covariance_rank([[size]], [[size]], 1e200)


def test_where_no_factor_was_found_the_bracket_says_so():
    rank = cp_rank(np.eye(3) + 1, starts=0)
    assert rank.upper == np.inf
    assert "found from 0 starts" in str(rank)


@pytest.mark.parametrize("exponent", [-500, -200, 200, 500])
def test_forces_and_costs_scale_exactly(exponent):
    rng = np.random.default_rng(0)
    Z, S, Z_next = rng.normal(size=(3, 4)), rng.normal(size=(3, 5)), rng.normal(size=(3, 2))
    plain = forces(Z, S, Z_next, 0.0)
    # Attraction goes as Z / S^2, repulsion as Z_next^2 / Z^3.
    scaled = forces(np.ldexp(Z, exponent), np.ldexp(S, exponent), np.ldexp(Z_next, exponent), 0.0)
    for one, other in zip(plain, scaled, strict=True):
        assert np.array_equal(np.ldexp(one, -exponent), other)
    K, K_sigma = Z @ Z.T, S @ S.T
    cost = covariance_cost([np.ldexp(K, exponent)], [np.ldexp(K_sigma, exponent)])
    assert cost == covariance_cost([K], [K_sigma])


def test_results_beyond_floats_are_refused_by_name():
    with pytest.raises(ValueError, match="K over K_sigma is beyond"):
        covariance_cost([[[1e200]]], [[[1e-200]]])
    with pytest.raises(ValueError, match="Z over the square of S_previous"):
        forces([[1e100]], [[1e-200]], [[1.0]], 1.0)
