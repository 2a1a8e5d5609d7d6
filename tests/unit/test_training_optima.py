"""Runs find what exact solvers know, and stop where asked."""

from typing import Any

import numpy as np
import pytest

from repcost import Architecture, DeepNet, Objective, Recipe, TwoLayer, function_cost, train
from repcost.datasets import two_rays
from repcost.training import polish_network
from tests.training_problems import (
    FOUR,
    LINE,
    SAVARESE,
    SHORT,
    TEN,
    TWENTY,
    WEAK,
    on_one_thread,
)

one_thread = pytest.fixture(autouse=True)(on_one_thread)


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize(
    ("data", "strength", "recipe"), [(TEN, 1e-3, WEAK), (FOUR, 1e-2, LINE), (FOUR, 0.3, LINE)]
)
def test_the_best_seed_is_where_the_exact_solver_is(mean, data, strength, recipe):
    def make(strength):
        if mean:
            return Objective.ongie_willett_2022(strength / len(data[0]))
        return Objective.savarese_2019(strength)

    exact = make(strength).regularised_fit(*data).objective
    found = train(TWENTY, data, make(strength), recipe, range(12), target=(exact.lower, 1e-3))
    assert found.objectives.min() <= 1.01 * exact.upper
    assert (found.objectives >= exact.lower).all()
    # With lambda / 2 for lambda, or the reverse, the same certificate would be missed.
    wrong = (make(factor * strength) for factor in (0.5, 2.0))
    halved, doubled = (objective.regularised_fit(*data).objective for objective in wrong)
    assert 1.02 * halved.upper < found.objectives.min() < doubled.lower / 1.02


def test_where_biases_pay_too():
    """The certified optima of Jacot's objectives, which differ by the factor L = 2."""
    optima = []
    for objective in (Objective.jacot_2022(0.02), Objective.jacot_2023(0.02)):
        exact = objective.shallow_optimum(*FOUR).loss
        found = train(TWENTY, FOUR, objective, LINE, range(8), target=(exact.lower, 1e-3))
        assert found.objectives.min() <= 1.01 * exact.upper
        assert (found.objectives >= exact.lower).all()
        optima.append(exact.upper)
    assert optima[1] < 0.9 * optima[0]


def test_a_target_stops_the_run_and_is_reported():
    exact = SAVARESE.regularised_fit(*FOUR).objective
    found = train(TWENTY, FOUR, SAVARESE, Recipe(steps=20_000), range(4), target=(exact.lower, 0.1))
    # A tenth above the optimum is reached long before the recipe ends.
    assert found.looked[-1] < 5000
    assert found.reached.any() and (found.stuck == ~found.reached).all()
    assert found.gaps.min() <= 0.1 and found.gaps[found.best_of_each[0, 0]] == found.gaps.min()
    again = train(TWENTY, FOUR, SAVARESE, Recipe(steps=300), range(4))
    assert again.looked[-1] == 300 and not again.reached.any() and np.isinf(again.gaps).all()


def test_every_task_must_reach_its_target():
    objectives = [Objective.savarese_2019(strength) for strength in (0.01, 0.1)]
    bounds = [objective.regularised_fit(*FOUR).objective.lower for objective in objectives]
    found = train(TWENTY, FOUR, objectives, LINE, range(6), target=(bounds, 1e-2))
    assert found.reached.reshape(found.shape).any(2).all()
    assert found.lower.reshape(found.shape)[0, :, 0].tolist() == bounds


def test_the_certified_function_is_found_in_function_space():
    """The cost of the function, not only of its weights, is 4.35 less what the strength saves."""
    objective = Objective.savarese_2019(1e-3)
    exact = objective.regularised_fit(*TEN)
    found = train(TWENTY, TEN, objective, WEAK, range(12), target=(exact.objective.lower, 1e-4))
    assert function_cost(found.best).value == pytest.approx(4.29875, rel=5e-3)
    assert found.best(TEN[0]) == pytest.approx(exact.fitted, abs=5e-3)


def test_polishing_never_raises_the_objective():
    recipes = Recipe(500), Recipe(500, polish=60)
    plain, polished = (train(TWENTY, FOUR, SAVARESE, recipe, range(3)) for recipe in recipes)
    assert (polished.objectives <= plain.objectives * (1 + 1e-12)).all()
    assert polished.objectives.min() < plain.objectives.min() * (1 - 1e-4)


@pytest.mark.parametrize("objective", [SAVARESE, Objective.jacot_2023(0.01)])
def test_a_network_of_ones_own_is_polished_as_a_member_is(objective):
    """The same first weights end with the same bits."""
    recipes = Recipe(50), Recipe(50, polish=60)
    plain, polished = (train(TWENTY, FOUR, objective, recipe, [0]).best for recipe in recipes)
    ours = polish_network(plain, FOUR, objective, 60)
    assert all((getattr(ours, name) == getattr(polished, name)).all() for name in "Wab")
    assert objective.value(ours, *FOUR) < objective.value(plain, *FOUR)
    # The same function as a DeepNet has the same arrays, so it ends at the same weights.
    deep: Any = polish_network(DeepNet.from_two_layer(plain), FOUR, objective, 60)
    assert (deep.W == polished.W).all()


def test_what_cannot_be_polished_is_named(unchecked):
    linear = train(Architecture.linear_layers(2, 5, 3), two_rays(), SAVARESE, SHORT, [0]).best
    with pytest.raises(ValueError, match="net must be a DeepNet or a TwoLayer"):
        polish_network(linear, two_rays(), SAVARESE, 5)
    with pytest.raises(ValueError, match="X has 1 columns"):
        polish_network(TwoLayer([[1.0, 2.0]], [1.0], [0.0]), FOUR, SAVARESE, 5)
