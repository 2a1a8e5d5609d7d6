"""What a report proves: ranks at points, and how far two layers are from the least loss."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from repcost import DeepNet, measure, shallow_optimum
from repcost.datasets import random_network
from repcost.shallow.certificates import loss_from_above, loss_from_below

CHANCE = np.random.default_rng(0)
X, Y, STRENGTH = CHANCE.normal(size=(12, 2)), CHANCE.normal(size=(12, 1)), 1e-2


def in_fractions(net, strength):
    """The loss of two layers, exactly as its floats say."""
    parts = [*net.weights, *net.biases]
    paid = sum(Fraction(float(w)) ** 2 for part in parts for w in part.ravel())

    def exact(numbers):
        return [Fraction(float(each)) for each in numbers]

    def sent(row, x, b):
        products = [w * v for w, v in zip(exact(row), exact(x), strict=True)]
        return max(Fraction(0), sum(products) + Fraction(float(b)))

    def said(x):
        rows = zip(net.weights[0], net.biases[0], strict=True)
        hidden = [sent(row, x, b) for row, b in rows]
        outer = zip(net.weights[1][0], hidden, strict=True)
        return sum(Fraction(float(a)) * h for a, h in outer) + Fraction(float(net.biases[1][0]))

    errors = [(said(x) - Fraction(float(y))) ** 2 for x, y in zip(X, Y[:, 0], strict=True)]
    return sum(errors) / len(X) + Fraction(strength) * paid


def test_the_loss_lies_between_its_ends_and_these_are_near():
    for seed in range(5):
        net = random_network(2, 7, 1, rng=np.random.default_rng(seed))
        low, high = (end(net, X, Y, STRENGTH, 1.0) for end in (loss_from_below, loss_from_above))
        assert low <= in_fractions(net, STRENGTH) <= high <= low * (1 + 1e-11)
        # Without the squares of the weights it would not.
        assert float(in_fractions(net, 0.0)) < 0.99 * low


def test_the_excess_over_the_least_loss_is_known_from_both_sides():
    optimum = shallow_optimum(X, Y, STRENGTH)
    at_rest = measure(optimum.network, X, targets=Y, strength=STRENGTH).proofs
    assert at_rest.excess is not None and at_rest.excess[0] == 0 and at_rest.excess[1] < 2e-3
    W, A = optimum.network.weights
    b, c = optimum.network.biases
    # The same function with unequal layers pays more, by a known sum.
    worse = DeepNet([2 * W, A / 2], [2 * b, c])
    more = STRENGTH * (3 * (np.sum(W**2) + np.sum(b**2)) - 0.75 * np.sum(A**2))
    low, high = measure(worse, X, targets=Y, strength=STRENGTH).proofs.excess or (0, 0)
    assert low <= more <= high and more - 2e-3 < low and high < more + 2e-3
    said = str(measure(worse, X, targets=Y, strength=STRENGTH))
    assert "proved" in said and "above the least of all networks" in said


def test_a_module_is_proved_of_like_the_network_it_is():
    torch.manual_seed(0)
    parts = nn.Flatten(), nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 1)
    model: Any = nn.Sequential(*parts).double()
    net = DeepNet(
        [model[1].weight.detach().numpy(), model[3].weight.detach().numpy()],
        [model[1].bias.detach().numpy(), model[3].bias.detach().numpy()],
    )
    ours, theirs = (measure(each, X, targets=Y, strength=1e-2).proofs for each in (model, net))
    assert str(ours) == str(theirs) and ours.rank is not None and ours.rank.lower == 1


def test_a_rank_is_proved_at_a_point_without_a_tolerance():
    # The second direction is far below any tolerance, and is there.
    net = DeepNet([[[1.0, 0.0], [0.0, 1e-12]], np.eye(2)], [[9.0, 9.0], [0.0, 0.0]])
    report = measure(net, X)
    assert report.proofs.rank is not None and report.proofs.rank.lower == 2
    assert report.jacobian_ranks.max() == 1
    flat = DeepNet([[[1.0, 1.0], [2.0, 2.0]], np.eye(2)], [[9.0, 9.0], [0.0, 0.0]])
    proved = measure(flat, X).proofs.rank
    assert proved is not None and proved.upper == 1


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (nn.Sequential(nn.Linear(2, 3), nn.GELU(), nn.Linear(3, 1)), "only chains"),
        (nn.Sequential(nn.Linear(2, 3), nn.LeakyReLU(), nn.Linear(3, 1)), "only chains"),
        (nn.Sequential(*[nn.Linear(2, 2), nn.ReLU()] * 2, nn.Linear(2, 1)), "only chains"),
        (nn.Sequential(nn.Linear(2, 500), nn.ReLU(), nn.Linear(500, 500)), "too many weights"),
        (
            nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1)),
            "one hidden layer",
        ),
    ],
)
def test_what_is_not_proved_says_why(model, says):
    targets = np.zeros((12, model(torch.zeros(1, 2)).shape[1]))
    report = measure(model, X, targets=targets, strength=0.1)
    assert report.proofs.excess is None or says == "too many weights"
    assert any(says in reason for reason in report.proofs.reasons) and "not proved" in str(report)
    assert report.to_dict()["proofs"]["reasons"]


def test_half_a_loss_is_refused():
    net = random_network(2, 3, 1, rng=CHANCE)
    with pytest.raises(ValueError, match="strength is not given, but targets is"):
        measure(net, X, targets=Y)
    with pytest.raises(ValueError, match="targets is not given"):
        measure(net, X, strength=0.1)
