"""In how many directions the points vary, layer by layer."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.deep_networks import DeepNet, as_deep

Layer = Float[np.ndarray, "n _"]
Values = Float[np.ndarray, " _"]


def handed_on(net: DeepNet, X: ArrayLike) -> list[Layer]:
    """What stands between the layers at the rows of X: inputs, hidden activations, outputs.

    >>> [Z.tolist() for Z in handed_on(DeepNet([[[1.0]], [[2.0]]], [[4.0], [1.0]]), [[-1.0]])]
    [[[-1.0]], [[3.0]], [[7.0]]]
    """
    net, X = as_deep(net), finite_array(X, "X", 2)
    if not len(X):
        raise ValueError(f"X has shape {X.shape}; give at least one point")
    *hidden, outputs = net.preactivations(X)
    return [X, *map(net.activation, hidden), outputs]


def centred(Z: Layer) -> Layer:
    """The points, less their mean."""
    return Z - Z.mean(axis=0)


def centred_spectra(net: DeepNet, X: ArrayLike) -> list[Values]:
    """Singular values of the centred inputs, hidden activations and outputs at the rows of X.

    Panel A of Figure 1 of Jacot (2023): its rank is the number of directions in which a layer
    varies over the points.

    >>> net = DeepNet([[[1.0, 0.0]]], [[5.0]])
    >>> [s.round(9).tolist() for s in centred_spectra(net, [[3.0, 0.0], [-3.0, 0.0]])]
    [[4.242640687, 0.0], [4.242640687]]
    """
    return [np.linalg.svd(centred(Z), compute_uv=False) for Z in handed_on(net, X)]


@dataclass(frozen=True, eq=False)
class SecondDirections:
    """How far the inputs and hidden layers are from a line.

    ratio: (L,), s_2 / s_1 of each; share: (L,), rho, what part of the variance is not in the first
    direction; variance: (L + 1,), of these and of the outputs. A layer of one point counts as a
    line.
    """

    ratio: Float[np.ndarray, " L"]
    share: Float[np.ndarray, " L"]
    variance: Float[np.ndarray, " layers"]


def second_directions(net: DeepNet, X: ArrayLike, *, centring: bool = True) -> SecondDirections:
    """The ratios, shares and variances of our bound on second directions in deep networks.

    Beyond Proposition 4 of Jacot (2023): sum of the shares + |b|^2 is at most |W|^2 - L minus the
    logarithm of how much smaller the variance of the outputs is. Without `centring`, mean squares
    take the place of variances.

    >>> X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.5], [0.0, -0.5]])
    >>> found = second_directions(DeepNet([np.eye(2)], [[0, 0]]), X)
    >>> found.ratio.tolist(), found.share.round(9).tolist(), found.variance.tolist()
    ([0.5], [0.2], [0.625, 0.625])
    """
    layers = [Z - centring * Z.mean(axis=0) for Z in handed_on(net, X)]
    variance = [(Z**2).sum() / len(Z) for Z in layers]
    # One more zero, for layers of a single unit.
    firsts = [np.append(np.linalg.svd(Z, compute_uv=False), 0)[:2] for Z in layers[:-1]]
    ratio = [s[1] / s[0] if s[0] else 0 for s in firsts]
    n = len(layers[0])
    share = [1 - s[0] ** 2 / n / V if V else 0 for s, V in zip(firsts, variance, strict=False)]
    # Rounding may leave a share of a line a little below zero.
    return SecondDirections(np.array(ratio), np.maximum(share, 0), np.array(variance))
