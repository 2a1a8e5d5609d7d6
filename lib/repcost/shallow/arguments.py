"""What the public functions of this room accept: checked, and named where it is wrong."""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, same_length
from repcost.conversions import as_floats
from repcost.scalars import positive_number, real_number, relative_tolerance

Inputs = Float[np.ndarray, "N d"]
Targets = Float[np.ndarray, "N m"]

# Sizes between which no product of two data, and no square of one, overflows or vanishes.
_SMALLEST, _LARGEST = 1e-60, 1e60


def checked_data(X: ArrayLike, Y: ArrayLike, bias: float) -> tuple[Inputs, Targets, float]:
    """Points and targets as rows, and the bias as a float; ValueError for what cannot be used."""
    X = finite_array(X, "X", 2)
    # The targets of one output may be flat.
    Y = as_floats(Y, "Y")
    Y = finite_array(Y, "Y", 2 if Y.ndim == 2 else 1)
    same_length(X=X, Y=Y)
    if not X.size or not Y.size:
        shapes = f"X has shape {X.shape}, Y {Y.shape}"
        raise ValueError(f"{shapes}; give at least one point, input and output")
    bias = not_negative(bias)
    for name, value in (("X", X), ("Y", Y), ("bias", np.array(bias))):
        _check_size(name, value)
    return X, Y.reshape(len(X), -1), bias


def not_negative(bias: float) -> float:
    """The bias as a float."""
    bias = real_number(bias, "bias")
    if bias < 0:
        remedy = "0 means a network without biases"
        raise ValueError(f"bias must not be negative, but is {bias:g}; {remedy}")
    return bias


def checked_strength(strength: float, remedy: str) -> float:
    return positive_number(strength, "strength", remedy)


def checked_rtol(rtol: float) -> float:
    return relative_tolerance(rtol, "1e-6")


def _check_size(name: str, value: Float[np.ndarray, "..."]) -> None:
    size = np.abs(value).max()
    if size > _LARGEST or 0 < size < _SMALLEST:
        remedy = "multiply it by a power of two"
        raise ValueError(f"{name} must stay between 1e-60 and 1e60 in size; {remedy}")
