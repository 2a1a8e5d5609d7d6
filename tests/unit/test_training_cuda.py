"""Where there is a GPU, training on it finds what training on the processor finds."""

import numpy as np
import pytest

from repcost import Architecture, Objective, Recipe, train
from repcost.datasets import ten_points
from repcost.devices import Device
from repcost.ranks.jacobian import jacobian_spectra

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="needs a CUDA device, and this machine has none"
)


@pytest.mark.parametrize(
    "architecture", [Architecture.two_layer(20), Architecture.deep([1, 15, 15, 1])]
)
def test_both_devices_find_the_same(architecture):
    objective, recipe = Objective.savarese_2019(0.1), Recipe(steps=200, polish=0)
    here, there = (
        train(architecture, ten_points(), objective, recipe, range(4), device=device)
        for device in ("cpu", "cuda")
    )
    assert there.objectives == pytest.approx(here.objectives, rel=1e-6)
    assert there.members == here.members


def test_engines_of_every_kind_agree():
    from tests.training_engines import ARCHITECTURES, started

    for kind in ARCHITECTURES:
        here, there = (started(kind, "jacot 2023", device=d).engine for d in ("cpu", "cuda"))
        for engine in (here, there):
            engine.advance(Recipe(steps=5), 0, 5)
        ours, theirs = (engine.optimiser.state().parameters for engine in (here, there))
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_what_is_worth_it_goes_to_the_card_by_itself():
    X, device = np.random.default_rng(0).normal(size=(2000, 20)), Device("auto")
    net = Architecture.deep((20, 400, 400, 20))
    objective, recipe = Objective.jacot_2023(1e-3), Recipe(steps=20, dtype="float32")
    there = train(net, (X, X), objective, recipe, range(2), device=device)
    here = train(net, (X, X), objective, recipe, range(2))
    assert device.done[0].device == f"cuda ({torch.cuda.get_device_name()})"
    # With TF32, three digits would be left.
    assert there.objectives == pytest.approx(here.objectives, rel=1e-4)
    spectra = [jacobian_spectra(there.best, X[:50], device=each) for each in ("cpu", device)]
    assert spectra[1] == pytest.approx(spectra[0], rel=1e-9, abs=1e-9)
    assert device.done[1].device == device.done[0].device
