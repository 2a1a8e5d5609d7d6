"""Clarabel behind one door: every cone programme of the library is set up and solved here.

    minimise  1/2 x^T P x + q^T x   subject to   b - A x in a product of cones.

What comes back is a proposal: whoever asks repairs it and proves both ends with arithmetic of
its own. So a solver that fails costs width, never truth, and entries that it left NaN become
zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
from jaxtyping import Float
from scipy import sparse

__all__ = ["Cone", "Proposal", "balls", "nonnegative", "propose", "zeros"]

solver: Any = clarabel  # compiled, without types

# Coarser answers come without refining the solution of each linear system: in as many steps, of
# half the time.
_FINE = 1e-9

# A csc_array: scipy's functions return one when asked to, but their types do not say so.
Columns = Any

# The kinds of cones, and how many rows one of them takes.
Cone = tuple[str, int]


@dataclass(frozen=True, eq=False)
class Proposal:
    """x: the unknown; prices: of the rows, the dual variables z; solved: what the solver says."""

    x: Float[np.ndarray, " n"]
    prices: Float[np.ndarray, " m"]
    solved: bool


def zeros(rows: int) -> list[Cone]:
    """So many rows that are equations."""
    return [("ZeroConeT", rows)]


def nonnegative(rows: int) -> list[Cone]:
    """So many rows that are not negative."""
    return [("NonnegativeConeT", rows)]


def balls(rows: int, count: int = 1) -> list[Cone]:
    """(t, v) with |v| <= t, `count` times: second-order cones of so many rows each."""
    return [("SecondOrderConeT", rows)] * count


def propose(
    quadratic: Columns | None,
    linear: Float[np.ndarray, " n"],
    rows: Columns,
    right: Float[np.ndarray, " m"],
    cones: Sequence[Cone],
    *,
    tolerance: float,
    second_try: bool = False,
) -> Proposal:
    """Solve it to `tolerance` in gap and feasibility.

    quadratic: the upper triangle of P; None for a linear objective.
    second_try: now and then Clarabel goes round in circles, and finds its way without its own
        scaling of the rows; this asks it once more so, where the first answer is not "Solved".
    """
    n = len(linear)
    # Clarabel ends the process where there is nothing to solve, or something that is no number.
    given = (linear, right, rows.data, *([] if quadratic is None else [quadratic.data]))
    if not n or not len(right) or not all(np.isfinite(part).all() for part in given):
        return Proposal(np.zeros(n), np.zeros(len(right)), solved=False)
    # Clarabel wants a matrix P in any case; one without entries costs nothing.
    programme = (
        sparse.csc_array((n, n)) if quadratic is None else quadratic,
        linear,
        rows,
        right,
        [getattr(solver, kind)(size) for kind, size in cones],
    )
    found = _solved(programme, tolerance, scaled=True)
    if second_try and not found.solved:
        # The first answer, unsolved, is still the better proposal if the second is unsolved too.
        other = _solved(programme, tolerance, scaled=False)
        found = other if other.solved else found
    return found


def _solved(programme: tuple, tolerance: float, *, scaled: bool) -> Proposal:
    settings = solver.DefaultSettings()
    settings.verbose = False
    settings.equilibrate_enable = scaled
    settings.iterative_refinement_enable = tolerance < _FINE
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    solution = solver.DefaultSolver(*programme, settings).solve()
    solved = solution.status == solver.SolverStatus.Solved
    return Proposal(np.nan_to_num(solution.x), np.nan_to_num(solution.z), solved)
