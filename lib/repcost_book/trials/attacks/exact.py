"""Networks of ReLU units and their losses in fractions, a truth that shares no other code."""

from fractions import Fraction

import numpy as np

from repcost import DeepNet

Rows = list[list[Fraction]]


def exact(array: np.ndarray) -> Rows:
    return [[Fraction(x) for x in row] for row in np.atleast_2d(array).tolist()]


def exact_outputs(net: DeepNet, X: np.ndarray) -> Rows:
    """The outputs of a network of ReLU units, without any rounding."""
    points = exact(X)
    for layer, (weight, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
        rows, constants = exact(weight) if weight.size else [], exact(bias)[0]
        rows = rows or [[] for _ in constants]
        points = [
            [
                sum((w * x for w, x in zip(row, point, strict=True)), c)
                for row, c in zip(rows, constants, strict=True)
            ]
            for point in points
        ]
        if layer < net.depth - 1:
            points = [[max(x, Fraction(0)) for x in point] for point in points]
    return points


def squares(*arrays: np.ndarray) -> Fraction:
    return sum((Fraction(x) ** 2 for each in arrays for x in each.ravel().tolist()), Fraction(0))


def exact_norm(net: DeepNet, bias: float) -> Fraction:
    """What the losses count: all weights, and the biases over `bias`."""
    paid = squares(*net.weights)
    return paid + squares(*net.biases) / Fraction(bias) ** 2 if bias else paid


def exact_loss(
    net: DeepNet, X: np.ndarray, Y: np.ndarray, strength: float, bias: float
) -> Fraction:
    # The convention of the losses: a mean over the points, and a sum over the outputs.
    misses = sum(
        (a - b) ** 2
        for row, other in zip(exact_outputs(net, X), exact(Y), strict=True)
        for a, b in zip(row, other, strict=True)
    )
    return Fraction(misses) / len(X) + Fraction(strength) * exact_norm(net, bias)
