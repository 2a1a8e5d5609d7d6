"""The best metric for the linear layers, by branch and bound: min-R_L interpolants of points in the
plane.

R_L^(L/2) = min over T > 0, tr T = 1, of the least sum |T^(-(L-2)/2) m_k| over interpolants with
units m_k. Put P = T^(-(L-2)), so that |T^(-(L-2)/2) m| = sqrt(m^T P m), and let V(P) be the square
of that least sum. Then

    R_L^L = min over P of V(P) / N(P),    N(P) = (tr P^(-s))^(-1/s), s = 1/(L-2),

both homogeneous. V is CONCAVE: for given units (sum_k sqrt(m_k^T P m_k))^2 is a concave function of
numbers linear in P, and V is the least of such functions. Whatever V is at the corners of a cell,
it is as much between them, and every price of the dual bounds it there from below. With tr P = 1
all P are the unit disc, with eigenvalues d/2 and 1 - d/2 at
distance d from its edge, where V and N vanish together: there units become parallel. Cells are
sectors of annuli.
"""

import heapq
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.costs.linear_layers.phi import optimal_shares
from repcost.costs.plane.arcs import Arcs
from repcost.costs.plane.networks import Fit, PlaneData, best_fit, line_price
from repcost.costs.plane.programme import Units, by_vertices, cheapest_units
from repcost.networks import TwoLayer
from repcost.rounding import UNIT

Metric = Float[np.ndarray, "2 2"]
Pair = Float[np.ndarray, " 2"]

_SECTORS = 8
_TANGENTS = np.linspace(0.0, 1.0, 9)
_POLISHING = 6


@dataclass(frozen=True, order=True)
class Cell:
    """Metrics at angles `first` to `last` and depths `near` to `far` below the edge of the disc: V
    / N >= bound.
    """

    bound: float
    first: float
    last: float
    near: float
    far: float

    def parts(self) -> list[tuple[float, float, float, float]]:
        """Halves by angle or by depth, whichever weakens the bound more: the bulge of the arc, or
        the curve of N.
        """
        half, middle = (self.last - self.first) / 2, (self.first + self.last) / 2
        if half**2 > 0.2 * self.near * (1 - self.near / self.far) ** 2 and (
            self.near > 0 or half > self.far / 2
        ):
            return [
                (self.first, middle, self.near, self.far),
                (middle, self.last, self.near, self.far),
            ]
        depth = (self.near + self.far) / 2
        return [(self.first, self.last, self.near, depth), (self.first, self.last, depth, self.far)]


def mean(d: Any, depth: int) -> Any:
    """N of the matrix with eigenvalues d/2 and 1 - d/2, for one d or many: concave in d, and at
    most d/2.
    """
    s = 1 / (depth - 2)
    return d / 2 * (1 + (d / (2 - d)) ** s) ** (-1 / s)


def _slope(d: Any, depth: int) -> Any:
    """The derivative of `mean`."""
    s = 1 / (depth - 2)
    return ((2 * mean(d, depth) / d) ** (1 + s) - (mean(d, depth) / (1 - d / 2)) ** (1 + s)) / 2


def cell_bound(
    at_near: Pair, at_far: Pair, half: float, near: float, far: float, depth: int
) -> float:
    """V / N on a cell is at least this, if V is at least the given numbers at the two ends of its
    chords.

    V is linear at least along a chord, between chords, and from a chord to the edge, where it
    vanishes; a chord is nearer to the centre than its arc by a factor cos(half) at most. So for a
    tangent of N, or with d/2 in its place, the least ratio is at a corner. N / d falls with d.
    """
    shrink = float(np.cos(half))
    below_far = 1 - (1 - far) * shrink
    steepest = near / mean(near, depth) if near else 2.0
    from_far = float(at_far.min()) / below_far * steepest
    if not near:
        return from_far * (1 - 64 * UNIT / far)
    below_near = 1 - (1 - near) * shrink
    from_near = float(at_near.min()) / below_near * steepest
    # N, pulled towards the centre with the chords, on the way from the near to the far one.
    d = 1 - (1 - near - _TANGENTS * (far - near)) * shrink
    height, slope = mean(d, depth), _slope(d, depth) * shrink * (far - near)
    tangents = np.stack([height - slope * _TANGENTS, height + slope * (1 - _TANGENTS)])
    between = float(np.min(np.array([[at_near.min()], [at_far.min()]]) / tangents, axis=0).max())
    return max(from_far, min(from_near, between)) * (1 - 2**10 * UNIT / near)


@dataclass(eq=False)
class Search:
    """Branch and bound. fit: the best network so far; floor: R_L^(L/2) is at least this."""

    data: PlaneData
    arcs: Arcs
    depth: int
    rtol: float
    fit: Fit
    floor: float
    cells: int = 0
    _values: dict[tuple[float, float], float] = field(default_factory=dict)

    @property
    def ceiling(self) -> float:
        """R_L^(L/2) is at most this."""
        return self.fit.cost ** (self.depth / 2)

    @property
    def tolerance(self) -> float:
        """What is asked of the solver."""
        return min(1e-7, self.rtol / 100)

    def run(self, max_cells: int, progress: bool) -> None:
        """Splits the cell with the least bound until the gap is closed, or until nobody waits any
        longer.
        """
        with _bar(progress) as bar, suppress(KeyboardInterrupt):
            corners = np.linspace(0, 2 * np.pi, _SECTORS + 1).tolist()
            heap = [Cell(0.0, first, last, 0.0, 1.0) for first, last in pairwise(corners)]
            while True:
                self.floor = max(self.floor, float(np.sqrt(heap[0].bound)) * (1 - 8 * UNIT))
                if bar is not None:
                    bar.set_postfix_str(f"gap {1 - self.floor / self.ceiling:.1e}")
                    bar.update(self.cells - bar.n)
                if self.floor >= self.ceiling * (1 - self.rtol) or self.cells >= max_cells:
                    return
                worst = heapq.heappop(heap)
                for part in worst.parts():
                    heapq.heappush(heap, self.cell(worst.bound, *part))

    def cell(self, least: float, first: float, last: float, near: float, far: float) -> Cell:
        self.cells += 1
        at_far = np.array([self.value(angle, far) for angle in (first, last)])
        at_near = np.array([self.value(angle, near) if near else 0.0 for angle in (first, last)])
        bound = cell_bound(at_near, at_far, (last - first) / 2, near, far, self.depth)
        return Cell(max(least, bound), first, last, near, far)

    def value(self, angle: float, d: float) -> float:
        """V from below where P has its eigenvalue d/2 at half the angle; on the way the fit may
        improve.
        """
        key = (angle % (2 * np.pi), d) if d < 1 else (0.0, d)
        if key not in self._values:
            c, s = np.cos(angle / 2), np.sin(angle / 2)
            axes = np.array([[c, -s], [s, c]])
            root = (
                axes * np.sqrt([1.0, d / (2 - d)])
            ) @ axes.T  # P^(-1/2), so large that its norm is 1
            self._values[key] = self._value(root, axes[:, 0], d) ** 2 * d / 2 * (1 - 32 * UNIT)
        return self._values[key]

    def _value(self, root: Metric, along: Pair, d: float) -> float:
        """The least sum of lengths after the points are moved by `root`, from below."""
        arcs = self.arcs.moved(root)
        # Near the edge the prices of the problem in one variable are almost the best, and quick.
        lower = arcs.proven(line_price(self.data, along), self.data.y)
        if lower > self.ceiling * (1 - self.rtol / 2):
            return lower
        units = cheapest_units(arcs, self.data.y, self.tolerance)
        # cost^2 d/2 is about V.
        if units.cost * np.sqrt(d / 2) < self.ceiling * (1 - self.rtol / 4) * np.sqrt(
            mean(d, self.depth)
        ):
            self.polish(root, units)
        return max(lower, arcs.proven(units.alpha, self.data.y))

    def polish(self, root: Metric, units: Units) -> None:
        """The best units for the metric, the best metric for the units, and so on: from above only."""
        for _ in range(_POLISHING):
            vertices = by_vertices(self.arcs.moved(root), self.data.y, units, self.rtol / 100)
            proposals = [units.larger_than(1e-5), *vertices[-1:]]
            fit = best_fit(self.data, [proposal.moved(root) for proposal in proposals], self.depth)
            if fit.cost >= self.fit.cost * (1 - self.rtol / 100):
                break
            self.fit, root = fit, _best_root(fit.network, self.depth)
            units = cheapest_units(self.arcs.moved(root), self.data.y, self.tolerance)


def _best_root(net: TwoLayer, depth: int) -> Metric:
    """The T^((L-2)/2) that makes the network cheapest, divided by its norm: T ~ Z^(1/(L-1)), Z =
    sum m m^T / share.
    """
    rows = net.a[:, None] * net.W
    shares = optimal_shares(net.W, net.a, depth)
    sizes, axes = np.linalg.eigh((rows / shares[:, None]).T @ rows)
    powers = np.maximum(sizes / sizes[-1], 1e-12) ** ((depth - 2) / (2 * (depth - 1)))
    return (axes * np.maximum(powers, 1e-4)) @ axes.T


def _bar(progress: bool):
    if not progress:
        return nullcontext()
    from tqdm import tqdm

    return tqdm(desc="metrics", unit=" cells")
