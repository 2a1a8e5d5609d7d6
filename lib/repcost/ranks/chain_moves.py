"""Moves that shorten a closed tour: up to four edges exchanged at once (Lin & Kernighan 1973).

A move is a chain t1, t2, t3, ...: the edge (t1, t2) goes, (t2, t3) comes, (t3, t4) goes, and so on,
until an edge back to t1 closes it. Only chains need be tried whose beginnings all gain: of any that
gains in all, one of the rotations is such. And t3, t5, ... are among the few cities to which a good
tour may lead from t2, t4, .... What remains is tried in depth; whether the result is one tour is
asked only of chains that gain.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import no_type_check

from repcost.ranks.closed_tours import Chain, ClosedTour

# So many new edges are tried from t2, from t4, from t6.
_BREADTHS = (5, 5, 3)
# For points whose coordinates have size one: less than this is rounding.
_WORTHWHILE = 1e-12


# As in a `ClosedTour`, types are left to those who read.
@no_type_check
@dataclass(frozen=True, eq=False)
class Shortener:
    """A tour, what edges cost by their cities, and of each city those it may lead to."""

    tour: ClosedTour
    cost: Mapping[int, Sequence[float]]
    near: Sequence[Sequence[int]]

    def shorten(self, cities: Iterable[int]) -> float:
        """What moves from these cities gain in all, and from those which the moves touch."""
        waiting, gained = dict.fromkeys(cities), 0.0
        while waiting:
            start, _ = waiting.popitem()
            while found := self._move_from(start):
                gain, chain = found
                gained += gain
                waiting.update(dict.fromkeys(chain))
        return gained

    def _move_from(self, start: int) -> tuple[float, Chain] | None:
        """The first move found from here that gains, made."""
        place, order = self.tour.place[start], self.tour.order
        # The edge after this place, and the one before it.
        after, before = order[place + 1 - len(order)], order[place - 1]
        for edge, second in ((place, after), ((place or len(order)) - 1, before)):
            gain = self.cost[start][second]
            if found := self._extended((start, second), (edge,), gain):
                return found
        return None

    def _extended(
        self, chain: Chain, removed: tuple[int, ...], gain: float
    ) -> tuple[float, Chain] | None:
        """The chain made longer until it closes with a gain.

        removed: the places before the removed edges; gain: of all edges but the closing one.
        """
        order, places, cost = self.tour.order, self.tour.place, self.cost
        size, level, last, home = len(order), len(removed), chain[-1], cost[chain[0]]
        steps, at, ends_here = cost[last], places[last], level == len(_BREADTHS)
        beside = order[at + 1 - size], order[at - 1]
        for city in self.near[last][: _BREADTHS[level - 1]]:
            so_far = gain - steps[city]
            # The others cost more.
            if so_far <= _WORTHWHILE:
                break
            if city in beside:
                continue
            at, onwards = places[city], cost[city]
            for edge, other in ((at, order[at + 1 - size]), ((at or size) - 1, order[at - 1])):
                if edge in removed:
                    continue
                open_gain = so_far + onwards[other]
                closed = open_gain - home[other]
                if ends_here and closed <= _WORTHWHILE:
                    continue
                longer = (*chain, city, other)
                if closed > _WORTHWHILE and self.tour.rejoin(longer):
                    return closed, longer
                if ends_here:
                    continue
                if found := self._extended(longer, (*removed, edge), open_gain):
                    return found
        return None
