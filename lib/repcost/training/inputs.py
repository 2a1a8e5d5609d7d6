"""What `train` may be asked, checked before anything starts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from repcost.arrays import same_length
from repcost.bounds import Bracket
from repcost.conversions import as_floats
from repcost.scalars import whole_number
from repcost.training.architectures import Architecture
from repcost.training.objectives import Objective, points
from repcost.training.recipes import NumberType, Recipe

Rows = Float[np.ndarray, "n _"]

# Between two numbers within these, differences are numbers too.
_LARGEST: Mapping[NumberType, float] = {"float64": 8e307, "float32": 1e38}


def several(value, kind: type, name: str) -> tuple:
    """One of a kind, or several, as a tuple of several."""
    listed = isinstance(value, Iterable) and not isinstance(value, str)
    several = (value,) if isinstance(value, kind) else tuple(value) if listed else ()
    if not several or not all(isinstance(one, kind) for one in several):
        raise ValueError(f"{name} must be an {kind.__name__} or several of them, not {value!r}")
    # Both kinds compare by value, so equal ones are the same wherever they were made.
    if len(set(several)) < len(several):
        raise ValueError(f"{name} holds the same one twice; leave one out")
    return several


def checked_seeds(seeds: Sequence[int]) -> tuple[int, ...]:
    if not isinstance(seeds, Sequence | np.ndarray) or np.ndim(seeds) != 1 or not len(seeds):
        wanted = "whole numbers from 0, at least one, in a list or a range"
        raise ValueError(f"seeds must be {wanted}; not {seeds!r}")
    whole = tuple(
        seed
        if isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0
        else whole_number(seed, f"seeds[{place}]", 0)
        for place, seed in enumerate(seeds)
    )
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


def checked_data(
    data, architecture: Architecture, objective: Objective, dtype: NumberType = "float64"
) -> tuple[Rows, Rows]:
    if not isinstance(data, Sequence | np.ndarray) or isinstance(data, str) or len(data) != 2:
        raise ValueError("data must be a pair (X, Y): points, and values or labels")
    X, Y = points(data[0]), objective.targets(data[1], architecture.widths[-1])
    same_length(X=X, Y=Y)
    inputs = architecture.widths[0]
    if X.shape[1] != inputs:
        wanted = f"the architecture takes {inputs}; points are rows"
        raise ValueError(f"X has {X.shape[1]} columns, but {wanted}")
    for name, array in (("X", X), ("Y", Y)):
        if np.abs(array).max(initial=0.0) > _LARGEST[dtype]:
            beyond = f"{name} holds numbers beyond {_LARGEST[dtype]:g}"
            raise ValueError(f"{beyond}, too large to train on in {dtype}; scale it")
    return X, Y


def _bounds_and_gap(target) -> tuple[np.ndarray, float]:
    wanted = "(lower bound, relative gap), finite and with a positive gap"
    pair = isinstance(target, Sequence) and not isinstance(target, str) and len(target) == 2
    if not pair:
        remedy = "; give (bracket.lower, gap)" if isinstance(target, Bracket) else ""
        raise ValueError(f"target must be {wanted}, not {target!r}{remedy}")
    bounds, gap = as_floats(target[0], "target"), as_floats(target[1], "target")
    if gap.ndim or not (np.isfinite(bounds).all() and 0 < gap < np.inf):
        raise ValueError(f"target must be {wanted}, not {target!r}")
    return bounds, float(gap)


def checked_target(
    target, shape: tuple[int, int, int]
) -> tuple[Float[np.ndarray, " members"], float | None]:
    """The lower bound of each member, and the relative gap."""
    bounds, gap = (-np.inf, None) if target is None else _bounds_and_gap(target)
    bounds = np.asarray(bounds, dtype=np.float64)
    if bounds.shape not in ((), (shape[1],)):
        numbers = f"{bounds.size} bounds for {shape[1]} objectives"
        raise ValueError(f"target has {numbers}; give one, or one for each")
    # A bound belongs to an objective: for every architecture and every seed the same.
    return np.broadcast_to(bounds.reshape(1, -1, 1), shape).ravel(), gap
