"""The same as `door_cases` for what the rooms list beyond the public names of the package."""

from importlib import import_module

import numpy as np

from repcost import DeepNet, Objective, TwoLayer
from repcost.constructions import SubNetwork
from repcost.representations import Representations
from tests.door_cases import (
    ABSOLUTE,
    ARRAY,
    DEEP,
    FLAG,
    FROM_ONE,
    INTERVAL,
    KINDS,
    LINE,
    NETWORK,
    NEVER_NEGATIVE,
    NUMBER,
    POSITIVE,
    SQUARE,
    WHOLE,
    WORD,
)

ROOMS = (
    "constructions",
    "costs",
    "costs.linear_layers",
    "costs.plane",
    "covariances",
    "datasets",
    "ranks",
    "regions",
    "representations",
    "shallow",
    "training",
)
RNG = np.random.default_rng(0)
TWO = np.array([[1.0, 0.0], [0.0, 2.0]])
UNITS = TwoLayer(TWO, [1.0, 1.0])
CLASSES = DeepNet([[[1, 0], [0, 1], [-1, -1]]], [[0, 0, 0]])
START = Representations([[1.0], [2.0]], [[[1.0], [2.0]], [[1.0], [2.0]]], bias=0.0)
TEACHER = DeepNet([np.ones((3, 2)), np.ones((1, 3))], [np.zeros(3), np.zeros(1)])
LAYER = {"Z": [[1.0]], "S_previous": [[1.0, 1.0]], "Z_next": [[1.0]], "bias": 1.0}
SHALLOW = {"X": [[0.0], [1.0]], "Y": [[0.0], [2.0]], "strength": 0.1, "rounds": 2, "bias": 1.0}
FLAT = {"x": [0.0, 1.0], "y": [0.0, 1.0]}
SUM = {"theta": 1.0, "A": 1.0, "B": 1.0}
RANDOM = {"rng": RNG}

CALLS = {
    "after_map": {"net": LINE, "T": [[2.0]]},
    "alignment_condition": {**SUM, "power": 2.0},
    "augmented_weights": {"net": DEEP, "bias": 1.0},
    "average_curvature": {"r": 2.0, "d": 2},
    "balanced_factors": {"W": TWO, "parts": 2},
    "ball_volume": {"d": 3},
    "bipartite_covariance": {"N": 4},
    "bipartite_least_loss": {"N": 4, "strength": 0.1},
    "bump_network": {"directions": [[1.0, 0.0]]},
    "centred_spectra": {"net": DEEP, "X": [[1.0], [2.0]]},
    "chained": {"outer": DEEP, "inner": DEEP, "shift": [1.0], "identities": 1},
    "changed_between": {"matrices": [TWO, TWO], "changes": [TWO]},
    "cheapest_direction": SUM,
    "cheapest_of_ramps": FLAT,
    "cheapest_projection": {"X": TWO, "Y": TWO, "depth": 4, "directions": 8},
    "chords": {"t": [0.0, 1.0], "Y": TWO},
    "class_cells": {"net": CLASSES, "domain": SQUARE},
    "class_scatter": {"Z": TWO, "labels": [0, 1]},
    "column_generation": SHALLOW,
    "corners_on_grid": {"labels": np.array([[0, 1], [2, 2]])},
    "covariance_cost": {"K": [[[4.0]]], "K_sigma": [[[1.0]]], "tikhonov": 0.0},
    "curvature_by_boxes": {"net": LINE, "x": [0.0, 1.0], "width": 0.5},
    "curvature_by_bumps": {"net": LINE, "x": [0.0, 1.0], "width": 0.5},
    "deepened": {"net": DEEP, "depth": 3, "domain": INTERVAL},
    "derivative_rank": {"Z": np.array([[3, -2]])},
    "descend": {
        "start": START,
        "Y": [[2.0], [4.0]],
        "strength": 0.1,
        "steps": 2,
        "projected": True,
    },
    "descend_smoothed": {"start": START, "Y": [[2.0], [4.0]], "strength": 0.1, "tikhonov": [0.1]},
    "direction_between": {"beta": 0.5},
    "even_directions": {"d": 3, "power": 2, **RANDOM},
    "exact_certificate": FLAT,
    "exact_interpolation_cost": FLAT,
    "exact_slopes": FLAT,
    "facing_away": {"t": [0.0, 1.0], "Y": [0.0, 2.0]},
    "force_balance": {**LAYER, "multiplier": [[1.0]], "kink": 1e-9},
    "frank_wolfe": SHALLOW,
    "handed_on": {"net": DEEP, "X": [[1.0]]},
    "identity_cheaper_until": {"slope": 8.0},
    "islands_network": {"centres": TWO, "steepness": 3.0},
    "joined_dots": {"t": [0.0, 1.0], "Y": TWO},
    "labels_on_grid": {"net": CLASSES, "half": 1.0, "n": 3},
    "leaky_whole_line": {"negative_slope": 0.5, "depth": 3},
    "least_mass": {"bends": [1.0], "end_slopes": 0.0},
    "least_weights": {"units": TWO, "values": [1.0, 2.0], "free": TWO, "prices": [1.0, 1.0]},
    "linear_covariances": {"X": TWO, "Z_last": TWO, "depth": 2},
    "longer": {"net": DEEP, "place": 1},
    "maximum_network": {"A": TWO, "c": [0.0, 1.0]},
    "merged_rays": {"Z": TWO, "ray": [0, 1]},
    "most_bordering": {"labels": np.array([[0, 1], [2, 2]])},
    "nearest_on_sine_curve": {"points": TWO},
    "nonnegative_descents": {
        "target": TWO,
        "width": 2,
        "strength": 0.1,
        "starts": 1,
        **RANDOM,
    },
    "off_sine_curve": {"points": TWO},
    "on_rays": {"Z": TWO, "cosine": 0.99},
    "on_sine_curve": {"t": [0.5]},
    "one_more_teacher": {"teacher": TEACHER, "X": TWO, "k": 1, "depth": 5, **RANDOM},
    "one_number_cheaper_from": {"X": [[0.0, 0.0], [1.0, 0.3]]},
    "optimal_shares": {"net": UNITS, "depth": 3},
    "padded": {"net": DEEP, "extra": 1, "bias": 0.0},
    "point_charges": {"net": LINE},
    "plus_affine": {"net": LINE, "v": [1.0], "shift": 0.0},
    "polar_bound": {"net": UNITS, "Q": TWO},
    "polish_network": {
        "net": DEEP,
        "data": ([0.0, 1.0], [0.0, 1.0]),
        "objective": Objective.savarese_2019(0.1),
        "steps": 1,
    },
    "projected_shares": {"net": LINE, "X": [[1.0]], "P": [[1.0]]},
    "radial_bump": {"r": 1.0, "d": 2},
    "ramps_at": {"x": [0.0, 1.0]},
    "random_network": {**RANDOM, "kind": "normal", "biases": 1.0, "negative_slope": 0.0},
    "random_network_on_rays": {
        "theta": 1.0,
        "sums": (1.0, 1.0),
        **RANDOM,
        "units": range(1, 3),
        "limit": 0.0,
        "spread": 1.0,
    },
    "random_spline": {**RANDOM, "knots": range(3), "anchor": (0.0, 0.0)},
    "random_two_layer": {
        "units": 2,
        "variables": 2,
        **RANDOM,
        "unit_directions": False,
        "decades": 0.0,
        "output_bias": True,
    },
    "ray_directions": {"angle": 1.0},
    "remade_bend": {"depth": 3},
    "representations": {"net": DEEP, "X": [[1.0]], "bias": 1.0},
    "rescaled": {"net": LINE, "scale": [2.0]},
    "rescaled_units": {"net": DEEP, "factors": [np.ones(1), np.ones(1), np.ones(1)]},
    "residual_weights": {"net": DEEP, "X": [[1.0]], "bias": 1.0},
    "ridge": {"g": ABSOLUTE, "u": [1.0]},
    "s_shapes": {"each": 2, "noise": 0.1, "seed": 0},
    "second_directions": {"net": DEEP, "X": [[1.0], [2.0]], "centring": True},
    "shifted_teacher": {"teacher": TEACHER, "X": TWO, "k": 1, "depth": 4, "shift": [9.0]},
    "side_by_side_cost": {"networks": [SubNetwork((TWO[:1],), 1.0)]},
    "sine_curve": {"n": 2, "amplitude": 0.4, "seed": 0},
    "sine_curve_tangents": {"t": [0.5]},
    "sphere_area": {"d": 3},
    "sweep": {
        "task": lambda width: width,
        "parameters": [{"width": 1}],
        "jobs": None,
        "scheduler": None,
    },
    "taught": {"n": 2, "widths": (2, 2), "seed": 0},
    "taught_rank_five": {"n": 2, "dimension": 3, "rank": 2, "width": 3, "seed": 0},
    "thinned": {"Z": TWO},
    "through_one_number": {
        "X": TWO,
        "Y": TWO,
        "direction": [1.0, 0.0],
        "depth": 3,
        "negative_slope": 0.0,
    },
    "tripoints": {"net": CLASSES, "domain": SQUARE},
    "turned_into": {"net": LINE, "X": [[1.0]], "P": [[1.0]]},
    "turned_round": {"net": LINE, "which": np.array([True])},
    "turned_to": {"net": LINE, "u": [1.0]},
    "two_rays": {
        "angle": 1.0,
        "heights": (1.0, 2.0),
        "offset": 0.0,
        "bend": 0.5,
        "along": [0.5, 1.0],
    },
    "unavoidable_slope": {"X": TWO, "Y": TWO},
    "unused_constant": {"depth": 4},
    "whole_line": {"depth": 3},
    "with_one_fewer": {"alpha": [1.0, 2.0], "V": [[1.0, 1.0]]},
    "Representations": {
        "X": [[1.0]],
        "preactivations": [[[1.0]]],
        "bias": 1.0,
        "negative_slope": 0.0,
    },
    "SubNetwork": {"matrices": [TWO], "last": 1.0},
}

# Without arguments, or filled by the library itself: what functions return, and what rooms are
# made of and pass among their own parts.
OWN = {
    *("ClassCell", "CovariancePair", "Crossing", "Descent", "Descents", "Digits", "Direction"),
    *("Ensemble", "Example", "ForceBalance", "GridLabels", "LeastWeights", "LineInterpolant"),
    *("LinearLayersNetwork", "Member", "Oracle", "PaidInterpolant", "Peaks", "PlaneInterpolant"),
    *("Region", "RegularisedFit", "SecondDirections", "ShallowOptimum", "ShallowProblem", "Triod"),
    *("Tripoint", "basic_weights", "cross_network", "example_networks", "fold_network"),
    *("least_network", "merged", "mnist", "mnist_subset", "ten_points", "unit_atoms", "weighted"),
}

SOME = [None, "text", 3, object(), {}]
RANGE = [None, "text", 3, [1, 2], object()]
MORE = {
    "B": NEVER_NEGATIVE,
    "N": [*FROM_ONE, 3],
    "P": ARRAY,
    "Q": ARRAY,
    "T": ARRAY,
    "V": ARRAY,
    "Z_last": ARRAY,
    "along": ARRAY,
    "amplitude": NUMBER,
    "angle": NUMBER,
    "bend": NUMBER,
    "bends": ARRAY,
    "beta": NUMBER,
    "biases": NUMBER,
    "centres": ARRAY,
    "centring": FLAG,
    "changes": ARRAY,
    "cosine": NUMBER,
    "d": FROM_ONE,
    "decades": NEVER_NEGATIVE,
    "dimension": FROM_ONE,
    "direction": ARRAY,
    "directions": FROM_ONE,
    "each": WHOLE,
    "end_slopes": NUMBER,
    "extra": WHOLE,
    "factors": ARRAY,
    "free": [each for each in ARRAY if each is not None],
    "g": NETWORK,
    "half": POSITIVE,
    "heights": [*ARRAY, [1.0]],
    "identities": WHOLE,
    "inner": NETWORK,
    "jobs": [each for each in WHOLE if each is not None and each != -1],
    "k": FROM_ONE,
    "kind": WORD,
    "kink": NEVER_NEGATIVE,
    "labels": [*SOME, [[0.5]], [[0], [1, 2]]],
    "last": NUMBER,
    "limit": NUMBER,
    "matrices": ARRAY,
    "multiplier": [each for each in ARRAY if each is not None],
    "n": WHOLE,
    "networks": [*SOME, [], [3]],
    "noise": NEVER_NEGATIVE,
    "offset": NUMBER,
    "outer": NETWORK,
    "output_bias": FLAG,
    "parameters": [None, "text", 3, {"a": 1}, [3], object()],
    "parts": FROM_ONE,
    "place": [*WHOLE, 9],
    "preactivations": ARRAY,
    "prices": [*(each for each in ARRAY if each is not None), [-1.0, 1.0], [1.0]],
    "projected": FLAG,
    "r": NEVER_NEGATIVE,
    "ray": [*SOME, [0.5, 1], [1, 0], [0]],
    "rng": [None, 0, "0", np.random, object()],
    "rounds": FROM_ONE,
    "scale": [*ARRAY, [0.0], [1.0, 2.0]],
    "scheduler": [],
    "seed": WHOLE,
    "shift": NUMBER,
    "slope": POSITIVE,
    "start": SOME,
    "steepness": NUMBER,
    "sums": [*ARRAY, [1.0]],
    "t": ARRAY,
    "target": ARRAY,
    "task": [None, "text", 3, []],
    "teacher": NETWORK,
    "theta": [*NUMBER, 0.0, 4.0, -1.0],
    "u": ARRAY,
    "unit_directions": FLAG,
    "units": WHOLE,
    "v": ARRAY,
    "values": ARRAY,
    "variables": FROM_ONE,
    "which": [*SOME, [1], [True, False]],
    "width": FROM_ONE,
}
OTHERWISE = {
    ("alignment_condition", "A"): NEVER_NEGATIVE,
    ("cheapest_direction", "A"): NEVER_NEGATIVE,
    ("alignment_condition", "power"): NUMBER,
    ("even_directions", "power"): WHOLE,
    ("ball_volume", "d"): [each for each in WHOLE if type(each) is not list],
    ("bump_network", "directions"): ARRAY,
    # Fractions are welcome there, and whole numbers of any size.
    **{
        (f"exact_{what}", name): [None, "text", object(), {}, [np.nan], [1j], [None], ["a"]]
        for what in ("slopes", "certificate", "interpolation_cost")
        for name in ("x", "y")
    },
    ("chained", "shift"): [each for each in ARRAY if each is not None],
    ("shifted_teacher", "shift"): [each for each in ARRAY if each is not None],
    ("descend_smoothed", "tikhonov"): [*ARRAY, [], [0.0], [-1.0]],
    ("descend", "start"): SOME,
    ("least_weights", "units"): ARRAY,
    ("random_network_on_rays", "units"): [*RANGE, range(0), range(0, 3)],
    ("random_network_on_rays", "spread"): NEVER_NEGATIVE,
    ("random_spline", "knots"): [*RANGE, range(0), range(80)],
    ("taught_rank_five", "rank"): FROM_ONE,
    ("taught_rank_five", "n"): FROM_ONE,
    ("labels_on_grid", "n"): FROM_ONE,
    ("maximum_network", "c"): ARRAY,
    ("taught", "widths"): [None, "1", 3, [], (1,), (1, 0), (1, 2.5), (1, "2"), object()],
    # Several distances are as good as one.
    ("radial_bump", "r"): [each for each in NEVER_NEGATIVE if type(each) is not list],
    ("padded", "bias"): NUMBER,
    ("sphere_area", "d"): [each for each in FROM_ONE if type(each) is not list],
    ("nonnegative_descents", "starts"): FROM_ONE,
    ("most_bordering", "labels"): SOME,
    ("random_two_layer", "units"): WHOLE,
    ("random_two_layer", "variables"): WHOLE,
    ("derivative_rank", "Z"): [*ARRAY, [[0.5]], [1.0, 2.0]],
    ("frank_wolfe", "strength"): POSITIVE,
    ("column_generation", "strength"): POSITIVE,
}


def wrong_values(function: str, argument: str) -> list:
    own = OTHERWISE.get((function, argument))
    return {**KINDS, **MORE}[argument] if own is None else own


def listed_functions() -> dict:
    """What the rooms list and the package does not, by name."""
    found = {}
    for room in ROOMS:
        module = import_module(f"repcost.{room}")
        found |= {name: getattr(module, name) for name in module.__all__}
    public = set(import_module("repcost").__all__)
    return {name: found[name] for name in sorted(found) if name not in public | OWN}
