"""What sizes alone say about Phi_L and about sums of powers: ends for when all else fails.

Everything is in logarithms, so that no size is too large or too small. With the lengths |m_k| of
the rows, the column sums s_j = sum_k |m_kj|, the rank at most r = min(K, d), and q = 2/(L-1):

    (sum_k |m_k|)^(2/L) <= Phi_L <= sum_k |m_k|^(2/L),  sum_j s_j^(2/L),
                                    r^((L-2)/L) (sum_k |m_k|)^(2/L).

The lower end is |X|_q >= |X|_2, the last upper one |X|_q <= r^(1/q - 1/2) |X|_2. The first upper
one puts networks side by side, the second is Theorem 3.9 of Ongie & Willett (2022) for the axes.
The sum of s_j^(2/L) over the singular values of a matrix A lies between |A|_2^(2/L) and the same
powers of the lengths of rows, of columns, or r^(1 - 1/L) |A|_2^(2/L), for the same reasons.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from repcost.costs.linear_layers.scaled_rows import ScaledRows

# Logarithms of floats and their products are below this, and rounded in proportion.
_LARGEST_LOGARITHM = 8192.0


@dataclass(frozen=True, eq=False)
class Magnitudes:
    """log2 |m_kj| - top for the rows of one problem, -infinity for zeros; one entry is not zero."""

    logs: Float[np.ndarray, "K d"]

    @classmethod
    def of(cls, rows: ScaledRows, top: Int[np.ndarray, ""] | None = None) -> "Magnitudes":
        rows = rows.part(rows.alive)
        with np.errstate(divide="ignore"):
            within = np.log2(np.abs(rows.directions)) + np.log2(rows.factors)[:, None]
        scale = rows.exponents - (rows.top if top is None else top)
        return cls(within + scale[:, None])

    def least_cost(self, depth: int) -> float:
        """Phi_L of rows divided by 2^top is at least this."""
        return self._below(_sum(self._lengths) * 2 / depth)

    def most_cost(self, depth: int) -> float:
        """... and at most this."""
        rank = (1 - 2 / depth) * np.log2(self._rank)
        together = rank + _sum(self._lengths) * 2 / depth
        axes = _sum(_sum(self.logs) * (2 / depth))
        return min(self.sum_of_row_powers(depth), self._above(min(together, axes)))

    def least_powers(self, depth: int) -> float:
        """The sum of s_j^(2/L) over singular values is at least this."""
        return self._below(_sum(self._lengths * 2) / depth)

    def most_powers(self, depth: int) -> float:
        """... and at most this."""
        whole = (1 - 1 / depth) * np.log2(self._rank) + _sum(self._lengths * 2) / depth
        columns = _sum(_sum(self.logs * 2) / depth)
        return min(self.sum_of_row_powers(depth), self._above(min(whole, columns)))

    def sum_of_row_powers(self, depth: int) -> float:
        """sum_k |m_k|^(2/L), from above."""
        return self._above(_sum(self._lengths * (2 / depth)))

    @property
    def _lengths(self) -> Float[np.ndarray, " K"]:
        return _sum(self.logs.T * 2) / 2

    @property
    def _rank(self) -> int:
        return min(self.logs.shape)

    @property
    def _slack(self) -> float:
        return 2.0**-51 * _LARGEST_LOGARITHM * (sum(self.logs.shape) + 8)

    def _below(self, logarithm: float) -> float:
        return float(np.exp2(logarithm - self._slack))

    def _above(self, logarithm: float) -> float:
        return float(np.nextafter(np.exp2(logarithm + self._slack), np.inf))


def _sum(logs: Float[np.ndarray, "n ..."]) -> Any:
    """The logarithm of the sum of the powers of two, along the first axis."""
    return np.logaddexp2.reduce(logs, axis=0)
