"""The cells of a subdivision of the plane, cut where two outputs tie: by the largest output."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from repcost.regions.clipping import Clip, clipped
from repcost.regions.crossings import LayerLines
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.rows import Rows
from repcost.regions.shapes import Polygons
from repcost.regions.tables import Indices
from repcost.rounding import TINY


@dataclass(frozen=True, eq=False)
class LabelledParts:
    """Polygons, one linear region after another, and in each one output after another."""

    found: Subdivision
    polygons: Polygons
    cells: Indices
    labels: Indices

    def perhaps_tied(self) -> Indices:
        """Corners, by their places, at which three outputs or more may be the largest."""
        owners = self.polygons.owners
        places = [_perhaps_tied(self, owners, cells) for cells in self.found.shares(4)]
        return np.concatenate(places)


def labelled_parts(found: Subdivision) -> LabelledParts:
    """Where in each cell each output is ahead of all others."""
    parts = [part for cells in found.shares(found.net.widths[-1]) for part in _clips(found, cells)]
    order = np.argsort(np.concatenate([part.origin for part in parts]), kind="stable")
    origins = np.concatenate([part.origin for part in parts])[order]
    polygons = Polygons.joined([part.polygons for part in parts]).of(order)
    return LabelledParts(found, polygons, *np.divmod(origins, found.net.widths[-1]))


def _clips(found: Subdivision, cells: Indices) -> list[Clip]:
    outputs = found.net.widths[-1]
    lines, polygons = _differences(found, cells), found.polygons.of(cells)
    active, negative, numbers = lines.crossed(polygons)
    ahead = active.reshape(-1, outputs, outputs) | np.eye(outputs, dtype=bool)
    open_ = (active & negative).reshape(-1, outputs, outputs)
    everywhere = Clip(
        polygons.of(np.repeat(np.arange(len(cells)), outputs)),
        (cells[:, None] * outputs + np.arange(outputs)).ravel(),
        open_.sum(axis=2).ravel(),
        2 * numbers,
    )
    somewhere = np.flatnonzero(ahead.all(axis=2))
    return list(clipped(found.plane, everywhere.of(somewhere)))


def _differences(found: Subdivision, cells: Indices) -> LayerLines:
    """By how much each output is ahead of each other one: a layer beyond the outputs."""
    pairs = np.divmod(np.arange(found.net.widths[-1] ** 2), found.net.widths[-1])
    zero = found.bounds[-1].zero
    constant = (zero[pairs[0]] & zero[pairs[1]]) | (pairs[0] == pairs[1])[:, None]
    rows = _outputs(found, cells).differences(*pairs)
    idle = np.zeros(len(cells), dtype=bool)
    return LayerLines(found.plane, found.net.depth, cells, rows, constant, idle)


def _outputs(found: Subdivision, cells: Indices) -> Rows:
    layer = found.net.depth - 1
    rows = found.rows.again(layer, cells)
    return found.rows.again(layer, cells, doubled=True) if rows.vague else rows


def _perhaps_tied(parts: LabelledParts, owners: Indices, cells: Indices) -> Indices:
    """Where no more than two outputs may be the largest, floats are enough to see it."""
    of_corners = parts.cells[owners]
    places = np.flatnonzero((of_corners >= cells[0]) & (of_corners <= cells[-1]))
    rows = _outputs(parts.found, cells)
    here, points = of_corners[places] - cells[0], parts.found.plane.points
    corners = parts.polygons.points[places]
    value = np.einsum("ij,ijk->ik", points["H"][corners], rows.high[here])
    largest, errors = np.abs(rows.high).max(axis=1)[here], rows.errors()
    errors = errors[here] if len(errors) > 1 else errors
    bound = points["g"][corners][:, None] * largest + points["h"][corners][:, None] * errors + TINY
    return places[_could_lead(value, bound).sum(axis=1) > 2]


def _could_lead(value: np.ndarray, bound: np.ndarray) -> Bool[np.ndarray, "_ outputs"]:
    """What is no number is a doubt."""
    return ~(value + bound < (value - bound).max(axis=1, keepdims=True))
