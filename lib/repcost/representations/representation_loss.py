"""The regularised loss as a function of the representations, its gradient, and where descents end.

    |Z_L - Y|^2 / N + strength sum_l |S_{l-1}^+ Z_l|^2,

or with Tr Z_l Z_l^T (S_{l-1} S_{l-1}^T + t)^-1 for the costs. Proposition 1 and Appendix B.1
of Jacot et al. (2022), with points as rows. The gradient by Z_l is strength times the two
forces on this layer, and for the last one the error of the outputs as well.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.covariances import covariance_cost
from repcost.deep_networks import DeepNet
from repcost.representations.attraction import forces
from repcost.representations.hidden_layers import Representations
from repcost.scalars import positive_number


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a descent ended.

    representations: those of the last step. losses: on the way. network: one with such
    representations; the docstring of the descent says in what sense.
    """

    representations: Representations
    losses: Float[np.ndarray, " losses"]
    network: DeepNet


@dataclass(frozen=True, eq=False)
class RepresentationLoss:
    """The loss for targets Y (N, n_L); `tikhonov` zero stands for the pseudo-inverse."""

    Y: Float[np.ndarray, "N m"]
    strength: float

    @classmethod
    def checked(cls, start: Representations, Y: ArrayLike, strength: float) -> "RepresentationLoss":
        """ValueError unless a descent can begin at `start`."""
        Y = finite_array(Y, "Y", 2)
        outputs = start.preactivations[-1].shape
        if Y.shape != outputs:
            raise ValueError(f"Y has shape {Y.shape}, but the last layer of start {outputs}")
        strength = positive_number(strength, "strength")
        if not start.activation.is_relu:
            remedy = "the forces are those of relu units; set negative_slope to 0"
            raise ValueError(f"start has leaky units, but {remedy}")
        return cls(Y, strength)

    def value(self, at: Representations, tikhonov: float = 0.0) -> float:
        cost = covariance_cost(*at.covariances, tikhonov=tikhonov) if tikhonov else at.cost
        error = float(np.sum((at.preactivations[-1] - self.Y) ** 2))
        return error / len(self.Y) + self.strength * cost

    def gradient(
        self, at: Representations, tikhonov: float = 0.0
    ) -> list[Float[np.ndarray, "N _"]]:
        """The derivatives by Z_1, ..., Z_L."""
        Z, S, N = at.preactivations, at.activations, len(self.Y)
        # The last layer has none above that could push it.
        above = (*Z[1:], np.zeros((N, 1)))
        both = [
            forces(*layer, at.bias, tikhonov=tikhonov) for layer in zip(Z, S, above, strict=True)
        ]
        gradients = [self.strength * (attraction + repulsion) for attraction, repulsion in both]
        # Only the outputs stand in the data term.
        gradients[-1] += 2 / N * (Z[-1] - self.Y)
        return gradients
