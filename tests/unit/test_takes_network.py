"""What is asked of a network takes the network; W and a alone are told how to become one."""

from typing import Any

import numpy as np
import pytest

from repcost import DeepNet, TwoLayer, linear_layers_bound, linear_layers_cost
from repcost.costs.linear_layers import optimal_shares, polar_bound
from repcost.costs.linear_layers.arguments import takes_network
from tests.phi_problems import random_problem

pytestmark = pytest.mark.usefixtures("unchecked")

W, A = random_problem(0, 4, 3)
NET = TwoLayer(W, A, np.ones(4), 2.0)
DEEP = DeepNet.from_two_layer(NET)
CALLS: dict[Any, Any] = {
    linear_layers_bound: 3,
    linear_layers_cost: 3,
    optimal_shares: 3,
    polar_bound: W,
}


@pytest.mark.parametrize("function", CALLS)
def test_biases_do_not_matter_and_a_deep_network_will_do(function):
    found = [function(net, CALLS[function]) for net in (NET, TwoLayer(W, A), DEEP)]
    assert repr(found[0]) == repr(found[1]) == repr(found[2])


@pytest.mark.parametrize("function", CALLS)
@pytest.mark.parametrize(
    "args, options",
    [
        ((W, A, 3), {}),
        ((W, A), {"depth": 3}),
        ((W,), {"a": A, "depth": 3}),
        ((), {"W": W, "a": A, "depth": 3}),
        ((W.tolist(), A.tolist(), 3), {}),
        ((NET, A, 3), {"a": A}),
    ],
)
def test_arrays_are_told_how_to_become_a_network(function, args, options):
    second = "Q" if function is polar_bound else "depth"
    form = rf"write {function.__name__}\(TwoLayer\(W, a\), {second}\)"
    with pytest.raises(TypeError, match=form):
        function(*args, **options)


@pytest.mark.parametrize("function", CALLS)
def test_other_mistakes_are_told_as_python_does(function):
    for args in ((), (NET,), (NET, 3, 1e-6)):
        with pytest.raises(TypeError, match="argument"):
            function(*args)


def test_an_error_inside_is_not_taken_for_a_wrong_call():
    @takes_network("found(TwoLayer(W, a))")
    def found(net: TwoLayer, depth: Any) -> int:
        return depth + "layers"

    with pytest.raises(TypeError, match="unsupported operand"):
        found(NET, 3)


@pytest.mark.parametrize("function", CALLS)
@pytest.mark.parametrize(
    "net, says",
    [
        (W, r"net must be a TwoLayer, not ndarray; TwoLayer\(W, a, b, c\) makes one"),
        (DeepNet([W, np.ones((2, 4))], [np.zeros(4), [0, 0]]), "net .* one output, not .* 2 outp"),
        (DeepNet([W, [A]], [np.zeros(4), [0]], 0.1), "net .* ReLUs and one output, not .*0.1"),
        (DeepNet([W], [np.zeros(4)]), "net must have one hidden layer .* not depth 1"),
        (
            DeepNet([W, np.eye(4), [A]], [A, A, [0]]),
            "net must have one hidden .* not depth 3",
        ),
    ],
)
def test_networks_beyond_the_theory_are_refused_by_name(function, net, says):
    with pytest.raises(ValueError, match=says):
        function(net, CALLS[function])


def test_biases_that_are_not_given_are_zero():
    net = TwoLayer(W, A)
    assert (net.b == 0).all() and len(net.b) == 4 and net.c == 0 and not net.b.flags.writeable
    assert (net(W) == TwoLayer(W, A, np.zeros(4))(W)).all()
    assert TwoLayer(np.zeros((0, 2)), []).b.shape == (0,)
    with pytest.raises(ValueError, match="must have the same number of rows: W has 4, a has 2"):
        TwoLayer(W, [1.0, 2.0])


def test_the_network_has_the_very_numbers_that_were_given():
    for given in (W, np.asfortranarray(W), W[::-1, ::2], W.astype(np.float32), [[-0.0, 5e-324]]):
        net = TwoLayer(given, np.ones(len(given)))
        assert net.W.tobytes() == np.asarray(given, dtype=np.float64).tobytes()
