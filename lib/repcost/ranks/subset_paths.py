"""The shortest path through few points, by dynamic programming over sets (Held & Karp 1962).

The best path through a set that ends at one of its points goes on from the best path through the
set without that point. A tour has a middle: it is a path through about half of the points, and one
through the others that ends at the same middle point. So no sets of more than that are needed, half
the sets and less than half the work. Which entry follows from which does not depend on the points:
those tables are kept, and each size of sets is two lookups, a sum and a minimum.
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
    sizes, tables = _sizes(n), [np.zeros((1, n))]
    for size in sizes[1:]:
        tables.append((tables[-1].take(size.before) + length.take(size.step)).min(axis=1))
    meets = _meeting(n)
    # Of a set with its end, and of the rest with the same end.
    through = tables[-1].ravel() + tables[n - len(tables)].take(meets)
    middle = int(through.argmin())
    one = _path(length, tables, len(tables) - 1, middle)
    other = _path(length, tables, n - len(tables), int(meets[middle]))
    return np.array([*one[::-1], *other[1:]]), float(through[middle])


def _path(length: Float[np.ndarray, "n n"], tables: list[Table], size: int, entry: int) -> list:
    """The points of the path behind an entry of a table, from its end on."""
    sizes, points = _sizes(len(length)), []
    for level in range(size, -1, -1):
        member, number = divmod(entry, tables[level].shape[1])
        points.append(int(sizes[level].members[member, number]))
        if level:
            before = sizes[level].before[member, :, number]
            step = length.take(sizes[level].step[member, :, number])
            entry = int(before[(tables[level - 1].take(before) + step).argmin()])
    return points


@cache
def _sizes(n: int) -> list[_Size]:
    """Sets of one point, of two, and so on to half of the points and the middle."""
    none = np.zeros((1, 0, n), dtype=np.intp)
    found = [_Size(np.arange(n)[None], none, none)]
    for size in range(2, n // 2 + 2):
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
    """For each entry of the last table, that of the other points with the same end."""
    last, mate = _sizes(n)[-1].members, _sizes(n)[n - len(_sizes(n))].members
    sets = (1 << last).sum(axis=0)
    number = _numbers(n, mate)[(2**n - 1 - sets) | (1 << last)]
    # The rank of the end among the others and itself: how many of the others are smaller.
    rank = last - np.arange(len(last))[:, None]
    return (rank * mate.shape[1] + number).ravel()


def _numbers(n: int, members: Int[np.ndarray, "size sets"]) -> Int[np.ndarray, " subsets"]:
    """The number of each set of these, by the bits of its members."""
    number = np.zeros(2**n, dtype=np.intp)
    number[(1 << members).sum(axis=0)] = np.arange(members.shape[1])
    return number
