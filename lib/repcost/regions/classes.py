"""A network of two variables as a classifier: where each output is the largest; where three meet.

The linear regions are cut along the lines where two outputs tie, so every part has one label.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Bool, Float

from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Domain, box
from repcost.regions.labels import LabelledParts, labelled_parts
from repcost.regions.plane_polygons import PlanePolygons
from repcost.regions.polygons import Polygon
from repcost.regions.subdivision import plane_cells

Point = tuple[Fraction, Fraction]
Corners = Float[np.ndarray, "parts 2"]


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

    point: Point
    labels: tuple[int, ...]


def class_cells(net: DeepNet, domain: Domain) -> tuple[ClassCell, ...]:
    """The box `domain` of two variables by largest output.

    Exact, every float counting as the rational that it is. Where outputs tie on a whole area, no
    class is strictly ahead, and that area is left out.

    >>> plane = DeepNet([[[1, 0], [0, 1], [-1, -1]]], [[0, 0, 0]])
    >>> [(cell.label, cell.area) for cell in class_cells(plane, ([-1, -1], [1, 1]))]
    [(0, 1.25), (1, 1.25), (2, 1.5)]
    """
    parts = _labelled_parts(net, domain)
    shapes = PlanePolygons(parts.found, parts.polygons)
    return tuple(ClassCell(label, shapes[i]) for i, label in enumerate(parts.labels.tolist()))


def tripoints(net: DeepNet, domain: Domain) -> tuple[Tripoint, ...]:
    """All points of the box that three or more classes border, proven in rational arithmetic.

    They are corners of cells: a convex cell covers a half plane at the least around any other point
    of its own, so that two fill the neighbourhood. And by continuity three outputs tie there.

    >>> plane = DeepNet([[[1, 0], [0, 1], [-1, -1]]], [[0, 0, 1]])
    >>> [(*map(str, found.point), found.labels) for found in tripoints(plane, ([-1, -1], [1, 1]))]
    [('1/3', '1/3', (0, 1, 2))]
    """
    parts = _labelled_parts(net, domain)
    shapes, labels = PlanePolygons(parts.found, parts.polygons), parts.labels.tolist()
    boxes = _boxes(shapes)
    points = []
    # Points are fractions in lowest terms, so that corners that agree are found to agree.
    for point in sorted(_tied(parts)):
        near = np.flatnonzero(_around(boxes, point)).tolist()
        bordering = {labels[i] for i in near if _contains(shapes[i], point)}
        # Three outputs tie there, but one of them may be ahead nowhere around.
        if len(bordering) > 2:
            points.append(Tripoint(point, tuple(sorted(bordering))))
    return tuple(points)


def _labelled_parts(net: DeepNet, domain: Domain) -> LabelledParts:
    net = as_deep(net)
    if net.widths[0] != 2:
        raise ValueError(
            f"net takes {net.widths[0]} variables; "
            "classes are cut out exactly in the plane only, so two"
        )
    low, high = box(domain, 2)
    return labelled_parts(plane_cells(net, low, high).found)


def _tied(parts: LabelledParts) -> set[Point]:
    """The corners at which three outputs or more are the largest."""
    whole, found = parts.found.plane.whole, set()
    for place in parts.perhaps_tied().tolist():
        corner = whole.point(int(parts.polygons.points[place]))
        rows = whole.outputs(int(parts.cells[parts.polygons.owners[place]])).rows
        # The third coordinate, positive, multiplies all outputs alike: their order stays.
        values = (rows @ np.array(corner, dtype=object)).tolist()
        if values.count(max(values)) > 2:
            X, Y, W = corner
            found.add((Fraction(X, W), Fraction(Y, W)))
    return found


def _boxes(shapes: PlanePolygons) -> tuple[Corners, Corners]:
    """The least and the largest coordinates of the corners of each."""
    vertices, begins = shapes.rounded.vertices, shapes.polygons.begins
    return np.minimum.reduceat(vertices, begins), np.maximum.reduceat(vertices, begins)


def _around(boxes: tuple[Corners, Corners], point: Point) -> Bool[np.ndarray, " parts"]:
    """Which boxes hold the point; rounding changes no order, so none is missing."""
    x = np.array([float(t) for t in point])
    return ((boxes[0] <= x) & (x <= boxes[1])).sum(axis=1) == 2


def _contains(shape: Polygon, point: Point) -> bool:
    x, y = point
    # Sides count as inside: a point on the border is bordered.
    return all(a * x + b * y + c >= 0 for a, b, c in shape.sides)
