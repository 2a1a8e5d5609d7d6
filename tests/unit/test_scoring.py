"""A score is what a network pays, and zero miss is the function itself."""

from typing import Any, cast

import numpy as np
import pytest

from repcost import DeepNet, cost_per_layer
from repcost.datasets import cross_network, example_networks
from repcost.experiments.scoring import score

SQUARE = ([-1.0, -1.0], [1.0, 1.0])


def test_the_cheapest_known_network_scores_the_upper_end():
    tent = example_networks()["tent"]
    found = score(tent.network, tent.network, tent.domain)
    assert found.miss == 0 and found.depth == 2
    known = cost_per_layer(tent.network, 2, tent.domain)
    assert found.per_layer.upper == pytest.approx(known.upper, rel=1e-9)
    # Scaling a unit changes neither.
    W, V = tent.network.weights
    scaled = tent.network.with_layers(
        [3 * W, V / 3], [3 * tent.network.biases[0], tent.network.biases[1]]
    )
    again = score(scaled, tent.network, tent.domain)
    assert again.per_layer.value == pytest.approx(found.per_layer.value) and again.miss < 1e-14


def test_another_function_is_missed_by_its_distance():
    cross = cross_network()
    zero = DeepNet([np.zeros((1, 2)), np.zeros((2, 1))], [[0.0], [0.0, 0.0]])
    # A shallower network is made as deep as the function's own; the cross is one in the corners.
    assert score(zero, cross, SQUARE).miss == pytest.approx(1)
    moved = cross.with_layers(cross.weights, [*cross.biases[:-1], np.array([0.0, 0.25])])
    found = score(moved, cross, SQUARE)
    assert found.miss == pytest.approx(0.25) and found.depth == 3


@pytest.mark.usefixtures("unchecked")
def test_what_is_no_network_is_refused_by_name():
    with pytest.raises(ValueError, match=r"\btarget\b"):
        score(cross_network(), cast(Any, 3), SQUARE)
    with pytest.raises(ValueError, match=r"\bnet\b"):
        score(cast(Any, "text"), cross_network(), SQUARE)
