"""What a cone programme proposes, where the output bias decides: g and S, and the units they touch.

A line stays below rho on an interval exactly where it stays below some line u_1 + u_2 t with
|u| <= 1 at its two ends, for those are the tangents of rho and the lines below them. So the dual of
the first page is linear in g, S and these u, but for the discs |u| <= 1; and the price of a
disc is a vector (m, m t) of the length of m rho(t): a unit that bends by m at t.

In units of `scale` for y, so that bends are near one; S pays by its square, over the scale then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy import sparse

from repcost.cones import balls, nonnegative, propose, zeros
from repcost.costs.paid_biases.arguments import Output
from repcost.costs.paid_biases.points import Points, Values
from repcost.scales import exponent_of

__all__ = ["Kind", "Proposed", "Units", "ask"]

# Which way units face (+1: to the right), and the sign of their bends.
Kind = tuple[int, int]
_ALL: list[Kind] = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


@dataclass(frozen=True, eq=False)
class Units:
    """Where each bends, by how much, and which way it faces."""

    at: Values
    sizes: Values
    facing: Values


@dataclass(frozen=True, eq=False)
class Proposed:
    g: Values
    S: float
    units: Units


@dataclass(frozen=True, eq=False)
class _Lines:
    """The lines of one kind: their values at the ends of each interval, and where these ends are.

    start, end: (n, n + 1), linear in (g, S). places: (n, 4), (1, x) / rho of the start and the end;
    (0, -1) and (0, 1) at infinity.
    """

    kind: Kind
    start: sparse.csr_array
    end: sparse.csr_array
    places: Float[np.ndarray, "n 4"]


def ask(points: Points, output: Output) -> Proposed:
    """The programme for output "free", where the points rise or fall, or "paid"."""
    n = len(points.x)
    scale = 2.0 ** exponent_of(points.turns, points.slopes)
    # Points that rise are best fitted by units that all rise (the first page).
    rising = float(np.sign(points.slopes.sum()))
    rise = 1 if rising >= 0 else -1
    kinds = _ALL if output == "paid" else [(1, rise), (-1, -rise)]
    lines = [_lines(points, kind) for kind in kinds]
    count = n * len(kinds)
    fixed: Any = _fixed(n, 1 if output == "paid" else 2)
    equal: Any = _beside(fixed, sparse.csr_array((fixed.shape[0], 2 * count)))
    discs = _discs(n, count)
    rows: Any = sparse.csc_array(sparse.vstack([equal, _below(lines), discs]))
    right = np.zeros(rows.shape[0])
    right[-3 * count :: 3] = 1.0
    cones = [*zeros(equal.shape[0]), *nonnegative(2 * count), *balls(3, count)]
    gain = np.concatenate([points.turns / scale, [points.y[0] / scale], np.zeros(2 * count)])
    gain[0] = points.slopes[0] / scale
    square = sparse.csc_array(([1 / scale], ([n], [n])), shape=(len(gain), len(gain)))
    quadratic = square if output == "paid" else None
    found = propose(quadratic, -gain, rows, right, cones, tolerance=1e-12, second_try=True)
    prices = -scale * found.prices[-3 * count :].reshape(count, 3)[:, 1:]
    return Proposed(found.x[:n], float(found.x[n]), _units(points, kinds, prices))


def _fixed(n: int, count: int) -> sparse.csr_array:
    """g is 0 at the last point; of two, S is 0 too."""
    return sparse.csr_array(np.eye(count, n + 1, n - 1))


def _lines(points: Points, kind: Kind) -> _Lines:
    n = len(points.x)
    values: Any = sparse.eye_array(n, n + 1, format="csr")
    far = sparse.csr_array(np.eye(1, n + 1, n))
    if kind[0] < 0:
        # g - G + S t
        ones = sparse.csr_array((-np.ones(n), (np.arange(n), np.zeros(n, int))), shape=(n, n + 1))
        widths = points.widths_from_first
        moved = sparse.csr_array((widths, (np.arange(n), np.full(n, n))), shape=(n, n + 1))
        values = sparse.csr_array(values + ones + moved)
    ends = np.stack([1 / points.rho, points.x / points.rho], axis=1)
    over_rho = sparse.csr_array(sparse.diags_array(1 / points.rho) @ values)
    # Units that face right bend left of the last point, the others right of the first one.
    if kind[0] > 0:
        start, end = sparse.vstack([far, over_rho[:-1]]), over_rho
        places = np.hstack([np.vstack([[0.0, -1.0], ends[:-1]]), ends])
    else:
        start, end = over_rho, sparse.vstack([over_rho[1:], far])
        places = np.hstack([ends, np.vstack([ends[1:], [0.0, 1.0]])])
    return _Lines(kind, sparse.csr_array(start), sparse.csr_array(end), places)


def _below(lines: Sequence[_Lines]) -> sparse.csr_array:
    """sign (line) - u_1 - u_2 t <= 0 at both ends of each interval."""
    values = [kind.kind[1] * part for kind in lines for part in (kind.start, kind.end)]
    blocks = [
        sparse.block_diag([row[None, :] for row in kind.places[:, half]])
        for kind in lines
        for half in (slice(0, 2), slice(2, 4))
    ]
    pairs = [sparse.vstack(blocks[i : i + 2]) for i in range(0, len(blocks), 2)]
    return _beside(sparse.vstack(values), -sparse.block_diag(pairs))


def _discs(n: int, count: int) -> sparse.csr_array:
    """(1, u) for each disc."""
    rows = 3 * np.repeat(np.arange(count), 2) + np.tile([1, 2], count)
    columns = n + 1 + np.arange(2 * count)
    shape = 3 * count, n + 1 + 2 * count
    return sparse.csr_array((-np.ones(2 * count), (rows, columns)), shape=shape)


def _beside(left, right) -> sparse.csr_array:
    return sparse.csr_array(sparse.hstack([left, right]))


def _units(points: Points, kinds: Sequence[Kind], prices: Float[np.ndarray, "count 2"]) -> Units:
    """What the prices of the discs are: (m, m t), the sign of the kind left out."""
    facing, sign = np.repeat(np.array(kinds, dtype=float), len(points.x), axis=0).T
    low = np.concatenate([[-np.inf], points.x[:-1]]), points.x
    high = points.x, np.concatenate([points.x[1:], [np.inf]])
    lows = np.concatenate([low[0] if kind[0] > 0 else low[1] for kind in kinds])
    highs = np.concatenate([high[0] if kind[0] > 0 else high[1] for kind in kinds])
    masses = np.maximum(prices[:, 0], 0.0)
    used = masses > 0
    at = np.clip(prices[used, 1] / masses[used], lows[used], highs[used])
    return Units(at, (sign * masses)[used], facing[used])
