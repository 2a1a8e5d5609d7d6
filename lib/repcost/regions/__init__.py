"""The linear regions of a network: where its function is affine, and which affine map it is there.

A ReLU network is piecewise affine. Each unit receives an affine function of x on every part of the
domain where no unit before it changes sides, so it cuts that part along one straight line (a
hyperplane) into a side on which it passes on what it receives, and a side on which it passes on
nothing, or `negative_slope` times that. Cutting layer by layer, unit by unit, leaves the cells on
which the whole network is one affine map x -> A x + c (`subdivision`).

Every float is a whole number over a power of two, and so are the entries of A and c, which are sums
of products of weights (`maps`). As Python's whole numbers they have no rounding, and are rounded
once when somebody asks for floats. What is cut depends on the number of variables:

- one variable, the whole line (`intervals`): exact, with the two pieces that go out to infinity;
- up to three variables, a box (`plane_subdivision`): exact, and as fast as floats, which decide
  what they can with a proven bound; corners are meetings of two lines, or of three planes
  (`polygons`, `polyhedra`). That the areas or volumes of the cells add up to that of the box is
  checked each time, modulo a prime (`filling`);
- more variables (`polytopes`): linear programmes look for the cells, so very thin ones may be
  missing; of each cell that is found, the map is proven at a point.

All cells of a layer are looked at together: who changes sides where (`crossings`), the cuts
(`cutting`) of polygons (`shapes`) or of bodies with polygons for faces (`bodies`), points and sides
in floats (`plane`, `minors`, `boxes`), what rows of a network may be off by (`row_bounds`, `rows`),
and in whole numbers what is in doubt (`whole_plane`). A cell is known by who is active
(`cell_tree`) and by the lines or planes that meet in its corners, and made exact when it is asked
for (`plane_cells`, `plane_polygons`, `space_bodies`); floats rounded once come from pairs of floats
for all cells together (`rounded_maps`, `rounded_corners`; `unit_rows`, `two_floats`, `pairs`).
Classes are cut out in the same way (`labels`, `clipping`).

On top of the cells, `linear_regions` gives them with their Jacobians and ranks, `class_cells` and
`tripoints` read the network as a classifier, `as_piecewise_linear` reads a network of one variable
as a spline, and `extent` bounds how far the outputs reach.
"""

from repcost.regions.classes import ClassCell, Tripoint, class_cells, tripoints
from repcost.regions.grids import (
    GridLabels,
    corners_on_grid,
    labels_on_grid,
    most_bordering,
)
from repcost.regions.on_the_line import as_piecewise_linear
from repcost.regions.region import Region, linear_regions

__all__ = [
    "ClassCell",
    "GridLabels",
    "Region",
    "Tripoint",
    "as_piecewise_linear",
    "class_cells",
    "corners_on_grid",
    "labels_on_grid",
    "linear_regions",
    "most_bordering",
    "tripoints",
]
