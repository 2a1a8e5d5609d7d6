"""Transfers: up to three points in a row move between two neighbours elsewhere (Or-opt)."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool

from repcost.ranks.open_paths import Cities, OpenPath, Places
from repcost.ranks.tour_moves import WORTHWHILE, Gains, Moves, Neighbours, best_first, rows

_LONGEST_SEGMENT = 3


class Transfer(NamedTuple):
    """A segment leaves `left` and `right` for `by_head` and `by_tail`, which were neighbours."""

    gain: float
    head: int
    tail: int
    by_head: int
    by_tail: int
    left: int
    right: int


class _Segments(NamedTuple):
    """All stretches of one length, from place `start` to `stop`, and the cities around them."""

    start: Places
    stop: Places
    head: Cities
    tail: Cities
    left: Cities
    right: Cities


def transfers(path: OpenPath, near: Neighbours) -> list[Transfer]:
    """Those that gain, in which the head of the segment comes beside a near city or a gate."""
    found = [
        _transfers_of(path, _segments(path, length, backwards), near)
        for length in range(1, _LONGEST_SEGMENT + 1)
        for backwards in (False, True)
    ]
    return [Transfer(*row) for row in best_first(np.concatenate(found))]


def transferred(path: OpenPath, move: Transfer) -> bool:
    """Made, unless an earlier move changed what is next to what."""
    start, last = sorted(path.place[[move.head, move.tail]].tolist())
    edge, beside = sorted(path.place[[move.by_head, move.by_tail]].tolist())
    around = {int(path.order[start - 1]), int(path.order[last + 1])}
    as_it_was = around == {move.left, move.right} and last - start < _LONGEST_SEGMENT
    elsewhere = beside == edge + 1 and not start - 1 <= edge <= last
    if not (as_it_was and elsewhere):
        return False
    path.shift(start, last + 1, edge, move.head, move.by_head)
    return True


def _segments(path: OpenPath, length: int, backwards: bool) -> _Segments:
    start = np.arange(1, path.n + 2 - length)
    stop = start + length - 1
    ends = path.order[start], path.order[stop]
    head, tail = reversed(ends) if backwards else ends
    return _Segments(start, stop, head, tail, path.order[start - 1], path.order[stop + 1])


def _transfers_of(path: OpenPath, segments: _Segments, near: Neighbours) -> Moves:
    """Transfers of these segments: the head beside each place, with the tail on either side."""
    closing = _gain_of_closing(path, segments)
    gates = np.broadcast_to([0, path.n + 1], (len(segments.start), 2))
    target = np.concatenate([path.place[near[segments.head]], gates], axis=1)
    found = []
    for side in (1, -1):
        beside = np.clip(target + side, 0, path.n + 1)
        by_head, by_tail = path.order[target], path.order[beside]
        opening = _loss_of_opening(path, segments, by_head, by_tail)
        worthwhile = closing[:, None] - opening > WORTHWHILE
        row, column = np.nonzero(_elsewhere(segments, target, beside) & worthwhile)
        gain = closing[row] - opening[row, column]
        ends = segments.head[row], segments.tail[row]
        new = by_head[row, column], by_tail[row, column]
        found.append(rows(Transfer, gain, *ends, *new, segments.left[row], segments.right[row]))
    return np.concatenate(found)


def _gain_of_closing(path: OpenPath, segments: _Segments) -> Gains:
    """What the tour loses in length where the segment was."""
    left, right = segments.left, segments.right
    first, last = path.order[segments.start], path.order[segments.stop]
    return path.length(first, left) + path.length(last, right) - path.length(left, right)


def _loss_of_opening(
    path: OpenPath, segments: _Segments, by_head: Cities, by_tail: Cities
) -> Gains:
    """What the tour gains in length where the segment comes to lie."""
    to_head = path.length(segments.head[:, None], by_head)
    to_tail = path.length(segments.tail[:, None], by_tail)
    return to_head + to_tail - path.length(by_head, by_tail)


def _elsewhere(segments: _Segments, target: Places, beside: Places) -> Bool[np.ndarray, "g t"]:
    """Whether the places are two, joined by an edge that does not touch the segment."""
    edge = np.minimum(target, beside)
    before, after = edge < segments.start[:, None] - 1, edge > segments.stop[:, None]
    return (target != beside) & (before | after)
