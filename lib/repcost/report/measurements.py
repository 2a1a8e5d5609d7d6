"""The numbers of a report, each from a network, from its weights, or from a layer's values."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Float
from scipy.sparse.linalg import eigsh

from repcost.arrays import ArrayLike, finite_array
from repcost.conversions import as_floats
from repcost.deep_networks import DeepNet
from repcost.devices import Device
from repcost.ranks.jacobian import jacobian_spectra
from repcost.scales import at_size_one, exponents_of_rows, lengths

Points = Float[np.ndarray, "n d"]
Values = Float[np.ndarray, "n units"]
# Of layers of different widths.
Received = Sequence[Float[np.ndarray, "n _"]]
Spectrum = Float[np.ndarray, " k"]

# Two units whose values on the data have a cosine this close to one are one unit in two places.
SAME_RAY = 1 - 1e-9
# Products of matrices and singular values that Jacobians may cost, in multiplications: a few
# seconds.
JACOBIAN_WORK = 2e10
# Squares below this have lost digits, and those of numbers above this overflow.
_FEW_DIGITS = 1e-290
_LARGEST = 1e150
# Of matrices with fewer rows or columns all singular values are had at once.
_SMALL = 512
_REMEDY = "divide its layers by powers of two first"
# A singular value decomposition costs about as much as so many products.
_SVD_IN_PRODUCTS = 10


def points_of(X: ArrayLike) -> Points:
    """X as rows of float64."""
    return _some(finite_array(X, "X", 2))


def points_of_any_shape(X: ArrayLike, name: str = "X") -> Float[np.ndarray, "_ ..."]:
    """X as points of float64, which are rows or images or whatever else a model takes."""
    floats = as_floats(X, name)
    if floats.ndim < 2:
        said = f"{name} must have 2 axes or more, but its shape is {floats.shape}"
        raise ValueError(f"{said}; reshape it")
    _some(floats, name)
    flat = finite_array(floats.reshape(len(floats), int(np.prod(floats.shape[1:]))), name, 2)
    return flat.reshape(floats.shape)


def _some(X: Float[np.ndarray, "_ ..."], name: str = "X") -> Float[np.ndarray, "_ ..."]:
    if not len(X):
        raise ValueError(f"{name} holds no points; give at least one row")
    return X


def values_within_floats(net: DeepNet, X: Points) -> Received:
    """What the units of each layer receive at X; ValueError where floats end before that."""
    if max(np.abs(weight).max(initial=0.0) for weight in (*net.weights, *net.biases)) > _LARGEST:
        raise ValueError(f"model has weights beyond {_LARGEST:g}; {_REMEDY}")
    with np.errstate(over="ignore", invalid="ignore"):
        values = net.preactivations(X)
    for layer, received in enumerate(values, start=1):
        if not np.isfinite(received).all():
            raise ValueError(f"model leaves the range of floats in layer {layer} at X; {_REMEDY}")
    return values


def derivatives_within_floats(
    net: DeepNet, X: Points, most: int, device: str | Device
) -> Float[np.ndarray, "n k"]:
    """Singular values of the derivative at some rows of X; ValueError where floats end."""
    problem = f"model has a derivative at X beyond the range of floats; {_REMEDY}"
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            spectra = jacobian_spectra(net, some_points(X, net, most), device=device)
        # Points and widths are known to fit, so that nothing else can be wrong.
        except ValueError:
            raise ValueError(problem) from None
    if not np.isfinite(spectra).all():
        raise ValueError(problem)
    return spectra


def path_norm(net: DeepNet) -> float:
    """Sum over outputs and paths of |weights|, first-layer units by their Euclidean length."""
    exponent, reached = 0, lengths(net.weights[0])
    for weight in net.weights[1:]:
        # Small numbers in a row must not vanish before large ones come.
        reached, below = at_size_one(reached)
        weight, here = at_size_one(weight)
        exponent += below + here
        reached = np.abs(weight) @ reached
    with np.errstate(over="ignore"):
        return float(np.ldexp(reached.sum(), exponent))


def layerwise_norm(net: DeepNet) -> float:
    """What the squared weights of the layers add up to if each is scaled to the same size.

    Their product stays, so this is the least, by the inequality of the two means.
    """
    squares = np.array([np.sum(weight**2) for weight in net.weights])
    if squares.min() < _FEW_DIGITS:
        # Lengths of layers are floats where their squares are none.
        sizes = np.array([lengths(weight.reshape(1, -1)).item() for weight in net.weights])
        return float(net.depth * np.prod(sizes ** (2 / net.depth)))
    return float(net.depth * np.prod(squares ** (1 / net.depth)))


def spectral_norm(matrices: Float[np.ndarray, "*groups out into"]) -> float:
    """The largest singular value of one matrix, or of several."""
    if not matrices.any():
        return 0.0
    matrices, exponent = at_size_one(matrices)
    tall = matrices.shape[-2] >= matrices.shape[-1]
    products = matrices.mT @ matrices if tall else matrices @ matrices.mT
    if products.shape[-1] <= _SMALL:
        squares = np.linalg.eigvalsh(products)[..., -1]
    else:
        start, flat = np.ones(products.shape[-1]), products.reshape(-1, *products.shape[-2:])
        squares = [eigsh(each, k=1, v0=start, return_eigenvectors=False)[0] for each in flat]
    return float(np.ldexp(np.sqrt(np.max(squares)), exponent))


def stable_rank(weights: Float[np.ndarray, "..."], largest: float) -> float:
    """The squared Frobenius norm of the weights over the square of their spectral norm."""
    return float(np.sum((weights / largest) ** 2)) if largest else 0.0


def centred_spectrum(values: Values) -> Spectrum:
    """Singular values of the values without their mean, over the root of the number of points."""
    exponent = 0
    if np.abs(values).max(initial=0.0) > _LARGEST:
        values, exponent = at_size_one(values)
    centred = (values - values.mean(axis=0)) / np.sqrt(len(values))
    return np.ldexp(np.linalg.svd(centred, compute_uv=False), exponent)


def rank_above(spectrum: Spectrum, tolerance: float) -> int:
    """How many singular values exceed this part of the largest."""
    return int(np.sum(spectrum > tolerance * spectrum[0])) if len(spectrum) else 0


def some_points(X: Points, net: DeepNet, most: int) -> Points:
    """As many evenly spread rows as Jacobians can be had of in a few seconds, at least 16."""
    n = net.widths
    products = n[0] * sum(into * out for into, out in pairwise(n[1:]))
    work = products + _SVD_IN_PRODUCTS * min(n[0], n[-1]) ** 2 * max(n[0], n[-1])
    count = min(most, max(16, int(JACOBIAN_WORK / max(1, work))))
    return evenly_spread(X, count)


def evenly_spread(X: Float[np.ndarray, "_ ..."], count: int) -> Float[np.ndarray, "_ ..."]:
    """So many points, or all of them if there are fewer."""
    return X[np.linspace(0, len(X) - 1, min(len(X), count)).astype(int)]


def prunable_units(values: Values) -> int:
    """Units that are zero on all points, and those proportional to one that is kept."""
    return sum(idle_units(values))


def idle_units(values: Values) -> tuple[int, int]:
    """How many units are zero on all points, and how many more are proportional to one kept."""
    # Any scale will do, as only directions are compared.
    values = np.ldexp(values, -exponents_of_rows(values.T))
    sizes = np.linalg.norm(values, axis=0)
    rays = (values[:, sizes > 0] / sizes[sizes > 0]).T
    alive, kept = len(rays), 0
    # Each ray takes those along it away, so the number of rays counts what must stay.
    while len(rays):
        kept, rays = kept + 1, rays[rays @ rays[0] < SAME_RAY]
    return values.shape[1] - alive, alive - kept
