"""A network of two variables as a classifier: where each output is the largest; where three meet.

The linear regions are cut along the lines where two outputs tie, so every part has one label.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Domain, box
from repcost.regions.maps import AffineMap
from repcost.regions.polygons import Meeting, Polygon
from repcost.regions.subdivision import cells


@dataclass(frozen=True, eq=False)
class ClassCell:
    """A convex part of a linear region, inside which the output `label` is the largest, exactly."""

    label: int
    shape: Polygon

    @property
    def area(self) -> float:
        """Rounded once."""
        return self.shape.volume

    @property
    def vertices(self) -> Float[np.ndarray, "v 2"]:
        """The corners against the clock, each coordinate rounded once."""
        return self.shape.vertices


@dataclass(frozen=True)
class Tripoint:
    """A point that three or more classes border.

    In every neighbourhood each of these labels is the largest somewhere.
    """

    point: tuple[Fraction, Fraction]
    labels: tuple[int, ...]


def class_cells(net: DeepNet, domain: Domain) -> tuple[ClassCell, ...]:
    """The box `domain` of two variables by largest output.

    Exact, every float counting as the rational that it is. Where outputs tie on a whole area, no
    class is strictly ahead, and that area is left out.

    >>> plane = DeepNet([[[1, 0], [0, 1], [-1, -1]]], [[0, 0, 0]])
    >>> [(cell.label, cell.area) for cell in class_cells(plane, ([-1, -1], [1, 1]))]
    [(0, 1.25), (1, 1.25), (2, 1.5)]
    """
    return tuple(ClassCell(part.label, part.shape) for part in _labelled_parts(net, domain))


def tripoints(net: DeepNet, domain: Domain) -> tuple[Tripoint, ...]:
    """All points of the box that three or more classes border, proven in rational arithmetic.

    They are corners of cells: a convex cell covers a half plane at the least around any other point
    of its own, so that two fill the neighbourhood. And by continuity three outputs tie there.

    >>> plane = DeepNet([[[1, 0], [0, 1], [-1, -1]]], [[0, 0, 1]])
    >>> [(*map(str, found.point), found.labels) for found in tripoints(plane, ([-1, -1], [1, 1]))]
    [('1/3', '1/3', (0, 1, 2))]
    """
    parts = _labelled_parts(net, domain)
    # Points are fractions in lowest terms, so that corners that agree are found to agree.
    tied = {_fractions(corner) for part in parts for corner in _ties(part.shape, part.map)}
    points = []
    for point in sorted(tied):
        labels = {part.label for part in parts if _contains(part.shape, point)}
        # Three outputs tie there, but one of them may be ahead nowhere around.
        if len(labels) > 2:
            points.append(Tripoint(point, tuple(sorted(labels))))
    return tuple(points)


@dataclass(frozen=True, eq=False)
class _LabelledPart:
    """Where in one linear region an output is ahead of the others, and the affine map there."""

    label: int
    shape: Polygon
    map: AffineMap


def _labelled_parts(net: DeepNet, domain: Domain) -> list[_LabelledPart]:
    net = as_deep(net)
    if net.widths[0] != 2:
        raise ValueError(
            f"net takes {net.widths[0]} variables; "
            "classes are cut out exactly in the plane only, so two"
        )
    low, high = box(domain, 2)
    found = []
    for cell in cells(net, low, high):
        assert isinstance(cell.shape, Polygon)
        labelled = _by_label(cell.shape, cell.map)
        found += [_LabelledPart(label, shape, cell.map) for label, shape in labelled]
    return found


def _by_label(shape: Polygon, map: AffineMap) -> Iterator[tuple[int, Polygon]]:
    """The parts of one linear region in which each output is ahead of the others."""
    for label, row in enumerate(map.rows):
        part: Polygon | None = shape
        for other, theirs in enumerate(map.rows):
            if part is not None and other != label:
                part = _ahead(part, (row - theirs).tolist())
        if part is not None:
            yield label, part


def _ahead(shape: Polygon, line: Sequence[int]) -> Polygon | None:
    """The part where the line is positive; None if that has no inside."""
    # The difference of two outputs is constant here: one is ahead everywhere, or none is.
    if not any(line[:-1]):
        return shape if line[-1] > 0 else None
    return next((half for on, half in shape.halves(line) if on), None)


def _ties(shape: Polygon, map: AffineMap) -> Iterator[Meeting]:
    """The corners at which three outputs or more are the largest."""
    for corner in shape.corners:
        # The third coordinate, positive, multiplies all outputs alike: their order stays.
        values = (map.rows @ np.array(corner, dtype=object)).tolist()
        if values.count(max(values)) > 2:
            yield corner


def _fractions(corner: Meeting) -> tuple[Fraction, Fraction]:
    X, Y, W = corner
    return Fraction(X, W), Fraction(Y, W)


def _contains(shape: Polygon, point: tuple[Fraction, Fraction]) -> bool:
    x, y = point
    # Sides count as inside: a point on the border is bordered.
    return all(a * x + b * y + c >= 0 for a, b, c in shape.sides)
