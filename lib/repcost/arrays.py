"""Arguments at the door: public functions take theirs through here, so errors read alike."""

from reprlib import repr as short
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float, Int, Shaped

from repcost.conversions import as_floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
else:  # numpy's protocols cannot be checked at run time; `finite_array` decides
    ArrayLike = Any

__all__ = [
    "ArrayLike",
    "as_rows",
    "distinct_rows",
    "finite_array",
    "listed",
    "points_on_line",
    "same_length",
    "with_bias",
]


def finite_array(
    value: ArrayLike, name: str, ndim: int | tuple[int, int]
) -> Float[np.ndarray, "..."]:
    """A read-only float64 copy of `value` with `ndim` axes; ValueError if it is not one."""
    array = as_floats(value, name)
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if array.ndim not in allowed:
        axes = " or ".join(map(str, allowed)) + (" axis" if allowed[-1] == 1 else " axes")
        raise ValueError(
            f"{name} must have {axes}, but its shape is {array.shape}; reshape it first"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinity; remove those entries first")
    # A copy that nobody can write to: networks and brackets keep what they were made of.
    array.setflags(write=False)
    return array


def listed(value: Any, name: str, what: str) -> tuple[Any, ...]:
    """The parts of a list, a tuple or anything else that has an order; text has none."""
    unordered = isinstance(value, str | bytes | dict | set | frozenset)
    try:
        parts = None if unordered else tuple(value)
    # Iterables of all kinds may raise anything, or nothing but when they are asked for parts.
    except Exception:
        parts = None
    if parts is None:
        raise ValueError(f"{name} must be a list of {what}, not {short(value)}")
    return parts


def same_length(**arrays: np.ndarray) -> None:
    """ValueError naming the arrays unless all have the same number of rows."""
    if len({len(array) for array in arrays.values()}) > 1:
        lengths = ", ".join(f"{name} has {len(array)}" for name, array in arrays.items())
        raise ValueError(f"these must have the same number of rows: {lengths}")


def points_on_line(x: ArrayLike, name: str = "x") -> Float[np.ndarray, " n"]:
    """One-variable points of shape (n,) or (n, 1) as a flat float64 array."""
    array = as_floats(x, name)
    return finite_array(array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array, name, 1)


def as_rows(X: ArrayLike, name: str = "X") -> Float[np.ndarray, "n d"]:
    """Points as rows; those of one variable may be flat."""
    X = finite_array(X, name, (1, 2))
    return X[:, None] if X.ndim == 1 else X


def distinct_rows(
    rows: Shaped[np.ndarray, "n d"],
) -> tuple[Shaped[np.ndarray, "m d"], Int[np.ndarray, " m"], Int[np.ndarray, " n"]]:
    """The different rows in their order, where each comes first, and the number of each row.

    >>> [part.tolist() for part in distinct_rows(np.array([[3, 1], [0, 2], [3, 1]]))]
    [[[0, 2], [3, 1]], [1, 0], [1, 0, 1]]
    """
    if rows.size:
        order = rows[:, 0].argsort()
        along = rows[order, 0]
        # Where the first entries are all different they alone are the order, and known much sooner.
        if (along[1:] > along[:-1]).all():
            return rows[order], order, order.argsort()
    distinct, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    # In numpy 2.0.0 alone the numbers are a column.
    return distinct, first, number.reshape(-1)


def with_bias(X: Float[np.ndarray, "n d"], bias: float) -> Float[np.ndarray, "n d1"]:
    """[X, bias 1]: the points with one more coordinate, the constant that the bias weights see."""
    extended = np.empty((len(X), X.shape[1] + 1))
    extended[:, :-1], extended[:, -1] = X, bias
    return extended
