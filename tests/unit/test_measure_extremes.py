"""`measure` where numbers, widths or points are extreme: true reports, or refusals by name."""

import json
from fractions import Fraction
from itertools import pairwise

import matplotlib.pyplot as plt
import mpmath
import numpy as np
import pytest
import torch
from torch import nn

from repcost import DeepNet, TwoLayer, measure, rebalance, rebalanced_norm
from repcost.report.measurements import centred_spectrum, layerwise_norm, path_norm, prunable_units


def shown(report):
    """Everything that a report can do, with nothing that JSON has no word for."""
    text, table = str(report), report._repr_html_()
    # Lines of the table and below it; rules have no row.
    lines = [line for line in text.splitlines() if not line.startswith("---")]
    assert len(lines) == table.count("<tr>") and "nan" not in text
    ax = report.plot()
    ax.figure.canvas.draw()
    plt.close(ax.figure)
    return json.loads(json.dumps(report.to_dict(), allow_nan=False))


def net(*weights, biases=None):
    weights = [np.array(weight, dtype=float) for weight in weights]
    biases = [np.zeros(len(weight)) for weight in weights] if biases is None else biases
    return DeepNet(weights, biases)


@pytest.mark.parametrize("size", [1e-100, 1e-154, 1e-162, 1e-170, 1e-300, 5e-324])
def test_decayed_units_beside_others(size):
    beside = net([[size], [1.0]], [[size, 1.0]])
    report = measure(beside, [[1.0], [2.0]])
    assert report.rebalanced_norm == report.squared_norm == 2.0 and report.ranks == (1, 1)
    assert report.path_norm == 1.0 and report.layerwise_norm == 2.0 and report.prunable == (1,)
    assert shown(report)["slack"] == 0.0
    # The truth is 2 + 2 size^2.
    assert 2 + 2 * Fraction(size) ** 2 in rebalanced_norm(beside)


@pytest.mark.parametrize("size", [1e-100, 1e-162, 1e-170, 1e-300, 5e-324])
@pytest.mark.parametrize("depth", [1, 2, 3, 9])
def test_decayed_networks(size, depth):
    report = measure(net(*[[[size]]] * depth), [[1.0], [2.0]])
    assert shown(report)["squared_norm"] == pytest.approx(depth * size**2, rel=1e-9, abs=1e-300)
    truth = depth * Fraction(size) ** 2
    assert truth in rebalanced_norm(net(*[[[size]]] * depth))


@pytest.mark.parametrize("shift", [1e-170, 1e-100, 1e140])
def test_units_that_were_rescaled_far_are_the_same_function(shift):
    """Decayed on one side and grown on the other: the slack is all, and the function stays."""
    steep = net([[shift], [1.0]], [[1 / shift if shift > 1 else 1e140, 1.0]])
    report, balanced = measure(steep, [[1.0]]), rebalance(steep)
    product = Fraction(steep.weights[0][0, 0]) * Fraction(steep.weights[1][0, 0])
    assert report.rebalanced_norm == pytest.approx(float(2 * product + 2), rel=1e-12)
    assert balanced([[3.0]]).item() == pytest.approx(float(3 * product + 3), rel=1e-12)


def test_scales_beyond_floats_meet_before_they_are_applied():
    """A unit far up a network of tiny weights would be scaled by more than any float."""
    weights = [[[1e-140]]] * 8 + [[[1e140]]] * 8
    balanced = rebalance(net(*weights))
    assert [weight.item() for weight in balanced.weights] == pytest.approx([1.0] * 16, rel=1e-9)


EMPTY = {
    "no hidden units": net(np.zeros((0, 2)), np.zeros((1, 0)), biases=[[], [1.0]]),
    "one hidden layer without units": net([[1.0, 2.0]], np.zeros((0, 1)), np.zeros((1, 0))),
    "no inputs": net(np.zeros((3, 0)), [[1.0, 1.0, 1.0]], biases=[[1.0, -1.0, 0.0], [2.0]]),
    "no outputs": net([[1.0, 2.0]], np.zeros((0, 1))),
    "nothing": net(np.zeros((0, 0))),
    "zeros": net([[0.0, 0.0]], [[0.0]]),
    "a TwoLayer of no units": TwoLayer(np.zeros((0, 2)), [], []),
    "one layer": net([[1.0, 2.0]]),
}


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("name", EMPTY)
def test_networks_without_units_or_weights(name, rows):
    given = EMPTY[name]
    dimension = given.dimension if isinstance(given, TwoLayer) else given.widths[0]
    report = measure(given, np.ones((rows, dimension)))
    told = shown(report)
    assert told["slack"] >= 0 and report.bottleneck[1] == min(report.ranks) == 0
    assert told["points"] == rows


def test_a_model_of_torch_without_hidden_units():
    with pytest.warns(UserWarning, match="zero-element"):
        model = nn.Sequential(nn.Linear(2, 0), nn.ReLU(), nn.Linear(0, 1))
    assert measure(model, [[1.0, 2.0]]).prunable == (0,)


def test_a_single_linear_has_no_hidden_layer():
    report = measure(nn.Sequential(nn.Linear(3, 2)).double(), np.eye(3))
    assert report.prunable == () and "none: no hidden layer" in str(report)
    assert report.layerwise_norm == pytest.approx(report.weight_norms.sum(), rel=1e-14)


LINE = net([[1.0]], [[2.0]])


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (np.zeros((0, 1)), "X holds no points; give at least one row"),
        ([], "X must have 2 axes"),
        ([[np.nan]], "X holds NaN or infinity; remove"),
        ([[np.inf]], "X holds NaN or infinity; remove"),
        ([[True]], "X must be .* but holds True or False"),
        ([["1"]], "X must be .* not text"),
        ([[1j]], "not complex"),
        ([1.0], "X must have 2 axes"),
        (torch.zeros(2, 3), "X has 3 columns, but the network takes 1"),
        (torch.eye(1).to_sparse(), "X is sparse"),
        ([[[1.0]]], "X must have 2 axes"),
    ],
)
def test_points_that_are_none(X, says, unchecked):
    with pytest.raises(ValueError, match=says):
        measure(LINE, X)
    if np.ndim(X) < 3:
        # A module may take points of any shape, so how many columns it says itself.
        with pytest.raises(ValueError, match=f"{says}|model cannot be called on rows of X"):
            measure(nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 1)), X)


@pytest.mark.parametrize(
    "X",
    [
        [[1], [2], [3]],
        np.array([[1], [2], [3]], dtype=np.uint8),
        torch.tensor([[1], [2], [3]]),
        torch.tensor([[1.0], [2.0], [3.0]], dtype=torch.bfloat16, requires_grad=True),
    ],
)
def test_points_of_all_kinds(X):
    assert measure(LINE, X).to_dict() == measure(LINE, np.array([[1.0], [2.0], [3.0]])).to_dict()


@pytest.mark.parametrize("tolerance", [0.0, 1.0, -1, np.nan, True, "0.1", [0.1]])
def test_tolerances_that_are_none(tolerance, unchecked):
    with pytest.raises(ValueError, match="tolerance must"):
        measure(LINE, [[1.0]], tolerance=tolerance)


@pytest.mark.parametrize(
    ("model", "X", "says"),
    [
        (net([[1e200]]), [[1.0]], r"model has weights beyond 1e\+150; divide"),
        (net([[1.0]], biases=[[-1e200]]), [[1.0]], r"model has weights beyond 1e\+150; divide"),
        (net(*[[[1e100]]] * 4), [[1.0]], "model leaves the range of floats in layer 4 at X"),
        (
            net(*[[[1e100]]] * 4),
            [[1e-300]],
            "model has a derivative at X beyond the range of floats",
        ),
        (
            net(*[[[1e100, 1], [1, 1e100]]] * 4),
            [[1e-300, 1e-300]],
            "model has a derivative at X beyond",
        ),
    ],
)
def test_numbers_beyond_floats_are_refused(model, X, says):
    with pytest.raises(ValueError, match=says):
        measure(model, X)


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-600, 2.0**600, 2.0**1000])
def test_ranks_and_prunable_units_do_not_depend_on_the_size_of_the_points(scale):
    rng = np.random.default_rng(0)
    given = net(rng.normal(size=(6, 3)), rng.normal(size=(2, 6)))
    X = rng.normal(size=(12, 3))
    plain, far = measure(given, X), measure(given, scale * X)
    assert far.ranks == plain.ranks and far.prunable == plain.prunable
    for near, spectrum in zip(plain.spectra, far.spectra, strict=True):
        assert spectrum == pytest.approx(scale * near, rel=0, abs=1e-12 * scale * near[0])
    shown(far)


def test_measurements_where_squares_are_no_floats():
    tiny = net([[3e-200, 4e-200]], [[2e-100]])
    assert path_norm(tiny) == pytest.approx(1e-299, rel=1e-12)
    assert path_norm(net([[1e-200]], [[1e-200]], [[1e150]], [[1e150]])) == pytest.approx(1e-100)
    assert layerwise_norm(net([[1e-170]], [[1e100]])) == pytest.approx(2e-70, rel=1e-12)
    assert centred_spectrum(np.array([[1.7e308], [-1.7e308]])) == pytest.approx([1.7e308])
    assert prunable_units(np.array([[1e-200, 1e200], [1e-200, -1e200]])) == 0
    assert prunable_units(np.array([[1e-200, 1e200], [1e-200, 1e200]])) == 1


@pytest.mark.parametrize("seed", range(20))
def test_brackets_hold_where_squares_are_no_floats(seed):
    """Units of very different size: the least norm of a chain of one unit each, in 60 digits."""
    rng = np.random.default_rng(seed)
    units, depth = int(rng.integers(1, 4)), int(rng.integers(2, 6))
    sizes = 10.0 ** rng.uniform(-320, 140, (depth, units))
    weights = [sizes[0][:, None], *[np.diag(layer) for layer in sizes[1:-1]], sizes[-1][None]]
    biases = [np.zeros(len(weight)) for weight in weights]
    chains = DeepNet(weights, biases)
    with mpmath.workdps(60):
        # Chains side by side: each costs L times the 2/L-th power of its product.
        products = [mpmath.fprod(mpmath.mpf(size) for size in chain) for chain in sizes.T]
        truth = sum(depth * product ** (mpmath.mpf(2) / depth) for product in products)
        if truth < 1e280:
            assert truth in rebalanced_norm(chains)
            balanced = rebalance(chains)
            assert all(np.isfinite(weight).all() for weight in balanced.weights)


def test_a_balanced_network_has_no_slack_and_none_below_zero():
    rng = np.random.default_rng(0)
    for _ in range(20):
        widths = (2, *rng.integers(1, 9, 3), 1)
        parts = [rng.normal(size=(out, into)) for into, out in pairwise(widths)]
        balanced = rebalance(DeepNet(parts, [rng.normal(size=len(part)) for part in parts]))
        assert 0 <= measure(balanced, rng.normal(size=(9, 2))).slack < 1e-12
