"""The nodes of the search: many in a few arrays, of which the best are taken first."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Float, Int

# Entries of one of the four arrays of the nodes that wait: a gigabyte in all.
_MOST_NUMBERS = 30_000_000


@dataclass(eq=False)
class Nodes:
    """A row for each node.

    tree: which of the functions is bounded. low, high, theta (B, N): the ranges of the products,
    and the numbers that proved `bound` (B,). sides (B, N): 1 and -1 at the points whose
    half-spaces were branched on, else 0.
    """

    tree: Int[np.ndarray, " B"]
    low: Float[np.ndarray, "B N"]
    high: Float[np.ndarray, "B N"]
    theta: Float[np.ndarray, "B N"]
    bound: Float[np.ndarray, " B"]
    sides: Float[np.ndarray, "B N"]

    @classmethod
    def roots(cls, v: Float[np.ndarray, "T N"]) -> "Nodes":
        T = len(v)
        # A little more than one, as rows of length one are rounded.
        whole = np.full(v.shape, 1 + 1e-12)
        return cls(np.arange(T), -whole, whole, v / 2, np.full(T, np.inf), np.zeros(v.shape))

    def __len__(self) -> int:
        return len(self.tree)

    def only(self, which: np.ndarray) -> "Nodes":
        return Nodes(**{name: part[which] for name, part in self.parts.items()})

    @property
    def parts(self) -> Mapping[str, np.ndarray]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


class Queue:
    """Nodes that wait. Arrays grow by doubling; what is taken leaves no hole."""

    def __init__(self, nodes: Nodes):
        self._parts, self._count = dict(nodes.parts), len(nodes)

    def __len__(self) -> int:
        return self._count

    @property
    def bounds(self) -> tuple[Int[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """The trees and the bounds of all that wait."""
        return self._parts["tree"][: self._count], self._parts["bound"][: self._count]

    def add(self, nodes: Nodes) -> None:
        end = self._count + len(nodes)
        for name, part in nodes.parts.items():
            room = self._parts[name]
            if end > len(room):
                room = np.concatenate([room, np.empty((end, *room.shape[1:]), room.dtype)])
                self._parts[name] = room
            room[self._count : end] = part
        self._count = end

    @property
    def is_long(self) -> bool:
        """Whether so many nodes wait that memory may become short."""
        return self._count * self._parts["theta"].shape[1] > _MOST_NUMBERS

    def next(self, count: int) -> Nodes:
        """Nodes that leave the queue: those with the highest bounds, or, if it is long, the last
        that came, whose children are soon done with.
        """
        if not self.is_long:
            return self._best(count)
        last = slice(max(self._count - count, 0), self._count)
        self._count = last.start
        return Nodes(**{name: part[last].copy() for name, part in self._parts.items()})

    def _best(self, count: int) -> Nodes:
        bound = self._parts["bound"][: self._count]
        everything = np.arange(self._count)
        chosen = np.argpartition(-bound, count)[:count] if self._count > count else everything
        taken = Nodes(**{name: part[chosen] for name, part in self._parts.items()})
        # The last ones move to the places that become free.
        self._count -= len(chosen)
        last = np.setdiff1d(everything[self._count :], chosen, assume_unique=True)
        free = chosen[chosen < self._count]
        for part in self._parts.values():
            part[free] = part[last]
        return taken
