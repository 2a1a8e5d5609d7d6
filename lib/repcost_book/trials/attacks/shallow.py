"""Shallow networks: brackets against exact losses of explicit networks, and closed forms.

No network may cost less than a lower end. So every network at hand is priced in fractions, and
the one that was returned must cost no more than the upper end.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from repcost import DeepNet, certify_shallow, prune, shallow_cost, shallow_optimum
from repcost_book.trials.attacks.exact import (
    Rows,
    exact,
    exact_loss,
    exact_norm,
    exact_outputs,
)
from repcost_book.trials.fuzz import RIGHT, WIDE, Attack, WrongError, as_narrow_as_said
from repcost_book.trials.hostile import hostile_floats

# What numbers in the room of networks with biases may differ by: it is for rounding only.
RTOL = 1e-6


def constant_network(inputs: int, values: np.ndarray) -> DeepNet:
    outputs = len(values)
    return DeepNet([np.zeros((0, inputs)), np.zeros((outputs, 0))], [np.zeros(0), values])


def _data(rng: np.random.Generator) -> dict:
    N, d, m = int(rng.integers(1, 6)), int(rng.integers(1, 3)), int(rng.integers(1, 3))
    reach = rng.choice([0.01, 0.05, 0.18])
    X, Y = hostile_floats(rng, (N, d), reach), hostile_floats(rng, (N, m), reach)
    # 2^-60 makes biases very dear and 2^100 almost free; 0 is the network without any.
    bias = float(rng.choice([0.0, 1.0, 0.3, 2.0**-60, 2.0**100]))
    return {"X": X, "Y": Y, "bias": bias}


def _strength(rng: np.random.Generator) -> float:
    if rng.random() < 0.5:
        return float(10.0 ** rng.uniform(-6, 2))
    return float(np.abs(hostile_floats(rng, (1,), 1.0))[0])


def _with_strength(rng: np.random.Generator) -> dict:
    return {**_data(rng), "strength": _strength(rng)}


def _optimum(X: np.ndarray, Y: np.ndarray, bias: float, strength: float) -> str:
    found = shallow_optimum(X, Y, strength, bias=bias)
    loss, others = found.loss, [found.network, constant_network(X.shape[1], 0 * Y[0])]
    if bias:
        others.append(constant_network(X.shape[1], Y.mean(axis=0)))
    # Everything a little smaller: an optimum that was missed is often near.
    own = found.network
    others.append(DeepNet([0.5 * W for W in own.weights], [0.5 * b for b in own.biases]))
    losses = [exact_loss(net, X, Y, strength, bias) for net in others]
    if losses[0] > loss.upper:
        raise WrongError(f"{loss}, but its network has {float(losses[0])}")
    if min(losses) < loss.lower:
        raise WrongError(f"{loss}, but a network has {float(min(losses))}")
    # Printing must not fail either, whatever the numbers are.
    str(found)
    return as_narrow_as_said(loss, RTOL)


def _network(rng: np.random.Generator) -> dict:
    drawn = _with_strength(rng)
    K, (_, d), (_, m) = int(rng.integers(0, 5)), drawn["X"].shape, drawn["Y"].shape
    reach = rng.choice([0.05, 0.4, 1.0])
    # Where bias is 0 the network must have none, as nothing would pay for them.
    biases = bool(drawn["bias"])
    return {
        **drawn,
        "W": hostile_floats(rng, (K, d), reach),
        "b": biases * hostile_floats(rng, (K,), reach),
        "A": hostile_floats(rng, (m, K), reach),
        "c": biases * hostile_floats(rng, (m,), reach),
    }


def _certified(X, Y, bias: float, strength: float, W, b, A, c) -> str:
    net = DeepNet([W, A], [b, c])
    found = certify_shallow(net, X, Y, strength, bias=bias)
    loss = exact_loss(net, X, Y, strength, bias)
    least = min(loss, exact_loss(constant_network(X.shape[1], 0 * c), X, Y, strength, bias))
    if not found.lower <= least or not loss <= found.upper:
        raise WrongError(f"{found}, but the loss is {_shown(loss)}, and {_shown(least)} is known")
    # The check above has shown loss <= upper; where that is finite, float(loss) cannot overflow.
    tight = found.upper < np.inf and found.upper <= float(loss) * (1 + 1e-6)
    return RIGHT if tight else WIDE


def _shown(number: Fraction) -> str:
    # A fraction may lie outside the range of floats; its power of two is enough to read.
    return f"{number.numerator.bit_length() - number.denominator.bit_length()} bits"


def _pruned(X, Y, bias: float, strength: float, W, b, A, c) -> str:
    net = DeepNet([W, A], [b, c])
    small = prune(net, X, bias=bias)
    # Rounding is measured by the outputs without signs.
    bare = DeepNet([np.abs(W), np.abs(A)], [np.abs(b), np.abs(c)])
    most = max(max(row) for row in exact_outputs(bare, np.abs(X)))
    before, after = exact_outputs(net, X), exact_outputs(small, X)
    apart = max(
        abs(p - q)
        for row, other in zip(before, after, strict=True)
        for p, q in zip(row, other, strict=True)
    )
    if apart > Fraction(1, 10**9) * most + Fraction(1, 2**1060):
        raise WrongError(f"outputs change by {_shown(apart / most)} of their size")
    if exact_norm(small, bias) > exact_norm(net, bias) * (1 + Fraction(1, 10**9)):
        raise WrongError("the squared norm rises")
    # A basic solution has at most one unit for each equation: one per point and output.
    return RIGHT if small.widths[1] <= Y.size else WIDE


def _axes(rng: np.random.Generator) -> dict:
    """A point on each axis, and one output: no biases."""
    N = int(rng.integers(1, 5))
    reach = rng.choice([0.01, 0.05, 0.18, 0.4])
    return {"x": hostile_floats(rng, (N,), reach), "y": hostile_floats(rng, (N,), reach)}


def _on_axes(x: np.ndarray, y: np.ndarray) -> str:
    """2 |r+| + 2 |r-| for the positive and negative parts of r = y / |x|."""
    solvable = all(a or not b for a, b in zip(x.tolist(), y.tolist(), strict=True))
    try:
        X = np.diag(x)
        found = shallow_cost(X, y[:, None], bias=0)
    except ValueError as error:
        if solvable and "no network" in str(error):
            raise WrongError(str(error)) from error
        raise ValueError(str(error).replace("X", "x")) from error
    # Without biases every network is zero at zero, so that points there ask for nothing.
    ratios = [Fraction(b) / abs(Fraction(a)) for a, b in zip(x, y, strict=True) if a]
    plus, minus = (sum((max(s * r, 0) ** 2 for r in ratios), Fraction(0)) for s in (1, -1))
    # (p + q)^2 with p^2 = plus, q^2 = minus, compared without roots: 4 p q at the end.
    for end, side in ((found.lower, -1), (found.upper, 1)):
        if found.how != "certified" or end == np.inf:
            continue
        left = (Fraction(end) / 2) ** 2 - plus - minus
        # left * |left| keeps the sign of left, which its square would lose.
        wrong = side * (left * abs(left) - 4 * plus * minus) < 0
        if wrong:
            raise WrongError(f"{found}, but the squares are {float(plus)} and {float(minus)}")
    return as_narrow_as_said(found, RTOL)


def _interpolated(X: np.ndarray, Y: np.ndarray, bias: float) -> str:
    """Known from above: by the spline along the first input, where that tells points apart."""
    try:
        found = shallow_cost(X, Y, bias=bias)
    except ValueError as error:
        if bias and "no network" in str(error) and "twice" not in str(error):
            raise WrongError(f"with biases some network interpolates: {error}") from error
        if "twice" in str(error) and len(np.unique(X, axis=0)) == len(X):
            raise WrongError(str(error)) from error
        raise
    places = exact(X.T)[0]
    if bias and found.how == "certified" and len(set(places)) == len(places):
        most = _spline_cost(places, exact(Y), Fraction(bias))
        if found.lower > most:
            raise WrongError(f"{found}, but a spline costs {float(most)}")
    return as_narrow_as_said(found, RTOL)


def _spline_cost(places: list[Fraction], values: Rows, beta: Fraction) -> Fraction:
    """At least that of a hinge at each point: 2 |a| |w| <= 2 |a|_1 |w|_1."""
    points = sorted(zip(places, values, strict=True))
    # The first value is a bias of the output, and costs its square over beta^2. Before it the
    # spline is flat: nine zeros are more than there are outputs, hence strict=False below.
    cost, before = sum((y**2 for y in points[0][1]), Fraction(0)) / beta**2, [Fraction(0)] * 9
    for (t, y), (u, z) in pairwise(points):
        slopes = [(q - p) / (u - t) for p, q in zip(y, z, strict=True)]
        bend = sum(abs(s - r) for s, r in zip(slopes, before, strict=False))
        cost += 2 * bend * (1 + abs(t) / beta)
        before = slopes
    return cost


SHALLOW = (
    Attack(
        "shallow_optimum",
        _with_strength,
        _optimum,
        "shallow_optimum(X, Y, strength, bias=bias).loss",
    ),
    Attack(
        "certify_shallow",
        _network,
        _certified,
        "certify_shallow(DeepNet([W, A], [b, c]), X, Y, strength, bias=bias)",
    ),
    Attack("shallow_cost", _data, _interpolated, "shallow_cost(X, Y, bias=bias)"),
    Attack("shallow_cost_on_axes", _axes, _on_axes, "shallow_cost(X=np.diag(x), Y=y, bias=0)"),
    Attack("prune", _network, _pruned, "prune(DeepNet([W, A], [b, c]), X, bias=bias)"),
)
