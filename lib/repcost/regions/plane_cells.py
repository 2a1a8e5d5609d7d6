"""The cells of a subdivision one by one, each made exact when that is asked for.

Floats of all cells, each an exact number rounded once, are computed together when the first one is
asked for.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from repcost.regions.maps import AffineMap
from repcost.regions.plane_polygons import PlanePolygon, PlanePolygons
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.rounded_maps import are_floats, ranks, rounded_differences, rounded_maps
from repcost.regions.shapes import Polygons
from repcost.regions.space_bodies import SpaceBodies, SpaceBody


class PlaneCells:
    """In the order of a subdivision, of the plane or of space."""

    def __init__(self, found: Subdivision):
        self.found = found
        is_plane = isinstance(found.shapes, Polygons)
        self.shapes = (
            PlanePolygons(found, found.polygons) if is_plane else SpaceBodies(found, found.bodies)
        )

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, place: int) -> "PlaneCell":
        return PlaneCell(self, range(len(self))[place])

    def __iter__(self) -> Iterator["PlaneCell"]:
        return (PlaneCell(self, place) for place in range(len(self)))

    @property
    def are_floats(self) -> bool:
        """Whether it is sure beforehand that no entry of a map is beyond the range of floats."""
        return are_floats(self.found)

    @cached_property
    def maps(self) -> Float[np.ndarray, "cells columns outputs"]:
        """Columns of the matrices, and offsets, rounded once."""
        return rounded_maps(self.found)

    @cached_property
    def jacobians(self) -> Float[np.ndarray, "cells outputs d"]:
        return np.ascontiguousarray(self.maps[:, :-1].swapaxes(1, 2))

    @property
    def differences(self) -> Float[np.ndarray, "cells columns half"]:
        """What the first half of the outputs is ahead of the second, as columns and offsets."""
        return rounded_differences(self.found)

    @cached_property
    def ranks(self) -> Int[np.ndarray, " cells"]:
        """Of the exact Jacobians."""
        return ranks(self.found)


class PlaneCell:
    """A part of a box where no unit changes sides."""

    def __init__(self, cells: PlaneCells, place: int):
        self._cells, self._place = cells, place

    @property
    def shape(self) -> PlanePolygon | SpaceBody:
        return self._cells.shapes[self._place]

    @property
    def map(self) -> AffineMap:
        """In whole numbers."""
        return self._cells.found.plane.whole.outputs(self._place)

    @property
    def jacobian(self) -> Float[np.ndarray, "m d"]:
        return self._cells.jacobians[self._place]

    @property
    def offset(self) -> Float[np.ndarray, " m"]:
        return self._cells.maps[self._place, -1]

    @property
    def rank(self) -> int:
        """Of the exact Jacobian."""
        return int(self._cells.ranks[self._place])
