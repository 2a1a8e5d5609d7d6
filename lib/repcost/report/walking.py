"""A graph run over the points, a batch at a time, with an eye on the values of its layers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.report.graphs import Graph, Step, Tensor
from repcost.report.kinds import Weights, weights_of
from repcost.report.measurements import Spectrum
from repcost.report.rules import RULES, same
from repcost.report.values import Idle, Variation, spectrum_of_points

Points = Float[np.ndarray, "_ ..."]

# Bytes that values may take at a time.
_MEMORY = 4e8
# With fewer multiplications than this all is computed in float64.
_IN_DOUBLE = 2e10
# So many points, each a row of all its positions, are compared with each other.
_FLAT_POINTS = 300
_ACTIVATIONS = {"gelu", "silu", "tanh", "sigmoid", "elu", "hardtanh", "hardswish", "mish", "selu"}
_ACTIVATIONS |= {"softplus", "celu", "log_sigmoid", "hardsigmoid", "clamp", "clamp_min"}


@dataclass(frozen=True, eq=False)
class Seen:
    """What is seen of a layer: where its values and those behind the activation are made."""

    step: Step
    weights: Weights
    units: int
    hidden: bool
    active: str
    flat: bool


@dataclass(frozen=True, eq=False)
class Walk:
    """A graph, its points, and in which precision and in how large batches they go through it."""

    graph: Graph
    X: Points
    dtype: Any

    @cached_property
    def sizes(self) -> Mapping[str, tuple[int, ...]]:
        """The shape of every value at two points."""
        import torch

        found: dict[str, tuple[int, ...]] = {}

        def see(step: Step, value: Any) -> None:
            if torch.is_tensor(value):
                found[step.name] = tuple(value.shape)

        two = torch.from_numpy(np.array(self.X[:2])).double()
        self.graph(two if len(two) > 1 else torch.cat([two, two]), see)
        return found

    @property
    def all_sizes(self) -> Mapping[str, tuple[int, ...]]:
        """Those of the points, too."""
        return {self.graph.input: (2, *self.X.shape[1:]), **self.sizes}

    @cached_property
    def layers(self) -> tuple[Seen, ...]:
        steps = [(step, weights_of(self.graph, step)) for step in self.graph.steps]
        layers = [(step, weights) for step, weights in steps if weights]
        feeding = self.graph.feeding([step for step, _ in layers])
        return tuple(
            Seen(
                step,
                weights,
                self.sizes[step.name][weights.axis],
                step.name in feeding,
                self._active(step),
                len(self.sizes[step.name]) > 2,
            )
            for step, weights in layers
        )

    def _active(self, step: Step) -> str:
        """The value behind the activation, if there is one that sees this layer."""
        users = self.graph.users.get(step.name, ())
        bends = [
            each for each in users if RULES.get(each.kind) is same or each.kind in _ACTIVATIONS
        ]
        return bends[0].name if len(users) == len(bends) == 1 else step.name

    @cached_property
    def multiplications(self) -> float:
        """How many one point takes."""
        constants = self.graph.constants
        return sum(
            constants[each.weights.weight].tensor.numel()
            * np.prod(self.sizes[each.step.name][1:])
            / max(1, each.units)
            for each in self.layers
        )

    def precise(self, passes: float) -> Graph:
        """The graph in float64 if so many passes are quickly done, else as the model is."""
        import torch

        single = self.dtype != torch.float64 and passes * self.multiplications > _IN_DOUBLE
        return self.graph.to(torch.float32) if single else self.graph

    def batches(self, graph: Graph, X: Points, copies: float = 4.0) -> Iterator[Tensor]:
        """The points in the graph's precision, so many at a time as fit into the memory."""
        import torch

        dtype = _dtype(graph)
        largest = max([int(np.prod(shape[1:])) for shape in self.sizes.values()] + [X[0].size])
        many = int(max(1, _MEMORY / (copies * 8 * max(1, largest))))
        for start in range(0, len(X), many):
            yield torch.from_numpy(np.array(X[start : start + many])).to(dtype)

    def all_numbers(self) -> int:
        """Of one point, in all values together."""
        return sum(int(np.prod(shape[1:])) for shape in self.sizes.values())


def _dtype(graph: Graph) -> Any:
    import torch

    types = [each.tensor.dtype for each in graph.constants.values()]
    return next((each for each in types if each.is_floating_point), torch.float64)


@dataclass
class Watched:
    """The values of one layer, as they come."""

    seen: Seen
    variation: Variation
    idle: Idle
    flat: list[np.ndarray] = field(default_factory=list)


def watched(walk: Walk) -> list[Watched]:
    """Every layer after all points have gone through."""
    import torch

    found = [Watched(each, Variation(each.units), Idle(each.units)) for each in walk.layers]
    by_value: dict[str, list[tuple[Any, int]]] = {}
    for each in found:
        axis = each.seen.weights.axis
        by_value.setdefault(each.seen.step.name, []).append((each.variation.add, axis))
        if each.seen.hidden:
            by_value.setdefault(each.seen.active, []).append((each.idle.add, axis))

    def see(step: Step, value: Any) -> None:
        for add, axis in by_value.get(step.name, ()):
            add(value.movedim(axis, -1).flatten(0, -2).numpy())

    graph = walk.precise(len(walk.X))
    with torch.no_grad():
        for x in walk.batches(graph, walk.X):
            graph(x, see)
    return found


def flat_spectra(walk: Walk) -> Mapping[str, tuple[int, Spectrum]]:
    """Of layers with several positions: how many points were taken, and their spectrum."""
    import torch

    some = {each.step.name for each in walk.layers if each.flat}
    if not some:
        return {}
    largest = max(int(np.prod(walk.sizes[name][1:])) for name in some)
    many = int(min(len(walk.X), _FLAT_POINTS, max(2, _MEMORY / (24 * largest))))
    found: dict[str, tuple[int, Spectrum]] = {}

    def see(step: Step, value: Any) -> None:
        if step.name in some:
            found[step.name] = many, spectrum_of_points(value.flatten(1).numpy())

    graph = walk.precise(many)
    rows = walk.X[np.linspace(0, len(walk.X) - 1, many).astype(int)]
    with torch.no_grad():
        graph(torch.from_numpy(np.array(rows)).to(_dtype(graph)), see)
    return found
