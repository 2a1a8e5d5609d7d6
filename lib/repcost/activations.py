"""The activation of a network: what a unit passes on of what it receives.

To add an activation, give it here what its values, its slopes and its exact slopes are, and give
`repcost.training.gradients` its derivative in torch; everything else asks the network for these.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array

Floats = Float[np.ndarray, "..."]


@dataclass(frozen=True)
class Activation:
    """t for t >= 0 and `negative_slope` t below: ReLU at 0, sigma_a of Jacot (2023) at a.

    Positively homogeneous, s(c t) = c s(t) for c >= 0: all that is said here of rescaling, of
    balance and of costs rests on that and on nothing else.

    >>> Activation(0.5)(np.array([-2.0, 3.0])).tolist(), Activation(0.5).slopes(np.array([0.0, 1.0])).tolist()
    ([-1.0, 3.0], [0.5, 1.0])
    """

    negative_slope: float = 0.0

    def __post_init__(self):
        # Slopes -1 and 1 are excluded: |t| has no linear part, and t itself bends nowhere.
        if not -1 < self.negative_slope < 1:
            raise ValueError(
                f"negative_slope must lie strictly between -1 and 1, not {self.negative_slope:g}"
            )

    @classmethod
    def checked(cls, negative_slope: ArrayLike) -> "Activation":
        """From a number of the user's; ValueError if it is not one."""
        return cls(float(finite_array(negative_slope, "negative_slope", 0)))

    def __call__(self, t: Floats) -> Floats:
        return np.where(t >= 0, t, self.negative_slope * t)

    def slopes(self, t: Floats) -> Floats:
        """The derivative; at the kink that of the side where the unit is not active."""
        return np.where(t > 0, 1.0, self.negative_slope)

    @property
    def is_relu(self) -> bool:
        return self.negative_slope == 0

    @property
    def exact_slope(self) -> tuple[int, int]:
        """The slope below zero as numerator and denominator, for arithmetic in whole numbers."""
        return self.negative_slope.as_integer_ratio()
