"""The global minimum of L2-regularised networks with one hidden layer, over all widths.

The scaled problem of the data is solved by column generation, and its answer put into the units of
the data: a network with the loss of the upper end, and the multiplier that proves the lower.
"""

from dataclasses import dataclass, replace

import numpy as np

from repcost.arrays import ArrayLike
from repcost.bounds import Bracket
from repcost.conventions import all_with_biases
from repcost.deep_networks import DeepNet
from repcost.scalars import flag, whole_number
from repcost.scales import lengths
from repcost.shallow.arguments import checked_data, checked_rtol, checked_strength
from repcost.shallow.certificates import loss_from_above, paid_norm
from repcost.shallow.descent import gathered
from repcost.shallow.ends import ScaledOptimum
from repcost.shallow.master import MOST_NODES, least_network
from repcost.shallow.oracle import MOST_OUTPUTS
from repcost.shallow.problem import Multiplier, ShallowProblem
from repcost.shallow.pruning import fewer
from repcost.shallow.reasons import not_met, proof_ended


@dataclass(frozen=True, eq=False)
class ShallowOptimum:
    """What `shallow_optimum` returns.

    loss: Bracket of the least loss over all widths; `network` attains its upper end.
    network: a plain ReLU network, whose biases are `bias` times the weights that are paid for.
    cost: what the loss counts of `network`: the squares of all weights, and of biases over `bias`.
    multiplier: V (N, m) with |V^T relu(w.x + bias w_0)| <= 1 for every unit (w, w_0), which makes
        strength (2 <V, Y> - N strength |V|^2 - bias^2 |V^T 1|^2) the lower end.

    >>> str(shallow_optimum([[0.0], [2.0]], [1.0, 3.0], 10.0)).splitlines()[1]
    'network of width 0: decay this strong leaves a constant'
    """

    loss: Bracket
    network: DeepNet
    cost: float
    multiplier: Multiplier

    def __str__(self) -> str:
        width = self.network.widths[1]
        remark = "" if width else ": decay this strong leaves a constant"
        return f"least loss {self.loss}\nnetwork of width {width}{remark}"


def shallow_optimum(
    X: ArrayLike,
    Y: ArrayLike,
    strength: float,
    *,
    bias: float = 1.0,
    rtol: float = 1e-6,
    nodes: int = MOST_NODES,
    progress: bool = False,
) -> ShallowOptimum:
    """min over two-layer ReLU nets f of any width: mean |f(x_i) - y_i|^2 + strength |weights|^2.

    The loss of Jacot et al. (2022), section 2, with L = 2 and the mean squared error: points
    are the rows of X (N, d) and Y (N, m) or (N,); every weight counts once, not halved, those
    of the constant inputs `bias` (beta there) of both layers included. `bias=0` is a network
    without biases. `progress` shows a bar.

    Certified. The upper end is the loss of the explicit network. The lower end is a point of the
    convex dual, feasible because |V^T relu(Xt w)| is maximised over all activation patterns. Up to
    50,000 faces these are listed, in whole numbers. Beyond (or beyond 200,000, for as many points
    in general position), with up to three outputs, branch and bound proves that no neuron is much
    steeper than those found: each proof takes at most so many `nodes`, of about 0.1 ms, and where
    it has to stop gives the bracket that it has reached. In the plane and in space, up to some 400
    and 100 points, faces are listed for a proof that takes thousands of nodes. With more outputs
    spectral norms bound the maximum, which is exact for X = I with entrywise V V^T >= 0 only. Both
    ends are widened by their rounding and at most `rtol` apart; or `loss.reason` says what kept
    them apart.

    Range: the largest entries of X and Y, and the bias, between 1e-60 and 1e60 or zero; any
    positive strength. Strengths so weak that float64 does not resolve the residual leave a wide
    bracket; very strong decay leaves a network of width 0, which is one like any other: a constant.

    >>> B = [[2.0, 0, 1, 1], [0, 2, 1, 1], [1, 1, 2, 0], [1, 1, 0, 2]]
    >>> optimum = shallow_optimum(np.eye(4), B, 0.05, bias=0)
    >>> f"{optimum.loss.value:.6f}", optimum.loss.relative_gap < 1e-6
    ('0.770000', True)
    """
    X, Y, bias = checked_data(X, Y, bias)
    strength = checked_strength(strength, "use shallow_cost for interpolation")
    rtol, progress = checked_rtol(rtol), flag(progress, "progress")
    nodes = whole_number(nodes, "nodes", 0)
    problem = ShallowProblem.scaled(X, Y, strength, bias)
    found = least_network(problem, rtol, progress=progress, nodes=nodes)
    net = _network(problem, found, bias)
    # A strength beyond floats was solved for a smaller one, where more than nothing is worth it.
    if problem.strength < strength:
        nothing = _zero_network(X.shape[1], Y.shape[1])
        net = min(net, nothing, key=lambda net: loss_from_above(net, X, Y, strength, bias))
    upper = loss_from_above(net, X, Y, strength, bias)
    counts = all_with_biases(bias).in_penalty
    loss = Bracket(problem.worth_at_least(found.lower), upper, "certified", counts=counts)
    if loss.relative_gap > rtol:
        loss = replace(loss, reason=_reason(problem, found, rtol, nodes))
    # Where residuals do not depend on the strength, the multiplier falls with it.
    multiplier = found.multiplier / problem.inputs * min(1.0, problem.strength / strength)
    return ShallowOptimum(loss, net, paid_norm(net, bias), multiplier)


def _reason(problem: ShallowProblem, found: ScaledOptimum, rtol: float, nodes: int) -> str:
    if problem.oracle.is_exact or problem.Y.shape[1] > MOST_OUTPUTS:
        return not_met(rtol, problem.oracle)
    is_hoped_for = found.hoped_gap <= rtol * found.upper
    cause = proof_ended(nodes) if is_hoped_for else "the search for neurons ended before"
    return f"rtol {rtol:g} is not met: {cause}"


def _network(problem: ShallowProblem, found: ScaledOptimum, bias: float) -> DeepNet:
    """The balanced network in the units of the data, with as few neurons as that takes."""
    W, A = found.atoms, found.outer
    # What a search has found is less clean than what is listed.
    for smaller in (fewer,) if problem.oracle.is_exact else (fewer, gathered):
        other = smaller(problem, W, A)
        # All neurons stay if rounding, or a guess, has made the smaller network a worse one.
        if len(other[0]) <= len(W) and problem.value(*other) <= found.upper * (1 + 1e-10):
            W, A = other
    # In the units of the data the atoms see inputs that are `inputs` times as large, and outputs
    # are `unit` times as large as that.
    b = np.sqrt(problem.unit) * problem.output_bias(W, A)
    root = np.sqrt(problem.unit * lengths(A))[:, None]
    W, A = W * root, A * problem.unit / root
    if not bias:
        return DeepNet([W, A.T], [np.zeros(len(W)), bias * b])
    return DeepNet([W[:, :-1], A.T], [bias * W[:, -1], bias * b])


def _zero_network(inputs: int, outputs: int) -> DeepNet:
    return DeepNet(
        [np.zeros((0, inputs)), np.zeros((outputs, 0))], [np.zeros(0), np.zeros(outputs)]
    )
