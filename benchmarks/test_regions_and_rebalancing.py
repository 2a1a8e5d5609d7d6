"""Linear regions and the cheapest scales of the units: ours against plainer methods."""

from itertools import pairwise

import numpy as np
import pytest
from benchmarks.duels import Rival, duel
from scipy.optimize import minimize
from tests.deep_problems import CROSS, CUBE, SQUARE
from tests.fraction_regions import by_fractions
from tests.whole_regions import whole_cells

from repcost import cost_per_layer, jacobian_rank, linear_regions, rebalance, rebalanced_norm
from repcost.datasets import random_network
from repcost.regions.maps import AffineMap, whole_layers
from repcost.regions.polytopes import Polytope
from repcost.regions.subdivision import Cell, cut_by_layers

LARGER = [(2, 64, 64, 2), (2, 128, 2), (2, 256, 256, 2), (2, *[8] * 5, 2), (2, *[16] * 20, 2)]


def network(*widths):
    return random_network(*widths, rng=np.random.default_rng(0))


def everything(*widths):
    """Of all regions: patterns and corners, and what is rounded once when it is asked for."""
    regions = linear_regions(network(*widths), SQUARE)
    for region in regions:
        _ = region.jacobian, region.offset, region.rank, region.volume, region.vertices
    return regions


@pytest.mark.benchmark(group="linear_regions, 2-16-16-2, with maps and areas")
def test_ours_in_the_plane(benchmark):
    net, floor = network(2, 16, 16, 2), "the same cells one by one in Python's fractions"
    fractions = Rival(floor, lambda: by_fractions(net, SQUARE), proved=True)
    ours, theirs = duel(benchmark, lambda: everything(2, 16, 16, 2), fractions, rounds=3)
    assert len(ours) == len(theirs) == 139


@pytest.mark.benchmark(group="linear_regions, 2-64-64-2, with maps and areas")
def test_ours_by_floats_with_a_proof(benchmark):
    net, (low, high) = network(2, 64, 64, 2), np.array(SQUARE)
    floor = "the same cells one by one in Python's whole numbers"
    whole = Rival(floor, lambda: whole_cells(net, low, high), proved=True)
    ours, theirs = duel(benchmark, lambda: everything(2, 64, 64, 2), whole, rounds=3)
    assert len(ours) == len(theirs)


@pytest.mark.parametrize(
    "widths",
    [(2, 64, 64, 2), (2, 128, 2), (2, 256, 256, 2), (2, *[8] * 5, 2), (2, *[16] * 20, 2)],
    ids=str,
)
@pytest.mark.benchmark(group="linear_regions, larger networks in the plane, without maps")
def test_ours_larger(benchmark, widths):
    assert benchmark.pedantic(linear_regions, (network(*widths), SQUARE), rounds=2)


def by_programmes(net, low, high):
    """The same tree of cells as in the plane, where a linear programme says who cuts whom."""
    layers = whole_layers(net)
    start = Cell(Polytope.box(low, high), AffineMap.identity(len(low)).through(layers[0]))
    return cut_by_layers(net, layers, [start])


@pytest.mark.parametrize("widths", [(3, 4, 3, 3), (3, 8, 8, 3), (3, 32, 2)], ids=str)
def test_ours_in_space(benchmark, widths):
    benchmark.group = f"linear_regions, three variables, {'-'.join(map(str, widths))}"
    net, cube = network(*widths), np.array(CUBE, dtype=float)
    floor = "the same cells one by one, by linear programmes in floats (HiGHS)"
    programmes = Rival(floor, lambda: by_programmes(net, *cube))
    ours, theirs = duel(benchmark, lambda: linear_regions(net, CUBE), programmes, rounds=3)
    assert len(ours) == len(theirs)


@pytest.mark.parametrize("widths", [(3, 16, 16, 2), (3, 32, 32, 3)], ids=str)
@pytest.mark.benchmark(group="linear_regions, larger networks in space, without maps")
def test_ours_larger_in_space(benchmark, widths):
    assert benchmark.pedantic(linear_regions, (network(*widths), CUBE), rounds=2)


@pytest.mark.parametrize("widths", [(4, 4, 3, 3)], ids=str)
@pytest.mark.benchmark(group="linear_regions, four variables")
def test_ours_beyond_space(benchmark, widths):
    domain = [-1.0] * 4, [1.0] * 4
    assert benchmark.pedantic(linear_regions, (network(*widths), domain), rounds=2)


@pytest.mark.benchmark(group="jacobian_rank, 20-50-50-10, at a thousand points")
def test_ours_at_a_thousand_points(benchmark):
    X = np.random.default_rng(0).uniform(-1, 1, (1000, 20))
    domain = [-1.0] * 20, [1.0] * 20
    net = network(20, 50, 50, 10)
    found = benchmark.pedantic(jacobian_rank, (net, domain), {"points": X}, rounds=2)
    assert found.lower == found.upper == 10


def by_quasi_newton(net):
    """The logarithms of the scales by L-BFGS, with the gradient written out; no certificate."""
    squares, biases = [W**2 for W in net.weights], [b**2 for b in net.biases]
    ends = np.cumsum([0, *net.widths[1:-1]])

    def objective(u):
        inner = [u[start:stop] for start, stop in pairwise(ends)]
        layers = [np.zeros(net.widths[0]), *inner, np.zeros(net.widths[-1])]
        value, gradient = 0.0, [np.zeros(len(layer)) for layer in layers]
        for layer, (S, b) in enumerate(zip(squares, biases, strict=True)):
            e = S * np.exp(2 * (layers[layer + 1][:, None] - layers[layer]))
            c = b * np.exp(2 * layers[layer + 1])
            value += e.sum() + c.sum()
            gradient[layer + 1] += 2 * (e.sum(1) + c)
            gradient[layer] -= 2 * e.sum(0)
        return value, np.concatenate(gradient[1:-1])

    options = {"maxiter": 100_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 30}
    return minimize(objective, np.zeros(ends[-1]), jac=True, method="L-BFGS-B", options=options).fun


@pytest.mark.parametrize("depth", [4, 64])
def test_ours_rebalance(benchmark, depth):
    benchmark.group = f"rebalance, {depth} layers of 8"
    net = network(2, *[8] * (depth - 1), 2)
    what = "thirty lines of scipy: L-BFGS on the logarithms of the scales"
    rival = Rival(what, lambda: by_quasi_newton(net))
    ours, theirs = duel(benchmark, lambda: rebalance(net), rival, rounds=3)
    assert ours.depth == depth and theirs == pytest.approx(rebalanced_norm(net).value, rel=1e-6)


def by_cyclic_sweeps(net):
    """ENorm (Stock et al. 2019) to its end: the weights themselves rescaled, layer by layer."""
    W, b = [weight.copy() for weight in net.weights], [bias.copy() for bias in net.biases]
    farthest = np.inf
    while farthest > 1e-13:
        farthest = 0.0
        for layer in range(net.depth - 1):
            received = (W[layer] ** 2).sum(1) + b[layer] ** 2
            scale = ((W[layer + 1] ** 2).sum(0) / received) ** 0.25
            W[layer] *= scale[:, None]
            b[layer] *= scale
            W[layer + 1] /= scale
            farthest = max(farthest, np.abs(np.log(scale)).max())
    return net.with_layers(W, b)


# The last one is too deep for sweeps: ours takes steps of Newton's.
SWEPT = [(784, 100, 10), (2, 256, 256, 256, 2), (784, 1000, 1000, 10), (2, *[8] * 63, 2)]


@pytest.mark.parametrize("widths", SWEPT, ids=lambda widths: f"{len(widths) - 1} layers")
def test_ours_rebalance_and_sweeps(benchmark, widths):
    benchmark.group = f"rebalance, widths {widths[:5]}, {len(widths) - 1} layers"
    assert benchmark.pedantic(rebalance, (network(*widths),), rounds=5, warmup_rounds=1)


@pytest.mark.parametrize("widths", SWEPT, ids=lambda widths: f"{len(widths) - 1} layers")
def test_theirs_cyclic_sweeps(benchmark, widths):
    benchmark.group = f"rebalance, widths {widths[:5]}, {len(widths) - 1} layers"
    net = network(*widths)
    found = benchmark.pedantic(by_cyclic_sweeps, (net,), rounds=2, warmup_rounds=1)
    assert found.squared_norm == pytest.approx(rebalance(net).squared_norm, rel=1e-13)


@pytest.mark.benchmark(group="rebalance, 256 layers of 24")
def test_ours_rebalance_very_deep(benchmark):
    assert benchmark.pedantic(rebalance, (network(4, *[24] * 255, 4),), rounds=2).depth == 256


@pytest.mark.parametrize("depth", [4, 64, 256])
@pytest.mark.benchmark(group="cost_per_layer of the cross, by depth")
def test_ours_cost_per_layer(benchmark, depth):
    assert benchmark(cost_per_layer, CROSS, depth, SQUARE).how == "certified"
