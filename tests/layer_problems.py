"""Random layers and networks for tests of representations, forces and covariances."""

import numpy as np

from repcost import Objective
from repcost.datasets import random_network


def random_layer(seed, bias, N=4, before=4, units=5, outputs=3):
    """(Z, S_previous, Z_next, bias), covariances of full rank and no pre-activation near zero."""
    rng = np.random.default_rng(seed)
    S_previous = np.column_stack([rng.normal(size=(N, before)), np.full(N, bias)])
    Z = rng.normal(size=(N, units))
    Z += 0.1 * np.sign(Z)
    return Z, S_previous, rng.normal(size=(N, outputs)), bias


def sent(Z, bias):
    """[relu(Z), bias 1], without the library's `with_bias` and `Activation`."""
    return np.column_stack([np.maximum(Z, 0), np.full(len(Z), bias)])


def scaled_net(*widths, bias=1.0, seed=0, negative_slope=0.0):
    """Signals of size one in every layer; the biases are `bias` times normal ones."""
    rng = np.random.default_rng(seed)
    return random_network(
        *widths, rng=rng, kind="scaled", biases=bias, negative_slope=negative_slope
    )


def squared_norm(net, bias):
    """All weights and biases over `bias`, by the library's other way to it."""
    return Objective.jacot_2022(1.0, bias=bias).cost(net)
