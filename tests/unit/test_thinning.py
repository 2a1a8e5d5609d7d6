"""Layers with fewer units and the same covariances."""

import numpy as np
import pytest

from repcost.shallow import thinned


def before_and_after_activation(Z, thin):
    """The pairs that must have one covariance."""
    return (Z, thin), (np.maximum(Z, 0), np.maximum(thin, 0))


@pytest.mark.parametrize("N", [1, 2, 3, 5])
def test_a_thinned_layer_has_the_same_covariances(N):
    Z = np.random.default_rng(N).normal(size=(N, 80))
    Z[:, 3] = 0  # a dead unit
    thin = thinned(Z)
    assert thin.shape[1] <= N * (N + 1)
    for given, left in before_and_after_activation(Z, thin):
        assert left @ left.T == pytest.approx(given @ given.T, abs=1e-10)
    # What stays is a positive multiple of one of the given units.
    rays = (Z / np.linalg.norm(Z, axis=0).clip(1e-300)).T @ (thin / np.linalg.norm(thin, axis=0))
    assert rays.max(axis=0) == pytest.approx(1, abs=1e-12)


def test_a_layer_without_units_stays_so():
    assert thinned(np.zeros((3, 4))).shape == (3, 0)


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1e160, 1e300])
def test_a_layer_of_any_scale_is_thinned_as_that_of_scale_one(scale):
    Z = np.random.default_rng(0).normal(size=(3, 40))
    thin = thinned(scale * Z)
    assert thin.shape == (3, 12)
    assert thin / scale == pytest.approx(thinned(Z), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("of", ["points", "units"])
def test_widely_scaled_layers_are_thinned_too(of):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        scale = 10.0 ** rng.uniform(-6, 6, (6, 1) if of == "points" else 80)
        Z = rng.normal(size=(6, 80)) * scale
        thin = thinned(Z)
        assert thin.shape == (6, 42)
        # Each point in its own unit: an absolute error would look at the largest ones only.
        size = np.abs(Z).max(axis=1, keepdims=True)
        for given, left in before_and_after_activation(Z, thin):
            gram = given @ given.T / (size * size.T)
            assert left @ left.T / (size * size.T) == pytest.approx(gram, abs=1e-11 * gram.max())
