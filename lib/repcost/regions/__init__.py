"""The linear regions of a network: exact in one and two variables, by linear programmes beyond."""

from repcost.regions.classes import ClassCell, Tripoint, class_cells, tripoints
from repcost.regions.region import Region, linear_regions

__all__ = ["ClassCell", "Region", "Tripoint", "class_cells", "linear_regions", "tripoints"]
