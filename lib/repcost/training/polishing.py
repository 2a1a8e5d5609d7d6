"""The last digits of one network at a time: L-BFGS on the engine's own gradient."""

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from repcost.arrays import ArrayLike
from repcost.deep_networks import DeepNet, as_deep
from repcost.networks import TwoLayer
from repcost.scalars import whole_number
from repcost.training.architectures import Architecture
from repcost.training.inputs import check_company, checked_data
from repcost.training.layouts import Layout, arrays_alone, flat_alone
from repcost.training.members import Member, arrays_of, network_of
from repcost.training.objectives import Network, Objective

Flat = Float[np.ndarray, " size"]


def polish_network(
    net: DeepNet | TwoLayer, data: tuple[ArrayLike, ArrayLike], objective: Objective, steps: int
) -> Network:
    """`net` after at most `steps` iterations of L-BFGS; its objective never rises.

    For networks that were built or trained elsewhere; `Recipe.polish` does the same for members of
    an ensemble. What has one hidden ReLU layer and one output comes back as a TwoLayer.

    data: points (n, d), or (n,) in one variable, and values (n, m), (n,), or labels.
    """
    net, steps = as_deep(net), whole_number(steps, "steps", 0)
    if net.depth < 2 or not min(net.widths):
        raise ValueError(f"net has widths {net.widths}; it needs a hidden layer, and no empty one")
    if not isinstance(objective, Objective):
        raise ValueError(f"objective must be an Objective, not {type(objective).__name__}")
    architecture = Architecture.deep(net.widths, negative_slope=net.activation)
    check_company((architecture,), (objective,))
    X, Y = checked_data(data, architecture, objective)
    start = flat_alone(architecture, arrays_of(net))
    flat = polished(Member(architecture, objective, 0), start, X, Y, steps)
    return network_of(architecture, arrays_alone(architecture, flat))


def polished(
    member: Member,
    start: Flat,
    X: Float[np.ndarray, "n d"],
    Y: Float[np.ndarray, "n m"],
    steps: int,
) -> Flat:
    """A member's flat vector after at most `steps` iterations in float64 on all points."""
    # Here, as they load torch, which nothing but training needs.
    from repcost.training.batches import Batches
    from repcost.training.engine import Engine

    batches = Batches(X, Y, bias=member.architecture.has_bias(0))
    engine = Engine(Layout((member.architecture,), 1), [member.objective], batches)
    initial, _ = engine.value_and_gradient(start)
    if not np.isfinite(initial):
        return start
    # L-BFGS stops by absolute sizes, so the objective starts at one.
    unit = initial if initial > 0 else 1.0

    def function(flat: Flat) -> tuple[float, Flat]:
        value, gradient = engine.value_and_gradient(flat)
        return value / unit, gradient / unit

    # A line search evaluates once or twice as a rule; the second limit ends those that go astray.
    limits = {"maxiter": steps, "maxfun": 2 * steps + 20}
    # As far as float64 goes. Small strengths make these problems badly conditioned, hence a longer
    # memory than the usual 10 pairs.
    options = {**limits, "ftol": 1e-14, "gtol": 1e-12, "maxcor": 30}
    found = minimize(function, start, jac=True, method="L-BFGS-B", options=options)
    # A line search that fails may end above where it began.
    return found.x if found.fun <= initial / unit else start
