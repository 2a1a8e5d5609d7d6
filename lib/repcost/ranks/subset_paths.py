"""The shortest path through few points, by dynamic programming over sets (Held & Karp 1962).

The best path through a set that ends at one of its points goes on from the best path through the
set without that point. A tour has a middle. That of an odd number of points is a point, at which
two paths through half of the points and itself end; that of an even number is an edge, from the end
of a path through half of the points to that of one through the others. So no sets of more than that
are needed, half the sets and less than half the work. Which entry follows from which does not
depend on the points: those tables are kept, and each size of sets is two lookups, a sum and a
minimum.
"""

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

Order = Int[np.ndarray, " n"]
# Of each member of each set of one size: the shortest path through the set that ends there. Tables
# have different shapes.
Table = Float[np.ndarray, "_ _"]


class _Size(NamedTuple):
    """All sets of one size; their members are sorted, and "member m" is the m-th of its set.

    before[m, l, S]: where the table of the next smaller size has the path through S without its
    member m that ends at the l-th of the others; step[m, l, S]: where the lengths have the way from
    there to member m.
    """

    members: Int[np.ndarray, "size sets"]
    before: Int[np.ndarray, "size others sets"]
    step: Int[np.ndarray, "size others sets"]


def shortest_path(length: Float[np.ndarray, "n n"]) -> tuple[Order, float]:
    """An order of the points whose path is shortest, at least two, and how long it is.

    >>> order, least = shortest_path(np.abs(np.subtract.outer([0.0, 5.0, 1.0], [0.0, 5.0, 1.0])))
    >>> order.tolist() in ([0, 2, 1], [1, 2, 0]), least
    (True, 5.0)
    """
    n = len(length)
    tables = [np.zeros((1, n))]
    for size in _sizes(n)[1:]:
        tables.append((tables[-1].take(size.before) + length.take(size.step)).min(axis=1))
    joined = _at_a_point(n, tables[-1]) if n % 2 else _at_an_edge(length, tables[-1])
    one, other = (_path(length, tables, end) for end in joined[:2])
    return np.array([*one[::-1], *other[n % 2 :]]), joined[2]


def _at_a_point(n: int, table: Table) -> tuple[int, int, float]:
    """The entries of the two halves of a tour that end at the same point, and how long it is."""
    meets = _meeting(n)
    through = table.ravel() + table.take(meets)
    middle = int(through.argmin())
    return middle, int(meets[middle]), float(through[middle])


def _at_an_edge(length: Float[np.ndarray, "n n"], table: Table) -> tuple[int, int, float]:
    """The same where an edge leads from the one end to the other."""
    edges = _edges(len(length))
    size, sets = table.shape
    # Sets come in the order of their members, so the first half has the first point, and the last
    # set is the rest of the first one.
    through = table[:, None, : sets // 2] + length.take(edges)
    through += table[:, : sets // 2 - 1 : -1]
    place = int(through.argmin())
    ends, number = divmod(place, sets // 2)
    one, other = divmod(ends, size)
    return (
        one * sets + number,
        other * sets + sets - 1 - number,
        float(through.ravel()[place]),
    )


def _path(length: Float[np.ndarray, "n n"], tables: list[Table], entry: int) -> list:
    """The points of the path behind an entry of the last table, from its end on."""
    sizes, points = _sizes(len(length)), []
    for level in reversed(range(len(tables))):
        member, number = divmod(entry, tables[level].shape[1])
        points.append(int(sizes[level].members[member, number]))
        if level:
            before = sizes[level].before[member, :, number]
            step = length.take(sizes[level].step[member, :, number])
            entry = int(before[(tables[level - 1].take(before) + step).argmin()])
    return points


@cache
def _sizes(n: int) -> list[_Size]:
    """Sets of one point, of two, and so on to half of the points, or the middle and half."""
    none = np.zeros((1, 0, n), dtype=np.intp)
    found = [_Size(np.arange(n)[None], none, none)]
    for size in range(2, (n + 1) // 2 + 1):
        found.append(_next_size(n, size, found[-1].members))
    return found


def _next_size(n: int, size: int, smaller: Int[np.ndarray, "less sets"]) -> _Size:
    members = np.array(list(combinations(range(n), size))).T
    # The others of each member, by their rank in the set without it.
    others = np.array([[m for m in range(size) if m != member] for member in range(size)])
    rest = members[others]
    number = _numbers(n, smaller)[(1 << rest).sum(axis=1)]
    before = np.arange(size - 1)[:, None] * smaller.shape[1] + number[:, None]
    return _Size(members, before, rest * n + members[:, None])


@cache
def _meeting(n: int) -> Int[np.ndarray, " entries"]:
    """For each entry of the last table, that of the other points with the same end; n is odd."""
    members = _sizes(n)[-1].members
    sets = (1 << members).sum(axis=0)
    number = _numbers(n, members)[(2**n - 1 - sets) | (1 << members)]
    # The rank of the end among the others and itself: how many of the others are smaller.
    rank = members - np.arange(len(members))[:, None]
    return (rank * members.shape[1] + number).ravel()


@cache
def _edges(n: int) -> Int[np.ndarray, "size size sets"]:
    """Where the lengths have the ways from each set with the first point to the others; n is even.

    From member k to member l of the rest, in place (k, l) of the set.
    """
    members = _sizes(n)[-1].members
    half = members.shape[1] // 2
    # In order in memory, as lookups would put it first.
    return np.ascontiguousarray(members[:, None, :half] * n + members[:, : half - 1 : -1])


def _numbers(n: int, members: Int[np.ndarray, "size sets"]) -> Int[np.ndarray, " subsets"]:
    """The number of each set of these, by the bits of its members."""
    number = np.zeros(2**n, dtype=np.intp)
    number[(1 << members).sum(axis=0)] = np.arange(members.shape[1])
    return number
