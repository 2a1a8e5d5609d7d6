"""Which way a problem takes: the path norm at depth 2, plain or graded coordinates beyond."""

from dataclasses import replace
from typing import Any

import numpy as np

from repcost.costs.linear_layers.certificate import certified
from repcost.costs.linear_layers.contraction import fixed_point
from repcost.costs.linear_layers.coordinates import (
    FAINTEST,
    graded_coordinates,
    plain_coordinates,
)
from repcost.costs.linear_layers.magnitudes import Magnitudes
from repcost.costs.linear_layers.power_sums import (
    BEYOND_FLOATS,
    DEPENDENT_UP_TO_ROUNDING,
    TOO_FAR_APART,
    CertifiedEnds,
)
from repcost.costs.linear_layers.scaled_rows import Floats, ScaledRows
from repcost.rounding import UNIT
from repcost.scales import cost_scaled_back

# Rows further apart than this power of two go to the graded coordinates at once.
_COMPARABLE = 40
# With more entries than this graded coordinates take seconds to minutes, and gain less than a
# digit: there plain ones are good enough up to this relative gap.
_LARGE, _GOOD_ENOUGH = 20_000, 1e-7
# A third reason for wide ends, beside those of `power_sums`.
MUCH_ROUNDING = "rounding is larger than rtol"


def path_norms(rows: ScaledRows) -> CertifiedEnds:
    """Depth 2, eq. (13) of Ongie & Willett (2022): the sum of the lengths of the rows."""
    K, d = rows.directions.shape[-2:]
    shift = np.maximum(rows.exponents - rows.top[..., None], -1000)
    lengths = rows.factors * np.linalg.norm(rows.directions, axis=-1)
    value = np.where(rows.alive, np.ldexp(lengths, shift), 0.0).sum(-1)
    # Sums of d squares, a root, a product and a sum of K are rounded; faint rows may underflow.
    allowance = UNIT * (d + K + 20)
    lower = value * (1 - allowance) - K * 2.0**-990 * (value > 0)
    return CertifiedEnds(*cost_scaled_back(lower, value * (1 + allowance), rows.top, 2))


def cost_ends(rows: ScaledRows, depth: int, rtol: float) -> CertifiedEnds:
    """Both ends of Phi_L of each problem of a batch; ValueError where Phi_L is no float."""
    ends = path_norms(rows) if depth == 2 else deeper_ends(rows, depth, rtol)
    if not np.isfinite(ends.lower).all():
        raise ValueError("the cost is larger than floats go; divide a by a power of two first")
    if not np.isfinite(ends.upper).all():
        return replace(ends, reason=BEYOND_FLOATS)
    narrow = ends.upper - ends.lower <= rtol * ends.upper
    return ends if ends.reason or np.all(narrow) else replace(ends, reason=MUCH_ROUNDING)


def deeper_ends(rows: ScaledRows, depth: int, rtol: float) -> CertifiedEnds:
    """Problem by problem plain coordinates if they are good enough, or else the better of both.

    Where neither reaches `rtol`, sizes alone may still say more.
    """
    lower, upper = _plain(rows, depth, rtol)
    proven, reasons = True, []
    large = rows.directions.shape[-2] * rows.directions.shape[-1] > _LARGE
    for i in np.flatnonzero(_wide(lower, upper, max(rtol, _GOOD_ENOUGH) if large else rtol)):
        found = _graded(rows.part(i), depth, rtol)
        better = found.lower > lower[i] or found.upper < upper[i]
        lower[i], upper[i] = max(lower[i], found.lower), min(upper[i], found.upper)
        proven = proven and (found.proven or not better)
        if _wide(lower[i], upper[i], rtol):
            sizes = Magnitudes.of(rows.part(i))
            reasons.append(_why(found, lower[i], upper[i]))
            lower[i] = max(lower[i], sizes.least_cost(depth))
            upper[i] = min(upper[i], sizes.most_cost(depth))
    ends = cost_scaled_back(lower, upper, rows.top, depth)
    return CertifiedEnds(*ends, bool(proven), next(iter(reasons), ""))


def _wide(lower: Any, upper: Any, rtol: float) -> Any:
    return (upper - lower > rtol * upper) | np.isinf(upper)


def _why(found: CertifiedEnds, lower: float, upper: float) -> str:
    """What keeps the ends apart."""
    if not found.proven:
        return DEPENDENT_UP_TO_ROUNDING
    return TOO_FAR_APART if upper > 1.01 * lower else MUCH_ROUNDING


def _plain(rows: ScaledRows, depth: int, rtol: float) -> tuple[Floats, Floats]:
    """All problems with comparable rows at once; [0, infinity] for the others."""
    lower, upper = np.zeros(len(rows.top)), np.full(len(rows.top), np.inf)
    empty = ~rows.alive.any(-1)
    upper[empty] = 0.0
    easy = np.flatnonzero(~empty & (rows.spread < _COMPARABLE))
    if len(easy):
        part = rows if len(easy) == len(lower) else rows.part(easy)
        # Problems that are not sound overflow or divide by zero, and come back as [0, infinity].
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = _ends_in(part, depth, rtol, graded=False)
        lower[easy], upper[easy] = found.lower, found.upper
    return lower, upper


def _graded(rows: ScaledRows, depth: int, rtol: float) -> CertifiedEnds:
    """One problem, the rows that matter in graded coordinates."""
    # Rows this faint add less than rtol/8 together; without them the rest is easier.
    faintest = max(FAINTEST, depth / 2 * (np.log2(rtol) - np.log2(8 * len(rows.alive))))
    kept, faint = rows.split(faintest)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        found = _ends_in(kept, depth, rtol, graded=True)
    added = rows_left_out_add_little(faint, rows.top, depth)
    return CertifiedEnds(found.lower, found.upper + added, found.proven)


def _ends_in(rows: ScaledRows, depth: int, rtol: float, graded: bool) -> CertifiedEnds:
    space = graded_coordinates(rows) if graded else plain_coordinates(rows)
    point = fixed_point(space, rows.alive, depth, rtol, graded)
    return certified(space, rows.alive, point, depth, graded)


def rows_left_out_add_little(faint: ScaledRows, top: np.ndarray, depth: int) -> float:
    """Fact 9: a bound of the sum of |m_k|^(2/L) over the rows left out, scaled down by 2^top."""
    lengths = np.log2(faint.factors) + np.log2(np.linalg.norm(faint.directions, axis=-1))
    return 1.01 * float(np.exp2((lengths + faint.exponents - top) * 2 / depth).sum())
