"""What `train` may be asked, checked before anything starts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from reprlib import repr as short
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.arrays import finite_array, listed, same_length
from repcost.bounds import Bracket, Brackets
from repcost.scalars import positive_number, whole_numbers
from repcost.training.architectures import Architecture
from repcost.training.objectives import Objective, points
from repcost.training.recipes import NumberType, Recipe

Rows = Float[np.ndarray, "n _"]

# Between two numbers within these, differences are numbers too.
_LARGEST: Mapping[NumberType, float] = {"float64": 8e307, "float32": 1e38}


def several(value, kind: type, name: str) -> tuple:
    """One of a kind, or several, as a tuple of several."""
    kinds = f"{kind.__name__}s"
    several = (value,) if isinstance(value, kind) else listed(value, name, kinds)
    if not several or not all(isinstance(one, kind) for one in several):
        raise ValueError(f"{name} must be an {kind.__name__} or several of them, not {value!r}")
    # Both kinds compare by value, so equal ones are the same wherever they were made.
    if len(set(several)) < len(several):
        raise ValueError(f"{name} holds the same one twice; leave one out")
    return several


def checked_seeds(seeds: Sequence[int]) -> tuple[int, ...]:
    whole = whole_numbers(seeds, "seeds", 0)
    if len(set(whole)) < len(whole):
        raise ValueError("seeds holds the same one twice; it would train the same network twice")
    return whole


def checked_recipe(recipe: Recipe) -> Recipe:
    if not isinstance(recipe, Recipe):
        raise ValueError(f"recipe must be a Recipe, not {recipe!r}; give Recipe(steps=...)")
    return recipe


def check_company(
    architectures: tuple[Architecture, ...], objectives: tuple[Objective, ...]
) -> None:
    """ValueError unless one pass forward and backward serves them all."""
    other_call = "only; train others in another call"
    # What differs in widths and strengths only goes through the same operations.
    if not all(one.same_kind(architectures[0]) for one in architectures):
        alike = "architectures of one ensemble may differ in hidden widths"
        raise ValueError(f"{alike} {other_call}")
    if any(replace(one, strength=objectives[0].strength) != objectives[0] for one in objectives):
        alike = "objectives of one ensemble may differ in strength"
        raise ValueError(f"{alike} {other_call}")
    # The price of a bias of zero would be infinity times zero.
    if architectures[0].biases and np.isinf(objectives[0].bias_price):
        unpaid = "an objective with bias=0 is for networks without biases"
        raise ValueError(f"{unpaid}; set biases=False in architecture")


def checked_pair(data) -> tuple[Any, Any]:
    """Points and values, as they were given; generators are asked once."""
    wanted = "two arrays, points and values"
    parts = listed(data, "data", wanted)
    if len(parts) != 2:
        raise ValueError(f"data must be {wanted}, but it has {len(parts)} parts")
    return parts[0], parts[1]


def checked_data(
    data, architecture: Architecture, objective: Objective, dtype: NumberType = "float64"
) -> tuple[Rows, Rows]:
    data = checked_pair(data)
    try:
        X, Y = points(data[0]), objective.targets(data[1], architecture.widths[-1])
        same_length(X=X, Y=Y)
    except ValueError as error:
        raise ValueError(f"data, as (X, Y): {error}") from None
    inputs = architecture.widths[0]
    if X.shape[1] != inputs:
        wanted = f"the architecture takes {inputs}; points are rows"
        raise ValueError(f"X has {X.shape[1]} columns, but {wanted}")
    for name, array in (("X", X), ("Y", Y)):
        if np.abs(array).max(initial=0.0) > _LARGEST[dtype]:
            beyond = f"{name} holds numbers beyond {_LARGEST[dtype]:g}"
            raise ValueError(f"{beyond}, too large to train on in {dtype}; scale it")
    return X, Y


def _bounds_and_gap(target) -> tuple[Float[np.ndarray, "..."], float]:
    wanted = "target must be (lower bound, relative gap), finite and with a positive gap"
    if isinstance(target, Bracket | Brackets):
        raise ValueError(f"{wanted}, not {short(target)}; give (bracket.lower, gap)")
    parts = listed(target, "target", "two: a lower bound and a relative gap")
    if len(parts) != 2:
        raise ValueError(f"{wanted}, not {short(target)}")
    try:
        return finite_array(parts[0], "the bound", (0, 1)), positive_number(parts[1], "the gap")
    except ValueError as error:
        raise ValueError(f"{wanted}: {error}") from None


def checked_target(
    target, shape: tuple[int, int, int]
) -> tuple[Float[np.ndarray, " members"], float | None]:
    """The lower bound of each member, and the relative gap."""
    bounds, gap = (np.array(-np.inf), None) if target is None else _bounds_and_gap(target)
    if bounds.shape not in ((), (shape[1],)):
        numbers = f"{bounds.size} bounds for {shape[1]} objectives"
        raise ValueError(f"target has {numbers}; give one, or one for each")
    # A bound belongs to an objective: for every architecture and every seed the same.
    return np.broadcast_to(bounds.reshape(1, -1, 1), shape).ravel(), gap
