"""An open tour as an array that can be looked up both ways, and the surgery on it."""

import numpy as np
from jaxtyping import Float, Int

from repcost.ranks.spanning_trees import Points

Order = Int[np.ndarray, " n"]
# Numbers of points, and where they stand in the tour.
Cities = Int[np.ndarray, "..."]
Places = Int[np.ndarray, "..."]


class OpenPath:
    """A tour between two gates n and n + 1, at places 0 and n + 1.

    Gates have distance zero from every point, so that the tour's ends are free: an end that changes
    is an edge at a gate like any other.
    """

    def __init__(self, points: Points, order: Order):
        n = self.n = len(points)
        self.points = np.concatenate([points, np.zeros((2, points.shape[1]))])
        self.order = np.concatenate([[n], order, [n + 1]])
        self.place = np.empty(n + 2, dtype=np.int64)
        self._renumber(0, n + 2)

    def length(self, a: Cities, b: Cities) -> Float[np.ndarray, "..."]:
        steps = self.points[a] - self.points[b]
        distance = np.sqrt(np.einsum("...k,...k->...", steps, steps))
        return np.where((a >= self.n) | (b >= self.n), 0.0, distance)

    def reverse(self, start: int, stop: int) -> None:
        """What stands from `start` to before `stop`, the other way round."""
        self.order[start:stop] = self.order[start:stop][::-1].copy()
        self._renumber(start, stop)

    def shift(self, start: int, stop: int, edge: int, head: int, by_head: int) -> None:
        """The segment from `start` to before `stop` goes between the places edge and edge + 1.

        There the city `head`, one of its ends, is beside the city `by_head`.
        """
        length, forwards = stop - start, edge >= stop
        # Only what lies between the old and the new place changes; it rolls by the segment.
        low, high = (start, edge + 1) if forwards else (edge + 1, stop)
        stretch = np.roll(self.order[low:high], -length if forwards else length)
        segment = stretch[-length:] if forwards else stretch[:length]
        before = stretch[-length - 1] if forwards else self.order[edge]
        if (before == by_head) != (segment[0] == head):
            segment[:] = segment[::-1].copy()
        self.order[low:high] = stretch
        self._renumber(low, high)

    def _renumber(self, start: int, stop: int) -> None:
        self.place[self.order[start:stop]] = np.arange(start, stop)
