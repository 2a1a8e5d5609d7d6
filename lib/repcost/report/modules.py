"""A module of torch, measured."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from repcost.arrays import ArrayLike
from repcost.report.admission import unwrapped
from repcost.report.checked import Checked, by_default, checked_graph, most_of
from repcost.report.derivatives import FULL, SKETCHED, derivative_spectra, is_sketched
from repcost.report.exporting import NotTraced
from repcost.report.graphs import Graph, Tensor
from repcost.report.hooked import report_by_hooks
from repcost.report.kinds import matrices
from repcost.report.layers import Layer
from repcost.report.measurements import (
    evenly_spread,
    points_of_any_shape,
    spectral_norm,
    stable_rank,
)
from repcost.report.paths import path_norm_of
from repcost.report.proofs import data_of_loss, proofs_of_graph
from repcost.report.reports import Report
from repcost.report.rescalings import Rescalings
from repcost.report.walking import Points, Seen, Walk, Watched, flat_spectra, watched


def report_of_module(
    model: Any,
    X: ArrayLike,
    tolerance: float,
    jacobian_points: int,
    targets: ArrayLike | None = None,
    strength: float | None = None,
) -> Report:
    """Read, compared with the model's own outputs, and measured."""
    import torch

    model, points = unwrapped(model), points_of_any_shape(X)
    data = data_of_loss(points, targets, strength)
    try:
        found = checked_graph(model, points)
    except NotTraced as error:
        like = most_of(model)
        with by_default(like.device):
            return report_by_hooks(model, points, like, tolerance, str(error))
    with by_default(torch.device("cpu")):
        stored = sum((_squares(each) for each in model.parameters() if not each.is_meta), start=0.0)
        walk = Walk(found.graph, points, found.like.dtype)
        report = _report(walk, found, stored, tolerance, jacobian_points)
        return replace(report, proofs=proofs_of_graph(found.graph, walk.all_sizes, points, data))


def _report(
    walk: Walk, checked: Checked, stored: float, tolerance: float, jacobian_points: int
) -> Report:
    graph = walk.graph
    found = Rescalings.of(graph, checked.rows)
    least = found.cheapest()[1] if found.trusted else {}
    layers = _layers(walk, least)
    other = _other_squares(graph, walk.layers)
    inside = {name for each in walk.layers for name in _constants(graph, each)}
    outside = [name for name in least if name not in inside]
    # What is in no layer and in no term of a rescaling stays as it is.
    free = sum((float(graph.squares(name).sum()) for name in outside), start=0.0)
    balanced = sum(least.values()) + other - free if found.trusted else np.nan
    return Report(
        layers=layers,
        widths=(walk.X[0].size, *(layer.units for layer in layers)),
        points=len(walk.X),
        tolerance=tolerance,
        ignored=graph.ignored,
        other_norm=other,
        stored_norm=stored,
        rebalanced_norm=balanced,
        groups=found.orbit.groups if found.trusted else 0,
        reasons=found.reasons,
        layerwise_norm=found.layerwise(each.weights.weight for each in walk.layers),
        path_norm=path_norm_of(graph, checked.rows),
        jacobian_spectra=_jacobians(walk, jacobian_points),
        sketched=is_sketched(walk.X[0].size, _outputs(walk)),
        mismatch=checked.mismatch,
        missing=() if found.trusted else (_DISTRUSTED,),
    )


_DISTRUSTED = (
    "what rescaling saves: a random rescaling of the channels that were found changes the outputs"
)


def _outputs(walk: Walk) -> int:
    return int(np.prod(walk.sizes[walk.graph.output][1:]))


def _layers(walk: Walk, least: Mapping[str, float]) -> tuple[Layer, ...]:
    flat, taken, made = flat_spectra(walk), set(), []
    for each in watched(walk):
        names = _names(walk.graph, each.seen)
        # Shared parameters count where they are met first.
        new = [name for name in names if name not in taken]
        taken.update(new)
        made.append(_layer(walk.graph, each, new, least, flat.get(each.seen.step.name)))
    return _told_apart(made)


def _layer(
    graph: Graph, each: Watched, new: list[str], least: Mapping[str, float], flat: Any
) -> Layer:
    seen, weights = each.seen, each.seen.weights
    names = _names(graph, seen)
    squares = {name: float(graph.squares(name).sum()) for name in new}
    tensor = graph.constants[weights.weight].tensor
    largest = spectral_norm(matrices(seen.step, tensor).numpy())
    dead, mergeable = each.idle.counts() if seen.hidden else (0, 0)
    return Layer(
        name=seen.step.layer or ", ".join(sorted(graph.constants[names[0]].parameters)) or names[0],
        kind=seen.step.kind,
        shape=tuple(tensor.shape),
        parameters=sum(graph.constants[name].tensor.numel() for name in new),
        weight_norm=squares.get(names[0], 0.0),
        bias_norm=sum((squares.get(name, 0.0) for name in names[1:]), start=0.0),
        least=sum((least.get(name, np.nan) for name in new), start=0.0) if least else np.nan,
        spectral_norm=largest,
        stable_rank=stable_rank(tensor.numpy(), largest),
        units=seen.units,
        spectrum=each.variation.spectrum(),
        dead=dead,
        mergeable=mergeable,
        hidden=seen.hidden,
        flat_spectrum=None if flat is None else flat[1],
        flat_points=0 if flat is None else flat[0],
    )


def _names(graph: Graph, seen: Seen) -> list[str]:
    """The constants of a layer; of a transposition, that of which it is one."""
    names = [seen.weights.weight, *([seen.weights.bias] if seen.weights.bias else [])]
    return [graph.constants[name].base or name for name in names]


def _constants(graph: Graph, seen: Seen) -> list[str]:
    return _names(graph, seen)


def _told_apart(layers: list[Layer]) -> tuple[Layer, ...]:
    """A layer that is called again has the number of the call in its name."""
    calls: dict[str, int] = {}
    made = []
    for layer in layers:
        calls[layer.name] = calls.get(layer.name, 0) + 1
        again = f"{layer.name} ({calls[layer.name]})"
        made.append(layer if calls[layer.name] == 1 else replace(layer, name=again))
    return tuple(made)


def _other_squares(graph: Graph, layers: tuple[Seen, ...]) -> float:
    """Of parameters that some operation takes, and that are no layer's."""
    inside = {name for each in layers for name in _names(graph, each)}
    bases = {graph.constants[name].base or name for name in graph.users if name in graph.constants}
    others = [name for name in sorted(bases - inside) if graph.constants[name].parameters]
    return sum((float(graph.squares(name).sum()) for name in others), start=0.0)


def _jacobians(walk: Walk, most: int) -> Any:
    X = evenly_spread(walk.X, most)
    rows = min(_outputs(walk), FULL if not is_sketched(X[0].size, _outputs(walk)) else SKETCHED)
    graph = walk.precise(2 * len(X) * rows)
    return derivative_spectra(graph, _batches(walk, graph, X, rows))


def _batches(walk: Walk, graph: Graph, X: Points, rows: int) -> Iterator[Tensor]:
    """So many at a time that all values, and rows of the Jacobians, fit into the memory."""
    largest = max(int(np.prod(shape[1:])) for shape in walk.sizes.values())
    numbers = walk.all_numbers() + rows * X[0].size
    return walk.batches(graph, X, copies=max(1.0, numbers / max(1, largest)))


def _squares(parameter: Tensor) -> float:
    return (
        float(parameter.detach().double().square().sum()) if parameter.is_floating_point() else 0.0
    )
