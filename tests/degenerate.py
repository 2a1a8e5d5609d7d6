"""Empty, thin, zero, rank-deficient and constant inputs for every public function, in one process.

Run as a script with a function's name: it prints a line for each call, and faulthandler tells where
a process ended. A library in C may end one without a word, which no test in the same process sees.
"""

import faulthandler
import itertools
import re
import sys
import warnings
from collections.abc import Iterator
from reprlib import repr as short
from typing import Any

import numpy as np

import repcost
from repcost import DeepNet, PiecewiseLinear, TwoLayer
from tests.door_cases import CALLS

MATRICES = {
    "without rows and columns": np.zeros((0, 0)),
    "without rows": np.zeros((0, 2)),
    "without columns": np.zeros((2, 0)),
    "one zero": np.zeros((1, 1)),
    "one negative number": np.array([[-1.0]]),
    "one row": np.ones((1, 3)),
    "one column": np.array([[1.0], [2.0], [4.0]]),
    "two constant rows of one": np.ones((2, 1)),
    "zeros": np.zeros((3, 2)),
    "a square of zeros": np.zeros((3, 3)),
    "constant": np.ones((3, 2)),
    "a constant square": np.ones((3, 3)),
    "rank one": np.outer([1.0, 2.0, 3.0], [1.0, -1.0]),
    "nearly rank one": np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52], [2.0, 2.0]]),
    "plain": np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]]),
}
VECTORS = {
    "empty": np.zeros(0),
    "one zero": np.zeros(1),
    "one": np.ones(1),
    "two zeros": np.zeros(2),
    "three zeros": np.zeros(3),
    "three ones": np.ones(3),
    "three": np.array([1.0, 2.0, 4.0]),
}
ONE = {"A", "K", "K_sigma", "W", "X", "Z", "S_previous", "Z_next", "circle", "points", "tips"}
FLAT = {"a", "alpha", "b", "centre", "knots", "slopes", "w", "x", "y"}


def networks() -> Iterator[Any]:
    for d, m in ((1, 1), (2, 1), (2, 2), (3, 2)):
        yield DeepNet([np.zeros((m, d))], [np.zeros(m)])
        for width, entry in itertools.product((0, 1, 3), (0.0, 1.0)):
            weights = [np.full((width, d), entry), np.full((m, width), entry)]
            yield DeepNet(weights, [np.zeros(width), np.full(m, entry)])
        # Nothing gets through the second layer, and the units of the first are one.
        yield DeepNet(
            [np.ones((2, d)), np.zeros((0, 2)), np.zeros((m, 0))],
            [np.zeros(2), np.zeros(0), np.zeros(m)],
        )
    # The smaller outer weight is next to nothing for a linear programme.
    yield DeepNet([[[1.0], [-1.0]], [[1.0, 1e-9]]], [[0.0, 0.0], [0.0]])
    yield DeepNet([np.zeros((2, 0)), np.ones((1, 2))], [np.zeros(2), np.zeros(1)])
    yield DeepNet([np.ones((2, 1)), np.zeros((0, 2))], [np.zeros(2), np.zeros(0)])
    yield TwoLayer(np.zeros((0, 2)), [], [])
    yield TwoLayer(np.zeros((2, 0)), [0.0, 0.0], [0.0, 0.0])
    yield TwoLayer(np.ones((3, 2)), np.ones(3), np.ones(3))
    yield TwoLayer(np.zeros((2, 2)), np.zeros(2), np.ones(2))


def values(function: str, argument: str) -> list[Any]:
    """What an argument may be here; its plain value where it is an option."""
    if argument in ("net", "model", "f") or (function, argument) == ("train", "architecture"):
        functions = [PiecewiseLinear([], [2.0]), PiecewiseLinear([0.0], [1.0, 1.0])]
        own = function in ("cheapest_network", "function_cost")
        return [*networks(), *(functions if own else [])]
    if argument == "Y":
        return [*MATRICES.values(), *VECTORS.values()]
    if (function, argument) in (("linear_layers_bound", "basis"), ("jacobian_rank", "points")):
        return [None, *MATRICES.values()]
    if function == "linear_layers_costs" and argument in "Wa":
        # Batches: of one each, and of none.
        plain = MATRICES if argument == "W" else VECTORS
        none = np.zeros((0, 2, 2) if argument == "W" else (0, 2))
        return [none, *(each[None] for each in plain.values())]
    if argument in ONE:
        return list(MATRICES.values())
    if argument in FLAT:
        return list(VECTORS.values())
    if argument == "bias":
        return [0.0, 1.0]
    if argument == "depth":
        return [1, 2, 3]
    if argument == "rank":
        return [0, 1]
    return [CALLS[function][argument]]


def calls(function: str) -> Iterator[dict[str, Any]]:
    arguments = list(CALLS[function])
    if function == "train":
        return trainings()
    if function in ("DeepNet", "Architecture", "Objective", "Recipe", "Bracket", "Brackets"):
        return constructions(function)
    if "domain" in arguments:
        arguments.remove("domain")
    combined = itertools.product(*(values(function, argument) for argument in arguments))
    found = (dict(zip(arguments, each, strict=True)) for each in combined)
    return (with_domain(function, each) for each in found)


def with_domain(function: str, call: dict[str, Any]) -> dict[str, Any]:
    if "domain" not in CALLS[function]:
        return call
    net = call["net"]
    d = net.dimension if isinstance(net, TwoLayer) else net.widths[0]
    return {**call, "domain": ([-1.0] * d, [1.0] * d)}


def trainings() -> Iterator[dict[str, Any]]:
    for X, y in itertools.product([*VECTORS.values(), np.zeros((2, 0))], VECTORS.values()):
        for strength, steps in ((0.0, 3), (0.1, 0)):
            recipe = repcost.Recipe(steps, polish=2, batch_size=2, rebalance_every=1)
            objective = repcost.Objective.savarese_2019(strength)
            yield {**CALLS["train"], "data": (X, y), "objective": objective, "recipe": recipe}


def constructions(function: str) -> Iterator[dict[str, Any]]:
    call = CALLS[function]
    if function in ("Bracket", "Brackets"):
        for end in (*VECTORS.values(), np.zeros((0, 2)), 0.0):
            yield {**call, "lower": end, "upper": end}
    elif function == "DeepNet":
        for weight, bias in itertools.product(MATRICES.values(), VECTORS.values()):
            yield {**call, "weights": [weight], "biases": [bias]}
        yield {**call, "weights": [], "biases": []}
    else:
        yield {**call, **({"widths": (1, 1, 1)} if function == "Architecture" else {})}


def answer(function: str, call: dict[str, Any]) -> str:
    """ "result" or the name of an argument; anything else is a finding."""
    try:
        found = getattr(repcost, function)(**call)
        # What cannot be printed is no answer.
        f"{found!s}{found!r}"
    except ValueError as error:
        named = [name for name in CALLS[function] if re.search(rf"\b{name}\b", str(error))]
        return named[0] if named else f"FINDING {error}"
    except Exception as error:
        return f"FINDING {type(error).__name__}: {error}"
    return "result"


def shapes(call: dict[str, Any]) -> str:
    return ", ".join(
        f"{name}={np.shape(value) if isinstance(value, np.ndarray) else short(value)}"
        for name, value in call.items()
    )


if __name__ == "__main__":
    faulthandler.enable()
    warnings.simplefilter("error")
    for function in sys.argv[1:]:
        seen: dict[str, int] = {}
        for call in calls(function):
            found = answer(function, call)
            if found.startswith("FINDING"):
                print(f"{function}({shapes(call)}): {found}", flush=True)
            seen[found] = seen.get(found, 0) + 1
        print(function, sum(seen.values()), seen, flush=True)
    print("alive", flush=True)
