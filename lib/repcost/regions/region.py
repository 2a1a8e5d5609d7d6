"""The linear regions of a network, each with its Jacobian."""

from typing import Literal

import numpy as np
from jaxtyping import Float

from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Domain, box
from repcost.networks import TwoLayer
from repcost.progress import bar
from repcost.regions.plane_cells import PlaneCell, PlaneCells
from repcost.regions.polygons import Polygon
from repcost.regions.polyhedra import Polyhedron
from repcost.regions.polytopes import Polytope
from repcost.regions.subdivision import Cell, cells
from repcost.scalars import flag


class Region:
    """A cell of the domain where no unit changes sides: the output is jacobian @ x + offset.

    jacobian (m, d) and offset (m,) are exact rationals rounded once; rank is that of the exact
    matrix. What is rounded is computed for all regions when one is asked for it.
    how: "exact" for up to three variables: the shape too is exact, and its floats are rounded once.
        "experiment" for more: jacobian and rank are proven around the centre, but the shape is that
        of floating-point programmes.
    """

    def __init__(self, cell: PlaneCell | Cell[Polytope], dimension: int):
        self._cell, self._dimension = cell, dimension

    def __repr__(self) -> str:
        names = ("jacobian", "offset", "rank", "how", "shape")
        return f"Region({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    @property
    def jacobian(self) -> Float[np.ndarray, "m d"]:
        # On a line, the derivative by the mute second variable goes away.
        return self._cell.jacobian[:, : self._dimension]

    @property
    def offset(self) -> Float[np.ndarray, " m"]:
        return self._cell.offset

    @property
    def rank(self) -> int:
        return self._cell.rank

    @property
    def how(self) -> Literal["exact", "experiment"]:
        return "exact" if isinstance(self._cell, PlaneCell) else "experiment"

    @property
    def shape(self) -> Polygon | Polyhedron | Polytope:
        return self._cell.shape

    @property
    def volume(self) -> float:
        """Length, area or volume."""
        return self.shape.volume

    @property
    def vertices(self) -> Float[np.ndarray, "v d"]:
        """(v, d): both ends, corners against the clock, or, beyond the plane, in no order."""
        corners = self.shape.vertices
        # A segment is a rectangle whose corners agree in pairs.
        return np.unique(corners[:, :1], axis=0) if self._dimension == 1 else corners

    @property
    def centre(self) -> Float[np.ndarray, " d"]:
        """A point inside: the mean of the corners; beyond three variables, of the largest ball."""
        return self.shape.centre[: self._dimension]


def linear_regions(
    net: DeepNet | TwoLayer, domain: Domain, *, progress: bool = False
) -> tuple[Region, ...]:
    """The cells of a box on which no unit changes sides, with their Jacobians.

    What Definition 1 of Jacot (2023) takes the maximum of: points in the interior of a region.
    Neighbouring cells may carry the same affine map. Exact for up to three variables: every float
    counts as the rational that it is, and areas or volumes are checked to fill the box. In more
    variables cells without room for a ball of radius 1e-8 (where the box is [-1, 1]^d) may be
    missing. Volumes and vertices there are computed one by one, and grow fast with d. Weights
    may be of any size, if the Jacobians and offsets are floats; volumes beyond floats are infinite.

    domain: (low, high), the corners of the box.
    progress: show a bar (tqdm).

    >>> net = DeepNet([[[1.0], [-1.0]], [[1.0, 1.0]]], [[0.0, 0.0], [0.0]])
    >>> found = linear_regions(net, ([-1], [2]))
    >>> [(each.jacobian.item(), each.volume, each.vertices.ravel().tolist()) for each in found]
    [(1.0, 2.0, [0.0, 2.0]), (-1.0, 1.0, [-1.0, 0.0])]
    """
    net, progress = as_deep(net), flag(progress, "progress")
    low, high = box(domain, net.widths[0])

    def watch(items):
        return bar(items, wanted=True, what="cells of a layer")

    found = cells(net, low, high, watch if progress else iter)
    try:
        if isinstance(found, PlaneCells):
            # Where they may be no floats, all are looked at before the first is given away.
            _ = found.are_floats or found.maps
        else:
            _ = [(cell.jacobian, cell.offset) for cell in found]
    except OverflowError:
        raise ValueError(
            "net has Jacobians or offsets beyond the range of floats; "
            "divide its weights by powers of two first"
        ) from None
    return tuple(Region(cell, len(low)) for cell in found)
