"""Shallow networks over the whole range of floats: brackets that hold, messages that are true."""

import subprocess
import sys
from fractions import Fraction
from inspect import signature
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import DeepNet, certify_shallow, prune, shallow_cost, shallow_optimum
from repcost.datasets import random_network
from repcost.shallow import Oracle, frank_wolfe
from repcost.shallow.oracle import MOST_FACES
from repcost_book.trials.attacks.exact import exact_loss, exact_outputs
from repcost_book.trials.attacks.shallow import SHALLOW
from repcost_book.trials.fuzz import fuzz

# Sizes that data may have, and those that any float may have.
DATA = st.floats(1e-60, 1e60)
ANY = st.floats(5e-324, 1.7e308)


@pytest.mark.parametrize("attack", SHALLOW, ids=lambda attack: attack.name)
def test_hostile_cases(attack):
    assert fuzz(attack, 11, range(20)).findings == []


@settings(max_examples=60, deadline=None)
@given(DATA, DATA, ANY)
def test_one_point_has_a_closed_form(x, y, strength):
    """min over z of (z - y)^2 + 2 strength z / x, the z of one neuron: in fractions."""
    loss = shallow_optimum([[x]], [y], strength, bias=0).loss
    price, target = Fraction(strength) / Fraction(x), Fraction(y)
    truth = 2 * price * target - price**2 if price < target else target**2
    assert loss.lower <= truth <= loss.upper
    # Beside a strength this weak the rounding of the output counts.
    if price > Fraction(1, 10**8) * target and truth > Fraction(1, 10**300):
        assert loss.relative_gap < 1e-6
    assert loss.relative_gap < 1e-6 or loss.reason


@pytest.mark.parametrize("strength", [1e150, 1e155, 1e156, 1e162, 1e200, 1e300, 1.7e308])
def test_strong_decay_does_not_lift_the_lower_end(strength):
    """The squares of a multiplier near 1e-162 vanish; the best constant costs 2.5 at most."""
    X, Y = [[0.0], [1.0]], [1.0, 2.0]
    found = shallow_optimum(X, Y, strength)
    # Without any weights the loss is 5/2, and the best output bias saves less than 1e-100.
    assert found.loss.lower <= Fraction(5, 2) <= found.loss.upper * (1 + 1e-15)
    assert found.loss.relative_gap < 1e-10
    given_net = DeepNet([[[1.0]], [[1.0]]], [[0.0], [0.0]])
    assert certify_shallow(given_net, X, Y, strength).lower <= 2.5


@pytest.mark.parametrize("strength", [1e-17, 1e-20, 1e-40, 1e-100, 5e-324])
def test_weak_decay_is_no_singular_matrix(strength):
    """The loss over the strength tends to the cost from below, and is proven to be near it."""
    X, Y = np.array([[0.0], [1.0], [2.5]]), np.array([1.0, 2.0, -1.0])
    found, cost = shallow_optimum(X, Y, strength), shallow_cost(X, Y)
    assert found.loss.lower <= Fraction(strength) * Fraction(cost.upper)
    assert found.loss.lower >= 0.999 * strength * cost.lower or strength < 1e-300
    exact = exact_loss(found.network, X, Y[:, None], strength, 1.0)
    assert found.loss.lower <= exact <= found.loss.upper
    assert found.loss.relative_gap < 1e-6 or "rtol 1e-06 is not met" in found.loss.reason


def test_networks_of_any_size_are_certified():
    X, Y = np.array([[1.0], [2.0]]), np.array([[1.0], [0.5]])
    for size in (1e-320, 1e-200, 1e-100, 1.0, 1e100, 1e150):
        net = DeepNet([[[size]], [[1 / max(size, 1e-300)]]], [[0.0], [0.0]])
        loss = certify_shallow(net, X, Y, 1e-300)
        assert loss.lower <= exact_loss(net, X, Y, 1e-300, 1.0) <= loss.upper
    too_large = DeepNet([[[1e300]], [[1e300]]], [[0.0], [0.0]])
    assert certify_shallow(too_large, X, Y, 1.0).upper == np.inf


def test_decay_that_leaves_a_constant_says_so_and_its_network_works():
    found = shallow_optimum([[0.0], [2.0]], [1.0, 3.0], 10.0)
    assert "width 0: decay this strong leaves a constant" in str(found)
    assert found.network([[5.0]]).shape == (1, 1)
    assert prune(found.network, [[1.0]]).widths == (1, 0, 1)
    assert certify_shallow(found.network, [[0.0], [2.0]], [1.0, 3.0], 10.0).relative_gap < 1e-10


# Interpolation.


@pytest.mark.parametrize("apart", [1e-8, 1e-12, 2.0**-52, 1e-300])
def test_points_that_are_nearly_equal_can_be_interpolated(apart):
    near_one = apart > 1e-16
    points = [[0.0], [1.0], [1.0 + apart if near_one else apart]]
    cost = shallow_cost(points, [0.0, 1.0, 0.0 if near_one else 1.0])
    # A bend of the slope by 1 / distance is paid for by two weights of that product.
    assert 0 < cost.lower <= 8 / apart
    assert cost.upper >= 0.1 / apart
    assert cost.how == "certified" and "is not met" in cost.reason


def test_without_biases_only_what_no_network_takes_is_refused():
    assert 2 + 2e40 in shallow_cost([[1.0], [-1e-40]], [1.0, 1.0], bias=0)
    tiny = shallow_cost([[1.0, 0.0], [0.0, 1e-40]], [1.0, -1.0], bias=0)
    assert tiny.lower <= Fraction(2) + 2 / Fraction(1e-40) <= tiny.upper
    for X, Y in [([[1.0], [1e-40]], [1.0, 1.0]), ([[0.0]], [3.0])]:
        with pytest.raises(ValueError, match="no network without biases interpolates Y"):
            shallow_cost(X, Y, bias=0)
    assert shallow_cost([[0.0]], [0.0], bias=0).value == 0


# Limits, said aloud.


def test_the_limit_of_faces_is_one_number():
    assert shallow_optimum.__doc__ and f"Up to\n    {MOST_FACES:,} faces" in shallow_optimum.__doc__
    assert f"beyond {4 * MOST_FACES:,}, for" in shallow_optimum.__doc__
    assert signature(Oracle).parameters["most_faces"].default is None


def test_more_outputs_than_branch_and_bound_takes_are_a_reason(monkeypatch):
    monkeypatch.setattr("repcost.shallow.problem.Oracle", lambda Xt: Oracle(Xt, most_faces=1))
    rng = np.random.default_rng(0)
    loss = shallow_optimum(rng.normal(size=(5, 2)), rng.normal(size=(5, 4)), 0.1, rtol=0.01).loss
    assert loss.relative_gap > 0.01
    assert "rtol 0.01 is not met: over 50,000 faces" in str(loss)


def test_a_wide_bracket_gives_its_reason():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(14, 8)), rng.normal(size=(14, 1))
    loss = shallow_optimum(X, Y, 0.1, rtol=1e-3, nodes=1).loss
    assert loss.relative_gap > 0.01
    assert "rtol 0.001 is not met: the proof ended before; it may take 1 nodes" in str(loss)
    net = random_network(8, 3, 1, rng=rng)
    assert "50,000 faces" in certify_shallow(net, X, Y, 0.1).reason
    assert shallow_optimum(X[:4], Y[:4], 0.1).loss.reason == ""


# Pruning.


def test_pruning_does_not_abort_the_process():
    """An outer weight below the solver's tolerance leaves it an empty matrix."""
    call = (
        "from repcost import DeepNet, prune; "
        "net = DeepNet([[[1.], [-1.]], [[1., 1e-9]]], [[0., 0.], [0.]]); "
        "print(prune(net, [[-1.]])([[-1.]]).tolist())"
    )
    done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[[1e-09]]"), done.stderr


def test_decayed_units_and_unequal_layers_are_pruned():
    X = np.array([[1.0], [3.0]])
    for into, out in [(1e-170, 1e-170), (1e200, 1e-200), (1e-200, 1e200), (1e-300, 1e100)]:
        net = DeepNet([[[into], [into], [1.0]], [[out, out, 1.0]]], [np.zeros(3), [0.0]])
        before, after = exact_outputs(net, X), exact_outputs(prune(net, X), X)
        for (one,), (other,) in zip(before, after, strict=True):
            assert abs(one - other) <= one / 10**12
    only_decayed = DeepNet([[[1e-170]], [[1e-170]]], [[0.0], [0.0]])
    assert prune(only_decayed, [[1e300]])([[1e300]]) == pytest.approx(1e-40)


def test_arguments_are_named(unchecked):
    net = DeepNet([[[1e300]], [[1.0]]], [[0.0], [0.0]])
    strong: Any = "strong"
    rows: Any = [[1.0]]
    with pytest.raises(ValueError, match="net is larger than floats go"):
        prune(net, [[1e100]])
    with pytest.raises(ValueError, match="strength must be positive"):
        shallow_optimum([[1.0]], [1.0], -1.0)
    with pytest.raises(ValueError, match="strength must be a positive number"):
        certify_shallow(net, [[1.0]], [1.0], strong)
    with pytest.raises(ValueError, match="rtol must be"):
        shallow_cost([[1.0]], [1.0], rtol=strong)
    with pytest.raises(ValueError, match="net must be a DeepNet, a TwoLayer or a torch"):
        prune(rows, rows)
    with pytest.raises(ValueError, match="strength is lost in the rounding"):
        frank_wolfe([[1.0], [2.0]], [1.0, 2.0], 1e-40, 2)


def test_neurons_too_unequal_for_one_unit_stay():
    """The large one is silent at X, where the small ones count."""
    X = np.array([[0.0]])
    net = DeepNet([[[9e307], [0.0]], [[1e22, 1e22]]], [[0.0, 1.0], [2.0]])
    small = prune(net, X, bias=2.0**100)
    assert small(X) == pytest.approx(net(X), rel=1e-9)
