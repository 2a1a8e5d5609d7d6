"""How time grows with the size of a problem, algorithm by algorithm, and how much memory it has."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from benchmarks.growth import grown
from benchmarks.problems import (
    Arguments,
    cloud,
    layer,
    line,
    pairs,
    two_hundred_steps,
    units,
    wide,
)
from tests.shallow_problems import balanced_blocks

from repcost import (
    bottleneck_rank,
    cost_per_layer,
    cp_rank,
    forces,
    function_cost,
    interpolate_line,
    interpolate_plane,
    jacobian_rank,
    linear_layers_cost,
    linear_regions,
    prune,
    rebalance,
    regularised_fit,
    shallow_cost,
    shallow_optimum,
    shortest_open_tour,
)


@dataclass(frozen=True)
class Growing:
    """An algorithm at three sizes.

    algorithm: how the names of its problems begin. what: is counted by the size.
    problem: the arguments from a generator and a size. run: what is timed.
    limit: what a user meets first, in words.
    """

    algorithm: str
    what: str
    sizes: list[int]
    problem: Callable[[np.random.Generator, int], Arguments]
    run: Callable[..., Any]
    limit: str
    rounds: int = 3


SEARCH = "time: it is a search, and a few more points may take twice as long"
OPEN = "a bracket whose ends do not meet, before time"
GROWING = [
    Growing(
        "function_cost",
        "units in pairs on a line",
        [10**4, 10**5, 10**6],
        pairs,
        function_cost,
        "memory: a hundred million units",
    ),
    Growing(
        "interpolate_line",
        "points",
        [10**4, 10**5, 10**6],
        line,
        lambda x, y: interpolate_line(x, y).cost,
        "memory: a hundred million points",
    ),
    Growing(
        "regularised_fit",
        "points",
        [10**3, 10**4, 10**5],
        line,
        lambda x, y: regularised_fit(x, y, 0.1).objective,
        "a minute, and 16 GB: some ten million points",
    ),
    Growing(
        "interpolate_plane",
        "points of the plane, depth 2",
        [6, 12, 24],
        cloud,
        lambda X, y: interpolate_plane(X, y).cost,
        "time: some hundred points",
        rounds=1,
    ),
    Growing(
        "linear_layers_cost",
        "units in 10 variables, depth 3",
        [10**3, 10**4, 10**5],
        lambda rng, n: units(rng, n, 10),
        lambda net: linear_layers_cost(net, 3),
        "memory: ten million units",
    ),
    Growing(
        "linear_layers_cost",
        "variables, and as many units, depth 3",
        [200, 400, 784],
        lambda rng, n: units(rng, n, n),
        lambda net: linear_layers_cost(net, 3),
        "time: some thousand variables",
        rounds=2,
    ),
    Growing(
        "linear_regions",
        "units in each of two layers, in the plane",
        [32, 64, 128],
        lambda rng, n: wide(rng, 2, n, n, 2),
        linear_regions,
        "time and memory: a million cells",
    ),
    Growing(
        "linear_regions, three variables",
        "units in each of two layers",
        [8, 16, 32],
        lambda rng, n: wide(rng, 3, n, n, 3),
        linear_regions,
        "time and memory: a million cells",
        rounds=2,
    ),
    Growing(
        "jacobian_rank",
        "units in each of two layers, 100 variables to 10",
        [128, 256, 512],
        lambda rng, n: wide(rng, 100, n, n, 10),
        jacobian_rank,
        OPEN,
    ),
    Growing(
        "bottleneck_rank",
        "units in each of two layers, 100 variables to 10",
        [128, 256, 512],
        lambda rng, n: wide(rng, 100, n, n, 10),
        bottleneck_rank,
        OPEN,
    ),
    Growing(
        "rebalance",
        "units in each of four layers",
        [64, 128, 256],
        lambda rng, n: wide(rng, n, n, n, n, n)[:1],
        rebalance,
        "time: layers of some thousand units",
    ),
    Growing(
        "cost_per_layer",
        "layers",
        [64, 256, 1024],
        lambda rng, n: (*wide(rng, 2, 4, 2), n),
        lambda net, domain, depth: cost_per_layer(net, depth, domain),
        "the number of regions of the network",
    ),
    Growing(
        "shallow_optimum",
        "points in the plane, strength 0.01",
        [10, 20, 40],
        cloud,
        lambda X, y: shallow_optimum(X, y, 0.01).loss,
        SEARCH,
        rounds=1,
    ),
    Growing(
        "shallow_cost", "points in the plane", [6, 9, 12], cloud, shallow_cost, SEARCH, rounds=1
    ),
    Growing(
        "shortest_open_tour",
        "points in the plane",
        [200, 800, 3200],
        lambda rng, n: (rng.random((n, 2)),),
        shortest_open_tour,
        "a gap of some per cent, before time",
        rounds=1,
    ),
    Growing(
        "forces",
        "points",
        [100, 200, 400],
        layer,
        lambda Z, before, after: forces(Z, before, after, 1.0, tikhonov=0.01),
        "time: some thousand points",
    ),
    Growing("cp_rank", "rows", [6, 10, 16], lambda rng, n: (balanced_blocks(n),), cp_rank, OPEN),
    Growing(
        "prune",
        "units of 5 variables, on 50 points",
        [250, 500, 1000],
        lambda rng, n: (wide(rng, 5, n, 2)[0], rng.normal(size=(50, 5))),
        prune,
        "time: some hundred thousand units",
        rounds=2,
    ),
    Growing(
        "training steps",
        "units of each of 64 networks, 200 steps on 10 points",
        [20, 80, 320],
        lambda rng, n: (n,),
        two_hundred_steps,
        "time, of which products of matrices take most from some hundred units on",
    ),
]


def name(growing: Growing) -> str:
    return f"{growing.algorithm}, {growing.what}"


@pytest.mark.benchmark(group="growth")
@pytest.mark.parametrize("growing", GROWING, ids=name)
def test_growth(benchmark, growing):
    def problem(size: int) -> Callable[[], Any]:
        return partial(growing.run, *growing.problem(np.random.default_rng(0), size))

    found = benchmark.pedantic(grown, (problem, growing.sizes, growing.rounds), rounds=1)
    told = {"algorithm": growing.algorithm, "what": growing.what, "limit": growing.limit}
    benchmark.extra_info["growth"] = told | found
    assert np.isfinite(found["exponent"])
