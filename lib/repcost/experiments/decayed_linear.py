"""Linear networks trained with weight decay: the Discussion of Savarese et al. (2019).

An architecture is a function from its layers, one array, to the linear function that they make.
The networks are small, so a quasi-Newton method with differences for derivatives is enough; the
best of several starts is kept, which is an upper bound of the least value.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from repcost.arrays import ArrayLike, finite_array
from repcost.scalars import generator, positive_number, whole_number

Layers = Float[np.ndarray, "L ..."]
Architecture = Callable[[Layers], Float[np.ndarray, "..."]]


@dataclass(frozen=True, eq=False)
class DecayedLinear:
    """What `trained` returns: the least objective found, and the linear function that has it."""

    objective: float
    function: Float[np.ndarray, "..."]


def product(layers: Layers) -> Float[np.ndarray, "n n"]:
    """W_1 ... W_L of square layers (L, n, n): fully connected, as many outputs as inputs."""
    return np.linalg.multi_dot(list(layers)) if len(layers) > 1 else layers[0]


def one_row(layers: Layers) -> Float[np.ndarray, " n"]:
    """The first row of the product: fully connected, one output."""
    return product(layers)[0]


def convolution(layers: Layers) -> Float[np.ndarray, " n"]:
    """The circular convolution of filters (L, n)."""
    return np.fft.ifft(np.prod(np.fft.fft(layers), axis=0)).real


def trained(
    architecture: Architecture,
    shape: tuple[int, ...],
    X: ArrayLike,
    Y: ArrayLike,
    strength: float,
    *,
    rng: np.random.Generator,
    starts: int = 6,
) -> DecayedLinear:
    """The least |X beta - Y|^2 + strength C_L found, beta made by `architecture` of the layers.

    C_L is the sum of all squared weights over L, as in (43). shape: of the array of layers,
    (L, ...). X: (N, n); Y: (N,) or (N, n).

    >>> rng = np.random.default_rng(0)
    >>> found = trained(convolution, (2, 1), [[1.0]], np.array([1.0]), 0.5, rng=rng)
    >>> round(found.objective, 9), round(float(found.function[0]), 6)
    (0.4375, 0.75)
    """
    X, Y = finite_array(X, "X", 2), finite_array(Y, "Y", np.ndim(Y))
    price = positive_number(strength, "strength") / whole_number(shape[0], "shape[0]", 1)

    def value(flat: Float[np.ndarray, " P"]) -> float:
        misfit = X @ architecture(flat.reshape(shape)) - Y
        return float(np.sum(misfit**2) + price * flat @ flat)

    size = (whole_number(starts, "starts", 1), int(np.prod(shape)))
    firsts = generator(rng).normal(size=size) / np.sqrt(shape[-1])
    best = min((minimize(value, each, tol=1e-9) for each in firsts), key=lambda end: end.fun)
    return DecayedLinear(float(best.fun), architecture(best.x.reshape(shape)))
