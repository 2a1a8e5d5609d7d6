"""Tasks side by side give what they give one by one."""

import pickle

import joblib
import pytest

from repcost import Architecture, Objective, Recipe, train
from repcost.datasets import ten_points
from repcost.training import Ensemble, sweep


def ensemble(strength: float) -> Ensemble:
    recipe = Recipe(steps=20, log_every=10)
    return train(Architecture.two_layer(5), ten_points(), Objective.savarese_2019(strength), recipe, range(2))


TASKS = [{"strength": 0.1}, {"strength": 0.01}, {"strength": 0.001}]


@pytest.mark.parametrize("jobs", [None, 2])
def test_the_active_configuration_is_used(jobs):
    plain = [ensemble(**task) for task in TASKS]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        for one, other in zip(sweep(ensemble, TASKS, jobs=jobs), plain, strict=True):
            assert (one.objectives == other.objectives).all()


def test_an_ensemble_travels_between_processes():
    there = ensemble(0.1)
    back = pickle.loads(pickle.dumps(there))
    assert (back.objectives == there.objectives).all() and back.members == there.members
    assert (back.best.W == there.best.W).all()
