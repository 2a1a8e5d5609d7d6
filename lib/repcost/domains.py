"""Boxes at the door: every public function that takes a domain reads it through here."""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array

__all__ = ["Corner", "Domain", "box"]

Corner = Float[np.ndarray, " d"]
Domain = tuple[ArrayLike, ArrayLike]


def box(domain: Domain, dimension: int) -> tuple[Corner, Corner]:
    """The corners of a box in `dimension` variables; ValueError unless low < high everywhere."""
    # An array of two rows is more often two points than a box, so it is not taken for one.
    if not isinstance(domain, tuple | list) or len(domain) != 2:
        raise ValueError("domain must be a box (low, high): two arrays with one entry per variable")
    if not dimension:
        raise ValueError("domain is for functions of one variable or more; this one takes none")
    low, high = finite_array(domain[0], "domain low", 1), finite_array(domain[1], "domain high", 1)
    if (len(low), len(high)) != (dimension, dimension):
        raise ValueError(
            f"domain has corners with {len(low)} and {len(high)} entries, "
            f"but the function takes {dimension} variables"
        )
    # A box without an inside has no linear regions.
    if not (low < high).all():
        raise ValueError(
            f"domain needs low < high in every variable, not {low.tolist()} and {high.tolist()}"
        )
    return low, high
