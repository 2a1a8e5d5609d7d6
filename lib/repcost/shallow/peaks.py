"""What an oracle answers: how steep the steepest neuron may be, and which ones are steep."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, eq=False)
class Peaks:
    """The answer for one V.

    bound: at least max |V^T relu(Xt w)| over |w| = 1.
    atoms: unit vectors w (k, r), the highest first; one may be there from several faces.
    heights: their values (k,).
    """

    bound: float
    atoms: Float[np.ndarray, "k r"]
    heights: Float[np.ndarray, " k"]

    @property
    def height(self) -> float:
        """The highest value found; nothing is found where V is zero."""
        return float(self.heights.max(initial=0.0))


def sorted_peaks(
    bound: float, atoms: Float[np.ndarray, "k r"], heights: Float[np.ndarray, " k"]
) -> Peaks:
    order = np.argsort(-heights, kind="stable")
    return Peaks(bound, atoms[order], heights[order])
