"""Models of torch that compute something else than their layers seem to: read right, or refused."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.utils import parametrize

from repcost import measure
from repcost.report.reading import read
from tests.torch_models import (
    READ_RIGHT,
    REFUSED,
    changed,
    repeated_sequential,
    shared_block,
    small,
)

X = np.random.default_rng(0).normal(size=(20, 3))


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


def assert_read_right(model, at=X):
    """The report is of the network that evaluation computes: outputs and derivative."""
    report, dtype = measure(model, at), precision_of(model)
    points = torch.tensor(at).to(dtype)
    graph = read(model, points[:2])
    before = [(module, module.training) for module in model.modules()]
    model.eval()
    eps = torch.finfo(dtype).eps
    theirs = model(points).detach().double().numpy()
    ours = graph(points.double()).numpy()
    assert ours == pytest.approx(theirs, rel=1e2 * eps, abs=1e2 * eps)
    slope = torch.func.jacrev(lambda x: model(x[None])[0])(points[0].detach())
    spectrum = torch.linalg.svdvals(slope.double()).detach().numpy()
    assert report.jacobian_spectra[0] == pytest.approx(spectrum, rel=1e2 * eps, abs=1e2 * eps)
    for module, training in before:
        module.training = training
    return report


def precision_of(model):
    """That of the layers, not of what lies beside them."""
    layer = next(each for each in model.modules() if isinstance(each, nn.Linear))
    return layer.weight.dtype


@pytest.mark.parametrize("name", READ_RIGHT)
def test_what_is_measured_is_what_evaluation_computes(name):
    assert_read_right(READ_RIGHT[name]())


def test_a_layer_that_is_called_twice_pays_once():
    report = measure(shared_block(), X)
    assert report.widths == (3, 20, 20, 20, 20, 3)
    assert [layer.name for layer in report.layers] == ["0", "2", "4", "6", "8"]
    assert report.weight_norms[1] > 0 == report.weight_norms[2] == report.weight_norms[3]
    assert report.layers[1].stable_rank == report.layers[2].stable_rank > 0
    again = measure(repeated_sequential(), X)
    assert again.widths == (3, 3, 3, 3, 1) and list(again.weight_norms[1:3]) == [0, 0]


@pytest.mark.parametrize("name", READ_RIGHT)
def test_nothing_of_the_model_is_changed(name):
    model = READ_RIGHT[name]()
    model.train()
    list(model.modules())[-1].training = False
    parts = [*model.parameters(), *model.buffers()]
    before = [part.detach().clone() for part in parts]
    attributes = [{k: id(v) for k, v in vars(module).items()} for module in model.modules()]
    versions = [part._version for part in parts]
    state = torch.random.get_rng_state()
    measure(model, torch.tensor(X, requires_grad=True))
    assert torch.equal(state, torch.random.get_rng_state())
    # Numbers on the meta device cannot be compared; versions can.
    there = [(a, b) for a, b in zip(before, parts, strict=True) if not b.is_meta]
    assert all(torch.equal(a, b) for a, b in there) and all(part.grad is None for part in parts)
    assert versions == [part._version for part in parts]
    assert attributes == [{k: id(v) for k, v in vars(module).items()} for module in model.modules()]


def test_hooks_on_all_modules_are_refused():
    model = small()
    for register in (
        nn.modules.module.register_module_forward_pre_hook,
        nn.modules.module.register_module_forward_hook,
    ):
        handle = register(lambda *given: None)
        with pytest.raises(ValueError, match=r"hooks on all modules, .* call .remove\(\)"):
            measure(model, X)
        handle.remove()
    assert measure(model, X)


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_compute_something_else_is_named(name, unchecked):
    make, says = REFUSED[name]
    with pytest.raises(ValueError, match=says):
        measure(make(), X)


class Drift(nn.Module):
    """A parametrisation that is another one at every call."""

    calls = 0

    def forward(self, weight):
        Drift.calls += 1
        return weight * (1 + 0.01 * Drift.calls)


def patched(monkeypatch, factor):
    forward = nn.ReLU.forward
    monkeypatch.setattr(nn.ReLU, "forward", lambda self, X: factor * forward(self, X))


class Turning(nn.Module):
    """A forward that is another one while it is read, which is done with stand-ins."""

    def __init__(self, factor, **options):
        super().__init__()
        self.inner, self.factor = small(**options), factor

    def forward(self, X):
        return self.inner(X) * (self.factor if type(X) is torch.Tensor else 1)


def test_outputs_that_differ_are_refused_with_the_difference():
    assert measure(Turning(1), X)
    with pytest.raises(ValueError, match=r"differ by \d.*rounding in torch.float32 explains"):
        measure(Turning(1.001), X)


class Noise(nn.Module):
    def forward(self, weight):
        return weight + 0.01 * torch.randn_like(weight)


@pytest.mark.parametrize("kind", [Drift, Noise])
def test_outputs_that_change_from_call_to_call_are_refused(kind):
    model = changed(lambda m: parametrize.register_parametrization(m[0], "weight", kind()) and None)
    with pytest.raises(ValueError, match="does not compute what was read of it"):
        measure(model, X)


FACTORS = {torch.float64: 1 + 1e-12, torch.float32: 1 + 1e-3, torch.float16: 2, torch.bfloat16: 3}


@pytest.mark.parametrize("dtype", FACTORS)
def test_the_comparison_sees_what_is_more_than_rounding(dtype):
    """And in each precision a wide, deep network as it is drawn agrees with itself."""
    widths = [(40, 300), *[(300, 300)] * 3, (300, 10)]
    layers = [part for pair in widths for part in (nn.Linear(*pair), nn.ReLU())][:-1]
    model = nn.Sequential(*layers).to(dtype)
    points = 10.0 ** np.random.default_rng(1).uniform(-3, 3, (9, 1)) * np.ones((1, 40))
    assert measure(model, points).points == 9
    with pytest.raises(ValueError, match=f"rounding in {dtype}"):
        measure(Turning(FACTORS[dtype], dtype=dtype), X)


def test_autocast_around_it_changes_nothing():
    model = small()
    alone = measure(model, X)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert measure(model, X).to_dict() == alone.to_dict()


def test_a_default_device_is_not_asked_for():
    model = small()
    alone = measure(model, X)
    with torch.device("meta"):
        assert measure(model, X).to_dict() == alone.to_dict()


def test_images_are_given_to_the_model_as_images():
    model = nn.Sequential(nn.Flatten(), nn.Linear(12, 5), nn.ReLU(), nn.Linear(5, 1))
    images = np.random.default_rng(0).normal(size=(7, 1, 3, 4))
    assert measure(model, images).to_dict() == measure(model, images.reshape(7, 12)).to_dict()
    late = nn.Sequential(nn.Linear(3, 5), nn.Flatten(), nn.ReLU(), nn.Linear(5, 1))
    assert measure(late, images[:, 0, :, :1].swapaxes(1, 2)).layers[0].flat_points == 7
    with pytest.raises(ValueError, match="X must have 2 axes or more"):
        measure(late, np.zeros(7))


def test_points_beyond_the_precision_of_the_model_are_no_obstacle():
    """What a report says of them is said of the network in float64."""
    far = measure(small(dtype=torch.float16), 1e60 * X)
    assert far.jacobian_ranks.max() == 2
    model = small(dtype=torch.float16)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(6e4)
    with pytest.raises(
        ValueError, match=r"leaves the range of torch.float16 at X; call model.double"
    ):
        measure(model, np.ones((2, 3)))
