"""The linear regions of a network: exact in one and two variables, by linear programmes beyond."""

from repcost.regions.region import Region, linear_regions

__all__ = ["Region", "linear_regions"]
