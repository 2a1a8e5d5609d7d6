"""Minima with lower limits: quasi-Newton steps with a limited memory, inside an open domain.

scipy's L-BFGS-B has the limits too, but its line search does not know of a domain: where the
function is infinite, as beyond a barrier, it comes to nothing. Here a step is halved until it is
back inside.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

import numpy as np
from jaxtyping import Bool, Float

Vector = Float[np.ndarray, " entries"]

# How many gradients are remembered, and steps between two looks at the curvatures.
_MEMORY, _LOOK = 8, 20
# Of the fall that the gradient promises, the share that is enough; and the shortest step.
_ENOUGH, _SHORTEST = 1e-4, 1e-12
# Steps after which it is asked whether the function has fallen enough.
_PATIENCE = 50


class Place(ABC):
    """A point with the value there, infinite outside the domain; gradients are for those inside."""

    x: Vector
    value: float

    @cached_property
    @abstractmethod
    def gradient(self) -> Vector: ...

    @cached_property
    @abstractmethod
    def curvatures(self) -> Vector:
        """About the second derivatives, one for each coordinate."""


Here = TypeVar("Here", bound=Place)


def descended(
    at: Callable[[Vector], Here], start: Vector, limits: Vector, steps: int, fall: float
) -> tuple[Here, int]:
    """A place where the function hardly falls any more, by `fall` in many steps; and the steps."""
    here, values = at(start), deque(maxlen=_PATIENCE)
    memory: deque[tuple[Vector, Vector]] = deque(maxlen=_MEMORY)
    scale = 1 / here.curvatures
    for count in range(steps):
        if len(values) == _PATIENCE and values[0] - here.value < fall:
            return here, count
        values.append(here.value)
        if count % _LOOK == 0:
            scale = 1 / here.curvatures
        free = (here.x > limits) | (here.gradient < 0)
        direction = _direction(np.where(free, here.gradient, 0.0), free, memory, scale)
        new = _along(at, here, direction, limits)
        if new is None:
            if not memory:
                return here, count
            memory.clear()
            continue
        moved, bent = new.x - here.x, np.where(free, new.gradient - here.gradient, 0.0)
        if moved @ bent > _SHORTEST * np.linalg.norm(moved) * np.linalg.norm(bent):
            memory.append((moved, bent))
        here = new
    return here, steps


def _direction(
    gradient: Vector, free: Bool[np.ndarray, " entries"], memory: deque, scale: Vector
) -> Vector:
    """The inverse of what is known of the curvature times the gradient (Nocedal 1980)."""
    q, shares = gradient.copy(), []
    for moved, bent in reversed(memory):
        shares.append((moved @ q) / (moved @ bent))
        q -= shares[-1] * bent
    if memory:
        moved, bent = memory[-1]
        q *= (moved @ bent) / (bent @ (scale * bent))
    q *= scale
    for (moved, bent), share in zip(memory, reversed(shares), strict=True):
        q += (share - (bent @ q) / (moved @ bent)) * moved
    q[~free] = 0.0
    return q if q @ gradient > 0 else scale * gradient


def _along(
    at: Callable[[Vector], Here], here: Here, direction: Vector, limits: Vector
) -> Here | None:
    """The first place on the way that is low enough, limits being kept; None if there is none."""
    length = 1.0
    while length > _SHORTEST:
        new = at(np.maximum(here.x - length * direction, limits))
        if new.value <= here.value - _ENOUGH * (here.gradient @ (here.x - new.x)):
            return new
        length /= 2
    return None
