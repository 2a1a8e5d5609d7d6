"""Bodies between the planes of a subdivision of space, each made exact when that is asked for."""

from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from repcost.regions.bodies import Bodies
from repcost.regions.plane_polygons import CutShapes
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.polygons import Line, Meeting
from repcost.regions.polyhedra import Polyhedron
from repcost.regions.shapes import Simplices
from repcost.regions.tables import starts


class SpaceBodies(CutShapes):
    """Those of space."""

    def __init__(self, found: Subdivision, bodies: Bodies):
        super().__init__(found, bodies)
        self.bodies = bodies

    def __getitem__(self, place: int) -> "SpaceBody":
        return SpaceBody(self, place)

    def exactly(self, place: int) -> Polyhedron:
        return Polyhedron(self.meetings(place), self.tetrahedra(place))

    def tetrahedra(self, place: int) -> list[list[int]]:
        """Of one body, by the places of its own corners."""
        simplices, begins, counts = self._simplices
        mine = simplices[begins[place] : begins[place] + counts[place]]
        return (mine - self.at(place).start).tolist()

    @cached_property
    def _simplices(self) -> tuple[Simplices, Int[np.ndarray, " n"], Int[np.ndarray, " n"]]:
        simplices, counts = self.bodies.simplices
        return simplices, starts(counts), counts

    def planes(self, place: int) -> tuple[Line, ...]:
        """Positive inside, one for each face of a body."""
        begin = self._faces[place]
        mine = self.bodies.planes[begin : begin + self.bodies.counts[place]]
        return self.inner_sides(mine.tolist())

    @cached_property
    def _faces(self) -> Int[np.ndarray, " n"]:
        return starts(self.bodies.counts)


class SpaceBody(Polyhedron):
    """One of them."""

    def __init__(self, among: SpaceBodies, place: int):
        self._among, self._place = among, place

    @property
    def corners(self) -> tuple[Meeting, ...]:
        return self._among.meetings(self._place)

    @property
    def tetrahedra(self) -> list[list[int]]:
        return self._among.tetrahedra(self._place)

    @property
    def sides(self) -> tuple[Line, ...]:
        """Planes, positive inside."""
        return self._among.planes(self._place)

    @property
    def volume(self) -> float:
        return float(self._among.rounded.volumes[self._place])

    @property
    def vertices(self) -> Float[np.ndarray, "v 3"]:
        return self._among.rounded.vertices[self._among.at(self._place)].copy()
