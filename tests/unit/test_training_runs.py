"""Runs give the same bits in every company, own up to failures, and leave nothing behind."""

import os

import numpy as np
import pytest
import torch

from repcost import Architecture, Objective, Recipe, train
from repcost.training import Member, crew
from repcost.training.initialisation import initial_weights
from tests.training_problems import SAVARESE, SHORT, TEN, TWENTY, on_one_thread, same_bits

one_thread = pytest.fixture(autouse=True)(on_one_thread)


def test_a_seed_is_the_same_network_in_every_company():
    once, again = (initial_weights(TWENTY, SHORT, 3, TEN[0][:, None]) for _ in range(2))
    assert all((a == b).all() for a, b in zip(once, again, strict=True))
    alone = train(TWENTY, TEN, SAVARESE, SHORT, [3])
    widths = [Architecture.two_layer(5), TWENTY]
    strengths = [Objective.savarese_2019(0.1), SAVARESE]
    company = train(widths, TEN, strengths, SHORT, range(5))
    place = company.members.index(Member(TWENTY, SAVARESE, 3))
    assert company.logged[0, place] == pytest.approx(alone.logged[0, 0], rel=1e-15)
    assert company.objectives[place] == pytest.approx(alone.objectives[0], rel=1e-10)
    assert np.abs(company.networks[place].W - alone.networks[0].W).max() < 1e-9


def test_xavier_weights_are_those_of_the_public_code():
    """Normal of variance 2 / (in + out), and biases uniform in (-1, 1), by their moments."""
    recipe = Recipe(0, xavier=True)
    arrays = initial_weights(Architecture.deep((1, 300, 100, 1)), recipe, 0, TEN[0][:, None])
    deviations = [np.std(W) for W in arrays[::2]]
    expected = [np.sqrt(2 / 301), np.sqrt(2 / 400), np.sqrt(2 / 101)]
    assert deviations == pytest.approx(expected, rel=0.15)
    # Where only inputs count, the first layer would be 1 in size and not a twelfth.
    usual = initial_weights(Architecture.deep((1, 300, 100, 1)), Recipe(0), 0, TEN[0][:, None])
    assert np.std(usual[0]) > 0.9
    biases = arrays[1]
    assert biases.shape == (1, 1, 300) and np.abs(biases).max() < 1
    assert np.std(biases) == pytest.approx(1 / np.sqrt(3), rel=0.1)
    assert arrays[-1].shape == (1, 1, 1) and arrays[-1] != 0  # the output has one, too


def test_chunks_change_nothing(monkeypatch):
    whole = train(TWENTY, TEN, SAVARESE, SHORT, range(5))
    # Two members of 61 parameters, five vectors of eight bytes each.
    monkeypatch.setattr(crew, "_CACHE", 2 * 5 * 8 * 61)
    chunks = train(TWENTY, TEN, SAVARESE, SHORT, range(5))
    assert chunks.logged == pytest.approx(whole.logged, rel=1e-10)
    assert [m.seed for m in chunks.members] == list(range(5))


@pytest.mark.parametrize(
    "recipe", [SHORT, Recipe(steps=60, batch_size=3, dtype="float32", log_every=20, polish=5)]
)
def test_the_same_call_gives_the_same_bits(recipe):
    same_bits(*(train(TWENTY, TEN, SAVARESE, recipe, range(3)) for _ in range(2)))


def test_float32_and_float64_tell_the_same_story():
    recipes = Recipe(300, dtype="float32"), Recipe(300, dtype="float64")
    ours, theirs = (train(TWENTY, TEN, SAVARESE, recipe, range(3)) for recipe in recipes)
    assert ours.objectives == pytest.approx(theirs.objectives, rel=0.05)
    assert ours.networks[0].W.dtype == np.float64


@pytest.mark.parametrize("optimiser", ["gradient descent", "adam"])
def test_divergence_is_named_and_harms_nobody_else(optimiser):
    # Just too high for some of the seeds, and beyond all numbers.
    rate = 0.04 if optimiser == "gradient descent" else 1e150
    recipe = Recipe(200, rate, "constant", optimiser=optimiser, log_every=10)
    found = train(TWENTY, TEN, SAVARESE, recipe, range(8))
    lost = found.diverged
    assert lost.any() and np.isinf(found.logged[:, lost]).any(0).all()
    assert np.isfinite(found.logged[:, ~lost]).all()
    assert np.isfinite(found.objectives).all() and found.stuck[lost].all()
    assert f"diverged seeds {np.flatnonzero(lost).tolist()}" in str(found)
    # It rests where it was last finite.
    assert (found.logged[-1] == found.logged[-2])[lost].all()
    if not lost.all():
        assert found.best in [found.networks[place] for place in np.flatnonzero(~lost)]
        alone = train(TWENTY, TEN, SAVARESE, recipe, np.flatnonzero(~lost).tolist())
        assert alone.objectives == pytest.approx(found.objectives[~lost], rel=1e-6)


def test_stuck_seeds_are_reported():
    """Four units on ten points: some seeds lose units early and never fit."""
    architecture, objective = Architecture.two_layer(4), Objective.savarese_2019(1e-4)
    found = train(architecture, TEN, objective, Recipe(steps=1500), range(8))
    lowest = found.objectives.min()
    assert (found.stuck == (found.objectives > 1.01 * lowest)).all() and 0 < found.stuck.sum() < 8
    assert f"stuck seeds {np.flatnonzero(found.stuck).tolist()}" in str(found)


def test_nothing_is_left_behind(capsys):
    """No thread count, random state or default type is touched, and nothing is printed."""

    def settings() -> list:
        random = torch.get_rng_state().tolist()
        own = torch.get_num_threads(), torch.get_default_dtype(), torch.is_grad_enabled()
        return [*own, random, dict(os.environ)]

    before = settings()
    train(TWENTY, TEN, SAVARESE, SHORT, range(2))
    assert settings() == before
    assert capsys.readouterr() == ("", "")


def test_progress_shows_the_objective(capsys):
    train(TWENTY, TEN, SAVARESE, SHORT, range(2), progress=True)
    assert "objective=" in capsys.readouterr().err
