"""The rows m_k = a_k w_k as directions times powers of two, without any rounding."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.scales import exponents_of_rows

Floats = Float[np.ndarray, "..."]
# One number per problem: an array for a batch, a number for a problem on its own.
Each = Floats | float
Alive = Bool[np.ndarray, "*batch K"]

# Stands for the exponent of a row of zeros, beyond those of all floats.
_NEVER = 100_000


@dataclass(frozen=True, eq=False)
class ScaledRows:
    """m_k = 2^exponents_k factors_k directions_k, exactly.

    Factors and the largest entry of a direction lie in [1/2, 1), so both a and W may be as far
    from 1 as floats go. alive: the row is not zero.
    """

    directions: Float[np.ndarray, "*batch K d"]
    factors: Float[np.ndarray, "*batch K"]
    exponents: Int[np.ndarray, "*batch K"]
    alive: Alive

    @classmethod
    def of(cls, W: Floats, a: Floats) -> "ScaledRows":
        """Exact as long as no entry of a direction is 2^1000 times smaller than its largest."""
        # Sums of exponents of a and W, and their products with 2, must not overflow.
        exponents = exponents_of_rows(W).astype(np.int64)
        factors, shifts = np.frexp(np.abs(a))
        directions = np.ldexp(W, -exponents[..., None])
        alive = (factors != 0) & directions.any(-1)
        return cls(directions, factors, exponents + shifts, alive)

    @classmethod
    def checked(cls, W: Floats, a: Floats, name: str = "W") -> "ScaledRows":
        """The same; ValueError where it would not be exact."""
        rows = cls.of(W, a)
        if ((np.abs(rows.directions) < 2.0**-1000) & (W != 0)).any():
            raise ValueError(
                f"entries within one row of {name} differ by more than 2^1000; "
                "replace the small ones by zero"
            )
        return rows

    # Both are asked for again and again on the way of one problem.
    @cached_property
    def top(self) -> Int[np.ndarray, "*batch"]:
        """The largest exponent of a row that is not zero."""
        return np.asarray(np.where(self.alive, self.exponents, -_NEVER).max(-1, initial=-_NEVER))

    @cached_property
    def spread(self) -> Int[np.ndarray, "*batch"]:
        """How many powers of two lie between the largest row and the smallest that is not zero."""
        least = np.where(self.alive, self.exponents, _NEVER).min(-1, initial=_NEVER)
        return np.asarray(self.top - least)

    def split(self, faintest: float) -> "tuple[ScaledRows, ScaledRows]":
        """The rows of one problem down to 2^faintest times the largest, and the rest of them."""
        seen = self.alive & (self.exponents - self.top >= faintest)
        return self.part(seen), self.part(self.alive & ~seen)

    def part(
        self, which: Int[np.ndarray, " n"] | Bool[np.ndarray, " n"] | np.integer
    ) -> "ScaledRows":
        """Some problems of a batch, or some rows of a problem."""
        return ScaledRows(
            self.directions[which], self.factors[which], self.exponents[which], self.alive[which]
        )
