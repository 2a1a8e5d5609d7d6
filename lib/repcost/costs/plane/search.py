"""The best metric for the linear layers, by branch and bound over boxes of forms (Fact 16)."""

import heapq
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from repcost.costs.plane.boxes import Ends, MetricBox, box_bound, whole_disc
from repcost.costs.plane.metrics import DiscForm, form_size
from repcost.costs.plane.parallel_units import line_prices
from repcost.costs.plane.polishing import polished
from repcost.costs.plane.prices import Prices, proven_cost
from repcost.costs.plane.problem import PlaneProblem
from repcost.costs.plane.repairs import PricedNetwork
from repcost.progress import bar
from repcost.rounding import UNIT

# So near to the edge of the disc units are nearly parallel.
_NARROW = 0.1


@dataclass(eq=False)
class MetricSearch:
    """best: the cheapest network so far; floor: R_L^(L/2) is at least this.

    alpha: prices of the two layers, whose metric is the middle of the disc.
    boxes: how many have been bounded.
    """

    problem: PlaneProblem
    best: PricedNetwork
    floor: float
    alpha: Prices
    boxes: int = 0
    # V at the corners of boxes, most of which belong to several boxes.
    _form_costs: dict[tuple[float, float], float] = field(default_factory=dict)
    _prices: dict[DiscForm, Prices] = field(default_factory=dict)

    @property
    def ceiling(self) -> float:
        """R_L^(L/2) is at most this."""
        return self.best.cost ** (self.problem.depth / 2)

    def run(self, most_boxes: int, progress: bool) -> None:
        """Halves the box of least bound until the gap is closed, or nobody waits any longer."""
        # Ctrl-C is an answer too: both ends are proven at any time.
        shows = bar(wanted=progress, what="metrics", unit=" cells")
        with shows as shown, suppress(KeyboardInterrupt):
            self._search(most_boxes, shown)

    def _search(self, most_boxes: int, shown: Any) -> None:
        heap = whole_disc()
        while True:
            # The bounds are of V / N = R_L^L; its root is rounded once.
            self.floor = max(self.floor, float(np.sqrt(heap[0].bound)) * (1 - 8 * UNIT))
            shown.set_postfix_str(f"gap {1 - self.floor / self.ceiling:.1e}")
            shown.update(self.boxes - shown.n)
            closed = self.floor >= self._nearly(self.problem.rtol)
            if closed or self.boxes >= most_boxes:
                return
            for half in heapq.heappop(heap).halves():
                heapq.heappush(heap, self.bounded(half))

    def bounded(self, box: MetricBox) -> MetricBox:
        """With a bound of its own, if that is better than the one it inherited."""
        self.boxes += 1
        far = self._form_costs_of(box, box.far)
        # At the edge itself V is only known not to be negative.
        near = self._form_costs_of(box, box.near) if box.near else (0.0, 0.0)
        bound = box_bound(box, near, far, self.problem.depth)
        return replace(box, bound=max(box.bound, bound))

    def _form_costs_of(self, box: MetricBox, edge: float) -> Ends:
        first, last = box.corners(edge)
        return self.form_cost(first), self.form_cost(last)

    def form_cost(self, form: DiscForm) -> float:
        """V(P) from below; on the way a better network may turn up."""
        if form.key not in self._form_costs:
            cost = form.form_cost(self._two_layer_cost(form)) * (1 - 32 * UNIT)
            self._form_costs[form.key] = cost
        return self._form_costs[form.key]

    def _two_layer_cost(self, form: DiscForm) -> float:
        """The least sum of lengths after the points are moved by the form's map, from below."""
        problem, point_map = self.problem, form.point_map()
        arcs, values = problem.arcs.moved(point_map), problem.samples.values
        nearby, lower = self._nearest_prices(form), 0.0
        # Near the edge the prices of the problem in one variable are almost the best, and quick.
        along = [line_prices(problem.samples, form.cheap_direction)] if form.edge < _NARROW else []
        for prices in (*along, nearby):
            lower = max(lower, proven_cost(arcs, prices, values))
            if lower > self._nearly(problem.rtol / 2):
                return lower
        units = problem.proposal(arcs, nearby)
        self._prices[form] = units.alpha
        if self._promises(form, units.cost):
            for network in polished(problem, self.best, point_map, units):
                self.best = network
        return max(lower, proven_cost(arcs, units.alpha, values))

    def _nearest_prices(self, form: DiscForm) -> Prices:
        """Those of the form that is most like this one, among all that were asked about."""
        known = min(self._prices, key=form.unlike, default=None)
        return self.alpha if known is None else self._prices[known]

    def _promises(self, form: DiscForm, two_layer_cost: float) -> bool:
        """Whether sqrt(V / N) at the form lies below the best by more than is asked for."""
        goal = self._nearly(self.problem.rtol / 4)
        size = form_size(form.edge, self.problem.depth)
        return bool(two_layer_cost * np.sqrt(form.edge / 2) < goal * np.sqrt(size))

    def _nearly(self, share: float) -> float:
        """The ceiling less this share of it."""
        return self.ceiling * (1 - share)
