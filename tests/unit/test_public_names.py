"""What people import: light, complete, and still there at the second call."""

import subprocess
import sys
import textwrap

import repcost

# One call per public name. A lazily exported function that shares its module's name breaks on the
# second.
CALLS = {
    "Architecture": "repcost.Architecture.two_layer(3).depth",
    "Bracket": "repcost.Bracket(1.0, 2.0, 'exact').value",
    "DeepNet": "repcost.DeepNet([[[2.0]]], [[1.0]])([[3.0]])",
    "Objective": "repcost.Objective.jacot_2022(0.1).penalty(repcost.TwoLayer([[1.0]], [1.0], [0.0]))",
    "PiecewiseLinear": "repcost.PiecewiseLinear([0.0], [-1, 1])([2.0])",
    "Recipe": "repcost.Recipe(steps=10).rate(5)",
    "TwoLayer": "repcost.TwoLayer([[1.0]], [1.0], [0.0])([2.0])",
    "antipodal_margin": "repcost.antipodal_margin(repcost.DeepNet([[[1, 0], [0, 1]]], [[0, 0]]), "
    "[[1, 0], [0, 1], [-1, 0], [0, -1]]).value",
    "bottleneck_rank": "repcost.bottleneck_rank(repcost.DeepNet([[[1, 0], [0, 1]]], [[0, 0]]), ([0, 0], [1, 1])).value",
    "certify_shallow": "repcost.certify_shallow(repcost.DeepNet([[[1]], [[1]]], [[0], [0]]), [[1]], [2], 0.1).value",
    "cheapest_network": "repcost.cheapest_network(repcost.PiecewiseLinear([0.0], [-1, 1])).path_norm",
    "cost_per_layer": "repcost.cost_per_layer(repcost.DeepNet([[[2.0]]], [[1.0]]), 3, ([0], [1])).value",
    "covariance_rank": "repcost.covariance_rank([[1.0]], [[2.0]], 1.0).value",
    "cp_rank": "repcost.cp_rank([[2.0, 1.0], [1.0, 2.0]]).value",
    "diagonal_cost": "repcost.diagonal_cost([8.0, 1.0], 3).value",
    "forces": "repcost.forces([[1.0]], [[1.0, 1.0]], [[1.0]], 1.0)",
    "function_cost": "repcost.function_cost(repcost.PiecewiseLinear([0.0], [-1, 1])).value",
    "imbalance": "repcost.imbalance(repcost.DeepNet([[[2.0]], [[1.0]]], [[1.0], [0.0]]))",
    "interpolate_line": "repcost.interpolate_line([0, 1, 2], [0, 1, 3]).cost.value",
    "interpolate_plane": "repcost.interpolate_plane([[0, 0], [1, 0], [0, 1]], [0, 3, 4]).cost.value",
    "jacobian_rank": "repcost.jacobian_rank(repcost.DeepNet([[[2.0]]], [[1.0]]), ([0], [1])).value",
    "jacobian_spectra": "repcost.jacobian_spectra(repcost.DeepNet([[[2.0]]], [[1.0]]), [[3.0]])",
    "largest_useful_strength": "repcost.largest_useful_strength([0, 1, 2], [0, 1, 3])",
    "leaky_network": "repcost.leaky_network(repcost.DeepNet([[[2.0]]], [[1.0]]), 0.5)([[3.0]])",
    "linear_layers_bound": "repcost.linear_layers_bound([[1.0, 2.0]], [3.0])",
    "linear_layers_cost": "repcost.linear_layers_cost([[1.0, 2.0]], [3.0], 3).value",
    "linear_layers_network": "repcost.linear_layers_network(repcost.TwoLayer([[1, 2]], [3], [0]), 3).weight_cost",
    "linear_map_cost": "repcost.linear_map_cost([[1.0, 2.0]], 3).value",
    "linear_regions": "repcost.linear_regions(repcost.TwoLayer([[1.0]], [1.0], [0.0]), ([-1], [1]))[0].rank",
    "measure": "repcost.measure(repcost.TwoLayer([[1.0]], [1.0], [0.0]), [[1.0], [2.0]])",
    "neuron_imbalance": "repcost.neuron_imbalance(repcost.DeepNet([[[2.0]], [[1.0]]], [[1.0], [0.0]]))",
    "open_tour": "repcost.open_tour([[0, 0], [1, 2], [1, 1]])",
    "parallel_cost": "repcost.parallel_cost([8.0, 1.0], 3).value",
    "prune": "repcost.prune(repcost.DeepNet([[[1], [2]], [[1, 1]]], [[0, 0], [0]]), [[1], [2]]).widths",
    "rebalance": "repcost.rebalance(repcost.DeepNet([[[2.0]], [[1.0]]], [[1.0], [0.0]])).squared_norm",
    "rebalanced_norm": "repcost.rebalanced_norm(repcost.DeepNet([[[2.0]], [[1.0]]], [[1.0], [0.0]])).value",
    "regularised_fit": "repcost.regularised_fit([0, 1, 2], [0, 1, 3], 0.1).objective.value",
    "schatten_power": "repcost.schatten_power([[1.0, 2.0]], 0.5)",
    "shallow_cost": "repcost.shallow_cost([[1], [2]], [1, 3]).value",
    "shallow_optimum": "repcost.shallow_optimum([[1], [2]], [1, 3], 0.1).loss.value",
    "shortest_open_tour": "repcost.shortest_open_tour([[0, 0], [1, 2], [1, 1]]).value",
    "train": "repcost.train(repcost.Architecture.two_layer(2), ([0, 1], [0, 1]), "
    "repcost.Objective.savarese_2019(0.1), repcost.Recipe(steps=2), [0]).objectives",
    "triod_margin": "repcost.triod_margin(repcost.DeepNet([[[1, 0], [0, 1]]], [[0, 0]]), "
    "[[1, 0], [0, 1], [-1, -1]], [0, 0]).value",
    "truncation_error": "repcost.truncation_error(repcost.DeepNet([[[1, 0], [0, 1]]], [[0, 0]]), ([0, 0], [1, 1]), "
    "layer=0, rank=1).value",
    "widest_triod": "repcost.widest_triod(repcost.DeepNet([[[1, 0], [0, 1]]], [[0, 0]]), ([0, 0], [1, 1]))"
    ".margin.value",
}
HEAVY = [
    "torch",
    "numba",
    "cvxpy",
    "matplotlib",
    "IPython",
    "pandas",
    "jupytext",
    "papermill",
    "joblib",
    "tqdm",
]


def fresh(code: str) -> str:
    """What `code` prints in an interpreter of its own, where warnings are errors."""
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_public_name_is_called_twice():
    assert set(CALLS) == set(repcost.__all__), "give the new name a call here"
    fresh("import repcost\n" + "\n".join(f"for _ in range(2): {call}" for call in CALLS.values()))


def test_names_are_what_the_package_lists():
    assert fresh(
        "from repcost import *; print(sorted(n for n in dir() if n[0] != '_'))"
    ).strip() == str(sorted(repcost.__all__))


def test_importing_is_light():
    """Every name: also what trains needs torch only when it trains."""
    seen = fresh(
        f"import sys\nfrom repcost import *\nprint([name for name in {HEAVY} if name in sys.modules])"
    )
    assert seen.strip() == "[]"


def test_a_name_loads_only_what_it_needs():
    seen = fresh(
        "import sys; from repcost import function_cost; print([m for m in sys.modules if 'training' in m])"
    )
    assert seen.strip() == "[]"


def test_the_guard_above_can_fail():
    seen = fresh(
        f"import sys, repcost, matplotlib; print([name for name in {HEAVY} if name in sys.modules])"
    )
    assert "matplotlib" in seen


def test_what_chapters_import_is_light_too():
    seen = fresh(
        f"import sys; from repcost_book import check, Run, figure; print([n for n in {HEAVY} if n in sys.modules])"
    )
    assert seen.strip() == "[]"
