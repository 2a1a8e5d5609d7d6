"""The global minimum of L2-regularised networks with one hidden layer, over all widths, with a
certificate.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, same_length
from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet
from repcost.rounding import UNIT
from repcost.shallow.interpolation import cost_of_interpolation
from repcost.shallow.master import Found, fewer, least_network
from repcost.shallow.problem import Multiplier, Problem

Inputs = Float[np.ndarray, "N d"]


@dataclass(frozen=True, eq=False)
class ShallowOptimum:
    """What `shallow_optimum` returns.

    loss: Bracket of the least loss over all widths; `network` attains its upper end.
    network: a plain ReLU network, whose biases are `bias` times the weights that are paid for.
    squared_norm: the sum of squares that the loss counts: all weights, and biases over `bias`.
    multiplier: V (N, m) with |V^T relu(w.x + bias w_0)| <= 1 for every unit (w, w_0), which makes
        strength (2 <V, Y> - N strength |V|^2 - bias^2 |V^T 1|^2) the lower end.
    """

    loss: Bracket
    network: DeepNet
    squared_norm: float
    multiplier: Multiplier


def shallow_optimum(
    X: ArrayLike,
    Y: ArrayLike,
    strength: float,
    *,
    bias: float = 1.0,
    rtol: float = 1e-6,
    progress: bool = False,
) -> ShallowOptimum:
    """min over two-layer ReLU networks f of any width of 1/N sum_i |f(x_i) - y_i|^2 + strength
    |weights|^2.

    The loss of Jacot et al. (2022), section 2, with L = 2 and the mean squared error: points are
    the rows of X (N, d) and Y (N, m) or (N,); every weight counts once, not halved, those of the
    constant inputs `bias` (beta there) of both layers included. `bias=0` is a network without
    biases.

    Certified. The upper end is the loss of the explicit network. The lower end is a point of the
    convex dual, feasible because |V^T relu(Xt w)| is maximised over all activation patterns, which
    are listed in whole numbers. Both are widened by their rounding and at most `rtol` apart. They
    are further apart where float64 gives out, or where the patterns are too many to list (over
    20,000 faces): the maximum is then bounded by spectral norms, which is exact for X = I with
    entrywise V V^T >= 0 only.

    >>> B = [[2.0, 0, 1, 1], [0, 2, 1, 1], [1, 1, 2, 0], [1, 1, 0, 2]]
    >>> optimum = shallow_optimum([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], B, 0.05, bias=0)
    >>> f"{optimum.loss.value:.6f}", optimum.loss.relative_gap < 1e-6
    ('0.770000', True)
    """
    X, Y, bias = _checked(X, Y, bias)
    strength = _positive(strength, "strength", "use shallow_cost for interpolation")
    problem = Problem.scaled(X, Y, strength, bias)
    found = least_network(problem, _below_one(rtol), progress=progress)
    net = _network(problem, found, bias)
    worth = strength * problem.unit
    loss = Bracket(
        float(found.lower * worth * (1 - 8 * UNIT)), _loss(net, X, Y, strength, bias), "certified"
    )
    return ShallowOptimum(loss, net, _squared_norm(net, bias), found.multiplier / problem.inputs)


def shallow_cost(X: ArrayLike, Y: ArrayLike, *, bias: float = 1.0, rtol: float = 1e-6) -> Bracket:
    """R(X, Y): the least sum of squares of all weights of a two-layer ReLU network of any width
    with f(x_i) = y_i.

    The representation cost of Jacot et al. (2022), section 3, for L = 2; not halved, and the
    weights of the constant inputs `bias` of both layers count. Rows of X (N, d) and Y (N, m) or
    (N,) are points.

    Certified from below as `shallow_optimum` is, without its strength. The upper end is the cost of
    a network plus what it costs at most to interpolate the rest. "experiment" where `bias` is 0 and
    only some Y can be interpolated: that the given one can is then known up to rounding.

    >>> cost = shallow_cost([[1.0, 0.0], [0.0, 1.0]], [[3.0, 0.0], [0.0, 4.0]], bias=0)
    >>> f"{cost.value:.5f}", cost.relative_gap < 1e-6
    ('14.00000', True)
    """
    X, Y, bias = _checked(X, Y, bias)
    X, Y = _distinct(X, Y)
    problem = Problem.scaled(X, Y, 0.0, bias)
    lower, upper, proven = cost_of_interpolation(problem, _below_one(rtol))
    ends = float(lower * problem.unit), float(upper * problem.unit)
    return Bracket(*ends, "certified" if proven else "experiment")


def certify_shallow(
    net: DeepNet, X: ArrayLike, Y: ArrayLike, strength: float, *, bias: float = 1.0
) -> Bracket:
    """How far a trained two-layer network can be from the least loss over all widths.

    The loss is that of `shallow_optimum`; the upper end is the loss of `net`, whose biases are
    `bias` times the weights that are paid for. The lower end is the dual value of the best feasible
    multiple of V = (Y - f(X))/(N strength), which at a global minimum is the minimum. A wide
    bracket proves nothing against a network.

    >>> net = DeepNet([np.zeros((0, 1)), np.zeros((1, 0))], [np.zeros(0), [0.0]])
    >>> loss = certify_shallow(net, [[1.0], [2.0]], [1.0, -1.0], 10.0)
    >>> f"{loss.lower:.6f}", f"{loss.upper:.6f}"
    ('1.000000', '1.000000')
    """
    X, Y, bias = _checked(X, Y, bias)
    strength = _positive(strength, "strength", "the certificate needs weight decay")
    if net.depth != 2 or net.negative_slope:
        raise ValueError(
            f"net must be a ReLU network of depth 2, not of depth {net.depth}, slope {net.negative_slope}"
        )
    if net.widths[::2] != (X.shape[1], Y.shape[1]):
        raise ValueError(
            f"net has {net.widths[::2]} inputs and outputs, but X and Y have {X.shape[1]}, {Y.shape[1]}"
        )
    if not bias and any(b.any() for b in net.biases):
        raise ValueError(
            "net has biases, but bias is 0; give the beta > 0 that its biases are multiples of"
        )
    problem = Problem.scaled(X, Y, strength, bias)
    V = Y - net(X)
    lower, _ = problem.lower_bound(V, problem.oracle.peaks(V).bound)
    upper = _loss(net, X, Y, strength, bias)
    return Bracket(float(lower * strength * problem.unit * (1 - 8 * UNIT)), upper, "certified")


def _network(problem: Problem, found: Found, bias: float) -> DeepNet:
    """The balanced network in the units of the data, with as few neurons as that takes."""
    W, A = fewer(problem, found.atoms, found.outer)
    if problem.value(W, A) > found.upper * (1 + 1e-10):
        W, A = found.atoms, found.outer
    b = np.sqrt(problem.unit) * problem.output_bias(W, A)
    root = np.sqrt(problem.unit * np.linalg.norm(A, axis=1))[:, None]
    W, A = W * root, A * problem.unit / root
    first = bias * W[:, -1] if bias else np.zeros(len(W))
    return DeepNet([W[:, :-1] if bias else W, A.T], [first, bias * b])


def _loss(net: DeepNet, X: Inputs, Y: Multiplier, strength: float, bias: float) -> float:
    """From above: the loss of a two-layer network."""
    (W, A), (b, c) = net.weights, net.biases
    most = (np.abs(X) @ np.abs(W.T) + np.abs(b)) @ np.abs(A.T) + np.abs(c) + np.abs(Y)
    distance = np.abs(net(X) - Y) + 2 * (X.shape[1] + len(W) + 10) * UNIT * most
    value = (distance**2).sum() / len(X) + strength * _squared_norm(net, bias)
    return float(value * (1 + 2 * (Y.size + W.size + A.size + 20) * UNIT))


def _squared_norm(net: DeepNet, bias: float) -> float:
    paid = sum(float((b**2).sum()) for b in net.biases) / bias**2 if bias else 0.0
    return sum(float((W**2).sum()) for W in net.weights) + paid


def _distinct(
    X: Inputs, Y: Multiplier
) -> tuple[Float[np.ndarray, "p d"], Float[np.ndarray, "p m"]]:
    """Each point once."""
    points, first = np.unique(X, axis=0, return_index=True)
    if len(np.unique(np.column_stack([X, Y]), axis=0)) > len(points):
        raise ValueError(
            "X holds a point twice with different rows of Y; no network interpolates them"
        )
    return X[np.sort(first)], Y[np.sort(first)]


def _checked(X: ArrayLike, Y: ArrayLike, bias: float) -> tuple[Inputs, Multiplier, float]:
    X = finite_array(X, "X", 2)
    Y = finite_array(Y, "Y", 2 if np.ndim(Y) == 2 else 1)
    same_length(X=X, Y=Y)
    if not X.size or not Y.size:
        raise ValueError(
            f"X has shape {X.shape}, Y {Y.shape}; give at least one point, input and output"
        )
    Y = Y.reshape(len(X), -1)
    bias = float(finite_array(bias, "bias", 0))
    if bias < 0:
        raise ValueError(
            f"bias must not be negative, but is {bias}; 0 means a network without biases"
        )
    for name, value in (("X", X), ("Y", Y), ("bias", np.array(bias))):
        size = np.abs(value).max()
        if size > 1e60 or 0 < size < 1e-60:
            raise ValueError(
                f"{name} must stay between 1e-60 and 1e60 in size; multiply it by a power of two"
            )
    return X, Y, bias


def _positive(value: float, name: str, remedy: str) -> float:
    value = float(finite_array(value, name, 0))
    if value <= 0:
        raise ValueError(f"{name} must be positive, not {value}; {remedy}")
    return value


def _below_one(rtol: float) -> float:
    if not 0 < rtol < 1:
        raise ValueError(f"rtol must be between 0 and 1, not {rtol}; 1e-6 is the default")
    return float(rtol)
