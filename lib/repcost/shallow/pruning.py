"""Fewer neurons, the same outputs, no more cost: what a convex problem over all widths leaves open.

First neurons that are alike become one (`merging`), which keeps the network everywhere or
between the points; then Carathéodory's theorem keeps the outputs at the points
(`caratheodory`).
"""

import numpy as np

from repcost.arrays import ArrayLike, finite_array, with_bias
from repcost.deep_networks import DeepNet
from repcost.shallow.caratheodory import basic_outer
from repcost.shallow.merging import Atoms, OtherNeurons, Outer, merged, unit_atoms
from repcost.shallow.problem import ShallowProblem


def prune(net: DeepNet, X: ArrayLike, *, bias: float = 1.0) -> DeepNet:
    """The same outputs at the rows of X (N, d) with at most N m neurons in the last hidden layer.

    Carathéodory's theorem as in Proposition 7 of Jacot et al. (2022), with N m in place of N
    (N + 1) for the last hidden layer of m outputs. Neurons that differ by a positive factor,
    or are active at the same points with outer weights that do, become one; a basic solution
    of a linear programme does the rest. The sum of squares of all weights (those of biases
    being the biases over `bias`) does not rise, and the layer comes out balanced. Outputs
    agree up to rounding; where float64 is too coarse for that, neurons are merged only. Off X
    the function changes.

    >>> net = DeepNet([[[1.0], [2.0], [1.0]], [[1.0, 1.0, 0.5]]], [[0.0, 0.0, 0.5], [0.0]])
    >>> small = prune(net, [[1.0], [3.0]])
    >>> small.widths, small([[1.0], [3.0]]).round(9).tolist()
    ((1, 1, 1), [[3.75], [10.75]])
    >>> bool(small.squared_norm < net.squared_norm)
    True
    """
    _check(net, bias)
    inputs = _inputs_of_last_layer(net, X, bias)
    weights, biases = net.weights[-2], net.biases[-2]
    incoming = np.column_stack([weights, biases / bias if bias else 0 * biases])
    W, A = merged(inputs, *unit_atoms(incoming, net.weights[-1].T))
    A = basic_outer(net.activation(inputs @ W.T), A)
    # What has no outer weight is gone; the rest shares its size between both layers.
    W, A = _balanced(W[A.any(axis=1)], A[A.any(axis=1)])
    return net.with_layers(
        [*net.weights[:-2], W[:, :-1], A.T],
        [*net.biases[:-2], bias * W[:, -1], net.biases[-1]],
    )


def fewer(problem: ShallowProblem, W: Atoms, A: Outer) -> OtherNeurons:
    """A network with the same outputs in this problem, no more cost and at most N m neurons."""
    W, A = merged(problem.Xt, *unit_atoms(W, A))
    return unit_atoms(W, basic_outer(problem.hidden(W), A))


def _inputs_of_last_layer(net: DeepNet, X: ArrayLike, bias: float):
    """What the last hidden layer takes at the points, the constant of its biases included."""
    received = net.preactivations(X)
    # From the end: the outputs, the last hidden layer, and the one below it, if there is one.
    inputs = net.activation(received[-3]) if net.depth > 2 else finite_array(X, "X", 2)
    return with_bias(inputs, bias)


def _balanced(W: Atoms, A: Outer) -> tuple[Atoms, Outer]:
    """The same neurons, from atoms to equal sizes of incoming and outer weights."""
    root = np.sqrt(np.linalg.norm(A, axis=1))[:, None]
    return W * root, A / root


def _check(net: DeepNet, bias: float) -> None:
    if net.depth < 2:
        raise ValueError("net has no hidden layer; there is nothing to prune")
    if bias < 0 or (bias == 0 and net.biases[-2].any()):
        remedy = "give the beta > 0 that multiplies them"
        raise ValueError(f"bias is {bias}, but net has hidden biases; {remedy}")
