"""Rivals of `prune`: other ways to narrow the last hidden layer of a chain of Linear and ReLU.

Units are left out without looking at them; or, as in column selection, some are chosen by a QR
decomposition with pivoting, and the weights that follow are fitted anew by least squares.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import qr

if TYPE_CHECKING:
    from torch import Tensor, nn

    Sequential = nn.Sequential
else:  # only those who train have torch
    Tensor = Sequential = Any


def error_of_first(model: Sequential, X: Tensor, count: int) -> float:
    """By which part of the largest output outputs are off with the first units only."""
    import torch

    with torch.no_grad():
        last: Any = model[-1]
        hidden, said = model[:-1](X), model(X)
        left = hidden[:, :count] @ last.weight[:, :count].T + last.bias
        return float((left - said).abs().max() / said.abs().max())


def squares_when_fitted_anew(model: Sequential, X: Tensor, count: int) -> float:
    """What the units of the last hidden layer pay, rescaled, when the weights behind are fitted.

    Compare it with `squares_of_units`.
    """
    taken, sent, hidden = _sides(model, X)
    found: Any = qr(hidden, mode="r", pivoting=True)
    keep = found[1][:count]
    fitted = np.linalg.lstsq(hidden[:, keep], hidden @ sent, rcond=None)[0]
    return float(2 * taken[keep] @ np.linalg.norm(fitted, axis=1))


def squares_of_units(model: Sequential, X: Tensor) -> float:
    """What the units of the last hidden layer pay, rescaled: twice what they take times send."""
    taken, sent, _ = _sides(model, X)
    return float(2 * taken @ np.linalg.norm(sent, axis=1))


def _sides(model: Sequential, X: Tensor) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The lengths of what units take, with their biases; what they send; their values."""
    import torch

    below: Any = model[-3]
    last: Any = model[-1]
    with torch.no_grad():
        hidden = model[:-1](X)
        taken = (below.weight.square().sum(1) + below.bias.square()).sqrt()
        parts = taken, last.weight.T, hidden
        taken, sent, hidden = (part.double().numpy() for part in parts)
    return taken, sent, hidden
