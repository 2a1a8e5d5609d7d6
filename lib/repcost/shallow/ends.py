"""The two ends of the least scaled loss, and a proof that takes the lower one to where it may be.

Where faces are not listed, rounds of new neurons know of the steepest one only what a search has
found. What their multiplier would prove, were there nothing steeper, is hoped for; here it is
proved, or refuted by steeper neurons, which then join the others.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from repcost.shallow.merging import Atoms, Outer
from repcost.shallow.peaks import Peaks
from repcost.shallow.problem import Multiplier, ShallowProblem

New = Float[np.ndarray, "new r"]
# Neurons added in a round.
MOST_NEW = 60
# One that is so much steeper than all that a search had found was not among them.
_STEEPER = 1 + 1e-8


@dataclass(frozen=True, eq=False)
class ScaledOptimum:
    """The two ends of the least scaled loss, and what proves them.

    lower: proven by the multiplier (N, m). upper: the scaled loss of the network of unit atoms
    (k, r) and outer weights (k, m).
    hoped: what the multiplier `promising` would prove, were no neuron steeper than `height`, as
    none of those is that were found.
    """

    lower: float
    upper: float
    multiplier: Multiplier
    atoms: Atoms
    outer: Outer
    hoped: float
    promising: Multiplier
    height: float

    @property
    def gap(self) -> float:
        return self.upper - self.lower

    @property
    def hoped_gap(self) -> float:
        return self.upper - self.hoped


def proved(
    problem: ShallowProblem, found: ScaledOptimum, rtol: float, nodes: int, is_last: bool
) -> tuple[ScaledOptimum, New]:
    """A lower end near the one hoped for; or, unless this is the last attempt, steeper atoms."""
    V = found.promising
    peaks = problem.oracle.peaks(V, found.atoms, thoroughly=True)
    steeper = _refuting(problem, found, peaks, rtol)
    if is_last or not len(steeper):
        hoped = problem.lower_bound(V, peaks.height)[0]
        spare = max(0.9 * rtol * found.upper - (found.upper - hoped), 0.05 * rtol * found.upper)
        enough = _highest(problem, V, peaks.height, hoped - spare)
        peaks = problem.oracle.proved(V, enough, nodes, found.atoms)
        steeper = _refuting(problem, found, peaks, rtol)
    lower, feasible = problem.lower_bound(V, peaks.bound)
    if lower > found.lower:
        found = replace(found, lower=lower, multiplier=feasible)
    return found, steeper


def _refuting(problem: ShallowProblem, found: ScaledOptimum, peaks: Peaks, rtol: float) -> New:
    """Steeper neurons, if there is one with which too little is left of what was hoped for."""
    hoped = problem.lower_bound(found.promising, peaks.height)[0]
    # Most of the tolerance may go to what the search has overlooked, some is left for the proof.
    if hoped >= found.upper * (1 - 0.7 * rtol):
        return peaks.atoms[:0]
    return peaks.atoms[peaks.heights > found.height * _STEEPER][:MOST_NEW]


def _highest(problem: ShallowProblem, V: Multiplier, known: float, wanted: float) -> float:
    """About the highest bound of the steepest neuron, at least `known`, that proves `wanted`."""
    low, high = known, 2 * known
    for _ in range(40):
        middle = (low + high) / 2
        is_enough = problem.lower_bound(V, middle)[0] >= wanted
        low, high = (middle, high) if is_enough else (low, middle)
    return max(low, known * (1 + 1e-9))
