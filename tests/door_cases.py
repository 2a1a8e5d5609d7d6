"""One good call of every public function, and values that no argument of its kind can be.

An argument is of one kind wherever it stands: `KINDS` goes by its name, because the library has one
rule for each. Whoever adds a public name gives it a call here, or the tests fail.
"""

from fractions import Fraction

import numpy as np
from scipy import sparse

from repcost import (
    Architecture,
    DeepNet,
    Objective,
    PiecewiseLinear,
    Recipe,
    TwoLayer,
    measure,
)

LINE = TwoLayer([[1.0]], [1.0], [0.0])
UNIT = TwoLayer([[1.0, 2.0]], [3.0])
DEEP = DeepNet([[[2.0]], [[1.0]]], [[1.0], [0.0]])
PLANE = DeepNet([[[1, 0], [0, 1]]], [[0, 0]])
ABSOLUTE = PiecewiseLinear([0.0], [-1, 1])
INTERVAL, SQUARE = ([-1.0], [1.0]), ([-1.0, -1.0], [1.0, 1.0])
THREE, CORNERS = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
SHALLOW = {"X": [[1.0], [2.0]], "Y": [1.0, 3.0]}
TRAINED = {
    "architecture": Architecture.two_layer(2),
    "data": ([0.0, 1.0], [0.0, 1.0]),
    "objective": Objective.savarese_2019(0.1),
    "recipe": Recipe(steps=2),
    "seeds": [0],
    "target": (0.0, 0.1),
    "device": "cpu",
    "progress": False,
    "checkpoint": None,
    "save_every": 60.0,
}

# Every argument of every public function, by name.
CALLS = {
    "Architecture": {
        "widths": (1, 2, 1),
        "linear": 0,
        "negative_slope": 0.0,
        "biases": True,
        "branches": 1,
    },
    "Bracket": {
        "lower": 1.0,
        "upper": 2.0,
        "how": "exact",
        "attained": "upper",
        "counts": None,
        "reason": "",
    },
    "Brackets": {
        "lower": [1.0],
        "upper": [2.0],
        "how": "exact",
        "attained": "upper",
        "counts": None,
        "reason": "",
    },
    "DeepNet": {"weights": [[[2.0]]], "biases": [[1.0]], "negative_slope": 0.0},
    "Objective": {
        "strength": 0.1,
        "loss": "squared",
        "mean": True,
        "per_layer": False,
        "bias_price": 1.0,
        "halved": True,
    },
    "PiecewiseLinear": {"knots": [0.0], "slopes": [-1, 1], "anchor": (0.0, 0.0)},
    "Recipe": {
        "steps": 10,
        "learning_rate": 0.1,
        "schedule": "cosine",
        "optimiser": "adam",
        "decay": 0.1,
        "annealing": 1.0,
        "annealed": 0.5,
        "batch_size": 2,
        "gain": 1.0,
        "spread": True,
        "xavier": False,
        "dtype": "float64",
        "rebalance_every": 0,
        "polish": 0,
        "log_every": 100,
    },
    "TwoLayer": {"W": [[1.0]], "a": [1.0], "b": [0.0], "c": 0.0},
    "antipodal_margin": {"f": PLANE, "circle": [[1, 0], [0, 1], [-1, 0], [0, -1]]},
    "as_piecewise_linear": {"net": LINE},
    "bottleneck_rank": {"net": PLANE, "domain": SQUARE},
    "certify_shallow": {"net": DEEP, **SHALLOW, "strength": 0.1, "bias": 1.0, "steps": 3},
    "cheapest_network": {"f": ABSOLUTE},
    "compare": {"reports": {"one": measure(DEEP, [[1.0], [2.0]])}},
    "cost_per_layer": {"net": DEEP, "depth": 3, "domain": INTERVAL},
    "covariance_rank": {
        "K": [[1.0]],
        "K_sigma": [[2.0]],
        "bias": 1.0,
        "rtol": 1e-10,
        "starts": 3,
    },
    "cp_rank": {"A": [[2.0, 1.0], [1.0, 2.0]], "rtol": 1e-10, "starts": 3},
    "diagonal_cost": {"w": [8.0, 1.0], "depth": 3},
    "forces": {
        "Z": [[1.0]],
        "S_previous": [[1.0, 1.0]],
        "Z_next": [[1.0]],
        "bias": 1.0,
        "tikhonov": 0.0,
    },
    "function_cost": {"f": ABSOLUTE, "biases": "paid", "output": "paid"},
    "imbalance": {"net": DEEP},
    "interpolate_line": {
        "x": [0, 1, 2],
        "y": [0, 1, 3],
        "depth": 2,
        "biases": "paid",
        "output": "paid",
    },
    "interpolate_plane": {
        "X": CORNERS,
        "y": [0, 3, 4],
        "depth": 2,
        "rtol": 1e-6,
        "progress": False,
        "max_cells": 10,
    },
    "jacobian_rank": {"net": PLANE, "domain": SQUARE, "points": [[0.0, 0.0]]},
    "jacobian_spectra": {"net": PLANE, "X": [[0.0, 0.0]], "device": "cpu"},
    "largest_useful_strength": {"x": [0, 1, 2], "y": [0, 1, 3]},
    "leaky_network": {"net": DEEP, "negative_slope": 0.5},
    "linear_layers_bound": {"net": UNIT, "depth": 3, "basis": np.eye(2)},
    "linear_layers_cost": {"net": UNIT, "depth": 3, "rtol": 1e-10},
    "linear_layers_costs": {"W": [[[1.0, 2.0]]], "a": [[3.0]], "depth": 3, "rtol": 1e-10},
    "linear_layers_network": {"net": LINE, "depth": 3},
    "linear_map_cost": {"A": [[1.0, 2.0]], "depth": 3},
    "linear_regions": {"net": PLANE, "domain": SQUARE, "progress": False},
    "measure": {
        "model": DEEP,
        "X": [[1.0], [2.0]],
        "tolerance": 1e-6,
        "jacobian_points": 5,
        "device": "cpu",
        "targets": [1.0, 2.0],
        "strength": 0.1,
    },
    "Watch": {
        "model": DEEP,
        "X": [[1.0], [2.0]],
        "every": 2,
        "tolerance": 1e-6,
        "jacobian_points": 5,
    },
    "neuron_imbalance": {"net": DEEP},
    "open_tour": {"points": [[0, 0], [1, 2], [1, 1]]},
    "parallel_cost": {"alpha": [8.0, 1.0], "depth": 3},
    "prune": {
        "net": DEEP,
        "X": [[1.0], [2.0]],
        "bias": 1.0,
        "fresh": None,
        "tolerances": [1e-6],
    },
    "rebalance": {"net": DEEP},
    "rebalanced_norm": {"net": DEEP},
    "regularised_fit": {"x": [0, 1, 2], "y": [0, 1, 3], "strength": 0.1, "loss": "squared"},
    "schatten_power": {"A": [[1.0, 2.0]], "p": 0.5},
    "shallow_cost": {**SHALLOW, "bias": 1.0, "rtol": 1e-6},
    "shallow_optimum": {
        **SHALLOW,
        "strength": 0.1,
        "bias": 1.0,
        "rtol": 1e-6,
        "nodes": 10,
        "progress": False,
    },
    "shortest_open_tour": {"points": [[0, 0], [1, 2], [1, 1]], "progress": False},
    "train": TRAINED,
    "triod_margin": {"f": PLANE, "tips": THREE, "centre": [0, 0]},
    "truncation_error": {"net": PLANE, "domain": SQUARE, "layer": 0, "rank": 1},
    "widest_triod": {"net": PLANE, "domain": SQUARE},
}

# What is wrong as an argument of each kind.
INFINITE = [np.inf]
ARRAY = [
    None,
    "text",
    object(),
    {},
    set(),
    len,
    ["1", "2"],
    [[1.0, 2.0], [3.0]],
    [1j],
    np.array([True]),
    np.nan,
    [[np.nan]],
    INFINITE,
    np.zeros((1, 1, 1, 1)),
    np.array(["2020-01-01"], dtype="datetime64[D]"),
    sparse.eye_array(2),
    np.ma.array([1.0, 2.0], mask=[False, True]),
    [Fraction(1, 3)],
    [10**400],
]
NUMBER = [None, "1.5", b"1", object(), [1.0, 2.0], [], True, 1j, np.nan, np.inf, 10**400, {}]
WHOLE = [*NUMBER, 2.5, -1, Fraction(1, 2)]
FROM_ONE = [*WHOLE, 0]
NEVER_NEGATIVE = [*NUMBER, -1.0, -1e-300]
POSITIVE = [*NEVER_NEGATIVE, 0.0]
PART = [*POSITIVE, 1.0, 1.5]
NETWORK = [None, "net", 3, [[1.0]], {}, object(), DeepNet, np.eye(2)]
FLAG = [None, "yes", 1, 0.0, [], object()]
WORD = [None, "other", 3, ["squared"], np.array(["squared"]), object()]
DOMAIN = [
    None,
    "domain",
    3,
    [],
    ([0.0],),
    ([0.0], [1.0], [2.0]),
    ([[0.0]], [[1.0]]),
    ([0.0] * 5, [1.0] * 5),
    ([1.0, 1.0], [0.0, 0.0]),
    ([0.0, 0.0], [0.0, 1.0]),
    (["a", "b"], ["c", "d"]),
    ([0.0, 0.0], [np.inf, 1.0]),
    (None, None),
    np.array([[0.0, 0.0], [1.0, 1.0]]),
]
KINDS = {
    "A": ARRAY,
    "K": ARRAY,
    "K_sigma": ARRAY,
    "S_previous": ARRAY,
    "W": ARRAY,
    "X": ARRAY,
    "Y": ARRAY,
    "Z": ARRAY,
    "Z_next": ARRAY,
    "a": ARRAY,
    "alpha": ARRAY,
    "anchor": [*ARRAY, [1.0], [1.0, 2.0, 3.0]],
    "annealed": [*NEVER_NEGATIVE, 1.5],
    "annealing": POSITIVE,
    "architecture": [None, "two layers", 3, [], [3], object(), Objective],
    "attained": WORD,
    # None stands for the default.
    "b": [each for each in ARRAY if each is not None],
    "basis": [each for each in ARRAY if each is not None],
    "batch_size": [each for each in FROM_ONE if each is not None],
    "bias": NEVER_NEGATIVE,
    "biases": WORD,
    "bias_price": [each for each in NEVER_NEGATIVE if each is not np.inf],
    "branches": FROM_ONE,
    "c": NUMBER,
    "centre": ARRAY,
    "checkpoint": [3, b"path", "", [], "no/such/folder/file.npz", "."],
    "circle": [*ARRAY, np.zeros((3, 2)), np.zeros((4, 3))],
    "data": [None, "data", 3, [], ([0.0, 1.0],), ([0.0], [0.0], [0.0]), object()],
    "decay": POSITIVE,
    "depth": [*FROM_ONE, -3],
    "device": [None, 3.5, "nowhere", [], "meta", object()],
    "domain": DOMAIN,
    "dtype": WORD,
    "every": FROM_ONE,
    "f": NETWORK,
    # Fresh points are for modules, whose tests have more.
    "fresh": [[[1.0]], "1", 3],
    "gain": POSITIVE,
    "halved": FLAG,
    "how": WORD,
    "jacobian_points": FROM_ONE,
    "knots": [*ARRAY, [0.0, 0.0], [1.0, 0.0]],
    "layer": [*WHOLE, 7],
    "learning_rate": POSITIVE,
    "linear": [*WHOLE, 1],
    "log_every": FROM_ONE,
    "loss": WORD,
    "max_cells": WHOLE,
    "mean": FLAG,
    "model": [None, "model", 3, object()],
    "negative_slope": [*NUMBER, 1.0, -1.0, 2.0],
    "net": NETWORK,
    "nodes": WHOLE,
    "objective": [None, "loss", 3, [], [3], object(), Architecture],
    "optimiser": WORD,
    "output": WORD,
    "p": POSITIVE,
    "per_layer": FLAG,
    "points": [each for each in ARRAY if each is not None],
    "polish": WHOLE,
    "progress": FLAG,
    "rank": [*WHOLE, 7],
    "rebalance_every": WHOLE,
    "recipe": [None, {}, "adam", 3, Recipe, object()],
    "reports": [None, {}, [], "report", 3, {"one": 1.0}, object()],
    "rtol": PART,
    "save_every": NEVER_NEGATIVE,
    "schedule": WORD,
    "seeds": [None, "0", 3, [], [0.5], [-1], [True], [[0]], ["0"], [0, 0], object(), [np.nan]],
    "slopes": ARRAY,
    "spread": FLAG,
    "starts": WHOLE,
    "steps": WHOLE,
    "strength": NEVER_NEGATIVE,
    "target": [3, "0.1", [], (0.0,), (0.0, 0.0), (0.0, -1.0), (None, 0.1), ("0", 0.1), (np.nan, 1)],
    "tikhonov": NEVER_NEGATIVE,
    "targets": ARRAY,
    "tips": [*ARRAY, np.zeros((2, 2)), np.zeros((3, 5))],
    "tolerance": PART,
    "tolerances": [None, "0.1", 0.1, [], [0.0], [1.0], [None], [np.nan], ["1"]],
    "upper": [None, "2", object(), np.nan, 0.5, [2.0], 1j],
    "lower": [None, "1", object(), np.nan, 2.5, [1.0], 1j],
    "w": ARRAY,
    "weights": ARRAY,
    "widths": [None, "1", 3, [], (1, 1), (1, 0, 1), (1, 2.5, 1), (1, -2, 1), (1, "2", 1), object()],
    "x": ARRAY,
    "xavier": FLAG,
    "y": ARRAY,
}
# Where the same name is something else.
OTHERWISE = {
    ("Architecture", "biases"): FLAG,
    ("DeepNet", "biases"): ARRAY,
    # What only the printed form of a Bracket shows.
    ("Bracket", "counts"): [],
    ("Bracket", "reason"): [],
    ("Brackets", "counts"): [],
    ("Brackets", "reason"): [],
    ("Brackets", "lower"): [*ARRAY, [2.5], [1.0, 1.0]],
    # An upper end may be infinite.
    ("Brackets", "upper"): [*(each for each in ARRAY if each is not INFINITE), [0.5], [2.0, 2.0]],
    # The report has tests of its own for what comes from torch.
    ("measure", "tolerance"): [0.0, 1.0, -1.0, np.inf],
    ("Watch", "tolerance"): [0.0, 1.0, -1.0, np.inf],
    ("Watch", "X"): [each for each in ARRAY if type(each) is not list],
    ("measure", "X"): [each for each in ARRAY if type(each) is not list],
    # None stands for the default.
    ("interpolate_plane", "rtol"): [each for each in PART if each is not None],
    ("measure", "targets"): ARRAY,
    ("measure", "strength"): POSITIVE,
    ("measure", "device"): [3.5, "nowhere", [], "meta", object()],
}


def wrong_values(function: str, argument: str) -> list:
    """ValueError, one by one; KeyError for an argument whose kind nobody has said."""
    own = OTHERWISE.get((function, argument))
    return KINDS[argument] if own is None else own
