"""Where attraction and repulsion cancel: at certified optima, with the right pull and slopes."""

import numpy as np
import pytest

from repcost import forces, prune, shallow_optimum
from repcost.representations import force_balance, representations
from tests.layer_problems import random_layer
from tests.shallow_problems import balanced_blocks


def optimal_layer(seed, pruned=True, N=6, strength=0.01):
    """The hidden layer of a certified optimum, as `forces` takes it, and the multiplier there."""
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(N, 1)), rng.normal(size=(N, 1))
    net = shallow_optimum(X, Y, strength, rtol=1e-9).network
    layers = representations(prune(net, X) if pruned else net, X)
    Z, Z_next = layers.preactivations
    return (Z, layers.activations[0], Z_next, 1.0), (Y - Z_next) / (strength * N), layers


@pytest.mark.parametrize("seed", range(5))
def test_balance_at_certified_optima(seed):
    """Attraction and repulsion cancel, with the true multiplier and one slope per kink only."""
    layer, multiplier, layers = optimal_layer(seed)
    Z, off_kinks = layer[0], np.abs(layer[0]) > 1e-3
    right = force_balance(*layer, multiplier=multiplier, kink=1e-4)
    assert right.imbalance.max() < 1e-3
    assert ((right.slopes >= 0) & (right.slopes <= 1)).all()
    assert (right.slopes[off_kinks] == (Z > 0)[off_kinks]).all()
    # Controls: the slope of a kink cannot be had from the sign of a rounding error, and the
    # pseudo-inverse is not V.
    at_kinks = (np.abs(Z) <= 1e-4 * np.abs(Z).max(0)).any(0)
    assert at_kinks.any()
    attraction, repulsion = forces(*layer)
    sizes = np.linalg.norm(attraction + repulsion, axis=0) / np.linalg.norm(attraction, axis=0)
    assert sizes[at_kinks].max() > 0.1
    assert np.linalg.matrix_rank(layers.activations[1], tol=1e-6) < len(Z)
    assert force_balance(*layer, multiplier=multiplier, kink=0.0).imbalance.max() > 0.1


def test_the_pseudo_inverse_is_not_the_multiplier_where_activations_are_of_low_rank():
    layer, multiplier, _ = optimal_layer(1, pruned=False)
    assert force_balance(*layer, multiplier=multiplier, kink=1e-4).imbalance.max() < 1e-3
    assert force_balance(*layer, kink=1e-4).imbalance.max() > 0.1


def test_balanced_blocks_are_in_balance():
    """X = 1, Y = B_4 without biases: Z is the incidence of a square, and every force is 2 Z."""
    Z = np.array([[1.0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    assert (balanced_blocks(4) == Z @ Z.T).all()
    balance = force_balance(Z, np.eye(4, 5), Z @ Z.T, 0.0)
    assert balance.attraction == pytest.approx(2 * Z, abs=1e-12)
    assert balance.repulsion == pytest.approx(-2 * Z, abs=1e-12)
    assert balance.imbalance == pytest.approx(0, abs=1e-12)
    doubled = force_balance(Z, np.eye(4, 5), 2 * Z @ Z.T, 0.0)
    assert (doubled.imbalance > 1).all()


def test_a_dead_unit_is_in_balance():
    Z, S_previous, Z_next, bias = random_layer(4, 1.0)
    Z[:, 2] = 0.0
    balance = force_balance(Z, S_previous, Z_next, bias)
    assert balance.imbalance[2] == 0
    assert (balance.imbalance[[0, 1, 3, 4]] > 0).all()
