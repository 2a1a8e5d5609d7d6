"""Runs survive interruptions: killed anywhere, they end with the same bits."""

import os
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from repcost import Recipe, train
from repcost.training import crew
from repcost.training.engine import Engine
from repcost.training.optimiser import Optimiser
from repcost.training.states import RunState
from tests.training_problems import SAVARESE, SHORT, TEN, TWENTY, on_one_thread, same_bits

one_thread = pytest.fixture(autouse=True)(on_one_thread)


class Killed(BaseException):
    """Like the end of the process, it is nobody's to catch."""


def killed_after(monkeypatch, owner, name, calls):
    original, left = getattr(owner, name), count(calls, -1)

    def dying(*args, **kwargs):
        if next(left) <= 0:
            raise Killed
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, name, dying)


@pytest.mark.parametrize(
    ("owner", "name", "calls"),
    [
        (Optimiser, "step", 0),
        (Optimiser, "step", 47),
        (Optimiser, "step", 60),
        (Engine, "look", 2),
        (Engine, "value_and_gradient", 30),
        (os, "fsync", 2),
    ],
)
def test_killed_anywhere_it_ends_with_the_same_bits(monkeypatch, tmp_path, owner, name, calls):
    often = Recipe(steps=80, annealing=10.0, rebalance_every=15, log_every=20)
    recipe = replace(often, batch_size=4, polish=20)
    options = {"checkpoint": tmp_path / "run.npz", "save_every": 0.0}
    straight = train(TWENTY, TEN, SAVARESE, recipe, range(3))
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_after(patch, owner, name, calls)
        train(TWENTY, TEN, SAVARESE, recipe, range(3), **options)
    same_bits(train(TWENTY, TEN, SAVARESE, recipe, range(3), **options), straight)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_it_does_start_from_the_checkpoint(monkeypatch, tmp_path):
    options = {"checkpoint": tmp_path / "run.npz"}
    finished = train(TWENTY, TEN, SAVARESE, SHORT, range(3), **options)
    # A run that is finished takes no step; one that began again would call None.
    monkeypatch.setattr(Optimiser, "step", None)
    same_bits(train(TWENTY, TEN, SAVARESE, SHORT, range(3), **options), finished)


def test_a_diverged_member_is_remembered_by_the_checkpoint(monkeypatch, tmp_path):
    recipe = Recipe(60, 0.04, "constant", optimiser="gradient descent", log_every=10)
    options = {"checkpoint": tmp_path / "run.npz", "save_every": 0.0}
    straight = train(TWENTY, TEN, SAVARESE, recipe, range(8))
    # At this rate some seeds diverge and some do not.
    assert 0 < straight.diverged.sum() < 8
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_after(patch, Engine, "look", 5)
        train(TWENTY, TEN, SAVARESE, recipe, range(8), **options)
    same_bits(train(TWENTY, TEN, SAVARESE, recipe, range(8), **options), straight)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    options = {"checkpoint": tmp_path / "run.npz"}
    train(TWENTY, TEN, SAVARESE, SHORT, range(3), **options)
    higher = TEN[0], TEN[1] + 1
    for other in [
        (TWENTY, higher, SAVARESE, SHORT, range(3)),
        (TWENTY, TEN, SAVARESE, SHORT, range(2)),
    ]:
        with pytest.raises(ValueError, match="belongs to another run; delete it"):
            train(*other, **options)
    np.savez(tmp_path / "run.npz", something=np.zeros(3))
    with pytest.raises(ValueError, match="belongs to another run"):
        train(TWENTY, TEN, SAVARESE, SHORT, range(3), **options)


def test_a_checkpoint_that_lacks_something_is_refused(tmp_path, monkeypatch):
    call = TWENTY, TEN, SAVARESE, SHORT, range(3)
    path = tmp_path / "run.npz"
    train(*call, checkpoint=path)
    with np.load(path) as file:
        whole = dict(file)
    np.savez(path, **{name: array for name, array in whole.items() if name != "second_0"})
    with pytest.raises(ValueError, match="lacks the array 'second_0'; delete it"):
        train(*call, checkpoint=path)
    np.savez(path, **whole)
    # A cache this small takes one member at a time.
    monkeypatch.setattr(crew, "_CACHE", 1)
    with pytest.raises(ValueError, match="has 1 engines, and this run 3; delete it"):
        train(*call, checkpoint=path)


def test_what_a_checkpoint_holds_keeps_its_names(tmp_path):
    """So that files of other versions are read, or refused for a reason."""
    path = tmp_path / "run.npz"
    train(TWENTY, TEN, SAVARESE, Recipe(20, polish=2), range(2), checkpoint=path)
    with np.load(path) as file:
        own = {"run", "device", "step", "looked", "logged", "diverged", "polished_0", "polished_1"}
        assert set(file) == own | {"parameters_0", "first_0", "second_0", "kept_0"}
        assert RunState.from_arrays(dict(file)).arrays().keys() == set(file) - {"run", "device"}
