"""The activation of a network: what a unit passes on of what it receives.

To add an activation, give it here what its values, its slopes and its exact slopes are, and give
`repcost.training.passages` its derivative in torch; everything else asks the network for these.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike
from repcost.integers import Whole
from repcost.scalars import real_number

Floats = Float[np.ndarray, "..."]

__all__ = ["TORCH_MODULES", "Activation"]


@dataclass(frozen=True)
class Activation:
    """t for t >= 0 and `negative_slope` t below: ReLU at 0, sigma_a of Jacot (2023) at a.

    Positively homogeneous, s(c t) = c s(t) for c >= 0, and it moves two numbers no further apart
    than they were: all that is said here of rescaling, of balance and of costs rests on that.

    >>> leaky = Activation(0.5)
    >>> leaky(np.array([-2.0, 3.0])).tolist(), leaky.slopes(np.array([0.0, 1.0])).tolist()
    ([-1.0, 3.0], [0.5, 1.0])
    """

    negative_slope: float = 0.0

    def __post_init__(self):
        object.__setattr__(
            self, "negative_slope", real_number(self.negative_slope, "negative_slope")
        )
        # Slopes -1 and 1 are excluded: |t| has no linear part, and t itself bends nowhere.
        if not -1 < self.negative_slope < 1:
            raise ValueError(
                f"negative_slope must lie strictly between -1 and 1, not {self.negative_slope:g}"
            )

    @classmethod
    def checked(cls, given: "ArrayLike | Activation") -> "Activation":
        """An activation as it is, or the one with this slope below zero; ValueError if neither."""
        if isinstance(given, Activation):
            return given
        return cls(real_number(given, "negative_slope"))

    def __call__(self, t: Floats) -> Floats:
        # t = 0 is on the side that is passed on, so that no zero changes its sign.
        return np.where(t >= 0, t, self.negative_slope * t)

    def slopes(self, t: Floats) -> Floats:
        """The derivative; at the kink that of the side where the unit is not active."""
        return np.where(t > 0, 1.0, self.negative_slope)

    @property
    def both_slopes(self) -> tuple[float, float]:
        """Above zero, and below."""
        above, below = self.slopes(np.array([1.0, -1.0])).tolist()
        return above, below

    @property
    def is_relu(self) -> bool:
        return self.negative_slope == 0

    @property
    def bend(self) -> float:
        """By how much the slope changes at zero."""
        return 1 - self.negative_slope

    @property
    def exact_slope(self) -> tuple[int, int]:
        """The slope below zero as numerator and denominator, for arithmetic in whole numbers."""
        return self.negative_slope.as_integer_ratio()

    def whole_slopes(self, active: Sequence[bool]) -> tuple[Whole, int]:
        """Slopes of units on these sides of zero, as whole numbers over 2 to the second answer."""
        top, bottom = self.exact_slope
        # The denominator of a float is a power of two.
        return np.array([bottom if on else top for on in active], dtype=object), (
            bottom.bit_length() - 1
        )

    def exactly(self, t: Fraction) -> Fraction:
        """The value at a rational, without rounding."""
        return t if t >= 0 else Fraction(*self.exact_slope) * t

    def __str__(self) -> str:
        return "ReLU" if self.is_relu else f"leaky ReLU of slope {self.negative_slope:g}"


# What the modules of torch.nn with these names are.
TORCH_MODULES: Mapping[str, Callable[[Any], Activation]] = {
    "ReLU": lambda module: Activation(),
    "LeakyReLU": lambda module: Activation(module.negative_slope),
}
