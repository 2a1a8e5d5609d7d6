"""The last digits of one network at a time: L-BFGS on the engine's own gradient."""

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from repcost.training.ensembles import Member
from repcost.training.layouts import Layout

Flat = Float[np.ndarray, " size"]


def polish(
    member: Member,
    start: Flat,
    X: Float[np.ndarray, "n d"],
    Y: Float[np.ndarray, "n m"],
    steps: int,
) -> Flat:
    """A member's flat vector after at most `steps` iterations of L-BFGS in float64; its objective
    never rises.
    """
    from repcost.training.engine import Engine

    engine = Engine(Layout((member.architecture,), 1), [member.objective], X, Y)
    initial, _ = engine.value_and_gradient(start)
    # L-BFGS stops by absolute sizes, so the objective starts at one.
    unit = initial if initial > 0 else 1.0

    def function(flat: Flat) -> tuple[float, Flat]:
        value, gradient = engine.value_and_gradient(flat)
        return value / unit, gradient / unit

    options = {
        "maxiter": steps,
        "maxfun": 2 * steps + 20,
        "ftol": 1e-14,
        "gtol": 1e-12,
        "maxcor": 30,
    }
    found = minimize(function, start, jac=True, method="L-BFGS-B", options=options)
    return found.x if found.fun <= initial / unit else start
