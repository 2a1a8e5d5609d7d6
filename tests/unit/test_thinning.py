"""Layers with fewer units and the same covariances."""

import numpy as np
import pytest

from repcost.features.thinning import thinned


@pytest.mark.parametrize("N", [1, 2, 3, 5])
def test_a_thinned_layer_has_the_same_covariances(N):
    Z = np.random.default_rng(N).normal(size=(N, 80))
    Z[:, 3] = 0
    thin = thinned(Z)
    assert thin.shape[1] <= N * (N + 1)
    for given_, left in ((Z, thin), (np.maximum(Z, 0), np.maximum(thin, 0))):
        assert left @ left.T == pytest.approx(given_ @ given_.T, abs=1e-10)
    rays = (Z / np.linalg.norm(Z, axis=0).clip(1e-300)).T @ (thin / np.linalg.norm(thin, axis=0))
    assert rays.max(axis=0) == pytest.approx(1, abs=1e-12)


def test_a_layer_without_units_stays_so():
    assert thinned(np.zeros((3, 4))).shape == (3, 0)
