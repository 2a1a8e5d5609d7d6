"""How far a given shallow network is from the best one, and the loss of one from above.

The residual of a network, over rho, is a multiplier, and some multiple of a multiplier is a point
of the dual: its value is below the loss of every network (first page of this room). No training
and no search is needed, only the oracle's maximum. At a global minimum the bound is the minimum.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike
from repcost.bounds import Bracket
from repcost.conventions import all_with_biases
from repcost.deep_networks import DeepNet, as_deep
from repcost.networks import TwoLayer
from repcost.rounding import UNIT
from repcost.scalars import whole_number
from repcost.scales import exponent_of, exponents_of_rows, rounded_up
from repcost.shallow.arguments import Inputs, Targets, checked_data, checked_strength
from repcost.shallow.problem import Multiplier, ShallowProblem
from repcost.shallow.products import height_by_products
from repcost.shallow.reasons import not_certified_by_faces
from repcost.shallow.ridges import lower_by_ridges


def certify_shallow(
    net: DeepNet | TwoLayer,
    X: ArrayLike,
    Y: ArrayLike,
    strength: float,
    *,
    bias: float = 1.0,
    steps: int = 0,
) -> Bracket:
    """How far a trained two-layer network can be from the least loss over all widths.

    The loss is that of `shallow_optimum`; the upper end is the loss of `net`, whose biases
    are `bias` times the weights that are paid for. The lower end is the dual value of the
    best feasible multiple of V = (Y - f(X))/(N strength), which at a global minimum is the
    minimum. A wide bracket proves nothing against a network; `reason` says where the lower end is
    poor for another cause, which is that the faces are too many to list. The lower end is then that
    of the multiplier, among some, which serves a coarse bound of the maximum best. Up to so many
    `steps` are then taken to a better one, by prices of products (`shallow.products`): for some
    hundred points in as many dimensions or more a thousand of them take a second to a quarter of a
    minute, and the ends may be a few per cent apart. Memory grows like 800 N^2 bytes.

    Range: data as in `shallow_optimum`, any positive strength, any finite weights. The upper end
    has room for the rounding of everything that a unit receives, so it is far above the loss where
    units receive sums far larger than the outputs; it is infinite where an output or a square of
    the network may be larger than floats go.

    >>> net = DeepNet([np.zeros((0, 1)), np.zeros((1, 0))], [np.zeros(0), [0.0]])
    >>> loss = certify_shallow(net, [[1.0], [2.0]], [1.0, -1.0], 10.0)
    >>> f"{loss.lower:.6f}", f"{loss.upper:.6f}"
    ('1.000000', '1.000000')
    """
    X, Y, bias = checked_data(X, Y, bias)
    strength = checked_strength(strength, "the certificate needs weight decay")
    net, steps = as_deep(net), whole_number(steps, "steps", 0)
    _check_fits(net, X, Y, bias)
    problem = ShallowProblem.scaled(X, Y, strength, bias)
    # Any multiple of the multiplier will do, so it need not be divided by N strength.
    V = Y - _Outputs.of(net, X).values
    # Where the outputs overflow the targets are a multiplier too.
    V = V if np.isfinite(V).all() else Y
    V = np.ldexp(V, -exponent_of(V))
    lower = problem.worth_at_least(_scaled_lower(problem, V, steps))
    counts = all_with_biases(bias).in_penalty
    reason = "" if problem.oracle.is_exact else not_certified_by_faces(steps)
    upper = loss_from_above(net, X, Y, strength, bias)
    return Bracket(lower, upper, "certified", counts=counts, reason=reason)


def _scaled_lower(problem: ShallowProblem, V: Multiplier, steps: int) -> float:
    """A lower end of the scaled loss by V, a multiple of it, or others."""
    if problem.oracle.is_exact:
        return problem.lower_bound(V, problem.oracle.bound(V))[0]
    lower = lower_by_ridges(problem, V)
    if not steps:
        return lower
    return max(lower, problem.lower_bound(V, height_by_products(problem.Xt, V, steps))[0])


def loss_from_above(net: DeepNet, X: Inputs, Y: Targets, strength: float, bias: float) -> float:
    """At least the loss of a two-layer network; infinite where floats do not reach."""
    found, A = _Outputs.of(net, X), net.weights[1]
    distance = found.distance_at_most(Y)
    if not np.isfinite(distance).all():
        return np.inf
    error, weights = exponent_of(distance), _exponent_of_paid(net, bias)
    strength, decay = np.frexp(strength)
    square = (np.ldexp(distance, -error) ** 2).sum() / len(X)
    paid = strength * _paid(net, bias, weights)
    terms = [(square, 2 * error), (paid, int(decay) + 2 * weights)]
    # Both terms in units of the larger one.
    unit = max((exponent for term, exponent in terms if term), default=0)
    value = sum(float(np.ldexp(term, exponent - unit)) for term, exponent in terms if term)
    margin = 1 + 2 * (Y.size + net.weights[0].size + A.size + 20) * UNIT
    return rounded_up(float(value * margin), unit)


def loss_from_below(
    net: DeepNet, X: ArrayLike, Y: ArrayLike, strength: float, bias: float = 1.0
) -> float:
    """At most the loss of a two-layer network, whose squares are within floats."""
    X, Y, bias = checked_data(X, Y, bias)
    found = _Outputs.of(net, X)
    rounding = found.distance_at_most(Y) - np.abs(found.values - Y)
    # What rounding may add to a distance it may as well take away.
    distance = np.maximum(0.0, np.abs(found.values - Y) - 2 * rounding)
    value = (distance**2).sum() / len(X) + strength * paid_norm(net, bias)
    margin = 1 - 2 * (Y.size + net.weights[0].size + net.weights[1].size + 20) * UNIT
    return float(value * margin) if np.isfinite(value) else 0.0


def paid_norm(net: DeepNet, bias: float) -> float:
    """The sum of squares that the loss counts: all weights, and the biases over `bias`."""
    exponent = _exponent_of_paid(net, bias)
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(_paid(net, bias, exponent), 2 * exponent))


def _paid(net: DeepNet, bias: float, exponent: int) -> float:
    """This sum for all weights and biases over 2^exponent."""
    biases = sum(_square_of(b, exponent) for b in net.biases) / bias**2 if bias else 0.0
    return sum(_square_of(W, exponent) for W in net.weights) + biases


def _square_of(part: Float[np.ndarray, "..."], exponent: int) -> float:
    return float((np.ldexp(part, -exponent) ** 2).sum())


def _exponent_of_paid(net: DeepNet, bias: float) -> int:
    biases = exponent_of(*net.biases)
    if not bias or not any(b.any() for b in net.biases):
        return exponent_of(*net.weights)
    weights = exponent_of(*net.weights) if any(W.any() for W in net.weights) else -5000
    return max(weights, biases - exponent_of(bias))


@dataclass(frozen=True, eq=False)
class _Outputs:
    """The outputs of a network at the points, in floats; all of these may overflow.

    units: how many roundings there are. most: the outputs with all signs taken away, what their
    rounding is proportional to. lost: more than the products lose below the smallest float.
    """

    values: Targets
    units: int
    most: Targets
    lost: Float[np.ndarray, " m"]

    @classmethod
    def of(cls, net: DeepNet, X: Inputs) -> "_Outputs":
        (W, A), (b, c) = net.weights, net.biases
        # A power of two goes from one side of a neuron to the other: no digit changes, and large
        # weights beside small ones neither overflow nor vanish.
        size = exponents_of_rows(np.column_stack([W, b]))
        alive = W.any(axis=1) | (b != 0)
        with np.errstate(all="ignore"):
            W, b, A = np.ldexp(W, -size[:, None]), np.ldexp(b, -size), np.ldexp(A, size)
            values = net.activation(X @ W.T + b) @ A.T + c
            most = (np.abs(X) @ np.abs(W.T) + np.abs(b)) @ np.abs(A.T) + np.abs(c)
            units = 2 * (X.shape[1] + len(W) + 10)
            lost = (np.abs(A[:, alive]).sum(axis=1) + 1) * (units * 2.0**-1073) * alive.any()
        return cls(values, units, most, lost)

    def distance_at_most(self, Y: Targets) -> Targets:
        """At least |f(x) - y|, entry by entry; infinite or NaN where something overflows."""
        with np.errstate(all="ignore"):
            rounding = self.units * UNIT * (self.most + np.abs(Y))
            return np.abs(self.values - Y) + rounding + self.lost


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
