"""How far a given shallow network is from the best one, and the loss of one from above.

The residual of a network, over rho, is a multiplier, and some multiple of a multiplier is a point
of the dual: its value is below the loss of every network (first page of this room). No training
and no search is needed, only the oracle's maximum. At a global minimum the bound is the minimum.
"""

import numpy as np

from repcost.arrays import ArrayLike
from repcost.bounds import Bracket
from repcost.conventions import all_with_biases
from repcost.deep_networks import DeepNet, as_deep
from repcost.networks import TwoLayer
from repcost.rounding import UNIT
from repcost.shallow.arguments import Inputs, Targets, checked_data, checked_strength
from repcost.shallow.problem import ShallowProblem


def certify_shallow(
    net: DeepNet | TwoLayer, X: ArrayLike, Y: ArrayLike, strength: float, *, bias: float = 1.0
) -> Bracket:
    """How far a trained two-layer network can be from the least loss over all widths.

    The loss is that of `shallow_optimum`; the upper end is the loss of `net`, whose biases
    are `bias` times the weights that are paid for. The lower end is the dual value of the
    best feasible multiple of V = (Y - f(X))/(N strength), which at a global minimum is the
    minimum. A wide bracket proves nothing against a network.

    >>> net = DeepNet([np.zeros((0, 1)), np.zeros((1, 0))], [np.zeros(0), [0.0]])
    >>> loss = certify_shallow(net, [[1.0], [2.0]], [1.0, -1.0], 10.0)
    >>> f"{loss.lower:.6f}", f"{loss.upper:.6f}"
    ('1.000000', '1.000000')
    """
    X, Y, bias = checked_data(X, Y, bias)
    strength = checked_strength(strength, "the certificate needs weight decay")
    net = as_deep(net)
    _check_fits(net, X, Y, bias)
    problem = ShallowProblem.scaled(X, Y, strength, bias)
    # Any multiple of the multiplier will do, so it need not be divided by N strength.
    V = Y - net(X)
    lower, _ = problem.lower_bound(V, problem.oracle.peaks(V).bound)
    # Down by more than these products are rounded.
    lower = float(lower * strength * problem.unit * (1 - 8 * UNIT))
    upper = loss_from_above(net, X, Y, strength, bias)
    return Bracket(lower, upper, "certified", counts=all_with_biases(bias).in_penalty)


def loss_from_above(net: DeepNet, X: Inputs, Y: Targets, strength: float, bias: float) -> float:
    """At least the loss of a two-layer network."""
    (W, A), (b, c) = net.weights, net.biases
    # The outputs with all signs taken away: what their rounding is proportional to.
    most = (np.abs(X) @ np.abs(W.T) + np.abs(b)) @ np.abs(A.T) + np.abs(c) + np.abs(Y)
    distance = np.abs(net(X) - Y) + 2 * (X.shape[1] + len(W) + 10) * UNIT * most
    value = (distance**2).sum() / len(X) + strength * paid_norm(net, bias)
    return float(value * (1 + 2 * (Y.size + W.size + A.size + 20) * UNIT))


def paid_norm(net: DeepNet, bias: float) -> float:
    """The sum of squares that the loss counts: all weights, and the biases over `bias`."""
    biases = sum(float((b**2).sum()) for b in net.biases) / bias**2 if bias else 0.0
    return sum(float((W**2).sum()) for W in net.weights) + biases


def _check_fits(net: DeepNet, X: Inputs, Y: Targets, bias: float) -> None:
    if net.depth != 2 or not net.activation.is_relu:
        given = f"depth {net.depth}, slope {net.negative_slope}"
        raise ValueError(f"net must be a ReLU network of depth 2, not of {given}")
    if net.widths[::2] != (X.shape[1], Y.shape[1]):
        data = f"X and Y have {X.shape[1]}, {Y.shape[1]}"
        raise ValueError(f"net has {net.widths[::2]} inputs and outputs, but {data}")
    if not bias and any(b.any() for b in net.biases):
        remedy = "give the beta > 0 that its biases are multiples of"
        raise ValueError(f"net has biases, but bias is 0; {remedy}")
