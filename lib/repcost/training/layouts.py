"""Where the parameters of every member stand in one flat vector, and what they start from."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.training.architectures import Architecture
from repcost.training.objectives import Objective
from repcost.training.recipes import Recipe

# A flat numpy array or torch tensor, and views of it; both slice, reshape and swap axes alike.
Flat = Any
# Weights (stack, in, out) and bias (stack, 1, out) or None, layer by layer.
Layers = list[tuple[Any, Any]]
# The same of a single member, in one list without the missing biases.
Parts = list[Float[np.ndarray, "branches _ _"]]


@dataclass(frozen=True)
class Layout:
    """Members of the same width stand together, `members` of each architecture; a member is a stack
    of `branches`.

    The first layers of all of them share their input, so they stand side by side as the columns of
    one matrix, with
    the biases as its last row: one product serves all widths. Nothing is padded.
    """

    architectures: tuple[Architecture, ...]
    members: int

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """Where the columns of each architecture end in the matrix of first layers."""
        return tuple(
            np.cumsum(
                [self.members * a.branches * a.widths[1] for a in self.architectures]
            ).tolist()
        )

    @property
    def rows(self) -> int:
        first = self.architectures[0]
        return first.widths[0] + first.has_bias(0)

    @cached_property
    def size(self) -> int:
        rest = sum(
            self.members * a.branches * ((into + a.has_bias(layer + 1)) * out)
            for a in self.architectures
            for layer, (into, out) in enumerate(a.shapes[1:])
        )
        return self.rows * self.columns[-1] + rest

    def first_layers(self, flat: Flat) -> Flat:
        """The matrix of all first layers, (inputs + bias, columns)."""
        return flat[: self.rows * self.columns[-1]].reshape(self.rows, self.columns[-1])

    def by_member(self, matrix: Flat, which: int) -> Flat:
        """The columns of one architecture, (n, stack * width), as (stack, n, width)."""
        architecture = self.architectures[which]
        start, end = (0, *self.columns)[which : which + 2]
        stack = self.members * architecture.branches
        return (
            matrix[:, start:end].reshape(len(matrix), stack, architecture.widths[1]).swapaxes(0, 1)
        )

    def views(self, flat: Flat) -> list[Layers]:
        """The layers of each architecture, as views."""
        first, at = self.first_layers(flat), self.rows * self.columns[-1]
        result = []
        for which, architecture in enumerate(self.architectures):
            stack, inputs = self.members * architecture.branches, architecture.widths[0]
            block = self.by_member(first, which)
            layers = [(block[:, :inputs], block[:, inputs:] if architecture.has_bias(0) else None)]
            for layer, (into, out) in enumerate(architecture.shapes[1:], start=1):
                W, at = (
                    flat[at : at + stack * into * out].reshape(stack, into, out),
                    at + stack * into * out,
                )
                b = None
                if architecture.has_bias(layer):
                    b, at = flat[at : at + stack * out].reshape(stack, 1, out), at + stack * out
                layers.append((W, b))
            result.append(layers)
        return result

    def member_views(self, flat: Flat) -> list[list[Flat]]:
        """The parts of each member, in the order of the architectures."""
        result = []
        for architecture, layers in zip(self.architectures, self.views(flat), strict=True):
            parts = [part for layer in layers for part in layer if part is not None]
            k = architecture.branches
            result += [[part[i * k : (i + 1) * k] for part in parts] for i in range(self.members)]
        return result


def alone(architecture: Architecture, parts: Parts) -> Float[np.ndarray, " size"]:
    """The flat vector of a member on its own."""
    layout = Layout((architecture,), 1)
    flat = np.zeros(layout.size)
    for view, part in zip(layout.member_views(flat)[0], parts, strict=True):
        view[:] = part
    return flat


def parts_alone(architecture: Architecture, flat: Float[np.ndarray, " size"]) -> Parts:
    """The parts of a member from the flat vector of `alone`."""
    return Layout((architecture,), 1).member_views(flat)[0]


def prices(layout: Layout, objectives: list[Objective]) -> Float[np.ndarray, " size"]:
    """What the square of each parameter adds to the objective of its member."""
    flat = np.zeros(layout.size)
    for architecture, layers in zip(layout.architectures, layout.views(flat), strict=True):
        each = np.array(
            [objective.strength * objective.factor(architecture.depth) for objective in objectives]
        )
        each = np.repeat(each, architecture.branches)[:, None, None]
        for W, b in layers:
            W[:] = each
            if b is not None:
                b[:] = each * objectives[0].bias_price
    return flat


def initial_weights(
    architecture: Architecture, recipe: Recipe, seed: int, X: Float[np.ndarray, "n d"]
) -> Parts:
    """The parts of one member in the order of its views; they depend on nothing but these
    arguments.
    """
    rng = np.random.default_rng(seed)
    parts, inputs = [], X
    for layer, (into, out) in enumerate(architecture.shapes):
        W = rng.normal(scale=recipe.gain / np.sqrt(into), size=(architecture.branches, into, out))
        parts.append(W)
        if layer < architecture.linear:
            inputs = inputs @ W[0]
        elif architecture.has_bias(layer):
            spread = recipe.spread and layer == architecture.linear
            parts.append(
                _bends(W, inputs, rng) if spread else np.zeros((architecture.branches, 1, out))
            )
    return parts


def _bends(
    W: Float[np.ndarray, "1 d units"], X: Float[np.ndarray, "n d"], rng: np.random.Generator
) -> Float[np.ndarray, "1 1 units"]:
    """Biases that put the bend of each unit through a random point between two of the data."""
    start, end = X[rng.integers(len(X), size=(2, W.shape[2]))]
    at = start + rng.random((W.shape[2], 1)) * (end - start)
    return -np.einsum("kio,oi->ko", W, at)[:, None]
