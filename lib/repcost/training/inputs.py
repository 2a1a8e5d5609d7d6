"""What `train` may be asked, checked before anything starts."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from repcost.arrays import same_length
from repcost.training.architectures import Architecture
from repcost.training.objectives import Objective, points

Rows = Float[np.ndarray, "n _"]


def several(value, kind: type, name: str) -> tuple:
    """One of a kind, or several, as a tuple of several."""
    several = (value,) if isinstance(value, kind) else tuple(value)
    if not several or not all(isinstance(one, kind) for one in several):
        raise ValueError(f"{name} must be an {kind.__name__} or several of them, not {value!r}")
    # Both kinds compare by value, so equal ones are the same wherever they were made.
    if len(set(several)) < len(several):
        raise ValueError(f"{name} holds the same one twice; leave one out")
    return several


def checked_seeds(seeds: Sequence[int]) -> tuple[int, ...]:
    listed = np.ndim(seeds) == 1 and len(seeds) > 0
    if not listed or any(int(seed) != seed or seed < 0 for seed in seeds):
        wanted = "whole numbers from 0, at least one, in a list or a range"
        raise ValueError(f"seeds must be {wanted}; not {seeds!r}")
    if len(set(seeds)) < len(seeds):
        raise ValueError("seeds holds the same one twice; it would train the same network twice")
    return tuple(int(seed) for seed in seeds)


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


def checked_data(data, architecture: Architecture, objective: Objective) -> tuple[Rows, Rows]:
    X, Y = points(data[0]), objective.targets(data[1], architecture.widths[-1])
    same_length(X=X, Y=Y)
    inputs = architecture.widths[0]
    if X.shape[1] != inputs:
        wanted = f"the architecture takes {inputs}; points are rows"
        raise ValueError(f"X has {X.shape[1]} columns, but {wanted}")
    return X, Y


def checked_target(
    target, shape: tuple[int, int, int]
) -> tuple[Float[np.ndarray, " members"], float | None]:
    """The lower bound of each member, and the relative gap."""
    bounds, gap = (-np.inf, None) if target is None else target
    bounds = np.asarray(bounds, dtype=np.float64)
    if gap is not None and not (np.isfinite(bounds).all() and gap > 0):
        wanted = "(lower bound, relative gap), finite and with a positive gap"
        raise ValueError(f"target must be {wanted}, not {target!r}")
    if bounds.shape not in ((), (shape[1],)):
        numbers = f"{bounds.size} bounds for {shape[1]} objectives"
        raise ValueError(f"target has {numbers}; give one, or one for each")
    # A bound belongs to an objective: for every architecture and every seed the same.
    return np.broadcast_to(bounds.reshape(1, -1, 1), shape).ravel(), gap
