"""Rivals of prune: their numbers by hand, on a network with two units that are alike."""

from typing import Any

import pytest
import torch
from torch import nn

from repcost.experiments import refitted_units


def alike():
    """Units x and 2 x, which send 3 and 1."""
    model: Any = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 1)).double()
    with torch.no_grad():
        model[0].weight[:], model[0].bias[:] = torch.tensor([[1.0], [2.0]]), 0.0
        model[2].weight[:], model[2].bias[:] = torch.tensor([[3.0, 1.0]]), 0.5
    return model, torch.tensor([[1.0], [2.0]], dtype=torch.float64)


def test_leaving_out_changes_outputs_and_fitting_anew_does_not():
    model, X = alike()
    # 5 x + 1/2 becomes 3 x + 1/2, and the largest output is 10.5.
    assert refitted_units.error_of_first(model, X, 1) == pytest.approx(4 / 10.5)
    assert refitted_units.error_of_first(model, X, 2) == 0
    assert refitted_units.squares_of_units(model, X) == pytest.approx(2 * (1 * 3 + 2 * 1))
    # The second unit is the longer one, and 2.5 times it is 5 x.
    assert refitted_units.squares_when_fitted_anew(model, X, 1) == pytest.approx(2 * 2 * 2.5)
