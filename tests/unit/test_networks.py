import numpy as np
import pytest

from repcost import PiecewiseLinear, TwoLayer


@pytest.fixture
def network():
    rng = np.random.default_rng(0)
    return TwoLayer(rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=5), 0.7)


def test_values_are_the_sum_over_units(network):
    X = np.random.default_rng(1).normal(size=(20, 3))
    theirs = [
        sum(a * max(w @ x + b, 0) for w, a, b in zip(network.W, network.a, network.b, strict=True))
        + 0.7
        for x in X
    ]
    assert network(X) == pytest.approx(theirs, abs=1e-12)


def test_one_variable_takes_flat_points_and_columns():
    network = TwoLayer([[2.0]], [3.0], [-1.0])
    x = np.array([0.0, 0.5, 1.0])
    assert network(x).tolist() == network(x[:, None]).tolist() == [0.0, 0.0, 3.0]


def test_costs_by_hand():
    network = TwoLayer([[3.0, 4.0], [0.0, 1.0]], [2.0, -1.0], [9.0, 9.0], 9.0)
    assert network.weight_cost == (4 + 1 + 25 + 1) / 2
    assert network.path_norm == 2 * 5 + 1


def test_balanced_is_the_same_function_at_the_path_norm(network):
    X = np.random.default_rng(2).normal(size=(50, 3))
    balanced = network.balanced()
    assert balanced(X) == pytest.approx(network(X), abs=1e-12)
    assert balanced.weight_cost == pytest.approx(network.path_norm, rel=1e-14)
    assert np.abs(balanced.a) == pytest.approx(np.linalg.norm(balanced.W, axis=1))


def test_balanced_keeps_the_constant_units_and_drops_the_dead_ones():
    network = TwoLayer([[0.0], [1.0], [1.0]], [3.0, 0.0, 1.0], [2.0, 0.0, 0.0], 1.0)
    balanced = network.balanced()
    assert balanced.width == 1
    assert balanced.c == 7.0
    assert balanced([-1.0, 2.0]).tolist() == network([-1.0, 2.0]).tolist()


def test_arrays_are_copies_that_cannot_be_changed(network):
    W = np.ones((1, 1))
    mine = TwoLayer(W, [1.0], [0.0])
    W[0, 0] = 7
    assert mine.W[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        mine.W[0, 0] = 2


@pytest.mark.parametrize(
    "W, a, b, says",
    [
        ([1.0], [1.0], [0.0], "W must have 2 axes"),
        ([[1.0]], [[1.0]], [0.0], "a must have 1 axis"),
        ([[1.0]], [1.0, 2.0], [0.0], "same number of rows"),
        ([[np.nan]], [1.0], [0.0], "W holds NaN or infinity"),
        ([[1.0]], [np.inf], [0.0], "a holds NaN or infinity"),
        ([["x"]], [1.0], [0.0], "W must be an array of real numbers"),
        ([[1j]], [1.0], [0.0], "W must be an array of real numbers"),
    ],
)
def test_bad_networks_are_refused(W, a, b, says):
    with pytest.raises(ValueError, match=says):
        TwoLayer(W, a, b)


def test_bad_points_are_refused(network):
    with pytest.raises(ValueError, match="takes 3"):
        network(np.zeros((4, 2)))
    with pytest.raises(ValueError, match="X must have 2 axes"):
        network(np.zeros(3))


class TestPiecewiseLinear:
    def test_values_left_between_and_right_of_the_knots(self):
        f = PiecewiseLinear([-1.0, 2.0], [1.0, 0.0, -3.0], anchor=(0.0, 5.0))
        assert f([-3.0, -1.0, 0.0, 2.0, 3.0]).tolist() == [3.0, 5.0, 5.0, 5.0, 2.0]

    @pytest.mark.parametrize("x0", [-5.0, -1.0, 0.5, 2.0, 9.0])
    def test_passes_through_its_anchor_wherever_it_is(self, x0):
        assert PiecewiseLinear([-1.0, 2.0], [1.0, 0.0, -3.0], (x0, 4.0))([x0]).tolist() == [4.0]

    def test_through_points(self):
        x, y = np.array([0.0, 1.0, 3.0]), np.array([1.0, 0.0, 4.0])
        f = PiecewiseLinear.through(x, y)
        assert f(x).tolist() == y.tolist()
        assert f([-1.0, 4.0]).tolist() == [2.0, 6.0]

    @pytest.mark.parametrize(
        "knots, slopes, says",
        [
            ([0.0], [1.0], "need 2 slopes"),
            ([1.0, 0.0], [1.0, 2.0, 3.0], "increase strictly"),
            ([0.0, 0.0], [1.0, 2.0, 3.0], "increase strictly"),
            ([0.0], [1.0, np.inf], "slopes holds NaN"),
        ],
    )
    def test_bad_functions_are_refused(self, knots, slopes, says):
        with pytest.raises(ValueError, match=says):
            PiecewiseLinear(knots, slopes)

    @pytest.mark.parametrize(
        "x, y", [([0.0], [1.0]), ([0.0, 0.0], [1.0, 2.0]), ([0.0, 1.0], [1.0])]
    )
    def test_bad_points_are_refused(self, x, y):
        with pytest.raises(ValueError):
            PiecewiseLinear.through(x, y)
