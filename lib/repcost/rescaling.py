"""The cheapest scales of the hidden units of a network: a convex problem, by Newton's method.

A unit scaled by e^u takes its incoming weights and bias times e^u and its outgoing weights times
e^-u, so the squared norm of the network is a sum over its weights and biases,

    sum of w^2 exp(2 (u[into] - u[out_of])),    u = 0 for inputs and outputs.

That is a sum of exponentials of linear functions: convex. Its gradient in u is twice what the unit
receives minus what it sends, in squares, and its curvature is the Laplacian of the network read as
a graph, which is why one sparse solve makes a step. There is one minimiser if every hidden unit
lies on a path of weights that are not zero from a source (an input, or a bias that is not zero) to
an output; other units do nothing.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import coo_array, csc_array, diags_array
from scipy.sparse.linalg import MatrixRankWarning, spsolve

from repcost.deep_networks import DeepNet

# Numbers of units differ from layer to layer.
Scales = Float[np.ndarray, " _"]
Edges = Float[np.ndarray, " edges"]

_MOST_STEPS = 500
# A step that promises less than this part of the norm is the last.
_PRECISION = 1e-24
# Exponentials of numbers within this are floats, and so are their squares.
_FAR = 300.0
# A step of Newton's that changes no scale by more is taken whole. No term then changes its exponent
# by more than x = 0.4, so what the quadratic model leaves out is at most x e^x / 3 < 0.2 of its
# curvature, and the norm falls by at least 0.4 of what the step promises: nothing to look for, and
# rounding cannot hide it.
_SURE = 0.1
# Units whose squares are a smaller part of the norm than this change none of its digits, and stay
# where the paths put them.
_UNSEEN = 1e-250


@dataclass(frozen=True, eq=False)
class _Paths:
    """Of one hidden layer: log of the root of the sum of squared products along all paths.

    into: from the sources to each unit; on: from each unit to the outputs.
    """

    into: Scales
    on: Scales


def _log_paths(net: DeepNet) -> list[_Paths]:
    """The paths of each hidden layer."""
    # What is not there has the logarithm minus infinity.
    with np.errstate(divide="ignore"):
        weights = [np.log(np.abs(weight)) for weight in net.weights]
        biases = [np.log(np.abs(bias)) for bias in net.biases]
    # Sums of squares by their logarithms: in a deep network the products leave the floats.
    into = [np.zeros(net.widths[0])]
    for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
        into.append(np.logaddexp.reduce(2 * np.column_stack([weight + into[-1], bias]), axis=1) / 2)
    on = [np.zeros(net.widths[-1])]
    for weight in weights[:0:-1]:
        on.append(np.logaddexp.reduce(2 * (weight + on[-1][:, None]), axis=0) / 2)
    return [_Paths(*both) for both in zip(into[1:], on[:0:-1], strict=True)]


def rescaled(net: DeepNet, u: Scales) -> DeepNet:
    """Every hidden unit scaled by the exponential of its entry of u."""
    # Significands and exponents apart: quotients of two scales may leave the range of floats.
    scale, exponent = _exponentials(np.append(0.0, u))
    scales = [(scale[places], exponent[places]) for places in _places(net)]
    # What comes in grows with the unit, what goes out shrinks with it.
    weights = [
        _stretched(weight * (here[:, None] / below), up[:, None] - down)
        for weight, ((below, down), (here, up)) in zip(net.weights, pairwise(scales), strict=True)
    ]
    biases = [
        _stretched(bias * here, up) for bias, (here, up) in zip(net.biases, scales[1:], strict=True)
    ]
    return net.with_layers(weights, biases)


def _stretched(part: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """The part times these powers of two, which mostly are one."""
    return np.ldexp(part, exponent) if exponent.any() else part


def _exponentials(u: Scales) -> tuple[Scales, Int[np.ndarray, " _"]]:
    """e^u as significands and exponents of two, also where it is no float."""
    if np.abs(u).max(initial=0.0) <= _FAR / 2:
        return np.exp(u), np.zeros(len(u), dtype=np.int32)
    whole = np.where(np.abs(u) > _FAR, np.rint(u / np.log(2)), 0.0).astype(np.int32)
    significand, exponent = np.frexp(np.exp(u - whole * np.log(2)))
    return significand, exponent + whole


def cheapest_scales(net: DeepNet) -> Scales:
    """The minimiser u, for a network whose hidden units are all used."""
    start = _starting_scales(_log_paths(net))
    return _minimised(_Orbit.of(net).near_one(start), start) if start.size else start


@dataclass(frozen=True, eq=False)
class _Orbit:
    """The squared norm of all rescaled networks: a term for each weight and bias, an edge.

    The term is exp(2 (log_size + u[into] - u[out_of])), where u[0] = 0 stands for inputs and
    outputs.
    """

    into: Int[np.ndarray, " edges"]
    out_of: Int[np.ndarray, " edges"]
    log_size: Edges

    @classmethod
    def of(cls, net: DeepNet) -> "_Orbit":
        edges = []
        for weight, bias, (below, here) in zip(
            net.weights, net.biases, pairwise(_places(net)), strict=True
        ):
            rows, columns = np.nonzero(weight)
            edges.append((here[rows], below[columns], weight[rows, columns]))
            rows = np.flatnonzero(bias)
            edges.append((here[rows], np.zeros_like(rows), bias[rows]))
        into, out_of, size = (np.concatenate(parts) for parts in zip(*edges, strict=True))
        return cls(into, out_of, np.log(np.abs(size)))

    def near_one(self, u: Scales) -> "_Orbit":
        """The same up to a factor, if at u the largest term is far from one."""
        u = np.append(0.0, u)
        top = (self.log_size + u[self.into] - u[self.out_of]).max(initial=-np.inf)
        if not _FAR / 2 < abs(top) < np.inf:
            return self
        return replace(self, log_size=self.log_size - top)

    def squares(self, u: Scales) -> Edges:
        # Place 0 is for inputs and outputs, whose scale is one.
        u = np.append(0.0, u)
        return np.exp(2 * (self.log_size + u[self.into] - u[self.out_of]))

    def newton(self, squares: Edges, units: int) -> tuple[Scales, Scales]:
        """The gradient, and the step to the minimum of the quadratic model."""
        received = np.bincount(self.into, squares, units + 1)[1:]
        sent = np.bincount(self.out_of, squares, units + 1)[1:]
        inner = (self.into > 0) & (self.out_of > 0)
        where = self.into[inner] - 1, self.out_of[inner] - 1
        shared = coo_array((squares[inner], where), shape=(units, units)).tocsc()
        # The Laplacian of the weights between hidden units, and on its diagonal also those that
        # tie a unit to the fixed ends; that is why it can be inverted.
        diagonal, gradient = received + sent, received - sent
        unseen = diagonal <= _UNSEEN * squares.sum()
        # Squares that underflow would make the curvature singular.
        diagonal, gradient = np.where(unseen, 1.0, diagonal), np.where(unseen, 0.0, gradient)
        curvature = diags_array(diagonal, format="csc") - shared - shared.T
        # The derivative of exp(2 u) brings a 2, the second one a 4.
        return 2 * gradient, -_solved(curvature.tocsc(), gradient, diagonal) / 2


def _solved(curvature: csc_array, gradient: Scales, diagonal: Scales) -> Scales:
    """The solution, or each unit by itself where rounding makes the curvature singular."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MatrixRankWarning)
        step = np.asarray(spsolve(curvature, gradient))
    return step if np.isfinite(step).all() else gradient / diagonal


def _minimised(orbit: _Orbit, u: Scales) -> Scales:
    """Newton's method; a step that is too long for the quadratic model is shortened."""
    squares = orbit.squares(u)
    for _ in range(_MOST_STEPS):
        gradient, step = orbit.newton(squares, len(u))
        total, fall = squares.sum(), -float(gradient @ step)
        if fall <= _PRECISION * total:
            return u
        farthest = float(np.abs(step).max())
        # No scale changes by more than e^2 at once, lest the exponentials leave the floats.
        length = min(1.0, 2 / farthest)
        while length * farthest > _SURE and (
            orbit.squares(u + length * step).sum() > total - 0.1 * length * fall
        ):
            length /= 2
        u = u + length * step
        squares = orbit.squares(u)
    return u


def _starting_scales(paths: Sequence[_Paths]) -> Scales:
    """Where the products along the paths would be spread evenly over the layers.

    For networks of width one without biases this is the minimiser, and it is the same for all
    networks of one orbit.
    """
    depth = len(paths) + 1
    scales = [
        layer / depth * (each.into + each.on) - each.into
        for layer, each in enumerate(paths, start=1)
    ]
    # Nothing cannot be concatenated; the empty array is for networks of one layer.
    return np.concatenate([*scales, np.zeros(0)])


def _places(net: DeepNet) -> list[Int[np.ndarray, " units"]]:
    """Of each layer, its units' places in the list of hidden units, from 1; 0 at both ends."""
    ends = np.cumsum([1, *net.widths[1:-1]])
    hidden = [np.arange(start, stop) for start, stop in pairwise(ends)]
    inputs = np.zeros(net.widths[0], dtype=np.int64)
    return [inputs, *hidden, np.zeros(net.widths[-1], dtype=np.int64)]
