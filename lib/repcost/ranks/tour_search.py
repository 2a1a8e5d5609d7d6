"""A short open tour, made from any: two edges exchanged (2-opt), or a few neighbours moved
elsewhere (Or-opt).
"""

import numpy as np
from jaxtyping import Float, Int

from repcost.ranks.spanning_trees import Points, nearest

Order = Int[np.ndarray, " n"]
Cities = Int[np.ndarray, "..."]
Neighbours = Int[np.ndarray, "n m"]

# For points whose coordinates have size one: less than this is rounding.
_WORTHWHILE = 1e-12
_LONGEST_SEGMENT = 3


def shortened(points: Points, order: Order) -> Order:
    """The tour after no exchange or move between neighbours shortens it further."""
    tour, near = _Tour(points, order), nearest(points)
    while tour.exchange_edges(near) + tour.move_segments(near):
        pass
    return tour.order[1:-1]


class _Tour:
    """A tour between two gates n and n + 1 that have distance zero from every point, so that its
    ends are free.
    """

    def __init__(self, points: Points, order: Order):
        n = self.n = len(points)
        self.points = np.concatenate([points, np.zeros((2, points.shape[1]))])
        self.order = np.concatenate([[n], order, [n + 1]])
        self.place = np.empty(n + 2, dtype=np.int64)
        self._renumber(0, n + 2)

    def exchange_edges(self, near: Neighbours) -> int:
        """Edges (a, b), (c, d) become (a, c), (b, d): what lies between b and c is reversed. How
        many exchanges.
        """
        city, neighbour = self.place[: self.n].repeat(near.shape[1]), self.place[near.ravel()]
        edge, gates = np.arange(self.n + 1), np.repeat([0, self.n], self.n + 1)
        one = np.concatenate([city, city - 1, edge, edge])
        other = np.concatenate([neighbour, neighbour - 1, gates])
        first, second = np.minimum(one, other), np.maximum(one, other)
        a, b, c, d = (self.order[place] for place in (first, first + 1, second, second + 1))
        gain = self._length(a, b) + self._length(c, d) - self._length(a, c) - self._length(b, d)
        return sum(
            map(self._exchanged, *_best_first(np.where(first < second, gain, 0.0), a, b, c, d))
        )

    def _exchanged(self, a: int, b: int, c: int, d: int) -> bool:
        """Unless an earlier exchange removed or turned one of the edges."""
        a, b, c, d = self.place[[a, b, c, d]].tolist()
        if abs(b - a) != 1 or b - a != d - c:
            return False
        start, stop = min(a, c, b, d) + 1, max(a, b, c, d)
        self.order[start:stop] = self.order[start:stop][::-1].copy()
        self._renumber(start, stop)
        return True

    def move_segments(self, near: Neighbours) -> int:
        """Up to three points in a row, from `head` to `tail`, move between two neighbours
        elsewhere. How many moves.
        """
        found = [
            self._moves(start, start + length - 1, backwards, near)
            for length in range(1, _LONGEST_SEGMENT + 1)
            for start in [np.arange(1, self.n + 2 - length)]
            for backwards in (False, True)
        ]
        gain, *cities = (np.concatenate(column) for column in zip(*found, strict=True))
        return sum(map(self._moved, *_best_first(gain, *cities)))

    def _moves(
        self, start: Cities, stop: Cities, backwards: bool, near: Neighbours
    ) -> tuple[np.ndarray, ...]:
        """Gains, head, tail, the new neighbours of head and tail, the old ones of the segment."""
        head, tail = (
            self.order[place] for place in ((stop, start) if backwards else (start, stop))
        )
        left, right = self.order[start - 1], self.order[stop + 1]
        closing = self._length(self.order[start], left) + self._length(self.order[stop], right)
        closing = closing - self._length(left, right)
        gates = np.broadcast_to([0, self.n + 1], (len(start), 2))
        target = np.concatenate([self.place[near[head]], gates], axis=1)
        columns = []
        for side in (1, -1):
            beside = np.clip(target + side, 0, self.n + 1)
            edge = np.minimum(target, beside)
            elsewhere = (target != beside) & ((edge < start[:, None] - 1) | (edge > stop[:, None]))
            p, q = self.order[target], self.order[beside]
            opening = (
                self._length(head[:, None], p) + self._length(tail[:, None], q) - self._length(p, q)
            )
            row, column = np.nonzero(elsewhere & (closing[:, None] - opening > _WORTHWHILE))
            gain = closing[row] - opening[row, column]
            columns.append(
                (gain, head[row], tail[row], p[row, column], q[row, column], left[row], right[row])
            )
        return tuple(np.concatenate(parts) for parts in zip(*columns, strict=True))

    def _moved(self, head: int, tail: int, p: int, q: int, left: int, right: int) -> bool:
        """Unless an earlier move changed what is next to what."""
        start, stop = sorted(self.place[[head, tail]].tolist())
        edge, beside = sorted(self.place[[p, q]].tolist())
        same = {int(self.order[start - 1]), int(self.order[stop + 1])} == {left, right}
        if (
            not same
            or stop - start >= _LONGEST_SEGMENT
            or beside != edge + 1
            or start - 1 <= edge <= stop
        ):
            return False
        length = stop - start + 1
        low, high, shift = (
            (start, edge + 1, -length) if edge > stop else (edge + 1, stop + 1, length)
        )
        stretch = np.roll(self.order[low:high], shift)
        segment = stretch[-length:] if edge > stop else stretch[:length]
        before = self.order[edge] if edge < start else stretch[-length - 1]
        if (before == p) != (segment[0] == head):
            segment[:] = segment[::-1].copy()
        self.order[low:high] = stretch
        self._renumber(low, high)
        return True

    def _renumber(self, start: int, stop: int) -> None:
        self.place[self.order[start:stop]] = np.arange(start, stop)

    def _length(self, a: Cities, b: Cities) -> Float[np.ndarray, "..."]:
        steps = self.points[a] - self.points[b]
        return np.where(
            (a >= self.n) | (b >= self.n), 0.0, np.sqrt(np.einsum("...k,...k->...", steps, steps))
        )


def _best_first(
    gain: Float[np.ndarray, " moves"], *cities: Int[np.ndarray, " moves"]
) -> list[list[int]]:
    """The cities of the worthwhile moves, largest gain first."""
    worthwhile = np.flatnonzero(gain > _WORTHWHILE)
    ranked = worthwhile[np.argsort(-gain[worthwhile], kind="stable")]
    return [column[ranked].tolist() for column in cities]
