"""Batches, rests, denormals and rebalancing: what must not change the functions does not."""

from itertools import product

import numpy as np
import pytest
import torch

from repcost import Architecture, Objective, Recipe
from repcost.training.batches import Batches
from repcost.training.engine import Engine
from repcost.training.layouts import Layout
from repcost.training.optimiser import without_denormals
from tests.training_engines import ARCHITECTURES, started


def test_batches_are_all_points_once():
    batches = started("two layers", "savarese", n=6).engine.batches
    # Steps 3 to 5 are the second pass.
    seen = torch.cat([batches.at(step, 2).X[:, 0] for step in range(3, 6)])
    assert sorted(seen.tolist()) == sorted(batches.whole.X[:, 0].tolist())
    assert batches.at(0, None) is batches.whole is batches.at(1, 6)


@pytest.mark.parametrize("before", [True, False])
def test_denormals_are_zero_while_it_trains_and_not_after(before):
    smallest = torch.tensor(5e-324, dtype=torch.float64)
    if not torch.set_flush_denormal(before):
        pytest.skip("this processor cannot")
    try:
        with without_denormals():
            assert (smallest * 1 == 0).item()
        assert (smallest * 1 == 0).item() == before
    finally:
        torch.set_flush_denormal(False)


def test_adam_is_that_of_torch_from_the_first_step_on():
    optimiser = started("deep", "savarese").engine.optimiser
    recipe = Recipe(steps=5, learning_rate=0.01, schedule="constant")
    theirs = torch.nn.Parameter(optimiser.parameters.clone())
    adam = torch.optim.Adam([theirs], lr=0.01)
    generator = torch.Generator().manual_seed(0)
    for step in range(5):
        theirs.grad = torch.randn(theirs.shape, generator=generator, dtype=theirs.dtype)
        optimiser.gradient.copy_(theirs.grad)
        before = optimiser.parameters.clone()
        optimiser.step(step, recipe)
        adam.step()
        assert torch.allclose(optimiser.parameters, theirs, rtol=1e-13, atol=1e-15)
        if step == 0:  # a whole rate, whatever the size of the gradient
            moved = (optimiser.parameters - before).abs()
            assert torch.allclose(moved, torch.full_like(moved, 0.01), rtol=1e-5)


@pytest.mark.parametrize("kind", ["deep", "side by side"])
def test_a_member_that_rests_is_not_rebalanced_and_rests_once(kind):
    engine = started(kind, "savarese").engine
    optimiser, before = engine.optimiser, engine.passes.parameters.clone()
    for _ in range(3):
        optimiser.kept.copy_(before)
        optimiser.rest(4)
    assert list(optimiser.resting) == [4]
    engine.rebalancing.rebalance()
    now, then = (engine.layout.member_views(flat) for flat in (optimiser.parameters, before))
    moved = [
        any((one != other).any() for one, other in zip(*arrays, strict=True))
        for arrays in zip(now, then, strict=True)
    ]
    assert moved == [True] * 4 + [False] + [True]


@pytest.mark.parametrize("kind", ARCHITECTURES)
@pytest.mark.parametrize("name", ["savarese", "jacot 2023"])
def test_rebalancing_keeps_the_functions_and_lowers_the_cost(kind, name):
    at = started(kind, name)
    passes, rebalancing = at.engine.passes, at.engine.rebalancing
    whole = at.engine.batches.whole
    # Scales from 0.2 to 3 leave no unit balanced.
    passes.parameters.mul_(torch.linspace(0.2, 3.0, len(passes.parameters), dtype=torch.float64))
    outputs = [output.clone() for output in passes.outputs(whole)]
    costs = [at.values()]
    for _ in range(40):
        rebalancing.rebalance()
        costs.append(at.values())
    for one, other in zip(outputs, passes.outputs(whole), strict=True):
        assert torch.allclose(one, other, rtol=1e-11, atol=1e-11)
    assert (np.diff(costs, axis=0) <= 1e-12).all() and (costs[-1] < costs[0]).all()
    for which, layer in product(range(len(passes.weights)), range(passes.depth - 1)):
        scales = rebalancing.scales(which, layer)
        assert torch.allclose(scales, torch.ones(()).double(), atol=1e-2)


def test_a_free_bias_costs_nothing_however_large_and_is_not_made_so():
    architecture, objective = Architecture.two_layer(2), Objective.savarese_2019(0.1)
    batches = Batches(np.ones((1, 1)), np.zeros((1, 1)), bias=True)
    engine = Engine(Layout((architecture,), 1), [objective], batches)
    W, b, V, _ = engine.layout.member_views(engine.passes.parameters)[0]
    b[:] = -1e200  # the square is infinite
    assert engine.look() == 0
    W[:], V[:] = 1.0, 1e4
    # One bends too far away to be called a bend, one within reach.
    b[:] = torch.tensor([1e9, 1e7])
    engine.rebalancing.rebalance()
    assert b.flatten().tolist() == [1e9, pytest.approx(1e9)]
    assert W.flatten().tolist() == [1.0, pytest.approx(100.0)]


def test_moments_follow_the_weights():
    """After rebalancing, Adam goes on as if gradients had always been taken in the new scale."""
    at = started("deep", "jacot 2023")
    passes, moments = at.engine.passes, at.engine.optimiser.moments

    def of_the_data() -> torch.Tensor:
        """The gradient without the penalty, which does not scale like the functions."""
        at.differentiate()
        return passes.gradient - 2 * passes.prices * passes.parameters

    for moment, power in zip(moments, (1, 2), strict=True):
        moment.copy_(of_the_data() ** power)
    at.engine.rebalancing.rebalance()
    for moment, power in zip(moments, (1, 2), strict=True):
        assert torch.allclose(moment, of_the_data() ** power, rtol=1e-9, atol=1e-12)


def test_units_without_weights_are_left_alone():
    engine = started("two layers", "savarese").engine
    (W, _), (V, _) = engine.passes.weights[0]
    # One unit that receives nothing, one of which nothing is taken.
    W[:, :, 0] = 0.0
    V[:, 1] = 0.0
    engine.rebalancing.rebalance()
    assert engine.passes.parameters.isfinite().all()
