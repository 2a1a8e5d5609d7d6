"""Networks side by side, trained with weight decay on all layers: (48) of Savarese et al. (2019).

They are small, so a quasi-Newton method over all weights gets to a minimum in a second. It is one
of many minima: zero is one from three layers on. So the best of several starts is kept, which is
an experiment, and an upper bound of the least value.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from repcost.arrays import ArrayLike, finite_array, points_on_line, same_length
from repcost.constructions.parallel import SubNetwork
from repcost.scalars import generator, positive_number, whole_number

Layers = list[Float[np.ndarray, "k _ _"]]


# Until nothing moves: the balance of layers that have almost vanished is the last to settle.
TO_THE_END = {"maxiter": 5000, "maxfun": 10_000, "ftol": 1e-15, "gtol": 1e-10}


@dataclass(frozen=True, eq=False)
class DecayedPaths:
    """What `trained` returns: the least objective found, and the sub-networks that have it."""

    objective: float
    networks: list[SubNetwork]

    def alive(self, above: float = 1e-3) -> int:
        """How many of the sub-networks have an |alpha| above this."""
        return sum(abs(net.alpha) > above for net in self.networks)


def trained(
    X: ArrayLike,
    y: ArrayLike,
    depth: int,
    strength: float,
    *,
    rng: np.random.Generator,
    paths: int = 4,
    width: int = 3,
    starts: int = 6,
) -> DecayedPaths:
    """The least sum_n (h(x_n) - y_n)^2 + strength C_L found over all weights of networks h.

    (48) with the squared loss and C_L of (43): all squares over L = `depth`; no biases. X: (N, d),
    y: (N,); the networks have `paths` sub-networks of this width.

    >>> found = trained([[1.0]], [1.0], 2, 0.5, rng=np.random.default_rng(0))
    >>> round(found.objective, 9)
    0.4375
    """
    X, y = finite_array(X, "X", 2), points_on_line(y, "y")
    same_length(X=X, y=y)
    depth, rng = whole_number(depth, "depth", 2), generator(rng)
    price = positive_number(strength, "strength") / depth
    shapes = _shapes(whole_number(paths, "paths", 1), X.shape[1], width, depth)

    def value(flat: Float[np.ndarray, " P"]) -> tuple[float, Float[np.ndarray, " P"]]:
        misfit, gradient = _misfit(_layers(flat, shapes), X, y)
        return float(misfit + price * flat @ flat), gradient + 2 * price * flat

    size = sum(int(np.prod(shape)) for shape in shapes)
    firsts = rng.normal(size=(whole_number(starts, "starts", 1), size))
    told = {"jac": True, "method": "L-BFGS-B", "options": TO_THE_END}
    best = min((minimize(value, first, **told) for first in firsts), key=lambda each: each.fun)
    *matrices, last = _layers(best.x, shapes)
    parts = zip(*matrices, last[:, 0, 0], strict=True)
    return DecayedPaths(float(best.fun), [SubNetwork(part[:-1], float(part[-1])) for part in parts])


def _shapes(paths: int, dimension: int, width: int, depth: int) -> list[tuple[int, int, int]]:
    """Of the layers of all sub-networks at once, (path, out, in); the last weight is a layer."""
    outs = [whole_number(width, "width", 1)] * (depth - 2) + [1, 1]
    return [(paths, out, into) for out, into in zip(outs, [dimension, *outs[:-1]], strict=True)]


def _layers(flat: Float[np.ndarray, " P"], shapes: list[tuple[int, int, int]]) -> Layers:
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    parts = np.split(flat, ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def _misfit(
    weights: Layers, X: Float[np.ndarray, "N d"], y: Float[np.ndarray, " N"]
) -> tuple[float, Float[np.ndarray, " P"]]:
    """The sum of squared errors, and its derivative by all weights, laid end to end."""
    *matrices, last = weights
    sent = [np.broadcast_to(X.T, (len(last), *X.T.shape))]
    for W in matrices:
        sent.append(np.maximum(W @ sent[-1], 0))
    error = (last @ sent[-1]).sum(axis=(0, 1)) - y
    back = np.broadcast_to(2 * error, (len(last), 1, len(y)))
    gradients = [back @ sent[-1].swapaxes(1, 2)]
    # From the last layer back: what a layer sent, and what it was sent.
    above = (last, *matrices[:0:-1])
    for upper, went, came in zip(above, sent[:0:-1], sent[-2::-1], strict=True):
        back = (upper.swapaxes(1, 2) @ back) * (went > 0)
        gradients.append(back @ came.swapaxes(1, 2))
    return float(error @ error), np.concatenate([part.ravel() for part in gradients[::-1]])
