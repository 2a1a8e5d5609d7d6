"""Tasks side by side give what they give one by one."""

import os
import pickle
import sys

import joblib
import pytest

from repcost import Architecture, Objective, Recipe, train
from repcost.datasets import ten_points
from repcost.training import Ensemble, sweep


def ensemble(strength: float) -> Ensemble:
    recipe = Recipe(steps=20, log_every=10)
    return train(
        Architecture.two_layer(5), ten_points(), Objective.savarese_2019(strength), recipe, range(2)
    )


TASKS = [{"strength": 0.1}, {"strength": 0.01}, {"strength": 0.001}]


def where(number: int) -> tuple[int, int, str]:
    return number, os.getpid(), os.environ.get("OMP_NUM_THREADS", "")


NUMBERS = [{"number": number} for number in range(6)]


def test_the_active_configuration_is_used():
    plain = [ensemble(**task) for task in TASKS]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        for one, other in zip(sweep(ensemble, TASKS), plain, strict=True):
            assert (one.objectives == other.objectives).all()


@pytest.mark.parametrize("jobs", [None, 1])
def test_one_job_stays_in_this_process(jobs):
    assert sweep(where, NUMBERS, jobs=jobs) == [where(number) for number in range(6)]


def test_jobs_are_processes_with_one_thread_each_and_the_order_is_kept(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    numbers, places, threads = zip(*sweep(where, NUMBERS, jobs=2), strict=True)
    assert numbers == tuple(range(6)) and set(threads) == {"1"}
    assert os.getpid() not in places and os.environ["OMP_NUM_THREADS"] == "7"


def test_without_dask_a_scheduler_is_refused_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"repcost\[cluster\]"):
        sweep(where, NUMBERS, scheduler="tcp://127.0.0.1:1")


def test_an_ensemble_travels_between_processes():
    there = ensemble(0.1)
    back = pickle.loads(pickle.dumps(there))
    assert (back.objectives == there.objectives).all() and back.members == there.members
    assert (back.best.W == there.best.W).all()
