"""The shortest open tour against a long programme and LKH, and the search for a triod: CPU time."""

import time
from importlib import import_module

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from repcost import DeepNet, bottleneck_rank, shortest_open_tour, triod_margin
from repcost.datasets import random_network

pytestmark = pytest.mark.benchmark(timer=time.process_time)


def cloud(n, k):
    return np.random.default_rng(0).random((n, k))


def constraints_of(i, n):
    """City i is left once and entered once; the edge from i to j is the unknown n i + j.

    Without short cycles: the city has the rank n^2 + i, which grows along every edge that is used.
    """
    yield [(i * n + j, 1) for j in range(n) if j != i], 1, 1
    yield [(j * n + i, 1) for j in range(n) if j != i], 1, 1
    for j in range(1, n):
        if i and i != j:
            yield [(n * n + i, 1), (n * n + j, -1), (i * n + j, n)], -np.inf, n - 1


def constraints(n):
    found = [constraint for i in range(n) for constraint in constraints_of(i, n)]
    rows = np.zeros((len(found), n * n + n))
    for row, (entries, _, _) in zip(rows, found, strict=True):
        for place, factor in entries:
            row[place] += factor
    least, most = (np.array([each[side] for each in found]) for side in (1, 2))
    return LinearConstraint(rows, least, most)  # pyright: ignore[reportArgumentType]


def by_whole_numbers(points):
    """One mixed-integer programme (Miller, Tucker & Zemlin 1960), solved by HiGHS.

    City 0 is a gate that closes the tour.
    """
    n = len(points) + 1
    cost = np.zeros((n, n))
    cost[1:, 1:] = np.linalg.norm(points[:, None] - points, axis=2)
    upper = np.append(1 - np.eye(n).ravel(), np.full(n, n))
    whole = np.append(np.ones(n * n), np.zeros(n))
    found = milp(
        np.append(cost.ravel(), np.zeros(n)),
        integrality=whole,
        bounds=Bounds(0, upper),  # pyright: ignore[reportArgumentType]
        constraints=constraints(n),
    )
    return found.fun


@pytest.mark.benchmark(group="shortest_open_tour, 12 points in the plane")
def test_ours(benchmark):
    assert benchmark(shortest_open_tour, cloud(12, 2)).relative_gap < 1e-12


@pytest.mark.benchmark(group="shortest_open_tour, 12 points in the plane")
def test_theirs(benchmark):
    found = benchmark.pedantic(by_whole_numbers, (cloud(12, 2),), rounds=1)
    assert found == pytest.approx(shortest_open_tour(cloud(12, 2)).value, rel=1e-6)


def by_lin_kernighan_and_helsgaun(points):
    """LKH, as elkai has it, with one run: no proof. Lengths are whole millionths."""
    elkai = import_module("elkai")
    n = len(points)
    lengths = np.zeros((n + 1, n + 1), dtype=int)
    lengths[1:, 1:] = np.round(np.linalg.norm(points[:, None] - points, axis=2) * 1e6)
    tour = elkai.DistanceMatrix(lengths.tolist()).solve_tsp(1)
    return points[np.array(tour[1:-1]) - 1]


SIZES = [(n, k) for n in (12, 100, 200, 400, 800) for k in (2, 4)]


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_ours_and_helsgaun(benchmark, n, k):
    benchmark.group = f"shortest_open_tour, {n} points, {k} coordinates"
    rounds = 50 if n == 12 else 2
    benchmark.pedantic(shortest_open_tour, (cloud(n, k),), rounds=rounds, warmup_rounds=1)


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_theirs_helsgaun(benchmark, n, k):
    benchmark.group = f"shortest_open_tour, {n} points, {k} coordinates"
    # Its licence is for research, so it is no requirement: `pip install elkai` shows this row.
    pytest.importorskip("elkai")
    rounds = 50 if n == 12 else 2
    visited = benchmark.pedantic(
        by_lin_kernighan_and_helsgaun, (cloud(n, k),), rounds=rounds, warmup_rounds=1
    )
    length = np.linalg.norm(np.diff(visited, axis=0), axis=1).sum()
    found = shortest_open_tour(cloud(n, k))
    benchmark.extra_info["ours / theirs, length"] = found.upper / length
    assert found.upper < 1.015 * length and found.lower <= length * (1 + 1e-9)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("n", [200, 800, 3200])
@pytest.mark.benchmark(group="shortest_open_tour, many points")
def test_many_points(benchmark, n, k):
    assert benchmark.pedantic(shortest_open_tour, (cloud(n, k),), rounds=1).relative_gap < 0.06


def net(*widths):
    return random_network(*widths, rng=np.random.default_rng(0), kind="scaled")


@pytest.mark.benchmark(group="triod_margin, ten layers of width 100")
def test_margin(benchmark):
    arguments = net(2, *[100] * 9, 2), [[1, 1], [-1, 1], [-1, -1]], [0, 0]
    assert benchmark.pedantic(triod_margin, arguments, rounds=3).gap < 1e-3


@pytest.mark.benchmark(group="bottleneck_rank")
def test_rank_of_a_map_onto_a_cross(benchmark):
    second = np.vstack([np.eye(4), 2 * np.eye(4) - np.ones((4, 4))])
    third = [[1, -1, 0, 0, -1, 1, 0, 0], [0, 0, 1, -1, 0, 0, -1, 1]]
    weights = [[[1, 0], [-1, 0], [0, 1], [0, -1]], second, third]
    cross = DeepNet(weights, [np.zeros(4), np.zeros(8), np.zeros(2)])
    assert benchmark(bottleneck_rank, cross, ([-1, -1], [1, 1])).value == 2


@pytest.mark.parametrize("widths", [(2, 10, 10, 2), (2, 20, 20, 20, 2)], ids=str)
@pytest.mark.benchmark(group="bottleneck_rank")
def test_rank_of_a_random_network(benchmark, widths):
    arguments = net(*widths), ([-1, -1], [1, 1])
    assert benchmark.pedantic(bottleneck_rank, arguments, rounds=1).value == 2
