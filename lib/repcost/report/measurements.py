"""The numbers of a report, each from a network, from its weights, or from a layer's values."""

from itertools import pairwise

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.deep_networks import DeepNet

Points = Float[np.ndarray, "n d"]
Values = Float[np.ndarray, "n units"]
Spectrum = Float[np.ndarray, " k"]

# Two units whose values on the data have a cosine this close to one are one unit in two places.
SAME_RAY = 1 - 1e-9
# Products of matrices and singular values that Jacobians may cost, in multiplications: a few
# seconds.
JACOBIAN_WORK = 2e10
# A singular value decomposition costs about as much as so many products.
_SVD_IN_PRODUCTS = 10


def points_of(X: ArrayLike, flatten: bool) -> Points:
    """X as rows of float64, also from a tensor of torch; images become rows if `flatten`."""
    if detach := getattr(X, "detach", None):
        X = detach().to("cpu").double().numpy()
    X = np.asarray(X)
    if flatten and X.ndim > 2:
        X = X.reshape(len(X), -1)
    X = finite_array(X, "X", 2)
    if not len(X):
        raise ValueError("X holds no points; give at least one row")
    return X


def path_norm(net: DeepNet) -> float:
    """Sum over outputs and paths of |weights|, first-layer units by their Euclidean length."""
    reached = np.linalg.norm(net.weights[0], axis=1)
    for weight in net.weights[1:]:
        reached = np.abs(weight) @ reached
    return float(reached.sum())


def layerwise_norm(squares: Float[np.ndarray, " L"]) -> float:
    """What the squared weights of the layers add up to if each is scaled to the same size.

    Their product stays, so this is the least, by the inequality of the two means.
    """
    depth = len(squares)
    return float(depth * np.prod(squares ** (1 / depth)))


def centred_spectrum(values: Values) -> Spectrum:
    """Singular values of the values without their mean, over the root of the number of points."""
    return np.linalg.svd((values - values.mean(axis=0)) / np.sqrt(len(values)), compute_uv=False)


def rank_above(spectrum: Spectrum, tolerance: float) -> int:
    """How many singular values exceed this part of the largest."""
    return int(np.sum(spectrum > tolerance * spectrum[0])) if len(spectrum) else 0


def some_points(X: Points, net: DeepNet) -> Points:
    """As many evenly spread rows as Jacobians can be had of in a few seconds, at least 16."""
    n = net.widths
    products = n[0] * sum(into * out for into, out in pairwise(n[1:]))
    work = products + _SVD_IN_PRODUCTS * min(n[0], n[-1]) ** 2 * max(n[0], n[-1])
    count = min(len(X), max(16, int(JACOBIAN_WORK / work)))
    return X[np.linspace(0, len(X) - 1, count).astype(int)]


def prunable_units(values: Values) -> int:
    """Units that are zero on all points, and those proportional to one that is kept."""
    sizes = np.linalg.norm(values, axis=0)
    rays = (values[:, sizes > 0] / sizes[sizes > 0]).T
    kept = 0
    # Each ray takes those along it away, so the number of rays counts what must stay.
    while len(rays):
        kept, rays = kept + 1, rays[rays @ rays[0] < SAME_RAY]
    return values.shape[1] - kept
