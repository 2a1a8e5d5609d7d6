"""Arguments at the door: public functions take theirs through here, so errors read alike."""

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
else:  # numpy's protocols cannot be checked at run time; `finite_array` decides
    ArrayLike = Any

__all__ = [
    "ArrayLike",
    "finite_array",
    "points_on_line",
    "same_length",
    "whole_depth",
    "with_bias",
]


def finite_array(value: ArrayLike, name: str, ndim: int) -> Float[np.ndarray, "..."]:
    """A read-only float64 copy of `value` with `ndim` axes; ValueError if it is not one."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of real numbers: {error}") from None
    if array.ndim != ndim:
        axes = "1 axis" if ndim == 1 else f"{ndim} axes"
        raise ValueError(
            f"{name} must have {axes}, but its shape is {array.shape}; reshape it first"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinity; remove those entries first")
    # A copy that nobody can write to: networks and brackets keep what they were made of.
    array.setflags(write=False)
    return array


def same_length(**arrays: np.ndarray) -> None:
    """ValueError naming the arrays unless all have the same number of rows."""
    if len({len(array) for array in arrays.values()}) > 1:
        lengths = ", ".join(f"{name} has {len(array)}" for name, array in arrays.items())
        raise ValueError(f"these must have the same number of rows: {lengths}")


def whole_depth(depth: int, least: int = 2) -> int:
    """`depth` as an int, the number of layers; ValueError below `least`."""
    # True is an Integral, and nobody means it.
    if isinstance(depth, bool) or not isinstance(depth, Integral) or depth < least:
        raise ValueError(f"depth must be a whole number of layers, at least {least}, not {depth!r}")
    return int(depth)


def points_on_line(x: ArrayLike, name: str = "x") -> Float[np.ndarray, " n"]:
    """One-variable points of shape (n,) or (n, 1) as a flat float64 array."""
    array = np.asarray(x)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    return finite_array(array, name, ndim=1)


def with_bias(X: Float[np.ndarray, "n d"], bias: float) -> Float[np.ndarray, "n d1"]:
    """[X, bias 1]: the points with one more coordinate, the constant that the bias weights see."""
    return np.column_stack([X, np.full(len(X), float(bias))])
