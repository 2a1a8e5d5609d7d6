"""Many networks at once against a plain loop: nn.Sequential, torch.optim.Adam and an explicit
penalty, net by net.

Both run in this process on one thread, and CPU seconds count, so that other work on the machine
does not. `ratio` is how many times more the plain loop needs for the same steps at the same
settings; each test asserts what is promised.
"""

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from tests.training_problems import on_one_thread

from repcost import Architecture, Objective, Recipe, train
from repcost.datasets import two_rays
from repcost.training.crew import Crew
from repcost.training.plans import TrainingPlan

OBJECTIVE = Objective.ongie_willett_2022(1e-5)
WIDTHS = (2, 4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)

one_thread = pytest.fixture(autouse=True)(on_one_thread)


@dataclass(frozen=True)
class StepsProblem:
    """Networks to step through, many at once and one after the other.

    seeds: how many of each architecture. ours, theirs: steps that are timed, by each.
    promised: how many times more the plain loop needs, at the least.
    """

    architectures: list[Architecture]
    seeds: int
    points: int
    dtype: Any
    ours: int
    theirs: int
    promised: float

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        rng, widths = np.random.default_rng(0), self.architectures[0].widths
        X = rng.normal(size=(self.points, widths[0]))
        return X, rng.normal(size=(self.points, widths[-1]))

    @property
    def operations(self) -> float:
        """Floating-point operations of a step of all members in products of matrices.

        One forward and two back, except that nothing is sent back to the inputs.
        """
        sizes = [[into * out for into, out in each.shapes] for each in self.architectures]
        products = sum(3 * sum(layers) - layers[0] for layers in sizes)
        return 2.0 * self.points * self.seeds * products


SHALLOW = {width: [Architecture.two_layer(width)] for width in (20, 100)}
THREE = [Architecture.deep((1, 30, 30, 30, 1))]
COLLAPSED = [Architecture.linear_layers(2, 100, 4)]
# Wide enough that the products take most of the time: there is less to gain.
DEEP = [Architecture.deep((1, 100, 100, 100, 100, 1))]
LINEAR = [Architecture.linear_layers(2, 100, 4, linear_width=100)]
MANY = [Architecture.deep((784, width, width, 10)) for width in WIDTHS]
PROBLEMS = {
    "64 nets of 20 units, 10 points": StepsProblem(
        SHALLOW[20], 64, 10, "float64", ours=300, theirs=300, promised=60
    ),
    "64 nets of 100 units, 10 points": StepsProblem(
        SHALLOW[100], 64, 10, "float64", ours=150, theirs=300, promised=60
    ),
    "64 nets of 4 x 100 units": StepsProblem(
        DEEP, 64, 10, "float32", ours=20, theirs=200, promised=8
    ),
    "64 nets of 3 x 30 units": StepsProblem(
        THREE, 64, 10, "float64", ours=50, theirs=200, promised=10
    ),
    "64 nets, 2 linear layers of width 100": StepsProblem(
        LINEAR, 64, 12, "float32", ours=20, theirs=200, promised=10
    ),
    "64 nets, 2 collapsed linear layers": StepsProblem(
        COLLAPSED, 64, 12, "float64", ours=100, theirs=200, promised=40
    ),
    "15 widths, 6 nets each, 1000 points": StepsProblem(
        MANY, 6, 1000, "float32", ours=2, theirs=3, promised=1.4
    ),
}


def cpu_seconds(action: Callable[[], Any]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def plain_loop(architecture: Architecture, X, Y, dtype: str) -> Callable[[int], None]:
    """What one writes first, for one network."""
    kind = getattr(torch, dtype)
    layers: list[torch.nn.Module] = []
    for layer, (into, out) in enumerate(architecture.shapes):
        layers.append(torch.nn.Linear(into, out, bias=architecture.has_bias(layer), dtype=kind))
        if not architecture.is_linear(layer):
            layers.append(torch.nn.ReLU())
    net = torch.nn.Sequential(*layers)
    # Matrices are weights, vectors are biases, which are free.
    weights = [p for p in net.parameters() if p.ndim == 2]
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
    inputs, targets = torch.tensor(X, dtype=kind), torch.tensor(Y, dtype=kind)

    def steps(count: int) -> None:
        for _ in range(count):
            optimiser.zero_grad()
            penalty = sum((W**2).sum() for W in weights)
            loss = ((net(inputs) - targets) ** 2).sum(1).mean()
            (loss + 1e-5 / architecture.depth * penalty).backward()
            optimiser.step()

    return steps


def together(problem: StepsProblem, X, Y) -> Callable[[int], None]:
    # So many steps that the schedule plays no role.
    recipe = Recipe(10**6, 1e-3, "constant", dtype=problem.dtype)
    seeds = range(problem.seeds)
    plan = TrainingPlan.of(problem.architectures, (X, Y), OBJECTIVE, recipe, seeds, None, "cpu")
    crew = Crew.of(plan)
    return lambda count: crew.advance(0, count)


@functools.cache
def peak(dtype: str) -> float:
    """Operations a second in large square products on one thread, by the faster of two."""
    A = np.random.default_rng(0).normal(size=(1536, 1536)).astype(dtype)
    B = torch.from_numpy(A)
    by_numpy, by_torch = (lambda: A @ A), (lambda: B @ B)
    # The least of several: what else the machine does only adds to it.
    seconds = min(cpu_seconds(product) for product in (by_numpy, by_torch) for _ in range(5))
    return 2 * len(A) ** 3 / seconds


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.benchmark(group="training steps")
def test_steps(benchmark, name):
    problem = PROBLEMS[name]
    X, Y = problem.data()
    ours = together(problem, X, Y)
    theirs = [plain_loop(each, X, Y, problem.dtype) for each in problem.architectures]
    # The first steps fill caches and choose kernels.
    ours(2)
    best_ours = best_theirs = np.inf
    # In turns, so that what else the machine does disturbs both alike.
    for _ in range(3):
        best_ours = min(best_ours, cpu_seconds(lambda: ours(problem.ours)) / problem.ours)
        each = sum(cpu_seconds(lambda steps=steps: steps(problem.theirs)) for steps in theirs)
        best_theirs = min(best_theirs, problem.seeds * each / problem.theirs)
    benchmark.extra_info["ratio"] = best_theirs / best_ours
    benchmark.extra_info["of peak"] = problem.operations / best_ours / peak(problem.dtype)
    benchmark.pedantic(ours, (problem.ours,), rounds=2)
    assert best_theirs / best_ours > problem.promised


@pytest.mark.benchmark(group="to a certified gap of 0.1 %")
def test_time_to_target(benchmark):
    """16 seeds until the best is within 0.1 % of the certified optimum.

    For the plain loop, its steps times its rate. How many steps plain Adam at 1e-3 needs from the
    same first weights is counted with our engine, up to 60,000.
    """
    rng = np.random.default_rng(0)
    x, y = np.linspace(-2, 2, 10) + rng.uniform(-0.1, 0.1, 10), rng.normal(scale=0.5, size=10)
    architecture = Architecture.two_layer(20)
    target = OBJECTIVE.regularised_fit(x, y).objective.lower, 1e-3
    ours = Recipe(10_000, 0.03, annealing=10.0, rebalance_every=100)
    theirs = Recipe(60_000, 1e-3, "constant", log_every=1000)

    def run(recipe: Recipe):
        return train(architecture, (x, y), OBJECTIVE, recipe, range(16), target=target)

    found = benchmark.pedantic(run, (ours,), rounds=1)
    assert found.reached.any()
    seconds = cpu_seconds(lambda: run(ours))
    steps = int(run(theirs).looked[-1])
    loop = plain_loop(architecture, x[:, None], y[:, None], "float64")
    rate = min(cpu_seconds(lambda: loop(500)) / 500 for _ in range(3))
    benchmark.extra_info["ratio"] = ratio = 16 * steps * rate / seconds
    assert ratio > 100


@pytest.mark.benchmark(group="linear layers to 1 % of the best")
def test_collapsed_linear_layers(benchmark):
    """Width 2 against width 100, by one recipe: both can represent the same at the same cost."""
    data, objective = two_rays(), Objective.ongie_willett_2022(1e-3)
    recipe = Recipe(6000, 0.01, rebalance_every=100, log_every=50)
    narrow, wide = (Architecture.linear_layers(2, 100, 4, linear_width=inner) for inner in (2, 100))
    longer = Recipe(6000, 0.03, rebalance_every=100)
    best = train(narrow, data, objective, longer, range(8)).objectives.min()

    def run(architecture: Architecture):
        return train(architecture, data, objective, recipe, range(8), target=(best, 0.01))

    found = benchmark.pedantic(run, (narrow,), rounds=1)
    assert found.reached.any()
    slow, fast = (cpu_seconds(lambda each=each: run(each)) for each in (wide, narrow))
    benchmark.extra_info["ratio"] = slow / fast
    assert slow / fast > 4
