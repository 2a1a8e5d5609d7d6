"""A layer of a measured network: what its weights pay, and what its values do over the points."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.report.measurements import rank_above

# Two spectra of a layer differ in length.
Spectrum = Float[np.ndarray, " _"]


@dataclass(frozen=True, eq=False)
class Layer:
    """What a report says of one layer.

    name: the path of its module in the model; called again, it has the number of the call.
    parameters: how many numbers its weights and biases are; none if they are those of a layer
        before it.
    weight_norm, bias_norm: their sums of squares, batch normalisation folded in.
    least: both after the rescaling of channels that makes the whole network cheapest.
    spectral_norm: the largest singular value of the weights as a matrix from inputs to outputs;
    stable_rank: the sum of the squares of all of them over the square of that.
    units: channels, for a convolution.
    spectrum: singular values of its centred values, all positions of all points being rows, over
        the root of their number; flat_spectrum: those of the points, each one row of all
        positions, where there are several; flat_points: of so many points.
    dead, mergeable: units that are zero at all points behind the activation, and others that are
        proportional to one that is kept.
    hidden: whether another layer follows.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    parameters: int
    weight_norm: float
    bias_norm: float
    least: float
    spectral_norm: float
    stable_rank: float
    units: int
    spectrum: Spectrum
    dead: int
    mergeable: int
    hidden: bool
    flat_spectrum: Spectrum | None = None
    flat_points: int = 0

    @property
    def squared_norm(self) -> float:
        return self.weight_norm + self.bias_norm

    @property
    def effective_dimension(self) -> float:
        """(sum of s^2)^2 / sum of s^4 over the spectrum: how many directions share the variance."""
        shares = (self.spectrum / self.spectrum[0]) ** 2 if self.spectrum[:1].any() else np.zeros(0)
        return float(shares.sum() ** 2 / (shares**2).sum()) if len(shares) else 0.0

    def rank(self, tolerance: float) -> int:
        """Directions in which its values vary by more than this part of the most."""
        return rank_above(self.spectrum, tolerance)

    def flat_rank(self, tolerance: float) -> int | None:
        return None if self.flat_spectrum is None else rank_above(self.flat_spectrum, tolerance)

    def told(self, tolerance: float) -> dict[str, Any]:
        """Its numbers with those that follow from them."""
        derived = {
            "squared_norm": self.squared_norm,
            "rank": self.rank(tolerance),
            "flat_rank": self.flat_rank(tolerance),
            "effective_dimension": self.effective_dimension,
        }
        return asdict(self) | derived
