"""Training where there is no GPU to try it on: what mixes devices, or forgets one, fails here.

On the device `meta` tensors have shapes and no numbers, and an operation on tensors of two devices
fails as it does with a GPU. What needs numbers runs on the processor under a mode in which a tensor
that is made without saying where is an error.
"""

import os

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

from repcost import DeepNet, Recipe, train
from repcost.ranks.jacobian import jacobian_spectra
from repcost.training.polishing import polish_network
from tests.training_engines import ARCHITECTURES, CASES, started
from tests.training_problems import SAVARESE, SHORT, TEN, TWENTY, same_bits

RECIPE = Recipe(steps=12, batch_size=3, rebalance_every=2, annealing=10.0)
SGD = Recipe(steps=3, optimiser="gradient descent")


class Homeless(Exception):
    """A tensor was made without saying where."""


class SaysWhere(TorchFunctionMode):
    """Whatever makes a tensor out of nothing has to name its device."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func in _device_constructors() and (kwargs or {}).get("device") is None:
            raise Homeless(func.__name__)
        return func(*args, **(kwargs or {}))


def tensors(engine) -> list[torch.Tensor]:
    own = [*vars(engine.passes).values(), *vars(engine.optimiser).values()]
    own += [*engine.optimiser.moments, *engine.batches.whole, engine.batches._order]
    return [each for each in own if isinstance(each, torch.Tensor)]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_step_takes_place_on_one_device(kind, name):
    engine = started(kind, name, device="meta").engine
    with SaysWhere():
        engine.advance(RECIPE, 0, 12)
        engine.advance(SGD, 12, 15)
    assert len(tensors(engine)) >= 10
    assert {each.device.type for each in tensors(engine)} == {"meta"}


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_members_that_rest_stay_where_they_are(kind):
    engine = started(kind, "jacot 2023", device="meta").engine
    with SaysWhere():
        engine.optimiser.keep()
        engine.optimiser.rest(1)
        engine.advance(RECIPE, 0, 4)
    assert {each.device.type for each in tensors(engine)} == {"meta"}


@pytest.mark.parametrize("forgotten", ["prices", "parameters", "gradient"])
def test_a_tensor_that_was_forgotten_is_seen(forgotten):
    engine = started("deep", "jacot 2023", device="meta").engine
    here = torch.zeros(engine.layout.size, dtype=torch.float64, device="cpu")
    setattr(engine.passes, forgotten, here)
    with pytest.raises((RuntimeError, NotImplementedError), match="meta"):
        engine.advance(RECIPE, 0, 2)


def test_a_whole_run_says_of_each_tensor_where_it_is(tmp_path, monkeypatch):
    recipe = Recipe(60, annealing=10.0, rebalance_every=15, log_every=20, batch_size=4, polish=5)
    straight = train(TWENTY, TEN, SAVARESE, recipe, range(3))
    call = TWENTY, TEN, SAVARESE, recipe, range(3)
    options = {"checkpoint": tmp_path / "run.npz", "save_every": 0.0}
    original, left = os.fsync, iter([True, True])

    def killed(descriptor):
        if not next(left, False):
            raise KeyboardInterrupt
        original(descriptor)

    with SaysWhere():
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(os, "fsync", killed)
            train(*call, **options)
        resumed = train(*call, **options)
    same_bits(resumed, straight)


def test_products_of_jacobians_say_where():
    rng = np.random.default_rng(0)
    net = DeepNet([rng.normal(size=shape) for shape in ((6, 4), (5, 6))], [np.ones(6), np.ones(5)])
    with SaysWhere():
        jacobian_spectra(net, rng.normal(size=(3, 4)), device="cpu:0")
        polish_network(net, (np.ones((2, 4)), np.ones((2, 5))), SAVARESE, 2)


def test_the_mode_sees_what_is_made_without_a_device(monkeypatch):
    from repcost.training import batches

    made = torch.as_tensor
    monkeypatch.setattr(
        batches.torch, "as_tensor", lambda array, device: made(array).to(device), raising=True
    )
    with pytest.raises(Homeless, match="as_tensor"), SaysWhere():
        train(TWENTY, TEN, SAVARESE, Recipe(2, batch_size=4), [0])
    train(TWENTY, TEN, SAVARESE, SHORT, [0])
