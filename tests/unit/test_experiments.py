"""Experiments at tiny sizes against the files that were recorded; their measures by other means."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure
from scipy.optimize import OptimizeResult

from repcost import (
    Architecture,
    DeepNet,
    Objective,
    PiecewiseLinear,
    Recipe,
    TwoLayer,
    as_piecewise_linear,
    forces,
    function_cost,
    imbalance,
    train,
)
from repcost.covariances import linear_covariances
from repcost.datasets import (
    nearest_on_sine_curve,
    off_sine_curve,
    on_sine_curve,
    random_network,
    sine_curve,
    sine_curve_tangents,
    taught_rank_five,
    ten_points,
    two_rays,
)
from repcost.experiments import (
    aligned_rays,
    class_partitions,
    curve_autoencoders,
    deep_spectra,
    digit_autoencoders,
    digit_forces,
    digit_widths,
    drawn_forces,
    late_plateau,
    layer_forces,
    line_depths,
    linear_paths,
    paid_biases,
    plateaus,
    recorded_spectra,
    taught_students,
)
from repcost.ranks.jacobian import jacobian_spectra
from repcost.representations import representations
from repcost_book.kernel.results import folder

RNG = np.random.default_rng(0)


def recorded(name):
    with np.load(folder() / f"{name}.npz") as file:
        return {key: file[key] for key in file.files if key != "about"}


def assert_like(found, name, *, sizes=()):
    """The same names and kinds of numbers; and the same shapes, but for the axes in `sizes`."""
    kept = recorded(name)
    assert set(found) == set(kept)
    for key, array in kept.items():
        mine = np.asarray(found[key])
        assert (mine.dtype, mine.ndim) == (array.dtype, array.ndim), key
        if not sizes:
            assert mine.shape == array.shape, key


def test_forces_of_digits():
    found = digit_forces.compute(range(8), Recipe(2, 0.2, optimiser="gradient descent"))
    assert_like(found, "jacot-2022/figure-1")
    nets = digit_forces.networks(found)
    assert [net.widths for net in nets] == [(42, 50, 50, 3)] * 8
    assert (nets[2].weights[1] == found["part-1"][2]).all()


def test_digits_in_their_span_are_not_moved():
    (X, labels), (test, _) = digit_widths.points_in_their_span(20)
    images = digit_widths.mnist_subset().train_images[:20]
    assert pytest.approx(images @ images.T) == X @ X.T
    assert test @ X.T == pytest.approx(digit_widths.mnist_subset().test_images @ images.T)
    assert len(labels) == 20


def test_widths_on_digits():
    objectives, tests, mistakes, seconds = digit_widths.compute(0, [2, 3], 2, points=250)
    assert objectives.shape == tests.shape == mistakes.shape == (2, 2)
    assert (objectives > 0).all() and (mistakes <= 1).all() and seconds > 0


def test_students_of_a_teacher():
    recipe = Recipe(2, 1e-2, batch_size=100, dtype="float32")
    found = taught_students.compute(range(5), [2, 3], recipe, points=100)
    assert_like(found, "jacot-2022/figure-2-right", sizes=["widths"])
    assert found["values"].shape == (2, 5)
    _, _, teacher = taught_students.taught(100)
    given = taught_students.TASK.value(teacher, *taught_students.taught(100)[:2])
    assert found["from_teacher"] < given


def test_late_plateaus():
    found = late_plateau.compute({4: 5})
    assert list(found) == ["4-3", "4-4", "4-5", "4-6"]
    again = late_plateau.excess_by_width(4, 5, np.random.default_rng(0))
    assert [found[f"4-{k}"].tolist() for k in again] == [
        values.astype(np.float32).tolist() for values in again.values()
    ]
    assert found["4-3"].min() > 1e-4 and found["4-4"].min() == pytest.approx(0, abs=1e-7)
    assert found["4-4"].dtype == recorded("jacot-2022/latest-plateau")["8-16"].dtype


def test_late_plateaus_by_strength():
    """Stronger decay needs fewer units: three do for four points near 1/2, and not at 0.05."""
    rng = np.random.default_rng(0)
    excess = late_plateau.excess_by_strength(4, 3, [0.05, 0.4], 4, rng)
    assert excess[0] > 1e-3 and abs(excess[1]) < 1e-8


def test_where_a_curve_levels_off():
    widths = [1, 2, 4, 8, 16]
    assert plateaus.plateau_start(widths, [16.0, 8.0, 4.0, 3.9, 3.8]) == 4
    # A curve that falls like 1/k has no plateau, nor has one whose last doubling is worth it.
    assert plateaus.plateau_start(widths, [1 / k for k in widths]) == np.inf
    assert plateaus.plateau_start(widths, [4.0, 4.0, 4.0, 4.0, 2.0]) == np.inf
    assert plateaus.plateau_start(widths, [3.0] * 5) == 1
    assert plateaus.plateau_start(widths, [3.0, 2.8, 2.6, 2.5, 2.4], 0.06) == 4
    # Between trained widths on logarithmic axes: here the curve is 1/k.
    assert plateaus.saved_by_doubling([1, 3, 9], [9.0, 3.0, 1.0]) == pytest.approx([0.5, 0.5])
    for bad in ([2, 1], [0, 1]):
        with pytest.raises(ValueError, match="widths"):
            plateaus.plateau_start(bad, [1.0, 1.0])


def test_depths_on_a_line():
    """Rows in the order of the settings, and functions that are those of the networks."""
    found = line_depths.compute({3: [5], 4: [0, 2]}, steps=20, hidden=(1, 2))
    assert_like(found, "savarese-2019/figure-2", sizes=["runs"])
    assert found["width"].tolist() == [3] * 4 + [4] * 8
    assert found["seed"].tolist() == [5] * 4 + [0, 2] * 4
    assert found["penalty"].tolist() == [0, 0, 1, 1] + [0] * 4 + [1] * 4
    functions = line_depths.functions(found)
    assert [len(f.knots) for f in functions] == found["bends"].tolist()
    x, y = ten_points()
    misses = [np.abs(f(x) - y).max() for f in functions]
    assert misses == pytest.approx(found["miss"], rel=1e-9)


def test_runs_of_a_kind_come_in_order():
    kept = recorded("savarese-2019/figure-2")
    rows = line_depths.runs(kept, 1, 3, 20)
    assert len(rows) == len(line_depths.SEEDS[20])
    assert sorted(kept["seed"][rows]) == list(line_depths.SEEDS[20])
    assert (np.diff(kept["objective"][rows]) >= 0).all()
    names = "penalty", "hidden", "width"
    assert all(
        (kept[name][rows] == each).all() for name, each in zip(names, (1, 3, 20), strict=True)
    )


def test_decayed_units_bend_nowhere():
    faint = DeepNet([[[1.0], [1e-320]], [[1.0, 1e-320]]], [[0.0, 1.0], [0.0]])
    f = as_piecewise_linear(line_depths.without_dust(faint))
    assert f.knots.tolist() == [0.0] and f.slopes.tolist() == [0.0, 1.0]
    with pytest.raises(ValueError, match="beyond the range"):
        as_piecewise_linear(faint)


def test_bending_counts_what_is_inside():
    hat = PiecewiseLinear([-1.0, 0.0, 1.0], [0.0, 1.0, -1.0, 0.0])
    assert line_depths.bending(hat, -2, 2) == function_cost(hat).value == 4
    assert line_depths.bending(hat, -1, 2) == 3


def test_deep_spectra():
    found = deep_spectra.compute({30: (0, 1, 2), 100: (0, 1), 300: (0, 1)}, steps=2, points=200)
    sizes = ("logged", "looked")
    assert_like(found, "jacot-2023/figure-1", sizes=sizes)
    assert found["layers"].shape == (7, 10, 10) and found["jacobians"].shape == (7, 100, 10)
    assert found["annealing"].tolist() == [30] * 3 + [100] * 2 + [300] * 2


def test_what_is_looked_at():
    X, Y, teacher = taught_rank_five(60, dimension=12, rank=2, width=15)
    net = random_network(12, 11, 13, 12, rng=np.random.default_rng(0))
    fresh = RNG.normal(size=(20, 12))
    row = deep_spectra.looked_at(net, X, Y, fresh, teacher(fresh), 2)
    assert sum(row["prices"]) == pytest.approx(net.squared_norm)
    assert row["jacobians"] == pytest.approx(jacobian_spectra(net, fresh)[:, :10])
    received = net.preactivations(fresh)[0]
    by_hand = [
        np.linalg.svd((z > 0)[:, None] * net.weights[0], compute_uv=False)[:10] for z in received
    ]
    assert row["middle"] == pytest.approx(np.array(by_hand), abs=1e-9)
    assert row["test"] == pytest.approx(np.mean((net(fresh) - teacher(fresh)) ** 2) * 12)
    outputs = net(X) - net(X).mean(axis=0)
    assert row["layers"][-1] ** 2 == pytest.approx(np.linalg.eigvalsh(outputs.T @ outputs)[:1:-1])


def test_the_next_direction_is_a_square_or_not():
    t, u = np.linspace(-1, 1, 101), RNG.normal(size=101)
    square = np.column_stack([9 * t, t**2, 0 * t])
    assert deep_spectra.next_direction(square, 1) == pytest.approx((1, 1))
    other = np.column_stack([9 * t, u - u.mean(), 0 * t + 5])
    bent, cosine = deep_spectra.next_direction(other, 1)
    assert bent < 0.2 and cosine < 1e-9


def test_partitions_among_classes():
    found = class_partitions.compute(
        range(3), range(4), width=7, narrow_width=3, steps=3, narrow_steps=2, grid=41
    )
    assert_like(found, "jacot-2023/figure-2", sizes=["width", "grid"])
    assert found["labels_9"].shape == (6, 21, 21) and found["W0"].shape == (6, 7, 2)
    assert found["tripoints"].shape[1] == 3 and found["narrow_9"].shape == (4,)


def test_accuracy_of_recorded_partitions():
    kept = recorded("jacot-2023/figure-2")
    for place in range(6):
        weights, biases = ([kept[f"{kind}{i}"][place] for i in (0, 1)] for kind in "Wb")
        assert class_partitions.accuracy(DeepNet(weights, biases)) == kept["accuracy_2"][place]


def test_autoencoders_of_a_curve():
    found = curve_autoencoders.compute(range(2), width=5, steps=2)
    assert_like(found, "jacot-2023/figure-3-curve")
    nothing = DeepNet([np.eye(2), np.eye(2)], [[9, 9], [-9, -9]])
    measured = {name: measure(nothing) for name, measure in curve_autoencoders.MEASURES.items()}
    assert measured["off"] == pytest.approx(1) and measured["wrong"] == pytest.approx(1)
    assert measured["miss"] == pytest.approx(0, abs=1e-24)
    assert measured["jacobian"] == pytest.approx(np.broadcast_to(np.eye(2), (37, 2, 2)))


def test_the_identity_is_a_rival_of_autoencoders():
    for depth in (2, 6):
        net, box = curve_autoencoders.identity_network(depth), RNG.uniform(-1, 1, (9, 2))
        assert net(box * [1.5, 0.39]) == pytest.approx(box * [1.5, 0.39])
        assert net.depth == depth and np.abs(imbalance(net)).max() < 1e-8
    assert curve_autoencoders.ridges(5)[-1] == pytest.approx(2e-5)


def test_autoencoders_of_digits():
    found = digit_autoencoders.compute(range(2), width=3, steps=2, points=250)
    assert_like(found, "jacot-2023/figure-3-digits", sizes=["spectrum"])
    kept = recorded("jacot-2023/figure-3-digits")
    for name in ("ks", "clean", "given", "energy"):
        assert found[name] == pytest.approx(kept[name])


def test_the_linear_baseline_by_eigenvectors():
    train_images = digit_autoencoders.mnist_subset().train_images
    found = digit_autoencoders.linear_baseline(train_images, (10, 60))
    kept = recorded("jacot-2023/figure-3-digits")
    assert found["linear"] == pytest.approx(kept["linear"][[0, 5]])
    images, _ = digit_autoencoders.images_and_draws()
    axes = np.linalg.eigh(np.cov(train_images.T))[1][:, :-11:-1]
    rest = images - train_images.mean(0)
    theirs = np.mean(np.sum((rest - rest @ axes @ axes.T) ** 2, axis=1))
    assert found["linear"][0, 0] == pytest.approx(theirs)


def linear_start(sizes, seed):
    """The draws of `linear_path`."""
    rng = np.random.default_rng(seed)
    return [0.5 * rng.normal(size=shape) for shape in pairwise(sizes)]


def test_linear_paths_start_against_the_gradient():
    X, Y = RNG.normal(size=(5, 4)), RNG.normal(size=(5, 3))
    W, h = linear_start((4, 6, 2, 3), 1), 1e-4

    def loss(W):
        out = X @ np.linalg.multi_dot(W)
        return np.sum((out - Y) ** 2) / 5 + 0.02 * sum(np.sum(V**2) for V in W)

    def weights(time):
        rng = np.random.default_rng(1)
        path = linear_paths.linear_path(X, Y, [6, 2], rng, time=time, looks=2)
        assert path.at.tolist() == [0, time]
        assert path.layers[0][-1] == pytest.approx(X @ np.linalg.multi_dot(W))
        assert path.outputs == pytest.approx(X @ np.linalg.multi_dot(path.weights))
        return path.weights

    for layer, (once, twice) in enumerate(zip(weights(h), weights(2 * h), strict=True)):
        # One-sided, of second order.
        velocity = (4 * once - twice - 3 * W[layer]) / (2 * h)
        for place in np.ndindex(*velocity.shape):
            up, down = [[V.copy() for V in W] for _ in range(2)]
            up[layer][place] += 1e-4
            down[layer][place] -= 1e-4
            slope = (loss(up) - loss(down)) / 2e-4
            assert velocity[place] == pytest.approx(-slope, abs=1e-4)


# At size 5 descent with steps of 0.04 overflows.
@pytest.mark.parametrize("size", [0.2, 1, 5])
def test_linear_paths_lose_their_imbalance_at_the_rate_of_the_decay(size):
    X, Y = size * RNG.normal(size=(4, 4)), RNG.normal(size=(4, 3))
    before = linear_start((4, 2, 6, 3), 3)
    rng = np.random.default_rng(3)
    after = linear_paths.linear_path(X, Y, [2, 6], rng, time=20.0).weights

    def imbalances(W):
        return [V.T @ V - U @ U.T for V, U in pairwise(W)]

    for was, now in zip(imbalances(before), imbalances(after), strict=True):
        assert now == pytest.approx(np.exp(-4 * 0.02 * 20) * was, abs=1e-7)
        assert now != pytest.approx(np.exp(-2 * 0.02 * 20) * was, abs=1e-3)


@pytest.mark.parametrize("size", [1, 5])
def test_linear_paths_end_at_the_formula(size):
    X, Y = size * RNG.normal(size=(4, 4)), size * RNG.normal(size=(4, 3))
    path = linear_paths.linear_path(X, Y, [3, 3], np.random.default_rng(2))
    theirs = linear_covariances(X, path.outputs, 3)
    for Z, K in zip(path.layers[-1], theirs, strict=True):
        assert np.linalg.norm(Z @ Z.T - K) < 1e-7 * np.linalg.norm(K)


def test_linear_paths_that_break_off_are_refused(monkeypatch):
    # LSODA has not been seen to give up on real data.
    monkeypatch.setattr(linear_paths, "solve_ivp", lambda *_, **__: OptimizeResult(success=False))
    with pytest.raises(ValueError, match=r"X and Y .* to time 300; scale them"):
        linear_paths.linear_path(np.eye(2), np.eye(2), [2], np.random.default_rng(0))


def test_the_sine_curve():
    t = np.linspace(-0.95, 0.95, 7)
    ahead, behind = on_sine_curve(t + 1e-6), on_sine_curve(t - 1e-6)
    along = (ahead - behind) / np.linalg.norm(ahead - behind, axis=1, keepdims=True)
    assert sine_curve_tangents(t) == pytest.approx(along, abs=1e-9)
    across = along @ [[0, 1], [-1, 0]]
    beside = on_sine_curve(t) + 0.05 * across
    assert nearest_on_sine_curve(beside) == pytest.approx(on_sine_curve(t), abs=2e-4)
    assert off_sine_curve(beside) == pytest.approx(0.05, abs=1e-5)
    assert off_sine_curve(sine_curve()) < 1e-4


def test_networks_with_decayed_biases():
    found = paid_biases.compute(range(2), 3, share=1e-4)
    kept = recorded("savarese-2019/biases")
    assert {name: array.shape for name, array in found.items()} == {
        **dict.fromkeys("wba", (4, 2, 2, 3)),
        "c": (4, 2, 2),
    }
    assert {name: array.shape[:2] for name, array in kept.items()} == dict.fromkeys("wbac", (4, 2))
    nets = paid_biases.networks(found, "SGD", "ten points")
    assert nets[1].c == found["c"][0, 0, 1] and (nets[1].a == found["a"][0, 0, 1]).all()
    # All methods begin with the same weights, and none stays there.
    assert len({array.tobytes() for array in found["w"][:, 0, 0]}) == 4


def test_the_slope_of_networks_with_decayed_biases():
    sets = list(paid_biases.point_sets().values())
    start = np.stack([[paid_biases._start(seed, 5) for seed in (0, 1)] for _ in sets])
    theta = torch.tensor(start, requires_grad=True)
    total = torch.zeros((), dtype=torch.float64)
    for points, rows in zip(sets, theta, strict=True):
        x, y = (torch.tensor(np.array(part)) for part in points)
        for row in rows:
            w, b, a, c = row.split([5, 5, 5, 1])
            total = total + ((torch.relu(x[:, None] * w + b) @ a + c - y) ** 2).mean()
    total.backward()
    slope = paid_biases._slope(theta.detach(), *paid_biases._padded(sets))
    assert theta.grad is not None and torch.allclose(theta.grad, slope, rtol=1e-12, atol=1e-14)


def test_aligned_rays_keep_what_they_say():
    few = {"plain": replace(aligned_rays.WAYS["plain"], recipe=Recipe(3, 0.01), seeds=2)}
    found = aligned_rays.compute(5, few)
    assert {name for name in found if name.startswith("plain-3")} == {
        f"plain-3-{each}" for each in (*aligned_rays.COLUMNS, "best")
    }
    net = aligned_rays.network(found["plain-4-best"])
    X, y = two_rays()
    best = np.argmin(found["plain-4-objective"])
    assert np.abs(net(X) - y).max() == pytest.approx(found["plain-4-misfit"][best])
    _, sizes, _ = np.linalg.svd(net.a[:, None] * net.W)
    assert sizes[1] / sizes[0] == pytest.approx(found["plain-4-ratio"][best])
    # Units that are not aligned have two singular values above zero; twins of one unit have one.
    assert found["plain-2-ratio"].min() > 1e-3


def test_quick_runs_of_aligned_rays_are_narrow_and_follow_the_labels():
    X, up_up = two_rays(heights=(0.75, 0.75))
    found = aligned_rays.quick(X, up_up, 3, 3, range(4, 6))
    assert [member.seed for member in found.members] == [4, 5]
    assert [M.shape for M in found.best.matrices] == [(2, 2), (aligned_rays.UNITS, 2)]
    other = aligned_rays.quick(X, -up_up, 3, 3, range(4, 6))
    assert (found.objectives != other.objectives).all()


def test_facts_of_aligned_rays_tell_a_line_from_a_plane():
    X, y = two_rays()
    task, angle = Objective.ongie_willett_2022(0.5), np.deg2rad(30)
    line = TwoLayer(np.outer([1, -2], [np.cos(angle), np.sin(angle)]), [1.0, 3.0], [0.0, 1.0])
    nets = line, TwoLayer([[1, 0], [0, 1]], [2.0, 1.0], [0.0, 0.0])
    few = train(Architecture.linear_layers(2, 2, 2), (X, y), task, Recipe(1, 0.01), [0, 1])
    seen = aligned_rays.facts(replace(few, networks=nets), X, y)
    assert seen["ratio"] == pytest.approx([0, 0.5], abs=1e-12)
    assert seen["degrees"][0] == pytest.approx(30) and seen["degrees"][1] % 180 == pytest.approx(0)
    assert seen["cost"] == pytest.approx([7.5, 3.5])
    assert seen["objective"][0] == pytest.approx(7.5 + 2 * np.mean((line(X) - y) ** 2))


def test_difference_quotients_are_the_forces():
    """The bias is read off the layer below."""
    layer = layer_forces.random_layer(np.random.default_rng(3), bias=0.4)
    by_hand = layer_forces.difference_quotients(*layer)
    assert layer_forces.around(*layer).bias == 0.4
    assert np.array(forces(*layer, 0.4)) == pytest.approx(by_hand, rel=1e-6, abs=1e-6)


def test_smoothed_forces_of_a_network():
    net = random_network(3, 5, 4, 2, rng=np.random.default_rng(2))
    at = representations(net, np.random.default_rng(3).normal(size=(6, 3)))
    S = np.maximum(np.column_stack([at.preactivations[0], np.ones(6)]), 0)
    term = 0.5 * np.linalg.eigvalsh(S @ S.T).mean()
    pull, push = layer_forces.smoothed_forces(at, 2, part=0.5)
    plain = 2 * np.linalg.solve(S @ S.T + term * np.eye(6), at.preactivations[1])
    assert pull == pytest.approx(plain) and push.shape == plain.shape


def test_drawn_neurons_and_points():
    """Each neuron and each point is drawn once, and each force has an arrow at each of them."""
    rng = np.random.default_rng(0)
    ax: Any = Figure().add_subplot()  # Matplotlib does not say what its collections have
    Z, labels = rng.normal(size=(6, 4)), np.repeat([0, 1, 2], 2)
    drawn_forces.draw_neurons(ax, Z, [Z, -Z])
    assert [len(arrows.U) for arrows in ax.collections] == [4, 4]
    drawn_forces.draw_points(ax, Z, [Z, -Z], labels, "789")
    assert [len(arrows.U) for arrows in ax.collections[2:]] == [6, 6]
    assert [len(line.get_xdata()) for line in ax.lines[-3:]] == [2, 2, 2]
    drawn_forces.draw_neurons(ax, Z)
    assert len(ax.collections) == 4


def test_variance_beyond_a_rank_is_no_less_than_it_is():
    """Of twenty singular values ten are known: the bound holds, and may be attained."""
    rng = np.random.default_rng(0)
    whole = np.sort(rng.exponential(size=(50, 20)))[:, ::-1] ** 3
    true = [np.sum(s[5:] ** 2) / np.sum(s**2) for s in whole]
    found = [recorded_spectra.variance_beyond(s[:10], 5, 20) for s in whole]
    assert (np.array(found) >= np.array(true) - 1e-12).all()
    whole[:, 10:] = whole[:, 9:10]
    even = [np.sum(s[5:] ** 2) / np.sum(s**2) for s in whole]
    assert found == pytest.approx(even)


def test_next_over_last_is_a_median_over_points_of_the_worst_network():
    spectra = np.array([[[4, 2, 1], [4, 2, 0.2], [4, 2, 2]], [[1, 1, 0], [1, 1, 0], [1, 1, 1]]])
    assert recorded_spectra.next_over_last(spectra, 2) == 0.5
    assert recorded_spectra.off_equal(np.array([3.0, 3.0, 2.4, 0.6]), 3) == pytest.approx(0.25)


def test_drawn_spectra():
    """Every recorded spectrum is one curve; of the Jacobians those at ten points."""
    kept = recorded("jacot-2023/figure-1")
    axes = Figure().subplots(3, 3)
    recorded_spectra.draw_spectra(axes, kept, list(deep_spectra.STARTS))
    networks = [np.sum(kept["annealing"] == start) for start in deep_spectra.STARTS]
    curves = [[sum(len(line.get_xdata()) == 10 for line in ax.lines) for ax in row] for row in axes]
    assert curves == [[10 * count] * 3 for count in networks]


def test_small_networks_of_two_directions():
    """After few steps they have the shapes, and another start makes other networks."""
    mild, harsh = (recorded_spectra.small_networks(start, [0, 1], 3) for start in (30, 500))
    assert [net.widths for net in mild] == [(8, 25, 25, 25, 25, 25, 8)] * 2
    assert (mild[0].weights[0] != harsh[0].weights[0]).any()
