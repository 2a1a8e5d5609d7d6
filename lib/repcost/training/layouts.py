"""Where the parameters of every member stand in one flat vector."""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from repcost.training.architectures import Architecture
from repcost.training.members import MemberArrays

# A flat numpy array or torch tensor, and views of it; both slice, reshape and swap axes alike.
Flat = Any


class StackedWeights(NamedTuple):
    """A layer of all members of an architecture: (stack, in, out), and (stack, 1, out) or None."""

    weights: Any
    bias: Any


@dataclass(frozen=True)
class Layout:
    """Members of the same width stand together, `members` of each architecture.

    A member is a stack of `branches`. The first layers of all of them share their input, so they
    stand side by side as the columns of one matrix, with the biases as its last row: one product
    serves all widths. Behind it come the other layers, architecture by architecture. Nothing is
    padded.
    """

    architectures: tuple[Architecture, ...]
    members: int

    @cached_property
    def first_columns(self) -> tuple[int, ...]:
        """Where the columns of each architecture end in the matrix of first layers."""
        widths = [self._stack(a) * a.widths[1] for a in self.architectures]
        return tuple(np.cumsum(widths).tolist())

    @property
    def first_rows(self) -> int:
        """Inputs, and one more for the biases, if the first layers have any."""
        first = self.architectures[0]
        return first.widths[0] + first.has_bias(0)

    @cached_property
    def size(self) -> int:
        """The number of parameters of all members."""
        later = 0
        for a in self.architectures:
            for layer, (into, out) in enumerate(a.shapes[1:], start=1):
                # A bias is one more row of the weights.
                later += self._stack(a) * (into + a.has_bias(layer)) * out
        return self._first_size + later

    @property
    def _first_size(self) -> int:
        return self.first_rows * self.first_columns[-1]

    def _stack(self, architecture: Architecture) -> int:
        return self.members * architecture.branches

    def first_layers(self, flat: Flat) -> Flat:
        """The matrix of all first layers, (inputs + bias, columns)."""
        return flat[: self._first_size].reshape(self.first_rows, self.first_columns[-1])

    def stacked(self, matrix: Flat, which: int) -> Flat:
        """The columns of one architecture, (n, stack * width), as (stack, n, width)."""
        architecture = self.architectures[which]
        start, end = (0, *self.first_columns)[which : which + 2]
        shape = len(matrix), self._stack(architecture), architecture.widths[1]
        # A view: copies into it and out of it are those into and out of the matrix.
        return matrix[:, start:end].reshape(shape).swapaxes(0, 1)

    def views(self, flat: Flat) -> list[list[StackedWeights]]:
        """The layers of each architecture, as views of `flat`."""
        first, later = self.first_layers(flat), _Pieces(flat, self._first_size)
        return [
            [self._first_view(first, which), *self._later_views(later, architecture)]
            for which, architecture in enumerate(self.architectures)
        ]

    def _first_view(self, first: Flat, which: int) -> StackedWeights:
        # The last row of the block, if there is one more than inputs, is the bias.
        block, inputs = self.stacked(first, which), self.architectures[which].widths[0]
        has_bias = self.architectures[which].has_bias(0)
        return StackedWeights(block[:, :inputs], block[:, inputs:] if has_bias else None)

    def _later_views(self, pieces: "_Pieces", architecture: Architecture) -> list[StackedWeights]:
        stack, views = self._stack(architecture), []
        for layer, (into, out) in enumerate(architecture.shapes[1:], start=1):
            weights = pieces.next(stack, into, out)
            bias = pieces.next(stack, 1, out) if architecture.has_bias(layer) else None
            views.append(StackedWeights(weights, bias))
        return views

    def member_views(self, flat: Flat) -> list[list[Flat]]:
        """The arrays of each member, in the order of the architectures, as views of `flat`."""
        result = []
        for architecture, layers in zip(self.architectures, self.views(flat), strict=True):
            arrays, k = arrays_in(layers), architecture.branches
            for member in range(self.members):
                own = slice(member * k, (member + 1) * k)
                result.append([array[own] for array in arrays])
        return result


@dataclass
class _Pieces:
    """Takes one array after the other from a flat vector."""

    flat: Flat
    at: int

    def next(self, *shape: int) -> Flat:
        start, self.at = self.at, self.at + prod(shape)
        return self.flat[start : self.at].reshape(shape)


def arrays_in(layers: list[StackedWeights]) -> list[Any]:
    """Weights and biases in one list, without the biases that are missing."""
    return [array for layer in layers for array in layer if array is not None]


def fill(views: list[Flat], arrays: MemberArrays) -> None:
    """Write the arrays of a member where its views stand."""
    for view, array in zip(views, arrays, strict=True):
        view[:] = array


def flat_alone(architecture: Architecture, arrays: MemberArrays) -> Float[np.ndarray, " size"]:
    """The flat vector of a member on its own."""
    layout = Layout((architecture,), 1)
    flat = np.zeros(layout.size)
    fill(layout.member_views(flat)[0], arrays)
    return flat


def arrays_alone(architecture: Architecture, flat: Float[np.ndarray, " size"]) -> MemberArrays:
    """The arrays of a member from the vector of `flat_alone`."""
    return Layout((architecture,), 1).member_views(flat)[0]
