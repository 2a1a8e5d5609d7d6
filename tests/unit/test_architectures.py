"""`measure` on the architectures of eight networks of torchvision."""

import numpy as np
import pytest
import torch
from torch import nn

from repcost import measure
from repcost.report.reading import read
from repcost.report.rescalings import Rescalings
from tests.architectures import EIGHT
from tests.module_state import state_of


@pytest.mark.parametrize("name", EIGHT)
def test_it_is_read_rescaled_and_left_alone(name):
    make, groups = EIGHT[name]
    torch.manual_seed(0)
    model, X = make().double(), torch.randn(4, 3, 16, 16, dtype=torch.float64)
    with torch.no_grad():
        for part in model.modules():
            if isinstance(part, nn.BatchNorm2d):
                part.get_buffer("running_mean").normal_()
                part.get_buffer("running_var").uniform_(0.2, 3.0)
                part.weight.uniform_(0.5, 2.0)
                part.bias.normal_()
    model.train()
    before = state_of(model)
    found = Rescalings.of(read(model, X[:2]), X)
    assert state_of(model) == before
    said = model.eval()(X).detach()
    largest = float(said.abs().max())
    assert float((found.graph(X) - said).abs().max()) <= 1e-13 * largest
    chance = np.random.default_rng(0)
    z = chance.normal(size=found.orbit.groups) / 2
    # An odd graph could pass by having nothing to rescale.
    assert found.orbit.groups == groups if groups else found.reasons
    assert float((found.at(found.orbit.free @ z)(X) - said).abs().max()) <= 1e-12 * largest
    u, least = found.cheapest()
    assert float((found.at(u)(X) - said).abs().max()) <= 1e-12 * largest
    assert sum(least.values()) < found.orbit.size()
    # At the least norm no small rescaling at random is cheaper.
    at_least = found.orbit.total(u)
    for _ in range(5):
        nearby = u + found.orbit.free @ (1e-3 * chance.normal(size=found.orbit.groups))
        assert found.orbit.total(nearby) >= at_least * (1 - 1e-12)


def test_an_activation_that_ends_is_named():
    model = EIGHT["MobileNetV2"][0]()
    report = measure(model.eval(), torch.randn(4, 3, 16, 16), jacobian_points=2)
    assert any("hardtanh" in reason or "relu6" in reason for reason in report.reasons)
    assert report.rebalanced_norm <= report.squared_norm
