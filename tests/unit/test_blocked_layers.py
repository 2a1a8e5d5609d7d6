"""Layers that hardly reach a point: within eps of nothing, and they nearly attain the bound."""

import numpy as np
import pytest

from repcost.constructions import hardly_sent

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("eps", [0.3, 0.01])
def test_they_are_within_eps_and_can_be_had_by_weights(eps):
    layers = [hardly_sent(eps, 5, RNG) for _ in range(400)]
    for S, Z in layers:
        assert np.linalg.norm(S[0]) == pytest.approx(eps)
        assert 1 - eps <= Z[0, 0] * (1 + 1e-12) and Z[0, 0] <= 1 + 1e-12
        W = np.linalg.lstsq(S, Z, rcond=None)[0]
        assert pytest.approx(Z, abs=1e-10) == S @ W
    prices = [np.sum((np.linalg.pinv(S) @ Z) ** 2) for S, Z in layers]
    bound = ((1 - eps) / eps) ** 2
    # As near as four hundred draws come: some of 1 - eps, and little for the other points.
    assert bound <= min(prices) * (1 + 1e-9) and min(prices) < 1.1 * bound
    assert min(prices) < 1 / eps**2
