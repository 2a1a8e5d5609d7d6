"""Modules with fewer units: near the old outputs, never dearer, refused by name where no chain."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from repcost import measure, prune
from repcost.report import narrowing
from tests.module_state import state_of
from tests.module_zoo import ZOO, born

CHAINS = {
    "perceptron": lambda: chain(
        nn.Linear(4, 9), nn.ReLU(), nn.Linear(9, 8, bias=False), nn.LeakyReLU(0.2), nn.Linear(8, 3)
    ),
    "normalised": lambda: chain(
        nn.Linear(4, 9, bias=False), nn.BatchNorm1d(9), nn.ReLU(), nn.Dropout(), nn.Linear(9, 3)
    ),
    "images": lambda: chain(
        nn.Unflatten(1, (1, 8, 8)),
        nn.Conv2d(1, 5, 3, padding=1, bias=False),
        nn.BatchNorm2d(5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(5, 6, 3, stride=2, padding="valid", dilation=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(6, 4),
        nn.ReLU(),
        nn.Linear(4, 2),
    ),
    "places behind channels": lambda: chain(
        nn.Conv1d(2, 5, 3), nn.ReLU(), nn.AvgPool1d(2), nn.Flatten(), nn.Linear(15, 3)
    ),
    "in space": lambda: chain(
        nn.Conv3d(1, 4, 2), nn.ReLU(), nn.MaxPool3d(2, 1), nn.Flatten(), nn.Linear(4, 3)
    ),
}
SHAPES = {
    "perceptron": (4,),
    "normalised": (4,),
    "images": (64,),
    "places behind channels": (2, 8),
    "in space": (1, 3, 3, 3),
}


def chain(*parts: nn.Module) -> nn.Module:
    return nn.Sequential(*parts)


def made(name: str) -> tuple[Any, torch.Tensor]:
    """A module in float64 whose weights are of different size, and thirty points."""
    torch.manual_seed(0)
    model = CHAINS[name]().double().eval()
    with torch.no_grad():
        for part in model.parameters():
            part.mul_(torch.exp(0.5 * torch.randn_like(part)))
        for each in model.modules():
            if isinstance(each, nn.BatchNorm1d | nn.BatchNorm2d):
                each.get_buffer("running_mean").normal_()
                each.get_buffer("running_var").uniform_(0.2, 3.0)
    return model, torch.randn(30, *SHAPES[name], dtype=torch.float64)


def off(small: Any, model: Any, X: torch.Tensor) -> float:
    with torch.no_grad():
        return float((small(X) - model(X)).abs().max() / model(X).abs().max())


def squares(model: Any) -> float:
    return sum(float((each.detach() ** 2).sum()) for each in model.parameters())


@pytest.mark.parametrize("name", CHAINS)
def test_outputs_stay_within_what_is_allowed_and_no_norm_is_larger(name):
    model, X = made(name)
    fresh = torch.randn_like(X)
    found = prune(model, X, fresh=fresh, tolerances=(1e-6, 1e-2, 0.9))
    least = measure(model, X, jacobian_points=1).rebalanced_norm
    assert found.least == pytest.approx(least, rel=1e-9)
    norms = [found.least * (1 + 1e-12), *found.squared_norms]
    for k, small in enumerate(found.models):
        assert off(small, model, X) == pytest.approx(found.errors[k], rel=1e-6, abs=1e-15)
        assert off(small, model, fresh) == pytest.approx(found.fresh_errors[k], rel=1e-6, abs=1e-14)
        assert found.errors[k] <= found.tolerances[k]
        assert squares(small) == pytest.approx(norms[k + 1], rel=1e-12)
        assert norms[k + 1] <= norms[k] * (1 + 1e-12)
    # So coarse that some units must have gone.
    assert sum(found.widths[-1]) < sum(found.before)


@pytest.mark.parametrize("name", CHAINS)
def test_a_twin_goes_and_nothing_changes_anywhere(name):
    model, X = made(name)
    layers = [each for each in model if next(each.parameters(), None) is not None]
    twins = layers[:2] if isinstance(layers[1], nn.BatchNorm1d | nn.BatchNorm2d) else layers[:1]
    with torch.no_grad():
        for each in twins:
            for part in (*each.parameters(), *each.buffers()):
                if part.ndim:
                    part[1] = part[0]
    found = prune(model, X, fresh=3 * X.flip(0) + 1, tolerances=[1e-9])
    assert found.widths[0][0] < found.before[0]
    # Units that are dead at the points may wake up at others.
    if sum(found.widths[0]) == sum(found.before) - 1:
        assert found.fresh_errors[0] < 1e-9


def test_of_proportional_units_the_dearest_as_a_leader_would_raise_the_norm(monkeypatch):
    torch.manual_seed(1)
    model: Any = chain(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1)).double()
    X = torch.randn(40, 2, dtype=torch.float64)
    with torch.no_grad():
        # Alike on the points, where the second input is one, but not equally cheap.
        X[:, 1] = 1.0
        model[0].weight[:] = torch.tensor([[1.0, 3.0], [1.0, -9.0]])
        model[0].bias[:] = torch.tensor([0.0, 12.0])
        model[2].weight[:] = 1.0
    right = prune(model, X)
    assert right.widths[0] == (1, 1) and right.errors[0] < 1e-12
    rightly = narrowing._leaders
    monkeypatch.setattr(
        narrowing, "_leaders", lambda products, taken, cosine: rightly(products, 1 / taken, cosine)
    )
    wrong = prune(model, X)
    assert right.squared_norms[0] < right.least < wrong.squared_norms[0]


def test_merging_without_the_error_as_a_judge_would_be_noticed(monkeypatch):
    model, X = made("perceptron")
    monkeypatch.setattr(narrowing.Chain, "error", lambda *_: 0.0)
    found = prune(model, X)
    assert found.errors[0] > 0.1


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("residual", "add"),
        ("concatenation", "values meet"),
        ("gelu in the middle", "gelu in layer 3"),
        ("channels", "groups"),
        ("one layer three times", "shared"),
        ("tied to its transpose", "shared"),
        ("products with parameters", "matmul"),
        ("batch norm first and behind", "channelwise in layer 0"),
        ("layer norm", "layer_norm in layer 3"),
        ("branch on a value", "cannot trace"),
        ("two inputs", "missing 1 required"),
    ],
)
def test_what_is_no_chain_is_refused_by_name(name, says):
    model, X = born(name)
    with pytest.raises(ValueError, match=says):
        prune(model, X)
    assert name in ZOO


def test_one_layer_has_nothing_to_prune_and_bad_options_are_named():
    model, X = made("perceptron")
    with pytest.raises(ValueError, match="no hidden layer"):
        prune(chain(nn.Linear(4, 2)), np.ones((3, 4)))
    with pytest.raises(ValueError, match="fresh has points of shape"):
        prune(model, X, fresh=np.ones((3, 5)))
    for wrong in ((), (0.0,), (1.0,)):
        with pytest.raises(ValueError, match="tolerances must"):
            prune(model, X, tolerances=wrong)


@pytest.mark.parametrize("name", ["perceptron", "images"])
def test_the_module_stays_as_it_was(name):
    model, X = made(name)
    model = model.float().train()
    model[1].requires_grad_(False)
    before = state_of(model)
    found = prune(model, X.float())
    assert state_of(model) == before
    assert not found.model.training and next(found.model.parameters()).dtype == torch.float32
    assert all(part.requires_grad for part in found.model.parameters())


def test_what_is_printed_and_kept():
    model, X = made("perceptron")
    found = prune(model, X)
    assert max(map(len, str(found).splitlines())) <= 100
    assert found.model is found.models[0] and "models" not in found.to_dict()
    assert found.to_dict()["fresh_errors"] == [None] * 3
    assert "<table>" in found._repr_html_()
