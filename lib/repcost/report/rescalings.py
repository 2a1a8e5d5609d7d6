"""What rescaling saves: all rescalings of a graph's channels that keep its function."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from repcost.report.graphs import Graph, Tensor
from repcost.report.kinds import weights_of
from repcost.report.labelling import Labelling
from repcost.report.labels import Labels, Term
from repcost.report.orbits import Orbit, cheapest, orbit_of
from repcost.report.rules import RULES

Scales = Float[np.ndarray, " classes"]

# In float64, by which part of the largest output a rescaling may change the outputs.
_SAME_OUTPUTS = 1e-9


@dataclass(frozen=True, eq=False)
class Rescalings:
    """The channels of a graph that can be rescaled, and what its squares are then.

    reasons: why other channels cannot be; trusted: whether rescaling at random kept the outputs.
    """

    graph: Graph
    labels: Labels
    terms: Mapping[str, Term]
    orbit: Orbit
    reasons: tuple[str, ...]
    trusted: bool = True

    @classmethod
    def of(cls, graph: Graph, rows: Tensor) -> "Rescalings":
        """Found by running the operations on labels, and tried at these rows."""
        found = Labelling.run(graph, rows[:2], RULES)
        orbit = orbit_of(found.labels, found.terms.values(), graph.squares)
        # Where no layer follows, outputs would be fixed anyway.
        relevant = graph.feeding([each for each in graph.steps if weights_of(graph, each)])
        reasons = [str(each) for each in found.fixed if each.step in relevant]
        made = cls(graph, found.labels, found.terms, orbit, tuple(dict.fromkeys(reasons)))
        return replace(made, trusted=made.keeps_outputs(rows))

    def keeps_outputs(self, rows: Tensor, seed: int = 0) -> bool:
        """Whether a random rescaling gives the same outputs."""
        u = np.random.default_rng(seed).normal(size=self.orbit.groups) / 2
        before, after = self.graph(rows), self.at(self.orbit.free @ u)(rows)
        return bool((after - before).abs().max() <= _SAME_OUTPUTS * before.abs().max())

    def at(self, u: Scales) -> Graph:
        """The rescaled network."""
        import torch

        classes = self.labels.classes()
        tensors: dict[str, Tensor] = {}
        for name, term in self.terms.items():
            factor = np.exp(u[classes[term.plus]] - u[classes[term.minus]])
            tensors[name] = self.graph.constants[name].tensor * torch.from_numpy(factor)
        for name, each in self.graph.constants.items():
            if each.base in tensors:
                tensors[name] = tensors[each.base].permute(each.axes)
        return self.graph.with_tensors(tensors)

    def cheapest(self) -> tuple[Scales, Mapping[str, float]]:
        """The cheapest rescaling, and the squares of each constant then."""
        u, orbit = cheapest(self.orbit.without_lonely())
        return u, orbit.squares()

    def layerwise(self, weights: Iterable[str]) -> float:
        """The least sum of squared weights if the channels of a layer are scaled alike."""
        labels, terms = replace(self.labels, ties=list(self.labels.ties)), []
        for name in dict.fromkeys(weights):
            if name in self.terms:
                terms.append(self.terms[name])
                labels.tie(terms[-1].plus, terms[-1].plus.ravel()[:1])
        orbit = orbit_of(labels, terms, self.graph.squares)
        return sum(cheapest(orbit.without_lonely())[1].squares().values())
