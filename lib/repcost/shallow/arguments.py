"""What the public functions of this room accept: checked, and named where it is wrong."""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, same_length

Inputs = Float[np.ndarray, "N d"]
Targets = Float[np.ndarray, "N m"]

# Sizes between which no product of two data, and no square of one, overflows or vanishes.
_SMALLEST, _LARGEST = 1e-60, 1e60


def checked_data(X: ArrayLike, Y: ArrayLike, bias: float) -> tuple[Inputs, Targets, float]:
    """Points and targets as rows, and the bias as a float; ValueError for what cannot be used."""
    X = finite_array(X, "X", 2)
    # The targets of one output may be flat.
    Y = finite_array(Y, "Y", 2 if np.ndim(Y) == 2 else 1)
    same_length(X=X, Y=Y)
    if not X.size or not Y.size:
        shapes = f"X has shape {X.shape}, Y {Y.shape}"
        raise ValueError(f"{shapes}; give at least one point, input and output")
    bias = float(finite_array(bias, "bias", 0))
    if bias < 0:
        remedy = "0 means a network without biases"
        raise ValueError(f"bias must not be negative, but is {bias}; {remedy}")
    for name, value in (("X", X), ("Y", Y), ("bias", np.array(bias))):
        _check_size(name, value)
    return X, Y.reshape(len(X), -1), bias


def checked_strength(strength: float, remedy: str) -> float:
    strength = float(finite_array(strength, "strength", 0))
    if strength <= 0:
        raise ValueError(f"strength must be positive, not {strength}; {remedy}")
    return strength


def checked_rtol(rtol: float) -> float:
    if not 0 < rtol < 1:
        raise ValueError(f"rtol must be between 0 and 1, not {rtol}; 1e-6 is the default")
    return float(rtol)


def _check_size(name: str, value: Float[np.ndarray, "..."]) -> None:
    size = np.abs(value).max()
    if size > _LARGEST or 0 < size < _SMALLEST:
        remedy = "multiply it by a power of two"
        raise ValueError(f"{name} must stay between 1e-60 and 1e60 in size; {remedy}")
