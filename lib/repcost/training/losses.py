"""What a loss takes as targets, and what it is on all points together, in numpy's float64."""

from typing import Literal

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from repcost.arrays import ArrayLike, finite_array
from repcost.scalars import whole_number

# To add a loss: its name here, its targets and its total below, and its derivative by the outputs
# in `gradients`.
Loss = Literal["squared", "cross-entropy"]


def total_loss(
    loss: Loss, outputs: Float[np.ndarray, "n m"], targets: Float[np.ndarray, "n m"]
) -> float:
    """The sum over the points: of |f(x) - y|^2, never halved, or of -log softmax(f(x))_label."""
    if loss == "squared":
        return float(np.sum((outputs - targets) ** 2))
    # log softmax as a difference, so that no exponential overflows.
    return float(np.sum(logsumexp(outputs, axis=1) - np.sum(outputs * targets, axis=1)))


def targets_of(loss: Loss, Y: ArrayLike, outputs: int) -> Float[np.ndarray, "n m"]:
    """Y as (n, outputs); labels become rows of the unit matrix."""
    Y, outputs = finite_array(Y, "Y", (1, 2)), whole_number(outputs, "outputs", 0, 10**6)
    flat = Y.ndim == 1
    if loss == "cross-entropy":
        if not flat or not _are_labels(Y, outputs):
            wanted = f"labels 0 to {outputs - 1}, one per point, for the cross-entropy"
            raise ValueError(f"Y must hold {wanted}")
        # Then both losses are sums over outputs, and torch and numpy use the same formula.
        return np.eye(outputs)[Y.astype(int)]
    Y = Y[:, None] if flat else Y
    if Y.shape[1] != outputs:
        wanted = f"the network has {outputs} outputs; points are rows"
        raise ValueError(f"Y has {Y.shape[1]} columns, but {wanted}")
    return Y


def _are_labels(Y: Float[np.ndarray, " n"], classes: int) -> bool:
    whole = (Y % 1 == 0).all()
    return bool(whole and Y.min(initial=0) >= 0 and Y.max(initial=0) < classes)
