"""Runs: they find what exact solvers know, stop where asked, survive interruptions, and own up to
failures.
"""

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from repcost import (
    Architecture,
    DeepNet,
    Objective,
    Recipe,
    TwoLayer,
    function_cost,
    linear_layers_network,
    train,
)
from repcost.datasets import s_shapes, sine_curve, ten_points, two_rays
from repcost.training import crew
from repcost.training.engine import Engine
from repcost.training.layouts import initial_weights

SHORT = Recipe(steps=60, log_every=20)
LINE = Recipe(steps=2000, learning_rate=0.03, polish=1000)
WEAK = Recipe(steps=3000, learning_rate=0.03, rebalance_every=100, polish=1000)
UNKNOWN: Any = "unknown"
x, y = ten_points()
few = np.array([-1.0, -0.3, 0.4, 1.0]), np.array([0.5, -0.5, 0.7, 0.0])
TWENTY = Architecture.two_layer(20)
SAVARESE = Objective.savarese_2019(0.01)


def same_bits(one, other):
    assert (
        one.logged.tobytes() == other.logged.tobytes()
        and one.objectives.tobytes() == other.objectives.tobytes()
    )
    assert (one.looked == other.looked).all() and (one.diverged == other.diverged).all()
    for ours, theirs in zip(one.networks, other.networks, strict=True):
        assert all(
            getattr(ours, name).tobytes() == getattr(theirs, name).tobytes() for name in "Wab"
        )


@pytest.fixture(autouse=True)
def one_thread():
    """Steps this small are much slower on two threads of a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize(
    ("data", "strength", "recipe"), [((x, y), 1e-3, WEAK), (few, 1e-2, LINE), (few, 0.3, LINE)]
)
def test_the_best_seed_is_where_the_exact_solver_is(mean, data, strength, recipe):
    def make(strength):
        if mean:
            return Objective.ongie_willett_2022(strength / len(data[0]))
        return Objective.savarese_2019(strength)

    exact = make(strength).regularised_fit(*data).objective
    found = train(TWENTY, data, make(strength), recipe, range(12), target=(exact.lower, 1e-3))
    assert found.objectives.min() <= 1.01 * exact.upper
    assert (found.objectives >= exact.lower).all()
    # With lambda / 2 for lambda, or the reverse, the same certificate would be missed.
    halved, doubled = (
        make(factor * strength).regularised_fit(*data).objective for factor in (0.5, 2.0)
    )
    assert 1.02 * halved.upper < found.objectives.min() < doubled.lower / 1.02


def test_where_biases_pay_too():
    """The certified optima of the two objectives of Jacot, which differ by the factor L = 2 of the
    strength.
    """
    optima = []
    for objective in (Objective.jacot_2022(0.02), Objective.jacot_2023(0.02)):
        exact = objective.shallow_optimum(*few).loss
        found = train(TWENTY, few, objective, LINE, range(8), target=(exact.lower, 1e-3))
        assert (
            found.objectives.min() <= 1.01 * exact.upper and (found.objectives >= exact.lower).all()
        )
        optima.append(exact.upper)
    assert optima[1] < 0.9 * optima[0]


def test_a_target_stops_the_run_and_is_reported():
    exact = SAVARESE.regularised_fit(*few).objective
    found = train(TWENTY, few, SAVARESE, Recipe(steps=20_000), range(4), target=(exact.lower, 0.1))
    assert found.looked[-1] < 5000
    assert found.reached.any() and (found.stuck == ~found.reached).all()
    assert found.gaps.min() <= 0.1 and found.gaps[found.best_of_each[0, 0]] == found.gaps.min()
    again = train(TWENTY, few, SAVARESE, Recipe(steps=300), range(4))
    assert again.looked[-1] == 300 and not again.reached.any() and np.isinf(again.gaps).all()


def test_every_task_must_reach_its_target():
    objectives = [Objective.savarese_2019(strength) for strength in (0.01, 0.1)]
    bounds = [objective.regularised_fit(*few).objective.lower for objective in objectives]
    found = train(TWENTY, few, objectives, LINE, range(6), target=(bounds, 1e-2))
    assert found.reached.reshape(found.shape).any(2).all()
    assert found.lower.reshape(found.shape)[0, :, 0].tolist() == bounds


def test_the_certified_function_is_found_in_function_space():
    """The cost of the trained function, not only of its weights, is the minimum: 4.35 minus what
    the strength saves.
    """
    exact = Objective.savarese_2019(1e-3).regularised_fit(x, y)
    objective = Objective.savarese_2019(1e-3)
    found = train(TWENTY, (x, y), objective, WEAK, range(12), target=(exact.objective.lower, 1e-4))
    assert function_cost(found.best).value == pytest.approx(4.29875, rel=5e-3)
    assert found.best(x) == pytest.approx(exact.fitted, abs=5e-3)


def test_a_seed_is_the_same_network_in_every_company():
    start = initial_weights(TWENTY, SHORT, 3, x[:, None])
    assert all(
        (a == b).all()
        for a, b in zip(start, initial_weights(TWENTY, SHORT, 3, x[:, None]), strict=True)
    )
    alone = train(TWENTY, (x, y), SAVARESE, SHORT, [3])
    widths, strengths = (
        [Architecture.two_layer(5), TWENTY],
        [Objective.savarese_2019(0.1), SAVARESE],
    )
    company = train(widths, (x, y), strengths, SHORT, range(5))
    (place,) = [
        k
        for k, m in enumerate(company.members)
        if (m.architecture, m.objective, m.seed) == (TWENTY, SAVARESE, 3)
    ]
    assert company.logged[0, place] == pytest.approx(alone.logged[0, 0], rel=1e-15)
    assert company.objectives[place] == pytest.approx(alone.objectives[0], rel=1e-10)
    assert np.abs(company.networks[place].W - alone.networks[0].W).max() < 1e-9


def test_chunks_change_nothing(monkeypatch):
    whole = train(TWENTY, (x, y), SAVARESE, SHORT, range(5))
    monkeypatch.setattr(crew, "_CACHE", 2 * 5 * 8 * 61)
    chunks = train(TWENTY, (x, y), SAVARESE, SHORT, range(5))
    assert chunks.logged == pytest.approx(whole.logged, rel=1e-10)
    assert [m.seed for m in chunks.members] == list(range(5))


@pytest.mark.parametrize(
    "recipe", [SHORT, Recipe(steps=60, batch_size=3, dtype="float32", log_every=20, polish=5)]
)
def test_the_same_call_gives_the_same_bits(recipe):
    same_bits(*(train(TWENTY, (x, y), SAVARESE, recipe, range(3)) for _ in range(2)))


class Killed(BaseException):
    """Like the end of the process, it is nobody's to catch."""


def killed_after(monkeypatch, owner, name, calls):
    original, left = getattr(owner, name), [calls]

    def dying(*args, **kwargs):
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, name, dying)


@pytest.mark.parametrize(
    ("owner", "name", "calls"),
    [
        (Engine, "step_adam", 0),
        (Engine, "step_adam", 47),
        (Engine, "step_adam", 60),
        (Engine, "look", 2),
        (Engine, "value_and_gradient", 30),
        (os, "fsync", 2),
    ],
)
def test_killed_anywhere_it_ends_with_the_same_bits(monkeypatch, tmp_path, owner, name, calls):
    recipe = Recipe(
        steps=80, annealing=10.0, batch_size=4, rebalance_every=15, polish=20, log_every=20
    )
    options = {"checkpoint": tmp_path / "run.npz", "save_every": 0.0}
    straight = train(TWENTY, (x, y), SAVARESE, recipe, range(3))
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_after(patch, owner, name, calls)
        train(TWENTY, (x, y), SAVARESE, recipe, range(3), **options)
    same_bits(train(TWENTY, (x, y), SAVARESE, recipe, range(3), **options), straight)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_it_does_start_from_the_checkpoint(monkeypatch, tmp_path):
    options = {"checkpoint": tmp_path / "run.npz"}
    finished = train(TWENTY, (x, y), SAVARESE, SHORT, range(3), **options)
    monkeypatch.setattr(Engine, "step_adam", None)
    same_bits(train(TWENTY, (x, y), SAVARESE, SHORT, range(3), **options), finished)


def test_a_diverged_member_is_remembered_by_the_checkpoint(monkeypatch, tmp_path):
    recipe = Recipe(60, 0.04, "constant", optimiser="gradient descent", log_every=10)
    options = {"checkpoint": tmp_path / "run.npz", "save_every": 0.0}
    straight = train(TWENTY, (x, y), SAVARESE, recipe, range(8))
    assert 0 < straight.diverged.sum() < 8
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_after(patch, Engine, "look", 5)
        train(TWENTY, (x, y), SAVARESE, recipe, range(8), **options)
    same_bits(train(TWENTY, (x, y), SAVARESE, recipe, range(8), **options), straight)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    options = {"checkpoint": tmp_path / "run.npz"}
    train(TWENTY, (x, y), SAVARESE, SHORT, range(3), **options)
    for other in [
        (TWENTY, (x, y + 1), SAVARESE, SHORT, range(3)),
        (TWENTY, (x, y), SAVARESE, SHORT, range(2)),
    ]:
        with pytest.raises(ValueError, match="belongs to another run; delete it"):
            train(*other, **options)
    np.savez(tmp_path / "run.npz", something=np.zeros(3))
    with pytest.raises(ValueError, match="belongs to another run"):
        train(TWENTY, (x, y), SAVARESE, SHORT, range(3), **options)


@pytest.mark.parametrize("optimiser", ["gradient descent", "adam"])
def test_divergence_is_named_and_harms_nobody_else(optimiser):
    rate = 0.04 if optimiser == "gradient descent" else 1e150
    recipe = Recipe(200, rate, "constant", optimiser=optimiser, log_every=10)
    found = train(TWENTY, (x, y), SAVARESE, recipe, range(8))
    lost = found.diverged
    assert (
        lost.any()
        and np.isinf(found.logged[:, lost]).any(0).all()
        and np.isfinite(found.logged[:, ~lost]).all()
    )
    assert np.isfinite(found.objectives).all() and found.stuck[lost].all()
    assert f"diverged seeds {np.flatnonzero(lost).tolist()}" in str(found)
    # It rests where it was last finite.
    assert (found.logged[-1] == found.logged[-2])[lost].all()
    if not lost.all():
        assert found.best in [
            net for net, is_lost in zip(found.networks, lost, strict=True) if not is_lost
        ]
        alone = train(TWENTY, (x, y), SAVARESE, recipe, np.flatnonzero(~lost).tolist())
        assert alone.objectives == pytest.approx(found.objectives[~lost], rel=1e-6)


def test_stuck_seeds_are_reported():
    """Four units on ten points: some seeds lose units early and never fit."""
    found = train(
        Architecture.two_layer(4),
        (x, y),
        Objective.savarese_2019(1e-4),
        Recipe(steps=1500),
        range(8),
    )
    lowest = found.objectives.min()
    assert (found.stuck == (found.objectives > 1.01 * lowest)).all() and 0 < found.stuck.sum() < 8
    assert f"stuck seeds {np.flatnonzero(found.stuck).tolist()}" in str(found)


def test_imbalance_decays_as_it_must():
    """Gradient flow on loss + lambda |W|^2: |W_l|^2 + |b_l|^2 - |W_(l+1)|^2 is multiplied by exp(-4
    lambda t).
    """
    strength, rate, steps = 0.02, 4e-3, 1500
    objective = Objective.jacot_2023(strength, per_layer=False)
    X, labels = s_shapes(5)
    architecture = Architecture.deep((2, 8, 8, 2), negative_slope=0.3)
    recipe = Recipe(
        steps, rate, "constant", optimiser="gradient descent", gain=1.5, log_every=steps
    )

    def imbalance(net):
        sizes = [np.sum(W**2) for W in net.weights]
        own = [size + np.sum(b**2) for size, b in zip(sizes, net.biases, strict=True)]
        return np.array([own[layer] - sizes[layer + 1] for layer in range(2)])

    data = (X, np.column_stack([np.sin(labels), X[:, 0]]))
    before, after = (
        train(architecture, data, objective, r, [0]).networks[0]
        for r in (Recipe(steps=0, gain=1.5), recipe)
    )
    law = imbalance(before) * np.exp(-4 * strength * rate * steps)
    assert imbalance(after) == pytest.approx(law, rel=0.02)
    halved = imbalance(before) * np.exp(-2 * strength * rate * steps)
    assert np.abs(imbalance(after) / halved - 1).max() > 0.2


def test_linear_layers_collapse_without_loss():
    """Width 2 is enough for linear layers on the plane: same function, never a higher objective."""
    X, values = two_rays()
    objective = Objective.ongie_willett_2022(1e-2)
    wide = Architecture.linear_layers(2, 12, 4, linear_width=12)
    assert Architecture.linear_layers(2, 12, 4).widths == (2, 2, 2, 12, 1)
    for net in train(wide, (X, values), objective, Recipe(steps=300), range(4)).networks:
        collapsed = linear_layers_network(net.collapsed(), 4)
        assert max(W.shape[0] for W in collapsed.matrices[:-1]) <= 2
        assert collapsed(X) == pytest.approx(net(X), abs=1e-12)
        assert objective.value(collapsed, X, values) <= objective.value(net, X, values) * (
            1 + 1e-13
        )


def test_linear_layers_align_the_units_of_two_rays():
    """Least costs of interpolation: 3/2 with 2 layers, in two directions; 3^(1/4) with 4 layers, in
    one.
    """
    X, values = two_rays()
    strength = 1e-3
    for depth, least in ((2, 1.5), (4, 3**0.25)):
        architecture = Architecture.linear_layers(2, 20, depth)
        found = train(
            architecture,
            (X, values),
            Objective.ongie_willett_2022(strength),
            replace(WEAK, steps=2000, polish=0),
            range(6),
        )
        # A fit that gives up some of the loss is a little cheaper than interpolation.
        assert 0.95 * least < found.objectives.min() / strength <= least
        net = found.best if depth == 2 else found.best.collapsed()
        spectrum = np.linalg.svd(net.W, compute_uv=False)
        assert (spectrum[1] / spectrum[0] < 0.02) == (depth > 2)


def test_deep_networks_fit_and_classify():
    curve = sine_curve(40)
    coder = train(
        Architecture.deep((2, 20, 20, 2)),
        (curve, curve),
        Objective.jacot_2022(1e-4),
        Recipe(500),
        range(2),
    )
    assert isinstance(coder.best, DeepNet) and np.mean((coder.best(curve) - curve) ** 2) < 1e-2
    assert [W.shape for W in coder.weights] == [(2, 20, 2), (2, 20, 20), (2, 2, 20)]
    assert [b.shape for b in coder.biases] == [(2, 20), (2, 20), (2, 2)]
    X, labels = s_shapes(20)
    objective = Objective.jacot_2023(1e-3, loss="cross-entropy")
    judge = train(Architecture.deep((2, 30, 4)), (X, labels), objective, Recipe(400), [0, 1]).best
    assert np.mean(judge(X).argmax(1) == labels) > 0.9


def test_networks_side_by_side_are_one_network():
    X = np.random.default_rng(0).normal(size=(12, 2))
    values = np.abs(X @ [1.0, 2.0]) - np.abs(X @ [1.0, -1.0])
    architecture, objective = Architecture.parallel(5, (2, 3, 3, 1)), Objective.savarese_2019(1e-3)
    (net,) = train(architecture, (X, values), objective, Recipe(1000), [0]).networks
    assert net.widths == (2, 15, 15, 1) and np.count_nonzero(net.weights[1]) == 5 * 9
    assert net(X)[:, 0] == pytest.approx(values, abs=0.2)


def test_float32_and_float64_tell_the_same_story():
    ours, theirs = (
        train(TWENTY, (x, y), SAVARESE, Recipe(300, dtype=dtype), range(3))
        for dtype in ("float32", "float64")
    )
    assert ours.objectives == pytest.approx(theirs.objectives, rel=0.05)
    assert ours.networks[0].W.dtype == np.float64


def test_polishing_never_raises_the_objective():
    plain, polished = (
        train(TWENTY, few, SAVARESE, Recipe(500, polish=n), range(3)) for n in (0, 60)
    )
    assert (polished.objectives <= plain.objectives * (1 + 1e-12)).all()
    assert polished.objectives.min() < plain.objectives.min() * (1 - 1e-4)


def test_nothing_is_left_behind(capsys):
    """No thread count, random state or default type is touched, and nothing is printed."""
    before = (
        torch.get_num_threads(),
        torch.get_default_dtype(),
        torch.is_grad_enabled(),
        dict(os.environ),
    )
    random = torch.get_rng_state()
    train(TWENTY, (x, y), SAVARESE, SHORT, range(2))
    assert before == (
        torch.get_num_threads(),
        torch.get_default_dtype(),
        torch.is_grad_enabled(),
        dict(os.environ),
    )
    assert torch.equal(random, torch.get_rng_state())
    assert capsys.readouterr() == ("", "")


def test_progress_shows_the_objective(capsys):
    train(TWENTY, (x, y), SAVARESE, SHORT, range(2), progress=True)
    assert "objective=" in capsys.readouterr().err


def test_zero_steps_give_the_first_networks():
    found = train(TWENTY, (x, y), SAVARESE, Recipe(steps=0), [0])
    assert isinstance(found.best, TwoLayer) and found.looked.tolist() == [0]
    # Every bend starts between two of the points.
    bends = -found.best.b / found.best.W[:, 0]
    assert (np.abs(bends) <= 2).all() and np.ptp(bends) > 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seeds": 3}, "seeds must be"),
        ({"seeds": [1, 1]}, "same one twice"),
        ({"seeds": []}, "seeds must be"),
        ({"architecture": []}, "architecture must be an Architecture"),
        (
            {"architecture": [TWENTY, Architecture.deep((1, 3, 3, 1))]},
            "differ in hidden widths only",
        ),
        ({"architecture": Architecture.two_layer(3, inputs=2)}, "X has 1 columns"),
        ({"objective": [SAVARESE, Objective.jacot_2022(0.1)]}, "differ in strength only"),
        ({"objective": Objective.jacot_2022(0.1, bias=0.0)}, "set biases=False"),
        ({"data": (x, y[:3])}, "same number of rows"),
        ({"data": (x, np.full(10, np.nan))}, "Y holds NaN"),
        ({"target": (np.nan, 0.1)}, "target must be"),
        ({"target": (1.0, 0.0)}, "target must be"),
        ({"target": ([1.0, 2.0], 0.1)}, "2 bounds for 1 objectives"),
    ],
)
def test_bad_input_is_named(unchecked, change, says):
    call = {
        "architecture": TWENTY,
        "data": (x, y),
        "objective": SAVARESE,
        "recipe": SHORT,
        "seeds": [0],
    }
    with pytest.raises(ValueError, match=says):
        train(**(call | change))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Architecture((1, 2)), "at least three"),
        (lambda: Architecture((1, 0, 1)), "positive whole numbers"),
        (lambda: Architecture.deep((1, 2, 1), negative_slope=1.0), "negative_slope"),
        (lambda: Architecture((1, 2, 1), linear=1), "leave a layer with an activation"),
        (lambda: Architecture((1, 2, 2, 2, 1), linear=1), "one single ReLU layer"),
        (lambda: Architecture((1, 2, 1), branches=2), "no biases"),
        (lambda: Recipe(steps=-1), "steps must not be negative"),
        (lambda: Recipe(learning_rate=0.0), "learning_rate must be positive"),
        (lambda: Recipe(annealed=2.0), "annealed"),
        (lambda: Recipe(batch_size=0), "batch_size"),
        (lambda: Recipe(schedule=UNKNOWN), "schedule must be one of"),
        (lambda: Recipe(dtype=UNKNOWN), "dtype must be one of"),
        (lambda: Recipe(optimiser=UNKNOWN), "optimiser must be one of"),
    ],
)
def test_bad_architectures_and_recipes_are_named(unchecked, make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_schedules():
    constant, cosine, stable = (
        Recipe(1000, 0.1, schedule) for schedule in ("constant", "cosine", "warm-up-stable-decay")
    )
    assert [constant.rate(step) for step in (0, 999)] == [0.1, 0.1]
    assert [cosine.rate(step) for step in (0, 500, 1000)] == pytest.approx([0.1, 0.05, 0.0])
    assert [stable.rate(step) for step in (0, 9, 300, 500, 1000)] == pytest.approx(
        [0.005, 0.05, 0.1, 0.1, 0.001]
    )
    annealed = Recipe(1000, annealing=100.0, annealed=0.5)
    assert [annealed.strength_factor(step) for step in (0, 250, 500, 900)] == pytest.approx(
        [100, 10, 1, 1]
    )
