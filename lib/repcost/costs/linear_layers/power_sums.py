"""sum s_j^(2 p) over singular values, with proof: facts 3 to 6 and 8 of the room's page.

`singular_powers` is the same for a matrix on its own, which is what a product of matrices costs.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.costs.linear_layers.coordinates import (
    FAINTEST,
    Coordinates,
    graded_coordinates,
    plain_coordinates,
)
from repcost.costs.linear_layers.frames import Frame, measured
from repcost.costs.linear_layers.magnitudes import Magnitudes
from repcost.costs.linear_layers.scaled_rows import Each, Floats, ScaledRows
from repcost.rounding import UNIT
from repcost.scales import cost_scaled_back

# Why ends may lie further apart than rounding alone would leave them.
DEPENDENT_UP_TO_ROUNDING = "rows are dependent up to rounding"
TOO_FAR_APART = "rows or directions are too far apart in size"
BEYOND_FLOATS = "the upper end is larger than floats go"
# Relative gaps of single matrices above this have a reason.
_NARROW = 1e-11


@dataclass(frozen=True, eq=False)
class PowerSum:
    """A sum between value * below and value * above, apart from the rounding that fact 8 bounds."""

    value: Each
    below: Each
    above: Each


@dataclass(frozen=True, eq=False)
class CertifiedEnds:
    """lower <= what is asked for <= upper.

    proven: the number of directions behind it is. reason: why the ends are further apart than was
    asked for, if they are.
    """

    lower: Each
    upper: Each
    proven: bool = True
    reason: str = ""


def power_sum(space: Coordinates, seen: Frame, c: Floats, power: float) -> PowerSum:
    """sum s_j^(2 power) over the singular values of D_c^(-1/2) M, for 0 < power <= 1/2."""
    value = (seen.positive_sizes**power).sum(-1)
    # Facts 3 and 4, and 4 again for the basis of the coordinates; 1.1 is for the logarithms of
    # 1 + x and 1 - x.
    slack = 1.1 * power * (seen.defect + seen.turn + space.stretch)
    below, above = np.exp(-slack), np.exp(slack)
    if space.residual is not None:
        missed = 1.01 * space.residual / np.sqrt(c)
        if space.rank_known:
            above = above * missed_parts_stretch(seen, missed) ** (2 * power)
        else:
            above = above + missed_parts_add(missed, power) / value
    return PowerSum(value, below, above)


def missed_parts_stretch(seen: Frame, missed: Floats) -> Each:
    """Fact 5: a bound of |T|, where row k of X has a part of length missed_k outside the basis."""
    lengths = np.sqrt(seen.positive_sizes)
    spilled = ((np.abs(seen.Z) + seen.error) * missed[..., None]).sum(-2) / lengths
    # (X V)^+ = D^(-1/2) (1 + F)^(-1) B^T with |F| <= defect.
    factor = np.linalg.norm(spilled / lengths, axis=-1)
    factor = factor + 1.1 * seen.defect * np.linalg.norm(spilled, axis=-1) / lengths.min(-1)
    return 1 + 1.1 * factor


def missed_parts_add(missed: Floats, power: float) -> Each:
    """Fact 6: what K rows of these lengths add to the sum at most."""
    K = missed.shape[-1]
    return 1.01 * K ** (1 - power) * (missed**2).sum(-1) ** power


def powers_are_rounded(seen: Frame, terms: int, *logarithms: Each) -> Each:
    """Fact 8: the relative error of sums of powers.

    One unit a term, 4 a power, and |log x| for a rounded exponent of x.
    """
    size = np.abs(np.log(seen.positive_sizes)).max(-1)
    exponents = sum(np.abs(x) for x in logarithms)
    return UNIT * (terms + seen.sizes.shape[-1] + 60 + size + exponents)


def singular_powers(A: Float[np.ndarray, "m n"], depth: int) -> CertifiedEnds:
    """Bounds of sum_j s_j^(2/L) over the singular values of A, exactly as its floats are."""
    # Tall, so that its columns are the directions to be counted.
    A = A if A.shape[0] >= A.shape[1] else A.T
    A = A[:, A.any(0)]
    rows = ScaledRows.checked(A, np.ones(len(A)), "A")
    rows = rows.part(rows.alive)
    if not A.size:
        return CertifiedEnds(0.0, 0.0)
    seen, faint = rows.split(FAINTEST)
    found = []
    if len(rows.factors) >= A.shape[1] and not len(faint.factors):
        found.append(_ends_in(plain_coordinates(rows), 1 / depth, graded=False))
    # The graded coordinates cost more, and are needed where small singular values count.
    if not found or found[0].upper > found[0].lower * (1 + _NARROW):
        found.append(_graded_ends(seen, faint, depth))
    lower, upper = max(ends.lower for ends in found), min(ends.upper for ends in found)
    reason = ""
    if upper > lower * (1 + _NARROW):
        sizes = Magnitudes.of(rows)
        lower, upper = max(lower, sizes.least_powers(depth)), min(upper, sizes.most_powers(depth))
        reason = TOO_FAR_APART if found[-1].proven else DEPENDENT_UP_TO_ROUNDING
    lower, upper = cost_scaled_back(lower, upper, rows.top, depth)
    return CertifiedEnds(float(lower), float(upper), found[-1].proven, reason)


def _graded_ends(seen: ScaledRows, faint: ScaledRows, depth: int) -> CertifiedEnds:
    """Rows that are too faint for the coordinates add to the upper end only (Rotfel'd)."""
    found = _ends_in(graded_coordinates(seen), 1 / depth, graded=True)
    added = Magnitudes.of(faint, seen.top).sum_of_row_powers(depth) if len(faint.factors) else 0.0
    return CertifiedEnds(found.lower, found.upper + added, found.proven)


def _ends_in(space: Coordinates, power: float, graded: bool) -> CertifiedEnds:
    V = np.linalg.svd(space.Y, full_matrices=False)[2].T
    seen = measured(space.Y, space.error, V, graded)
    if not seen.sound:
        return CertifiedEnds(0.0, np.inf, space.rank_known)
    total = power_sum(space, seen, np.ones(len(space.Y)), power)
    allowance = powers_are_rounded(seen, 0)
    lower = total.value * (total.below - allowance)
    upper = total.value * (total.above + 1.1 * allowance * total.above)
    return CertifiedEnds(float(lower), float(upper), space.rank_known)
