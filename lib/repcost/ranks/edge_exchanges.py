"""Exchanges: two edges of a tour go, and what lay between them is turned round (2-opt)."""

from typing import NamedTuple

import numpy as np

from repcost.ranks.open_paths import OpenPath, Places
from repcost.ranks.tour_moves import Neighbours, best_first, rows


class Exchange(NamedTuple):
    """Edges (a, b) and (c, d) become (a, c) and (b, d): what lies between b and c is reversed."""

    gain: float
    a: int
    b: int
    c: int
    d: int


def exchanges(path: OpenPath, near: Neighbours) -> list[Exchange]:
    """Those that gain, in which two cities that are near become neighbours or an end changes."""
    first, second = _pairs_of_edges(path, near)
    a, b = path.order[first], path.order[first + 1]
    c, d = path.order[second], path.order[second + 1]
    before = path.length(a, b) + path.length(c, d)
    gain = before - path.length(a, c) - path.length(b, d)
    # An edge and itself make no exchange.
    gain = np.where(first < second, gain, 0.0)
    return [Exchange(*row) for row in best_first(rows(Exchange, gain, a, b, c, d))]


def exchanged(path: OpenPath, move: Exchange) -> bool:
    """Made, unless an earlier exchange removed or turned one of the edges."""
    a, b, c, d = path.place[[move.a, move.b, move.c, move.d]].tolist()
    # Both edges must still be there, and be run through in the same direction.
    if abs(b - a) != 1 or b - a != d - c:
        return False
    path.reverse(min(a, b, c, d) + 1, max(a, b, c, d))
    return True


def _pairs_of_edges(path: OpenPath, near: Neighbours) -> tuple[Places, Places]:
    """The places of edges' first cities, the earlier edge first."""
    city, neighbour = path.place[: path.n].repeat(near.shape[1]), path.place[near.ravel()]
    edge, gates = np.arange(path.n + 1), np.repeat([0, path.n], path.n + 1)
    # Joined are the two first cities of the edges, or the two second ones; or an edge at a gate
    # goes, and the tour gets another end.
    one = np.concatenate([city, city - 1, edge, edge])
    other = np.concatenate([neighbour, neighbour - 1, gates])
    return np.minimum(one, other), np.maximum(one, other)
