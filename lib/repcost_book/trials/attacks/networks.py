"""Balance, other networks for one function, and networks of one variable, against fractions."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np

from repcost import DeepNet, as_piecewise_linear, jacobian_spectra, rebalance, rebalanced_norm
from repcost.deep_networks import leaky_network
from repcost.joined import added, composed
from repcost_book.trials.fuzz import RIGHT, WIDE, Attack, WrongError, as_narrow_as_said
from repcost_book.trials.hostile import hostile_floats

Exact = list[Fraction]

# What rounding may change, relative to the largest that could have come of the terms.
ROUNDING = Fraction(1, 10**11)
# What underflow may change besides.
LOST, SMALLEST = Fraction(1, 10**300), Fraction(1, 10**320)


def drawn_network(
    rng: np.random.Generator, reach: float, inputs: int = 0, outputs: int = 0, most: int = 4
) -> dict:
    """Weights and biases of a small network with hostile entries, and a slope."""
    depth = int(rng.integers(1, 4))
    widths = [int(w) for w in rng.integers(1, most, size=depth + 1)]
    widths[0], widths[-1] = inputs or widths[0], outputs or widths[-1]
    return {
        "weights": [hostile_floats(rng, (out, into), reach) for into, out in pairwise(widths)],
        "biases": [hostile_floats(rng, (out,), reach) for out in widths[1:]],
        "slope": float(rng.choice([0.0, 0.0, 0.5, -0.3])),
    }


def exact_layers(net: DeepNet, x: Exact) -> list[Exact]:
    """What the units of each layer receive at x, without rounding."""
    found = []
    for weight, bias in zip(net.weights, net.biases, strict=True):
        x = [net.activation.exactly(t) for t in x] if found else x
        x = [
            sum((Fraction(w) * t for w, t in zip(row, x, strict=True)), Fraction(c))
            for row, c in zip(weight.tolist(), bias.tolist(), strict=True)
        ]
        found.append(x)
    return found


def sizes_of_terms(net: DeepNet, x: Exact) -> Exact:
    """What the outputs could be if nothing cancelled."""
    weights, biases = ([np.abs(part) for part in parts] for parts in (net.weights, net.biases))
    return exact_layers(DeepNet(weights, biases), [abs(t) for t in x])[-1]


def same_function(one: DeepNet, other: DeepNet, x: Exact) -> None:
    """WrongError where two networks differ at x by more than rounding."""
    for a, b, size in zip(
        exact_layers(one, x)[-1], exact_layers(other, x)[-1], sizes_of_terms(one, x), strict=True
    ):
        if abs(a - b) > ROUNDING * size + LOST:
            raise WrongError(f"at {[float(t) for t in x]} one is off by {float(abs(a - b)):g}")


def some_points(dimension: int) -> list[Exact]:
    """The same few points each time, with signs mixed."""
    rng = np.random.default_rng(dimension)
    return [[Fraction(x) for x in row] for row in rng.normal(size=(4, dimension)).tolist()]


def _balanced(rng: np.random.Generator) -> dict:
    # Squares of weights must be floats: up to 1e150.
    return drawn_network(rng, float(rng.choice([0.02, 0.2, 0.46])))


def _rebalanced(weights: list, biases: list, slope: float) -> str:
    net = DeepNet(weights, biases, slope)
    found, least = rebalance(net), rebalanced_norm(net)
    for x in some_points(net.widths[0]):
        same_function(net, found, x)
    norm, before = _squared_norm(found), _squared_norm(net)
    if norm > before * (1 + ROUNDING) + LOST:
        raise WrongError(f"the norm rises from {float(before):g} to {float(norm):g}")
    if not Fraction(least.lower) <= min(before, norm * (1 + ROUNDING)) + LOST:
        raise WrongError(f"{least} lies above a norm of the orbit, {float(before):g}")
    if np.isfinite(least.upper) and Fraction(least.upper) < norm * (1 - ROUNDING):
        raise WrongError(f"{least} lies below the norm {float(norm):g} that was found")
    _stationary(found, norm)
    return as_narrow_as_said(least, 1e-9, 1e-280)


def _stationary(net: DeepNet, norm: Fraction) -> None:
    for layer in range(1, net.depth):
        for unit in range(net.widths[layer]):
            received = _sum_of_squares([*net.weights[layer - 1][unit], net.biases[layer - 1][unit]])
            if abs(received - _sum_of_squares(net.weights[layer][:, unit])) > norm / 10**9:
                raise WrongError(f"unit {unit} of layer {layer} is out of balance")


def _sum_of_squares(numbers) -> Fraction:
    return sum((Fraction(float(x)) ** 2 for x in numbers), Fraction(0))


def _squared_norm(net: DeepNet) -> Fraction:
    parts = (*net.weights, *net.biases)
    return sum((_sum_of_squares(part.ravel()) for part in parts), Fraction(0))


def _line(rng: np.random.Generator) -> dict:
    return drawn_network(rng, float(rng.choice([0.02, 0.2, 1.0])), inputs=1, outputs=1)


def _on_the_line(weights: list, biases: list, slope: float) -> str:
    net = DeepNet(weights, biases, slope)
    try:
        f = as_piecewise_linear(net)
    except ValueError as refusal:
        if "range of floats" not in str(refusal):
            raise
        return WIDE
    # Between two knots that are not neighbouring floats the slope is that of the network.
    knots = [Fraction(k) for k in f.knots.tolist()] or [Fraction(0)]
    # One piece alone is looked at on both sides of zero.
    slopes = f.slopes.tolist() if len(f.knots) else [f.slopes[0], f.slopes[0]]
    ends = [knots[0] - 1 - abs(knots[0]), *knots, knots[-1] + 1 + abs(knots[-1])]
    for (a, b), slope_here in zip(pairwise(ends), slopes, strict=True):
        p, q = a + (b - a) / 3, a + 2 * (b - a) / 3
        (u,), (v,) = exact_layers(net, [Fraction(p)])[-1], exact_layers(net, [Fraction(q)])[-1]
        true = (v - u) / (q - p)
        off = abs(true - Fraction(slope_here)) > abs(true) / 2**52 + SMALLEST
        if off and not _knot_lost(net, p, q):
            raise WrongError(f"slope {slope_here} between {float(a)} and {float(b)}, not {true}")
    (at_zero,) = exact_layers(net, [Fraction(0)])[-1]
    if abs(at_zero - Fraction(f.anchor[1])) > abs(at_zero) / 2**52 + SMALLEST:
        raise WrongError(f"value {f.anchor[1]} at zero, not {float(at_zero)}")
    return RIGHT


def _knot_lost(net: DeepNet, p: Fraction, q: Fraction) -> bool:
    """Whether a unit changes sides between the two: a knot that was rounded out of its piece."""
    one, other = exact_layers(net, [p])[:-1], exact_layers(net, [q])[:-1]
    return any(
        (a < 0 < b) or (b < 0 < a)
        for u, v in zip(one, other, strict=True)
        for a, b in zip(u, v, strict=True)
    )


def _other(rng: np.random.Generator) -> dict:
    return {
        **drawn_network(rng, float(rng.choice([0.02, 0.1, 0.3]))),
        "leak": float(rng.uniform(-0.95, 0.95)),
    }


def _other_networks(weights: list, biases: list, slope: float, leak: float) -> str:
    net = DeepNet(weights, biases, slope)
    twice = added(net, net)
    doubled = [*net.weights[:-1], 2 * net.weights[-1]], [*net.biases[:-1], 2 * net.biases[-1]]
    into = DeepNet([np.ones((net.widths[0], 2))], [np.zeros(net.widths[0])], net.activation)
    for x in some_points(net.widths[0]):
        same_function(twice, net.with_layers(*doubled), x)
        if not slope:
            same_function(leaky_network(net, leak), net, x)
    for x in some_points(2):
        total = [sum(x, Fraction(0))] * net.widths[0]
        through = composed(net, into)
        for a, b, size in zip(
            exact_layers(through, x)[-1],
            exact_layers(net, total)[-1],
            sizes_of_terms(through, x),
            strict=True,
        ):
            if abs(a - b) > ROUNDING * size + LOST:
                raise WrongError(f"composed is off by {float(abs(a - b)):g}")
    return RIGHT


def _spectra(rng: np.random.Generator) -> dict:
    given = drawn_network(rng, float(rng.choice([0.02, 0.2, 1.0])))
    return {**given, "X": rng.normal(size=(1, given["weights"][0].shape[1]))}


def _spectrum(weights: list, biases: list, slope: float, X: np.ndarray) -> str:
    net = DeepNet(weights, biases, slope)
    try:
        (found,) = jacobian_spectra(net, X)
    except ValueError as refusal:
        if "larger than floats go" not in str(refusal):
            raise
        return WIDE
    received = exact_layers(net, [Fraction(x) for x in X[0].tolist()])
    if not _comfortable(net) or any(
        (float(t) > 0) != (r > 0)
        for exact, rounded in zip(received[:-1], net.preactivations(X)[:-1], strict=True)
        for t, r in zip(exact, rounded[0].tolist(), strict=True)
    ):
        return WIDE  # rounding decides the side of a unit: either Jacobian is right
    _judge_spectrum(net, received, found)
    return RIGHT


def _comfortable(net: DeepNet) -> bool:
    sizes = np.concatenate([np.abs(part).ravel() for part in (*net.weights, *net.biases)])
    sizes = sizes[sizes > 0]
    return not len(sizes) or bool(sizes.max() < 1e50 and sizes.min() > 1e-50)


def _judge_spectrum(net: DeepNet, received: list[Exact], found: np.ndarray) -> None:
    with mpmath.workdps(60):
        product = mpmath.matrix(net.weights[0].tolist())
        size = mpmath.norm(list(product))
        for layer, weight in zip(received[:-1], net.weights[1:], strict=True):
            slopes = mpmath.diag([1.0 if t > 0 else net.negative_slope for t in layer])
            product = mpmath.matrix(weight.tolist()) * slopes * product
            size *= mpmath.norm(weight.ravel().tolist())
        true = sorted(mpmath.svd_r(product, compute_uv=False), reverse=True)
        for a, b in zip(found.tolist(), true, strict=True):
            if abs(a - b) > 1e-12 * size:
                raise WrongError(f"singular value {a}, not {b}")


_NET = "DeepNet(weights, biases, slope)"
NETWORKS = (
    Attack("rebalance", _balanced, _rebalanced, f"rebalanced_norm({_NET})"),
    Attack("as_piecewise_linear", _line, _on_the_line, f"as_piecewise_linear({_NET})"),
    Attack("other_networks", _other, _other_networks, f"leaky_network({_NET}, leak)"),
    Attack("jacobian_spectra", _spectra, _spectrum, f"jacobian_spectra({_NET}, X)"),
)
