"""The points at length one in as few dimensions as they span, and what that costs a proof."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.rounding import TINY, UNIT
from repcost.scales import exponents_of_rows, lengths

Inputs = Float[np.ndarray, "N r"]


@dataclass(frozen=True, eq=False)
class UnitPoints:
    """Points xt_i = sizes_i frame u_i + an error of length at most errors_i.

    units (N, r): rows of length one, but for rounding, or zero. frame (d, r): columns that are
    nearly orthonormal; it makes no vector longer than by the factor `stretch`.
    """

    units: Float[np.ndarray, "N r"]
    sizes: Float[np.ndarray, " N"]
    frame: Float[np.ndarray, "d r"]
    errors: Float[np.ndarray, " N"]
    stretch: float

    @classmethod
    def of(cls, Xt: Float[np.ndarray, "N d"]) -> "UnitPoints":
        N, d = Xt.shape
        # Only the row space matters, which is small where there are fewer points than inputs.
        frame = np.linalg.qr(Xt.T)[0] if d > N else np.eye(d)
        inside = Xt @ frame
        # At size one first: squares of small entries would vanish.
        inside = np.ldexp(inside, -exponents_of_rows(inside)[:, None])
        units = inside / np.maximum(np.linalg.norm(inside, axis=1), TINY)[:, None]
        sizes = lengths(Xt)
        # The errors are measured, and so is the frame; both measurements round.
        off = lengths(Xt - sizes[:, None] * (units @ frame.T))
        errors = off + 4 * (2 * d + 20) * UNIT * sizes + TINY
        skew = np.linalg.norm(frame.T @ frame - np.eye(frame.shape[1]))
        stretch = 1 + float(skew) + 4 * (d + 10) * frame.shape[1] * UNIT
        return cls(units, sizes, frame, errors, stretch)

    def weights(self, v: Float[np.ndarray, "*T N"]) -> Float[np.ndarray, "*T N"]:
        """The multipliers of the unit points."""
        return v * self.sizes

    def bound_of_data(
        self, bound: Float[np.ndarray, "*T"], v: Float[np.ndarray, "*T N"]
    ) -> Float[np.ndarray, "*T"]:
        """At least max sum v_i relu(xt_i.w), from a bound for the unit points and `weights(v)`."""
        allowed = np.abs(v) @ (self.errors + 8 * UNIT * self.sizes)
        return (bound * self.stretch + allowed) * (1 + 2 * (len(self.sizes) + 10) * UNIT)
