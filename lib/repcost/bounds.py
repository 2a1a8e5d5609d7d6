"""The answer of everything that computes a cost or a rank: two ends, and how sure they are."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from repcost.conventions import Convention

__all__ = ["Bracket"]

# A float, or an array of floats when a whole batch was computed at once.
Ends = Any


@dataclass(frozen=True, eq=False)
class Bracket:
    """A number known from two sides: `lower <= true value <= upper`.

    how: "exact" (rational arithmetic or whole numbers), "certified" (a proof, and float64 with
        its rounding added outward) or "experiment" (everything else).
    attained: the end that a known object attains ("upper" when an explicit network has that
        cost).
    counts: of a cost, which squares it counts (`repcost.conventions`); None for ranks and errors.
    reason: why the ends are further apart than was asked for; empty where they are not.

    The ends are floats, or arrays of the same shape when a whole batch was computed at once.

    >>> cost = Bracket(1.9, 2.0, "certified")
    >>> cost.value, 1.95 in cost
    (2.0, True)
    """

    lower: Ends
    upper: Ends
    how: Literal["exact", "certified", "experiment"]
    attained: Literal["upper", "lower"] = "upper"
    counts: Convention | None = None
    reason: str = ""

    def __post_init__(self):
        if self.how not in ("exact", "certified", "experiment"):
            raise ValueError(f'how must be "exact", "certified" or "experiment", not {self.how!r}')
        if self.attained not in ("upper", "lower"):
            raise ValueError(f'attained must be "upper" or "lower", not {self.attained!r}')
        if np.shape(self.lower) != np.shape(self.upper):
            raise ValueError(
                f"lower has shape {np.shape(self.lower)}, upper {np.shape(self.upper)}; "
                "they must agree"
            )
        if np.isnan(self.lower).any() or np.isnan(self.upper).any():
            raise ValueError("lower or upper is NaN; a bracket needs two numbers")
        if np.greater(self.lower, self.upper).any():
            raise ValueError(f"lower must not exceed upper, but {self.lower} > {self.upper}")

    @property
    def value(self) -> Ends:
        """The attained end: the one to quote when a single number is wanted."""
        return self.upper if self.attained == "upper" else self.lower

    @property
    def gap(self) -> Ends:
        """upper - lower; zero where both ends are the same infinity."""
        equal = np.equal(self.lower, self.upper)
        with np.errstate(invalid="ignore"):  # inf - inf, where the ends are equal
            gap = np.where(equal, 0.0, np.subtract(self.upper, self.lower))
        return gap if gap.ndim else float(gap)

    @property
    def relative_gap(self) -> Ends:
        """gap / |value|; zero where the gap is zero, infinite where only the value is."""
        gap, size = np.asarray(self.gap), np.abs(self.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            # inf / inf would be NaN; an infinite gap tells nothing, whatever the value.
            ratio = np.where(gap == 0, 0.0, np.where(np.isinf(gap), np.inf, gap / size))
        return ratio if ratio.ndim else float(ratio)

    def __contains__(self, number) -> bool:
        """Whether `number` (a float, or a Fraction, compared exactly) lies between the ends."""
        above, below = np.less_equal(self.lower, number), np.less_equal(number, self.upper)
        return bool(np.all(above) and np.all(below))

    def __str__(self) -> str:
        told = "".join(f"; {part}" for part in (self.counts, self.reason) if part)
        if np.ndim(self.lower):
            count, gap = np.size(self.lower), np.max(self.gap, initial=0.0)
            return f"{count} brackets ({self.how}, largest gap {gap:.2g}{told})"
        # Ten digits are shown, so one number is enough where both ends have the same ones.
        if self.relative_gap < 1e-10:
            value = f"{self.value:.10g}"
        else:
            value = f"between {self.lower:.10g} and {self.upper:.10g}"
        return f"{value} ({self.how}, gap {self.gap:.2g}{told})"
