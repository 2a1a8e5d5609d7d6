"""What a cost counts stands on its Bracket, and is what it counts."""

import dataclasses
import inspect
import math
import re
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

import repcost as rc
import repcost.costs
from repcost import DeepNet, Objective, TwoLayer
from repcost.conventions import (
    ALL_OF_WEIGHTS,
    ALL_OF_WEIGHTS_AND_BIASES,
    HALF_OF_WEIGHTS,
    HALF_OF_WEIGHTS_AND_BIASES,
    HALF_WITH_HIDDEN_BIASES,
    HALF_WITH_HIDDEN_BIASES_BESIDE_A_LINE,
    PER_LAYER,
    WEIGHTS_OVER_DEPTH,
    Convention,
    all_with_biases,
)
from repcost_book.pages.rooms import public
from tests.cost_problems import COSTS, Attained, line

ALL = [
    HALF_OF_WEIGHTS,
    HALF_OF_WEIGHTS_AND_BIASES,
    HALF_WITH_HIDDEN_BIASES,
    WEIGHTS_OVER_DEPTH,
    ALL_OF_WEIGHTS,
    ALL_OF_WEIGHTS_AND_BIASES,
    PER_LAYER,
    Convention("the squares", "biases free"),
    *map(all_with_biases, (0.5, 2.0)),
]
PLANE = DeepNet([[[1, 0], [0, 1]]], [[0, 0]])
SQUARE, CIRCLE = ([0, 0], [1, 1]), [[1, 0], [0, 1], [-1, 0], [0, -1]]
# What counts no weights: ranks, lengths, distances.
NO_COSTS = {
    "antipodal_margin": lambda: rc.antipodal_margin(PLANE, CIRCLE),
    "bottleneck_rank": lambda: rc.bottleneck_rank(PLANE, SQUARE),
    "covariance_rank": lambda: rc.covariance_rank([[1.0]], [[2.0]], 1.0),
    "cp_rank": lambda: rc.cp_rank([[2.0, 1.0], [1.0, 2.0]]),
    "jacobian_rank": lambda: rc.jacobian_rank(PLANE, SQUARE),
    "shortest_open_tour": lambda: rc.shortest_open_tour(CIRCLE),
    "triod_margin": lambda: rc.triod_margin(PLANE, [[1, 0], [0, 1], [-1, -1]], [0, 0]),
    "truncation_error": lambda: rc.truncation_error(PLANE, SQUARE, layer=0, rank=1),
    "widest_triod": lambda: rc.widest_triod(PLANE, SQUARE).margin,  # pyright: ignore[reportOptionalMemberAccess]
}


# Measured


@pytest.mark.parametrize(
    "make", [pytest.param(make, id=name) for name, cases in COSTS.items() for make in cases]
)
def test_the_network_attains_the_cost_by_its_own_convention_and_by_no_other(make):
    case = make()
    upper, counts = case.bracket.upper, case.counts
    assert case.price(counts) == pytest.approx(upper, rel=1e-5)
    for other in ALL:
        if not alike(counts, other, case):
            assert case.price(other) != pytest.approx(upper, rel=1e-3), other


def alike(one: Convention, other: Convention, case: Attained) -> bool:
    """Whether no network of this depth can tell the two apart, or none without biases."""
    # What is free beside the network is not in it.
    both = one, other
    hidden = all(each.biases.startswith("hidden") for each in both)
    # Where the last bias is nearly nothing, nobody can tell whether it is paid for.
    last = any(np.max(np.abs(bias), initial=0.0) > 0.1 for bias in case.biases[-1:])
    paid = all(each.biases.startswith("hidden") or each.biases == "biases paid" for each in both)
    hidden |= paid and not last and one.bias == other.bias
    same_biases = hidden or (one.biases, one.bias) == (other.biases, other.bias)
    depth = len(case.weights)
    return one.factor(depth) == other.factor(depth) and (same_biases or not has_biases(case))


def has_biases(case: Attained) -> bool:
    return any(np.any(bias) for bias in case.biases)


@pytest.mark.parametrize("name", COSTS)
def test_biases_are_told_apart_wherever_there_can_be_any(name):
    """Else the test above would take "biases free" and "biases paid" for the same."""
    cases = [make() for make in COSTS[name]]
    allowed = [case for case in cases if case.counts.biases != "no biases"]
    assert all(map(has_biases, allowed))


@pytest.mark.parametrize("name", COSTS)
def test_a_loss_has_a_penalty_and_a_cost_is_none(name):
    for case in (make() for make in COSTS[name]):
        assert case.counts.penalty == (case.loss > 0)


def test_a_wrong_convention_is_noticed():
    case = line()
    assert case.price(PER_LAYER) != pytest.approx(case.bracket.upper, rel=1e-3)


# Complete


def returned() -> Iterator[tuple[str, Any]]:
    """What public functions, methods and properties return, by name."""
    for names in public().values():
        for name, value in names.items():
            if inspect.isclass(value):
                for member, each in vars(value).items():
                    function = each.fget if isinstance(each, property) else each
                    if inspect.isfunction(function) and not member.startswith("_"):
                        yield f"{name}.{member}", get_type_hints(function).get("return")
            elif inspect.isfunction(value):
                yield name, get_type_hints(value).get("return")


def holds_brackets(kind: Any) -> bool:
    """Whether this type says what it counts, or is made of one that does."""
    if not dataclasses.is_dataclass(kind):
        return any(map(holds_brackets, get_args(kind)))
    hints = get_type_hints(kind)
    return "counts" in hints or any(map(holds_brackets, hints.values()))


# What is proved there of a loss is one number among many; `test_report_proofs` looks at it.
REPORTS = {"measure", "compare"}


def test_no_cost_of_the_library_is_forgotten():
    found = {name for name, kind in returned() if holds_brackets(kind)}
    assert found - set(NO_COSTS) - REPORTS == set(COSTS)
    assert found >= set(NO_COSTS)


@pytest.mark.parametrize("make", NO_COSTS.values(), ids=NO_COSTS)
def test_what_is_no_cost_counts_nothing(make):
    assert make().counts is None


@pytest.mark.parametrize(
    ("cost", "counts"),
    [
        (rc.interpolate_line([1.0], [2.0]).cost, WEIGHTS_OVER_DEPTH),
        (rc.interpolate_plane([[0, 0], [1, 0]], [2, 2]).cost, WEIGHTS_OVER_DEPTH),
        (rc.linear_layers_cost(rc.TwoLayer(np.zeros((0, 4)), []), 3), WEIGHTS_OVER_DEPTH),
        (rc.function_cost(TwoLayer(np.zeros((0, 2)), [], [])), HALF_OF_WEIGHTS),
        # An entry below what is summed exactly.
        (rc.function_cost(TwoLayer([[1e-200, 1.0]], [1e-150], [0.0])), HALF_OF_WEIGHTS),
    ],
)
def test_the_ways_round_the_computation_count_too(cost, counts):
    assert cost.counts == counts


def test_the_table_of_the_costs_says_what_the_brackets_say():
    table = re.search(
        r"\*\*What each counts.\*\*.*?\n\n(.*?)\n\n", str(repcost.costs.__doc__), re.S
    )
    assert table is not None
    rows = re.split(r"\n  (?=\S)", f"\n{table[1]}")[1:]
    said = dict(entry for row in rows for entry in entries(row))
    measured = {name: str(make().counts) for name, (make, *_) in COSTS.items() if "." not in name}
    assert {name: said[name] for name in measured} == measured


def entries(row: str) -> Iterator[tuple[str, str]]:
    """Names on the left of a row of the table, and what stands on its right."""
    lines = [re.split(r"\s{2,}", line.strip()) for line in row.splitlines()]
    names = re.findall(r"\w+", " ".join(line[0] for line in lines))
    return ((name, lines[0][1]) for name in names)


# The conventions themselves


def test_what_a_network_pays():
    weights, biases = [[[3.0, 0.0]], [[2.0]], [[1.0]], [[1.0]]], [[1.0], [2.0], [4.0], [0.0]]
    paid = {str(each): each.paid_by(weights, biases) for each in ALL}
    assert paid == {
        "half the squares, biases free": 7.5,
        "half the squares, biases paid": 7.5 + 10.5,
        "half the squares, hidden biases paid, output bias free": 7.5 + 10.5,
        "the squares over L, biases free": 3.75,
        "the squares, no biases": math.inf,
        "the squares, biases paid": 36.0,
        "the squares over L, biases paid": 9.0,
        "the squares, biases free": 15.0,
        "the squares, biases over 0.5 paid": 15 + 4 * 21,
        "the squares, biases over 2 paid": 15 + 21 / 4,
    }
    assert ALL_OF_WEIGHTS.paid_by(weights, list(np.zeros((4, 1)))) == 15
    # The output bias is the last one.
    for each in (HALF_WITH_HIDDEN_BIASES, HALF_WITH_HIDDEN_BIASES_BESIDE_A_LINE):
        assert each.paid_by([[[3.0]], [[2.0]]], [[1.0], [4.0]]) == 7


@pytest.mark.parametrize(
    "objective",
    [
        Objective.savarese_2019(0.1),
        Objective.savarese_2019_code(0.1),
        Objective.ongie_willett_2022(0.1),
        Objective.jacot_2022(0.1),
        Objective.jacot_2022(0.1, bias=0.5),
        Objective.jacot_2022(0.1, bias=0.0),
        Objective.jacot_2023(0.1),
        Objective.jacot_2023(0.1, per_layer=False),
    ],
)
def test_an_objective_counts_what_it_says(objective):
    net = DeepNet([[[3.0]], [[2.0]], [[1.0]]], [[1.0], [2.0], [4.0]])
    told = objective.counts.paid_by(net.weights, net.biases)
    assert told == pytest.approx(objective.cost(net), rel=1e-14)
