"""The linear regions of a network: exact in one and two variables, by linear programmes beyond."""

from repcost.regions.classes import ClassCell, Tripoint, class_cells, tripoints
from repcost.regions.grids import (
    GridLabels,
    corners_on_grid,
    labels_on_grid,
    most_bordering,
)
from repcost.regions.region import Region, linear_regions

__all__ = [
    "ClassCell",
    "GridLabels",
    "Region",
    "Tripoint",
    "class_cells",
    "corners_on_grid",
    "labels_on_grid",
    "linear_regions",
    "most_bordering",
    "tripoints",
]
