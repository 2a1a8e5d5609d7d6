"""Fewer neurons, the same outputs, no more cost: what a convex problem over all widths leaves open.

First neurons that are alike become one (`merging`), which keeps the network everywhere or
between the points; then Carathéodory's theorem keeps the outputs at the points
(`caratheodory`).
"""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, with_bias
from repcost.deep_networks import DeepNet, as_deep
from repcost.networks import TwoLayer
from repcost.scalars import bias_constant
from repcost.scales import exponent_of, exponents_of_rows, lengths
from repcost.shallow.caratheodory import basic_outer
from repcost.shallow.merging import Atoms, OtherNeurons, Outer, merged, unit_atoms
from repcost.shallow.problem import Inputs, ShallowProblem

# Outputs that differ by less than this part of the largest sum over neurons are the same.
_SAME = 1e-10


def with_fewer_units(net: DeepNet | TwoLayer, X: ArrayLike, *, bias: float = 1.0) -> DeepNet:
    """The same outputs at the rows of X (N, d) with at most N m neurons in the last hidden layer.

    Carathéodory's theorem as in Proposition 7 of Jacot et al. (2022), with N m in place of N
    (N + 1) for the last hidden layer of m outputs. Neurons that differ by a positive factor,
    or are active at the same points with outer weights that do, become one; a basic solution
    of a linear programme does the rest. The sum of squares of all weights (those of biases
    being the biases over `bias`) does not rise, and the layer comes out balanced. Outputs
    agree up to rounding; where float64 is too coarse for that, neurons are merged only: to ten
    digits of the largest sum over neurons of |a_k| relu(<w_k, x>). Off X the function changes.

    Range: any finite weights, also where those of one layer are 1e-200 and of the other 1e200, as
    long as no layer overflows at X. Where float64 cannot hold so unequal neurons in one unit, the
    network comes back as it is.

    >>> net = DeepNet([[[1.0], [2.0], [1.0]], [[1.0, 1.0, 0.5]]], [[0.0, 0.0, 0.5], [0.0]])
    >>> small = with_fewer_units(net, [[1.0], [3.0]])
    >>> small.widths, small([[1.0], [3.0]]).round(9).tolist()
    ((1, 1, 1), [[3.75], [10.75]])
    >>> bool(small.squared_norm < net.squared_norm)
    True
    """
    net, X, bias = as_deep(net), finite_array(X, "X", 2), bias_constant(bias)
    _check(net, X, bias)
    inputs = _inputs_of_last_layer(net, X, bias)
    W, A, unit = _in_units(net, bias)
    W, A = _merged_if_alike(net, inputs, *unit_atoms(W, A))
    A = basic_outer(net.activation(inputs @ W.T), A)
    # What has no outer weight is gone; the rest shares its size between both layers.
    W, A = _balanced(W[A.any(axis=1)], A[A.any(axis=1)])
    with np.errstate(over="ignore"):
        W, A = np.ldexp(W, unit // 2), np.ldexp(A, unit // 2)
        biases = bias * W[:, -1]
    if not all(np.isfinite(part).all() for part in (W, A, biases)):
        return net  # as it is, one of its sizes may be a float where balanced ones are none
    small = net.with_layers(
        [*net.weights[:-2], W[:, :-1], A.T], [*net.biases[:-2], biases, net.biases[-1]]
    )
    return small if _are_alike(net, small, X) else net


def _merged_if_alike(net: DeepNet, inputs: Inputs, W: Atoms, A: Outer) -> OtherNeurons:
    """The merged neurons, unless their outputs are others: inputs may be of very different size."""
    fewer_W, fewer_A = merged(inputs, W, A)
    hidden, fewer_hidden = (net.activation(inputs @ atoms.T) for atoms in (W, fewer_W))
    same = _agree(hidden, A, fewer_hidden, fewer_A, _SAME)
    return (fewer_W, fewer_A) if same else (W, A)


def fewer(problem: ShallowProblem, W: Atoms, A: Outer) -> OtherNeurons:
    """A network with the same outputs in this problem, no more cost and at most N m neurons."""
    W, A = merged(problem.Xt, *unit_atoms(W, A))
    return unit_atoms(W, basic_outer(problem.hidden(W), A))


def _inputs_of_last_layer(net: DeepNet, X: Float[np.ndarray, "N d"], bias: float) -> Inputs:
    """What the last hidden layer takes at the points, at size one; the constant is in it."""
    with np.errstate(over="ignore", invalid="ignore"):
        received = net.preactivations(X)
    # From the end: the outputs, the last hidden layer, and the one below it, if there is one.
    inputs = with_bias(net.activation(received[-3]) if net.depth > 2 else X, bias)
    if not all(np.isfinite(layer).all() for layer in received):
        raise ValueError("net is larger than floats go at some row of X; scale its weights or X")
    return np.ldexp(inputs, -exponent_of(inputs))


def _in_units(net: DeepNet, bias: float) -> tuple[Atoms, Outer, int]:
    """The neurons of the last hidden layer over 2^unit, their incoming weights at size one."""
    weights, biases = net.weights[-2], net.biases[-2]
    with np.errstate(over="ignore"):
        W = np.column_stack([weights, biases / bias if bias else 0 * biases])
    if not np.isfinite(W).all():
        raise ValueError(f"bias is {bias:g}, too small for the biases of net; set it to 1")
    A = net.weights[-1].T
    into, out = exponents_of_rows(W), exponents_of_rows(A)
    # Weights on one side may be as small as those on the other are large: their product counts.
    products = (into + out)[W.any(axis=1) & A.any(axis=1)]
    # Even, so that each layer can take half of it.
    unit = (int(products.max()) + 1) // 2 * 2 if len(products) else 0
    with np.errstate(over="ignore", under="ignore"):  # of neurons without incoming weights
        return np.ldexp(W, -into[:, None]), np.ldexp(A, (into - unit)[:, None]), unit


def _are_alike(net: DeepNet, small: DeepNet, X: ArrayLike) -> bool:
    """Whether the sums over neurons are the same at X, but for rounding."""
    hidden, fewer_hidden = (each.activation(each.preactivations(X)[-2]) for each in (net, small))
    return _agree(hidden, net.weights[-1].T, fewer_hidden, small.weights[-1].T, 10 * _SAME)


def _agree(
    hidden: Float[np.ndarray, "N k"],
    A: Outer,
    fewer_hidden: Float[np.ndarray, "N other"],
    fewer_A: Float[np.ndarray, "other m"],
    tolerance: float,
) -> bool:
    """Whether both sums over neurons are the same, to this part of the largest without signs."""
    most = (np.abs(hidden) @ np.abs(A)).max(initial=0.0)
    apart = np.abs(hidden @ A - fewer_hidden @ fewer_A).max(initial=0.0)
    return bool(apart <= tolerance * most)


def _balanced(W: Atoms, A: Outer) -> tuple[Atoms, Outer]:
    """The same neurons, from atoms to equal sizes of incoming and outer weights."""
    root = np.sqrt(lengths(A))[:, None]
    return W * root, A / root


def _check(net: DeepNet, X: Float[np.ndarray, "N d"], bias: float) -> None:
    if net.depth < 2:
        raise ValueError("net has no hidden layer; there is nothing to prune")
    if not X.size or not net.widths[-1]:
        sizes = f"X has shape {X.shape}, and net {net.widths[-1]} outputs"
        raise ValueError(f"{sizes}; give at least one point, input and output")
    if bias == 0 and net.biases[-2].any():
        remedy = "give the beta > 0 that multiplies them"
        raise ValueError(f"bias is 0, but net has hidden biases; {remedy}")
