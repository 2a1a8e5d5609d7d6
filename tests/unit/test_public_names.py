"""What people import: light, complete, and still there at the second call."""

import subprocess
import sys
import textwrap

import repcost

# One call per public name. A lazily exported function that shares its module's name breaks on the
# second.
ONE = "repcost.TwoLayer([[1.0]], [1.0], [0.0])"
SLOPED = "repcost.DeepNet([[[2.0]]], [[1.0]])"
DEEP = "repcost.DeepNet([[[2.0]], [[1.0]]], [[1.0], [0.0]])"
PLANE = "repcost.DeepNet([[[1, 0], [0, 1]]], [[0, 0]])"
ABSOLUTE = "repcost.PiecewiseLinear([0.0], [-1, 1])"
CALLS = {
    "Architecture": "repcost.Architecture.two_layer(3).depth",
    "Bracket": "repcost.Bracket(1.0, 2.0, 'exact').value",
    "Brackets": "repcost.Brackets([1.0], [2.0], 'exact')[0].value",
    "DeepNet": f"{SLOPED}([[3.0]])",
    "Objective": f"repcost.Objective.jacot_2022(0.1).penalty({ONE})",
    "PiecewiseLinear": f"{ABSOLUTE}([2.0])",
    "Recipe": "repcost.Recipe(steps=10).rate(5)",
    "TwoLayer": f"{ONE}([2.0])",
    "antipodal_margin": f"repcost.antipodal_margin({PLANE}, [[1, 0], [0, 1], [-1, 0], [0, -1]])",
    "as_piecewise_linear": f"repcost.as_piecewise_linear({ONE}).slopes",
    "bottleneck_rank": f"repcost.bottleneck_rank({PLANE}, ([0, 0], [1, 1])).value",
    "certify_shallow": f"repcost.certify_shallow({DEEP}, [[1]], [2], 0.1).value",
    "cheapest_network": f"repcost.cheapest_network({ABSOLUTE}).path_norm",
    "cost_per_layer": f"repcost.cost_per_layer({SLOPED}, 3, ([0], [1])).value",
    "covariance_rank": "repcost.covariance_rank([[1.0]], [[2.0]], 1.0).value",
    "cp_rank": "repcost.cp_rank([[2.0, 1.0], [1.0, 2.0]]).value",
    "diagonal_cost": "repcost.diagonal_cost([8.0, 1.0], 3).value",
    "forces": "repcost.forces([[1.0]], [[1.0, 1.0]], [[1.0]], 1.0)",
    "function_cost": f"repcost.function_cost({ABSOLUTE}).value",
    "imbalance": f"repcost.imbalance({DEEP})",
    "interpolate_line": "repcost.interpolate_line([0, 1, 2], [0, 1, 3]).cost.value",
    "interpolate_plane": "repcost.interpolate_plane([[0, 0], [1, 0], [0, 1]], [0, 3, 4]).cost",
    "jacobian_rank": f"repcost.jacobian_rank({SLOPED}, ([0], [1])).value",
    "jacobian_spectra": f"repcost.jacobian_spectra({SLOPED}, [[3.0]])",
    "largest_useful_strength": "repcost.largest_useful_strength([0, 1, 2], [0, 1, 3])",
    "leaky_network": f"repcost.leaky_network({SLOPED}, 0.5)([[3.0]])",
    "linear_layers_bound": f"repcost.linear_layers_bound({ONE}, 3).value",
    "linear_layers_cost": f"repcost.linear_layers_cost({ONE}, 3).value",
    "linear_layers_costs": "repcost.linear_layers_costs([[[1.0, 2.0]]], [[3.0]], 3).value",
    "linear_layers_network": f"repcost.linear_layers_network({ONE}, 3).weight_cost",
    "linear_map_cost": "repcost.linear_map_cost([[1.0, 2.0]], 3).value",
    "linear_regions": f"repcost.linear_regions({ONE}, ([-1], [1]))[0].rank",
    "Watch": f"repcost.Watch({ONE}, [[1.0], [2.0]])()",
    "compare": f"repcost.compare({{'one': repcost.measure({ONE}, [[1.0], [2.0]])}})",
    "measure": f"repcost.measure({ONE}, [[1.0], [2.0]])",
    "neuron_imbalance": f"repcost.neuron_imbalance({DEEP})",
    "open_tour": "repcost.open_tour([[0, 0], [1, 2], [1, 1]])",
    "parallel_cost": "repcost.parallel_cost([8.0, 1.0], 3).value",
    "prune": f"repcost.prune({DEEP}, [[1], [2]]).widths",
    "rebalance": f"repcost.rebalance({DEEP}).squared_norm",
    "rebalanced_norm": f"repcost.rebalanced_norm({DEEP}).value",
    "regularised_fit": "repcost.regularised_fit([0, 1, 2], [0, 1, 3], 0.1).objective.value",
    "schatten_power": "repcost.schatten_power([[1.0, 2.0]], 0.5)",
    "shallow_cost": "repcost.shallow_cost([[1], [2]], [1, 3]).value",
    "shallow_optimum": "repcost.shallow_optimum([[1], [2]], [1, 3], 0.1).loss.value",
    "shortest_open_tour": "repcost.shortest_open_tour([[0, 0], [1, 2], [1, 1]]).value",
    "train": "repcost.train(repcost.Architecture.two_layer(2), ([0, 1], [0, 1]), "
    "repcost.Objective.savarese_2019(0.1), repcost.Recipe(steps=2), [0]).objectives",
    "triod_margin": f"repcost.triod_margin({PLANE}, [[1, 0], [0, 1], [-1, -1]], [0, 0]).value",
    "truncation_error": f"repcost.truncation_error({PLANE}, ([0, 0], [1, 1]), layer=0, rank=1)",
    "widest_triod": f"repcost.widest_triod({PLANE}, ([0, 0], [1, 1])).margin.value",
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
SHOW = f"print([name for name in {HEAVY} if name in sys.modules])"


def fresh(code: str) -> str:
    """What `code` prints in an interpreter of its own, where warnings are errors."""
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_public_name_is_called_twice():
    assert set(CALLS) == set(repcost.__all__), "give the new name a call here"
    lines = [f"for _ in range(2): {call}" for call in CALLS.values()]
    fresh("\n".join(["import repcost", *lines]))


def test_names_are_what_the_package_lists():
    assert fresh(
        "from repcost import *; print(sorted(n for n in dir() if n[0] != '_'))"
    ).strip() == str(sorted(repcost.__all__))


def test_importing_is_light():
    """Every name: also what trains needs torch only when it trains."""
    assert fresh(f"import sys\nfrom repcost import *\n{SHOW}").strip() == "[]"


def test_a_name_loads_only_what_it_needs():
    seen = fresh(
        "import sys; from repcost import function_cost; "
        "print([name for name in sys.modules if 'training' in name])"
    )
    assert seen.strip() == "[]"


def test_the_guard_above_can_fail():
    assert "matplotlib" in fresh(f"import sys, repcost, matplotlib\n{SHOW}")


def test_what_chapters_import_is_light_too():
    seen = fresh(f"import sys\nfrom repcost_book import check, Run, figure\n{SHOW}")
    assert seen.strip() == "[]"
