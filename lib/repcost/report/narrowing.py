"""Fewer units in a chain of layers, with nearly the same outputs at the points, and no larger norm.

The module is read as a chain of layers (`chains`), and rescaled to its least norm, where each
hidden unit receives as much as it sends: |w|^2 = |a|^2, w being what it takes with its bias, and a
what is taken of it. Then, layer by layer:

- units that carry little at the points go; this takes their squares away;
- of units whose values at the points are nearly proportional one is kept, the leader, and takes
  over what the others send, by least squares. Say that unit i is c_i times the leader. With
  a' = sum of c_i a_i, and both sides shared equally again, the leader costs 2 |w| |a'|, at most the
  sum of 2 c_i |w| |a_i|. If |w| over the length of its values is least for the leader, then
  c_i |w| <= |w_i|, and the sum is at most that of 2 |w_i| |a_i|, which is what all units paid.

So no step makes the norm larger. How many units go in a step is found by halving, with the error of
the outputs at all points as the judge; each layer may use its part of what is allowed.

That layers of trained networks can be made narrower is in Shenouda et al. (2024), who replace a
layer by the solution of a convex problem of its own with a bound on its width. Here there is no
bound, and no layer is trained anew.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.report.chains import Module, Sequential, chain_of, has_weights, layer
from repcost.report.graphs import Graph, Tensor
from repcost.report.rescalings import Rescalings
from repcost.report.walking import Walk

Points = Float[np.ndarray, "_ ..."]

# Of what is allowed, pruning uses this part: the rest is for weights of fewer digits.
_OF_ERROR = 0.5
# The tenth roots of ten that one minus a cosine is tried at, from 1e-14.
_ANGLES = np.logspace(-14, 0, 29)


@dataclass(frozen=True, eq=False)
class Chain:
    """A row of modules, and what it is to say at the points; places: where its layers stand."""

    parts: Sequential
    X: Tensor
    wanted: Tensor

    @property
    def places(self) -> list[int]:
        return [place for place, each in enumerate(self.parts) if has_weights(each)]

    @property
    def widths(self) -> tuple[int, ...]:
        return tuple(len(self.layer(place).weight) for place in self.places)

    def layer(self, place: int) -> Any:
        return self.parts[place]

    def error(self, fed: Tensor, start: int) -> float:
        """By which part of the largest output the outputs are off, fed from this place on."""
        for part in list(self.parts)[start:]:
            fed = part(fed)
        return float((fed - self.wanted).abs().max() / self.wanted.abs().max())

    def with_layers(self, layers: dict[int, Module]) -> "Chain":
        from torch import nn

        parts = [layers.get(place, each) for place, each in enumerate(self.parts)]
        return replace(self, parts=nn.Sequential(*parts))

    def model(self, dtype: Any) -> Sequential:
        """A copy in this precision."""
        return deepcopy(self.parts).to(dtype).requires_grad_(True).eval()

    @property
    def squared_norm(self) -> float:
        return sum(float((each.detach() ** 2).sum()) for each in self.parts.parameters())


def balanced_chain(graph: Graph, X: Points, rows: Tensor) -> Chain:
    """The cheapest of all rescalings of a graph; ValueError where that is no chain.

    rows: some of the points X, at which rescaling is tried.
    """
    import torch

    points = torch.from_numpy(np.array(X)).double()
    sizes = Walk(graph, X, torch.float64).all_sizes
    # What is no chain is refused before it is rescaled.
    parts = chain_of(graph, sizes)
    if sum(1 for each in parts if has_weights(each)) < 2:
        raise ValueError("model has no hidden layer; there is nothing to prune")
    found = Rescalings.of(graph, rows)
    if found.trusted:
        parts = chain_of(found.at(found.cheapest()[0]), sizes)
    return Chain(parts, points, graph(points))


def narrower(chain: Chain, tolerance: float) -> Chain:
    """With fewer units, and outputs within this part of the largest one."""
    import torch

    hidden = list(pairwise(chain.places))
    allowed = _OF_ERROR * tolerance
    with torch.no_grad():
        fed, start = chain.X, 0
        for number, (place, after) in enumerate(hidden, 1):
            for part in list(chain.parts)[start:place]:
                fed = part(fed)
            start = place
            step = _Step(chain, place, after, fed, allowed * number / len(hidden))
            step = replace(step, chain=step.without_idle())
            chain = step.merged()
    return chain


@dataclass(frozen=True, eq=False)
class _Step:
    """A layer and the one after it. fed: what the layer takes at the points."""

    chain: Chain
    place: int
    after: int
    fed: Tensor
    allowed: float

    def kept_if(self, makes: Callable[[int], Chain], most: int) -> Chain:
        """Of chains that have ever fewer units, the last that is near enough, by halving."""
        low, high, best = 0, most, self.chain
        while low < high:
            middle = (low + high + 1) // 2
            made = makes(middle)
            if made.error(self.fed, self.place) <= self.allowed:
                low, best = middle, made
            else:
                high = middle - 1
        return best

    def products(self) -> Tensor:
        """Of the units' values at all points and positions, each with each."""
        from torch import nn

        values = self.fed
        for part in list(self.chain.parts)[self.place : self.after]:
            values = values if isinstance(part, nn.Flatten) else part(values)
        rows = values.movedim(1, 0).flatten(1)
        return rows @ rows.T

    def squares(self) -> tuple[Tensor, Tensor]:
        """What each unit takes, its bias with it, and what is taken of it."""
        below, above = self.chain.layer(self.place), self.outgoing()
        taken = (below.weight.flatten(1) ** 2).sum(1)
        taken = taken if below.bias is None else taken + below.bias**2
        return taken, (above**2).sum(1)

    def outgoing(self) -> Tensor:
        """The weights that follow, a row for each unit: a Linear behind a Flatten has several."""
        weight = self.chain.layer(self.after).weight
        units = len(self.chain.layer(self.place).weight)
        return weight.unflatten(1, (units, -1)).movedim(1, 0).flatten(1)

    def rebuilt(self, kept: Tensor, outgoing: Tensor, grown: Tensor) -> Chain:
        """With these units only, each `grown` times as large, and the weights that follow."""
        below, above = self.chain.layer(self.place), self.chain.layer(self.after)
        factors = grown.view(-1, *[1] * (below.weight.ndim - 1))
        bias = None if below.bias is None else below.bias[kept] * grown
        sent = (outgoing / grown[:, None]).unflatten(1, (len(above.weight), -1)).movedim(0, 1)
        weight = sent.reshape(len(above.weight), -1, *above.weight.shape[2:])
        made = {
            self.place: layer(below.weight[kept] * factors, bias, below),
            self.after: layer(weight, above.bias, above),
        }
        return self.chain.with_layers(made)

    def without_idle(self) -> Chain:
        """Without the units that carry least."""
        import torch

        carried = self.products().diagonal() * self.squares()[1]
        order, outgoing = torch.argsort(carried), self.outgoing()

        def without(many: int) -> Chain:
            kept = order[many:].sort().values
            return self.rebuilt(kept, outgoing[kept], torch.ones(len(kept)).double())

        return self.kept_if(without, len(order) - 1)

    def merged(self) -> Chain:
        """With one unit in place of several that are nearly proportional."""
        products, (taken, _) = self.products(), self.squares()
        outgoing = self.outgoing()

        def merging(number: int) -> Chain:
            leaders = _leaders(products, taken, 1 - _ANGLES[number - 1])
            kept = np.unique(leaders)
            factors = products[range(len(leaders)), leaders] / products[leaders, leaders]
            sums = outgoing.new_zeros(outgoing.shape)
            sums.index_add_(0, _indices(leaders), outgoing * factors.nan_to_num()[:, None])
            grown = ((sums[kept] ** 2).sum(1) / taken[kept]).nan_to_num(1.0, 1.0) ** 0.25
            grown = grown.where(grown > 0, 1.0)
            return self.rebuilt(_indices(kept), sums[kept], grown)

        return self.kept_if(merging, len(_ANGLES))


def _leaders(products: Tensor, taken: Tensor, cosine: float) -> Sequence[int] | Any:
    """For each unit the one that takes its place, itself or another with at least this cosine.

    Those come first that take least for the length of their values.
    """
    lengths = products.diagonal().sqrt().clamp_min(1e-300)
    cosines = (products / lengths / lengths[:, None]).numpy()
    leaders = np.full(len(lengths), -1)
    for unit in np.argsort((taken.sqrt() / lengths).numpy(), kind="stable"):
        if leaders[unit] < 0:
            leaders[(leaders < 0) & (cosines[unit] >= cosine)] = unit
            leaders[unit] = unit
    return leaders


def _indices(places: Any) -> Tensor:
    import torch

    return torch.as_tensor(np.asarray(places))
