"""A hidden layer between its two neighbours: all that the forces on it depend on."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.linalg.lapack import dposv  # pyright: ignore[reportAttributeAccessIssue]

from repcost.arrays import ArrayLike, finite_array, same_length, with_bias
from repcost.column_spaces import pseudo_inverse
from repcost.scalars import bias_constant
from repcost.scales import exponent_of, times_power

PerUnit = Float[np.ndarray, "N n"]


@dataclass(frozen=True, eq=False)
class LayerBetween:
    """A layer of n ReLU units at N points.

    Z (N, n) is what it receives, S_below (N, _) what the one below sends to it, and S =
    [relu(Z), beta 1] what it sends on; Z_next (N, _) is what the one above receives.
    """

    Z: PerUnit
    S_below: Float[np.ndarray, "N _"]
    S: Float[np.ndarray, "N n1"]
    Z_next: Float[np.ndarray, "N _"]

    @classmethod
    def checked(
        cls, Z: ArrayLike, S_previous: ArrayLike, Z_next: ArrayLike, bias: float
    ) -> "LayerBetween":
        """From a user's arrays; ValueError that names the one that is wrong."""
        Z, S_previous = finite_array(Z, "Z", 2), finite_array(S_previous, "S_previous", 2)
        Z_next = finite_array(Z_next, "Z_next", 2)
        same_length(Z=Z, S_previous=S_previous, Z_next=Z_next)
        if not Z.size:
            raise ValueError(f"Z has shape {Z.shape}; give at least one point and one unit")
        # Positive parts, not `Activation`: 0.0 for what is silent and never -0.0, which may turn
        # the signs of singular vectors.
        S = with_bias(np.maximum(Z, 0.0), bias_constant(bias))
        return cls(Z, S_previous, S, Z_next)

    def attraction(self, tikhonov: float = 0.0) -> PerUnit:
        """The gradient of |S_below^+ Z|^2 by Z."""
        digits, exponent = divided(self.Z, self.S_below, tikhonov)
        return put_back(2 * digits, exponent, "Z over the square of S_previous")


def divided(
    Z: Float[np.ndarray, "N n"], S: Float[np.ndarray, "N m"], tikhonov: float
) -> tuple[Float[np.ndarray, "N n"], int]:
    """(S S^T + tikhonov)^-1 Z, with the pseudo-inverse for zero: digits, and an exponent of two."""
    # Squares of small numbers vanish, so all are brought to size one, which rounds nothing.
    # The root of tikhonov, up to a factor of two, counts as one more entry of S.
    root = math.ldexp(0.5, (exponent_of(tikhonov) + 1) // 2) if tikhonov else 0.0
    z, s = exponent_of(Z), exponent_of(S, root)
    Z, S = times_power(Z, -z), times_power(S, -s)
    if not tikhonov:
        # (S S^T)^+ by way of S^+, as squared singular values keep half of the digits only.
        inverse = pseudo_inverse(S)
        return inverse.T @ (inverse @ Z), z - 2 * s
    covariance = S @ S.T
    covariance.flat[:: len(S) + 1] += math.ldexp(tikhonov, -2 * s)
    # Cholesky's factor takes half the time of the general one, which is for what rounding has made
    # indefinite.
    _, solution, failed = dposv(covariance, Z)
    if not failed:
        return solution, z - 2 * s
    try:
        return np.linalg.solve(covariance, Z), z - 2 * s
    except np.linalg.LinAlgError:
        raise ValueError(
            f"tikhonov, {tikhonov:g}, is lost in the rounding of the covariance; take a larger one"
        ) from None


def put_back(digits: PerUnit, exponent: int, name: str) -> PerUnit:
    """digits 2^exponent; ValueError if that is larger than floats go."""
    with np.errstate(over="ignore", under="ignore"):
        whole = times_power(digits, exponent)
    if not np.isfinite(whole).all():
        raise ValueError(f"{name} is larger than floats go; multiply by powers of two")
    return whole
