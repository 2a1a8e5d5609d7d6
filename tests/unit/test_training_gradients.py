"""The hand-written passes equal automatic differentiation, and the objective of each network."""

import numpy as np
import pytest
import torch

from repcost.activations import Activation
from repcost.training.layouts import Layout, arrays_alone, flat_alone
from repcost.training.members import network_of
from repcost.training.passages import TensorActivation
from tests.training_engines import ARCHITECTURES, CASES, by_autograd, first_weights, started


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_values_and_gradients_equal_those_of_autograd(kind, name):
    at = started(kind, name)
    for value, gradient, task in zip(at.differentiate(), at.gradients(), at.tasks, strict=True):
        expected, slopes = by_autograd(task, at.X, at.Y)
        assert value == pytest.approx(expected, rel=1e-13)
        # Relative to the largest entry: small ones are differences of large numbers.
        size = max(np.abs(slope).max() for slope in slopes)
        for ours, theirs in zip(gradient, slopes, strict=True):
            assert np.abs(ours - theirs).max() <= 1e-12 * max(size, 1.0)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_objective_of_the_network_is_that_of_the_engine(kind, name):
    """The arrays that are handed out, measured by numpy alone."""
    at = started(kind, name)
    for value, task in zip(at.values(), at.tasks, strict=True):
        net = network_of(task.architecture, task.arrays)
        assert task.objective.value(net, at.X, at.Y) == pytest.approx(value, rel=1e-13)


def test_the_wrong_penalty_is_seen():
    """lambda for lambda / 2, the classic mistake, changes the gradient far more than that."""
    at = started("two layers", "savarese")
    at.differentiate(strength_factor=2.0)
    ours, theirs = at.gradients()[0][0], by_autograd(at.tasks[0], at.X, at.Y)[1][0]
    assert np.abs(ours - theirs).max() > 1e-3


@pytest.mark.parametrize("slope", [0.0, 0.3, -0.5])
def test_the_activation_in_torch_is_that_of_the_library(slope):
    """At the kink too, where the derivative is that of the side where the unit is not active."""
    activation, received = Activation(slope), np.array([-2.0, -0.0, 0.0, 1e-300, 3.0])
    ours, tensor = TensorActivation.of(activation), torch.tensor(received)
    room = torch.empty_like(tensor)
    assert ours.back(torch.ones_like(tensor), tensor, grad_input=room) is room
    assert room.tolist() == activation.slopes(received).tolist()
    assert ours.apply(tensor.clone()).tolist() == activation(received).tolist()
    # What is passed on tells the sides, or it is not used for that.
    ours.back(torch.ones_like(tensor), ours.apply(tensor), grad_input=room)
    assert ours.keeps_sides == (room.tolist() == activation.slopes(received).tolist())


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_layouts_lose_nothing(kind):
    layout = Layout(tuple(ARCHITECTURES[kind]), 3)
    flat = np.zeros(layout.size)
    for arrays in layout.member_views(flat):
        for array in arrays:
            array += 1.0
    assert (flat == 1.0).all()
    architecture = ARCHITECTURES[kind][0]
    arrays = first_weights(architecture, 1, np.ones((4, architecture.widths[0])))
    back = arrays_alone(architecture, flat_alone(architecture, arrays))
    assert all((one == other).all() for one, other in zip(arrays, back, strict=True))


@pytest.mark.parametrize("name", ["savarese", "jacot 2023"])
def test_a_batch_stands_for_all_points(name):
    """Averaged over the batches of a pass, the gradient is that of all points: for sums too."""
    at = started("deep", name, n=6)
    passes, batches = at.engine.passes, at.engine.batches
    passes.differentiate(batches.whole)
    whole, parts = passes.gradient.clone(), []
    # Three batches of two are one pass through the six points.
    for step in range(3):
        passes.differentiate(batches.at(step, 2))
        parts.append(passes.gradient.clone())
    assert torch.allclose(torch.stack(parts).mean(0), whole, rtol=1e-12, atol=1e-12)
