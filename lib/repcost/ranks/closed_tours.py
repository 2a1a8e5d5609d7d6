"""A tour that returns to its start, as a list of cities, and the surgery on it.

An open tour becomes a closed one by one more city, the gate, which lies at distance zero from all
others: where the tour passes it, its two ends are.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import no_type_check

# Cities a, b, c, d, ...: the edges (a, b), (c, d), ... go, and (b, c), ..., (last, a) come.
Chain = tuple[int, ...]


# Its methods are called a million times: checks of their types in the tests would take minutes.
@no_type_check
class ClosedTour:
    """Cities in their order, the place of each, and what to do to take changes back."""

    def __init__(self, order: Iterable[int]):
        self.order = list(order)
        self.place = [0] * len(self.order)
        self._before: list[tuple[int, list[int]]] = []
        self._number(0, self.order)

    def replace(self, start: int, cities: list[int]) -> None:
        """The same cities as stand from the place `start` on, in another order."""
        self._before.append((start, self.order[start : start + len(cities)]))
        self._number(start, cities)

    def settle(self) -> None:
        """What was done is kept."""
        self._before.clear()

    def take_back(self) -> None:
        """All that was done since it was settled."""
        while self._before:
            self._number(*self._before.pop())

    def rejoin(self, chain: Chain) -> bool:
        """Edges exchanged as the chain says, or False if that leaves more than one circle.

        The removed edges cut the tour into segments. From the one around the start of the list, the
        new edges lead from segment to segment; the tour is one if they lead through all.
        """
        cuts = sorted(self._cut(chain, i) for i in range(0, len(chain), 2))
        segments = {}
        for (before, _, head), (last, tail, _) in pairwise(cuts):
            segments[head] = before + 1, last + 1, 1, tail
            segments[tail] = before + 1, last + 1, -1, head
        (before, at, _), end = cuts[0], cuts[-1][2]
        cities, visited = [], 1
        # Ends 1 and 2, 3 and 4, ..., and the last and 0 are joined.
        while (at := (at + 1 if at % 2 else at - 1) % len(chain)) != end:
            start, stop, direction, at = segments[at]
            cities += self.order[start:stop][::direction]
            visited += 1
        if visited < len(cuts):
            return False
        self.replace(before + 1, cities)
        return True

    def _cut(self, chain: Chain, i: int) -> tuple[int, int, int]:
        """The place before the edge from chain[i] on, and which of its ends are left and right."""
        one, other = self.place[chain[i]], self.place[chain[i + 1]]
        # Places are neighbours, or the first and the last.
        if other - one in (1, 1 - len(self.order)):
            return one, i, i + 1
        return other, i + 1, i

    def _number(self, start: int, cities: Sequence[int]) -> None:
        self.order[start : start + len(cities)] = cities
        place = self.place
        for at, city in enumerate(cities, start):
            place[city] = at
