"""The hand-written pass backward equals automatic differentiation, and what must not change the
functions does not.
"""

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from repcost import Architecture, Objective, Recipe
from repcost.training.engine import Engine, without_denormals
from repcost.training.ensembles import network
from repcost.training.layouts import Layout, alone, initial_weights, parts_alone

ARCHITECTURES = {
    "two layers": [Architecture.two_layer(5)],
    "three widths": [Architecture.two_layer(width, inputs=3, outputs=2) for width in (1, 4, 7)],
    "deep": [Architecture.deep((2, 4, 3, 5, 2)), Architecture.deep((2, 3, 3, 3, 2))],
    "leaky": [Architecture.deep((2, 4, 3, 2), negative_slope=0.3)],
    "folding": [Architecture.deep((2, 4, 3, 2), negative_slope=-0.5)],
    "without biases": [Architecture.deep((3, 4, 4, 2), biases=False)],
    "linear layers": [Architecture.linear_layers(3, 6, 5), Architecture.linear_layers(3, 4, 5)],
    "wide linear layers": [Architecture.linear_layers(2, 6, 3, linear_width=5)],
    "side by side": [
        Architecture.parallel(3, (2, 4, 4, 2)),
        Architecture.parallel(3, (2, 1, 4, 2)),
    ],
}
OBJECTIVES: dict[str, Any] = {
    "savarese": Objective.savarese_2019,
    "ongie-willett": Objective.ongie_willett_2022,
    "jacot 2022": lambda s: Objective.jacot_2022(s, bias=0.5),
    "jacot 2023": Objective.jacot_2023,
    "classes": lambda s: Objective.jacot_2022(s, loss="cross-entropy"),
}
STRENGTHS = (0.1, 0.02, 0.3)


def data(architecture, objective, n=7):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, architecture.widths[0]))
    outputs = architecture.widths[-1]
    Y = (
        rng.integers(outputs, size=n)
        if objective.loss == "cross-entropy"
        else rng.normal(size=(n, outputs))
    )
    return X, Y, objective.targets(Y, outputs)


def first_weights(architecture, seed, X):
    """Biases too, so that nothing is zero."""
    return [part + 0.1 for part in initial_weights(architecture, Recipe(), seed, X)]


def started(architectures, make, n=7):
    """An engine with a member per strength, and what each of them is made of."""
    objectives = [make(strength) for strength in STRENGTHS]
    X, Y, targets = data(architectures[0], objectives[0], n)
    layout = Layout(tuple(architectures), len(objectives))
    engine, flat = Engine(layout, objectives, X, targets), np.zeros(layout.size)
    everyone: list[Any] = []
    members = list(product(architectures, enumerate(objectives)))
    for views, (architecture, (seed, objective)) in zip(
        layout.member_views(flat), members, strict=True
    ):
        parts = first_weights(architecture, seed, X)
        for view, part in zip(views, parts, strict=True):
            view[:] = part
        everyone.append((architecture, objective, parts))
    engine.start(flat)
    return engine, everyone, X, Y


def by_autograd(architecture, objective, parts, X, Y):
    """The objective written down plainly, one network at a time."""
    leaves = [torch.tensor(part, requires_grad=True) for part in parts]
    total, left = torch.tensor(0.0), iter(leaves)
    H = torch.tensor(X)
    for layer in range(architecture.depth):
        W = next(left)
        H, total = H @ W, total + (W**2).sum()
        if architecture.has_bias(layer):
            b = next(left)
            H, total = H + b, total + objective.bias_price * (b**2).sum()
        if layer >= architecture.linear and layer < architecture.depth - 1:
            H = torch.where(H > 0, H, architecture.negative_slope * H)
    outputs = H.sum(0) if H.ndim == 3 else H
    if objective.loss == "squared":
        loss = ((outputs - torch.tensor(Y)) ** 2).sum()
    else:
        loss = torch.nn.functional.cross_entropy(outputs, torch.tensor(Y), reduction="sum")
    loss = loss / len(X) if objective.mean else loss
    value = loss + objective.strength * objective.factor(architecture.depth) * total
    value.backward()
    return value.item(), [leaf.grad.numpy() for leaf in leaves if leaf.grad is not None]


CASES = [
    (kind, name)
    for kind in ARCHITECTURES
    for name in OBJECTIVES
    if name != "classes" or ARCHITECTURES[kind][0].widths[-1] > 1
]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_values_and_gradients_equal_those_of_autograd(kind, name):
    engine, everyone, X, Y = started(ARCHITECTURES[kind], OBJECTIVES[name])
    values = engine.objectives(engine.differentiate(engine.X, engine.Y), engine.Y)
    gradients = engine.layout.member_views(engine.gradient.numpy())
    for value, gradient, one in zip(values, gradients, everyone, strict=True):
        architecture, objective, parts = one
        expected, slopes = by_autograd(architecture, objective, parts, X, Y)
        assert value == pytest.approx(expected, rel=1e-13)
        size = max(np.abs(slope).max() for slope in slopes)
        for ours, theirs in zip(gradient, slopes, strict=True):
            assert np.abs(ours - theirs).max() <= 1e-12 * max(size, 1.0)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_objective_of_the_network_is_that_of_the_engine(kind, name):
    """The arrays that are handed out, measured by numpy alone."""
    engine, everyone, X, Y = started(ARCHITECTURES[kind], OBJECTIVES[name])
    values = engine.objectives(engine.outputs(engine.X), engine.Y)
    for value, (architecture, objective, parts) in zip(values, everyone, strict=True):
        assert objective.value(network(architecture, parts), X, Y) == pytest.approx(
            value, rel=1e-13
        )


def test_the_wrong_penalty_is_seen():
    """lambda for lambda / 2, the classic mistake, changes the gradient by far more than the
    tolerance above.
    """
    engine, everyone, X, Y = started(ARCHITECTURES["two layers"], Objective.savarese_2019)
    engine.differentiate(engine.X, engine.Y, strength_factor=2.0)
    ours = engine.layout.member_views(engine.gradient.numpy())[0][0]
    architecture, objective, parts = everyone[0]
    assert np.abs(ours - by_autograd(architecture, objective, parts, X, Y)[1][0]).max() > 1e-3


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_layouts_lose_nothing(kind):
    layout = Layout(tuple(ARCHITECTURES[kind]), 3)
    flat = np.zeros(layout.size)
    for parts in layout.member_views(flat):
        for part in parts:
            part += 1.0
    assert (flat == 1.0).all()
    architecture = ARCHITECTURES[kind][0]
    parts = first_weights(architecture, 1, np.ones((4, architecture.widths[0])))
    back = parts_alone(architecture, alone(architecture, parts))
    assert all((one == other).all() for one, other in zip(parts, back, strict=True))


@pytest.mark.parametrize("kind", ARCHITECTURES)
@pytest.mark.parametrize("name", ["savarese", "jacot 2023"])
def test_rebalancing_keeps_the_functions_and_lowers_the_cost(kind, name):
    engine, *_ = started(ARCHITECTURES[kind], OBJECTIVES[name])
    engine.parameters.mul_(torch.linspace(0.2, 3.0, len(engine.parameters), dtype=torch.float64))
    outputs = [output.clone() for output in engine.outputs(engine.X)]
    costs = [engine.objectives(outputs, engine.Y)]
    for _ in range(40):
        engine.rebalance()
        costs.append(engine.objectives(engine.outputs(engine.X), engine.Y))
    assert all(
        torch.allclose(one, other, rtol=1e-11, atol=1e-11)
        for one, other in zip(outputs, engine.outputs(engine.X), strict=True)
    )
    assert (np.diff(costs, axis=0) <= 1e-12).all() and (costs[-1] < costs[0]).all()
    for which, layer in product(range(len(engine.layers)), range(engine.depth - 1)):
        assert torch.allclose(engine._imbalance(which, layer), torch.ones(()).double(), atol=1e-2)


@pytest.mark.parametrize("kind", ["deep", "side by side"])
def test_a_member_that_rests_is_not_rebalanced_and_rests_once(kind):
    engine, *_ = started(ARCHITECTURES[kind], OBJECTIVES["savarese"])
    before = engine.parameters.clone()
    for _ in range(3):
        engine.kept.copy_(before)
        engine.rest(4)
    assert list(engine.resting) == [4]
    engine.rebalance()
    pairs = zip(
        engine.layout.member_views(engine.parameters),
        engine.layout.member_views(before),
        strict=True,
    )
    moved = [
        any((one != other).any() for one, other in zip(*parts, strict=True)) for parts in pairs
    ]
    assert moved == [True] * 4 + [False] + [True]


def test_a_free_bias_costs_nothing_however_large_and_is_not_made_so():
    architecture, objective = Architecture.two_layer(2), Objective.savarese_2019(0.1)
    engine = Engine(Layout((architecture,), 1), [objective], np.ones((1, 1)), np.zeros((1, 1)))
    W, b, V, _ = engine.layout.member_views(engine.parameters)[0]
    b[:] = -1e200  # the square is infinite
    assert engine.objectives(engine.outputs(engine.X), engine.Y) == 0
    W[:], V[:] = 1.0, 1e4
    b[:] = torch.tensor([1e9, 1e7])
    engine.rebalance()
    assert b.flatten().tolist() == [1e9, pytest.approx(1e9)]
    assert W.flatten().tolist() == [1.0, pytest.approx(100.0)]


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


def test_moments_follow_the_weights():
    """After rebalancing, Adam goes on as if gradients had always been taken in the new scale."""
    engine, *_ = started(ARCHITECTURES["deep"], Objective.jacot_2023)
    engine.differentiate(engine.X, engine.Y)
    for moment, power in zip(engine.moments, (1, 2), strict=True):
        moment.copy_((engine.gradient - 2 * engine.prices * engine.parameters) ** power)
    engine.rebalance()
    engine.differentiate(engine.X, engine.Y)
    data_part = engine.gradient - 2 * engine.prices * engine.parameters
    for moment, power in zip(engine.moments, (1, 2), strict=True):
        assert torch.allclose(moment, data_part**power, rtol=1e-9, atol=1e-12)


def test_units_without_weights_are_left_alone():
    engine, *_ = started(ARCHITECTURES["two layers"], Objective.savarese_2019)
    engine.layers[0][0][0][:, :, 0] = 0.0
    engine.layers[0][1][0][:, 1] = 0.0
    engine.rebalance()
    assert engine.parameters.isfinite().all()


def test_batches_are_all_points_once():
    engine, *_ = started(ARCHITECTURES["two layers"], Objective.savarese_2019, n=6)
    seen = torch.cat([engine._batch(2, step)[0][:, 0] for step in range(3, 6)])
    assert sorted(seen.tolist()) == sorted(engine.X[:, 0].tolist())
    assert engine._batch(None, 0)[0] is engine.X is engine._batch(6, 1)[0]


def test_a_batch_stands_for_all_points():
    """Averaged over the batches of a pass, the gradient is that of all points: for sums too."""
    for make in (Objective.savarese_2019, Objective.jacot_2023):
        engine, *_ = started(ARCHITECTURES["deep"], make, n=6)
        engine.differentiate(engine.X, engine.Y)
        whole, parts = engine.gradient.clone(), []
        for step in range(3):
            engine.differentiate(*engine._batch(2, step))
            parts.append(engine.gradient.clone())
        assert torch.allclose(torch.stack(parts).mean(0), whole, rtol=1e-12, atol=1e-12)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_cuda_agrees(kind):
    engine, _, X, Y = started(ARCHITECTURES[kind], Objective.jacot_2023)
    objectives = [Objective.jacot_2023(strength) for strength in STRENGTHS]
    other = Engine(
        engine.layout, objectives, X, objectives[0].targets(Y, Y.shape[1]), device="cuda"
    )
    other.start(engine.parameters.numpy())
    for one in (engine, other):
        one.advance(Recipe(steps=5), 0, 5)
    assert engine.state["parameters"] == pytest.approx(other.state["parameters"], abs=1e-9)
