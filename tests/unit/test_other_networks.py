"""The same function from other units, turned units, and networks for points on two rays."""

import numpy as np
import pytest

from repcost import TwoLayer, function_cost, linear_layers_cost
from repcost.constructions import (
    after_map,
    alignment_condition,
    cheap_constants,
    cheapest_direction,
    cost_along_rays,
    direction_between,
    exactly_turned,
    facing_away,
    of_ramps,
    plus_affine,
    projected_shares,
    projection_onto,
    random_network_on_rays,
    ray_directions,
    rescaled,
    turned_into,
    turned_round,
    turned_to,
    unit_with_one_point,
    units_turned_to_a_line,
    units_with_own_points,
    weighted_sum,
)
from repcost.datasets import random_two_layer, two_rays


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_ramps_bend_where_they_are_told_and_face_both_ways(rng):
    t, (right, left) = np.array([-2.0, 0.0, 1.0]), rng.integers(-5, 6, (2, 3))
    net = of_ramps(t, right, left, 3.0)
    x = np.arange(-5.0, 6.0)
    by_hand = [
        sum(r * max(p - k, 0) + s * max(k - p, 0) for k, r, s in zip(t, right, left, strict=True))
        for p in x
    ]
    assert net(x).tolist() == [value + 3 for value in by_hand]
    assert net.path_norm == np.abs([right, left]).sum()
    with pytest.raises(ValueError, match="left has 2 entries, but thresholds has 3"):
        of_ramps(t, right, left[:2])


def test_rescaling_keeps_the_function_and_its_cost(rng):
    net = random_two_layer(5, 3, rng=rng)
    other = rescaled(net, np.exp(rng.normal(size=5)))
    X = rng.normal(size=(40, 3))
    assert other(X) == pytest.approx(net(X), abs=1e-12)
    assert function_cost(other).value == pytest.approx(function_cost(net).value, rel=1e-12)
    assert other.weight_cost > net.path_norm * (1 + 1e-3)
    with pytest.raises(ValueError, match="scale must be positive"):
        rescaled(net, -np.ones(5))


def test_an_affine_function_is_added(rng):
    net, v, X = random_two_layer(4, 3, rng=rng), rng.normal(size=3), rng.normal(size=(40, 3))
    assert plus_affine(net, v, 0.7)(X) == pytest.approx(net(X) + X @ v + 0.7, abs=1e-12)
    alone = plus_affine(TwoLayer(np.zeros((0, 3)), [], []), v)
    assert function_cost(alone).value == pytest.approx(2 * np.linalg.norm(v), rel=1e-12)


def test_units_turned_round_make_the_same_function(rng):
    net, X = random_two_layer(6, 3, rng=rng), rng.normal(size=(40, 3))
    which = np.array([True, False, True, False, False, True])
    other = turned_round(net, which)
    assert other(X) == pytest.approx(net(X), abs=1e-12)
    assert np.array_equal(other.W[:6][which], -net.W[which])
    assert function_cost(other).value == pytest.approx(function_cost(net).value, rel=1e-10)
    assert other.path_norm > net.path_norm


def test_constants_without_an_output_bias_cost_as_little_as_one_likes():
    for eps in (1.0, 2.0**-20):
        one, four = cheap_constants(eps).values()
        assert all(net([-9.0, 0.0, 5.0]).tolist() == [1, 1, 1] for net in (one, four))
        assert (one.weight_cost, four.path_norm, one.c, four.c) == (eps**2 / 2, 4 * eps, 0, 0)
        assert np.abs(four.W).tolist() == [[1]] * 4


def test_weighted_sums_are_sums_at_the_sum_of_the_prices(rng):
    nets = [random_two_layer(k, 3, rng=rng) for k in (4, 2, 1)]
    X, shares = rng.normal(size=(40, 3)), np.array([0.5, -2.0, 0.0])
    both = weighted_sum(nets, shares)
    assert both(X) == pytest.approx(shares @ [net(X) for net in nets], abs=1e-12)
    assert both.path_norm == pytest.approx(np.abs(shares) @ [net.path_norm for net in nets])
    with pytest.raises(ValueError, match="nets"):
        weighted_sum([nets[0], random_two_layer(1, 2, rng=rng)], [1.0, 1.0])


def test_after_a_map_points_are_mapped_first(rng):
    net, T, X = random_two_layer(4, 3, rng=rng), rng.normal(size=(3, 2)), rng.normal(size=(9, 2))
    assert after_map(net, T)(X) == pytest.approx(net(X @ T.T), abs=1e-12)


def test_turned_units_keep_their_values_on_their_own_ray(rng):
    net = TwoLayer(ray_directions(2.0), [1.0, -2.0], [-0.3, -0.4])
    other = turned_to(net, direction_between(0.5))
    X = np.outer(rng.uniform(0, 3, 20), net.W).reshape(-1, 2)
    assert other(X) == pytest.approx(net(X), abs=1e-12)
    assert np.linalg.matrix_rank(other.W) == 1
    with pytest.raises(ValueError, match="orthogonal to a unit"):
        turned_to(TwoLayer([[1.0, 0.0]], [1.0], [0.0]), [0.0, 1.0])


def test_shares_are_least_squares_over_the_active_points(rng):
    net, X = random_two_layer(4, 3, rng=rng, unit_directions=True), rng.normal(size=(30, 3))
    P = np.diag([1.0, 1.0, 0.0])
    shares = projected_shares(net, X, P)
    for k, (w, b) in enumerate(zip(net.W, net.b, strict=True)):
        active = X[X @ w + b > 0]
        (slope,) = np.linalg.lstsq((active @ w)[:, None], active @ P @ w, rcond=None)[0]
        assert shares[k] == pytest.approx(slope, rel=1e-10)


def test_a_unit_turned_into_a_plane_fits_where_its_points_are_proportional(rng):
    net = random_two_layer(1, 3, rng=rng, unit_directions=True)
    net = TwoLayer(net.W, net.a, [-0.1])
    X = rng.uniform(0.2, 2, (6, 1)) * net.W
    P = np.eye(3) - np.outer(*[ray := np.array([0.0, 0.6, 0.8])] * 2)
    turned = turned_into(net, X, P)
    assert turned(X) == pytest.approx(net(X), abs=1e-12)
    assert np.linalg.norm(turned.W) == pytest.approx(1) and turned.W @ ray == pytest.approx(0)
    beside = np.vstack([X, X[:1] + rng.normal(size=3) / 10])
    assert np.abs(turned_into(net, beside, P)(beside) - net(beside)).max() > 1e-4


@pytest.mark.parametrize("angle", [1.6, 2.0, 3.0])
def test_rays_are_those_of_the_data(angle):
    X, _ = two_rays(angle)
    assert ray_directions(angle) == pytest.approx(X[[4, 9]], abs=1e-14)
    theta = np.pi - angle
    assert direction_between(theta) == pytest.approx(-ray_directions(angle)[1], abs=1e-14)
    w_0 = np.subtract(*ray_directions(angle))
    assert direction_between(theta / 2) == pytest.approx(w_0 / np.linalg.norm(w_0), abs=1e-14)


@pytest.mark.parametrize(("theta", "A", "B"), [(0.3, 1.0, 1.0), (1.0, 3.0, 0.2), (1.5, 0.1, 2.0)])
def test_the_cheapest_direction_against_the_costs_of_networks(theta, A, B):
    found = cheapest_direction(theta, A, B)
    f = TwoLayer(ray_directions(np.pi - theta), [A, -B], [-0.1, -0.2])

    def cost(beta: float, depth: int = 3) -> float:
        net = turned_to(f, direction_between(beta))
        return linear_layers_cost(net, depth).value ** (depth / 2)

    assert cost(found.angle) == pytest.approx(found.cost, rel=1e-9)
    assert cost(found.angle, 5) == pytest.approx(found.cost, rel=1e-9)
    grid = [cost(beta) for beta in np.linspace(0.01, theta - 0.01, 50)]
    assert min(grid) >= found.cost * (1 - 1e-9)
    # A is pulled towards the first ray as strongly as B towards the second.
    at, rest = found.angle, theta - found.angle
    pulls = A * np.sin(at) / np.cos(at) ** 2, B * np.sin(rest) / np.cos(rest) ** 2
    assert pulls[0] == pytest.approx(pulls[1], rel=1e-13)


@pytest.mark.parametrize(("A", "B"), [(1.0, 1.0), (3.0, 1.0), (1e-200, 1e200), (2e307, 1e307)])
def test_the_cheapest_direction_at_a_right_angle_by_hand(A, B):
    found = cheapest_direction(np.pi / 2, A, B)
    assert found.angle == pytest.approx(np.arctan(np.cbrt(B) / np.cbrt(A)), rel=1e-13)
    by_hand = np.hypot(np.cbrt(A), np.cbrt(B)) ** 3
    assert found.cost == pytest.approx(by_hand, rel=1e-13)


@pytest.mark.parametrize(("A", "B", "angle"), [(2.0, 0.0, 0.0), (0.0, 2.0, 0.7)])
def test_where_one_ray_has_all_the_weight_it_has_the_cheapest_direction(A, B, angle):
    assert cheapest_direction(0.7, A, B) == (angle, 2.0)


@pytest.mark.parametrize("theta", [1e-3, 0.4, 1.5, np.pi / 2])
@pytest.mark.parametrize(("A", "B"), [(1.0, 1.0), (3.0, 1.0), (1e-3, 2.0)])
def test_the_cost_along_rays_against_brackets_of_networks(theta, A, B):
    net = TwoLayer(ray_directions(np.pi - theta), [A, -B], [-0.1, -0.2])
    exact = linear_layers_cost(net, 3)
    assert cost_along_rays(theta, A, B) == pytest.approx(exact.value, rel=2e-10)
    # The printed bound, which it attains for equal weights only.
    bound = np.cbrt((A + B) ** 2 + 4 * A * B * np.sin(theta))
    above = cost_along_rays(theta, A, B) / bound - 1
    assert abs(above) < 1e-12 if A == B else above > 1e-8


def test_the_cost_along_rays_where_one_has_all_the_weight_and_what_is_refused():
    assert cost_along_rays(0.7, 8.0, 0.0) == pytest.approx(4.0)
    assert cost_along_rays(0.7, 0.0, 8.0) == pytest.approx(4.0)
    with pytest.raises(ValueError, match="theta must lie between 0 and pi/2"):
        cost_along_rays(2.0, 1.0, 1.0)


def test_the_condition_promises_that_alignment_is_cheaper(rng):
    promised = 0
    for _ in range(100):
        theta, (A, B) = float(rng.uniform(0.05, 1.5)), rng.uniform(0.1, 2, 2)
        f = TwoLayer(ray_directions(np.pi - theta), [A, B], [-0.1, -0.2])
        g = turned_to(f, direction_between(theta / 2))
        along, aligned = (linear_layers_cost(net, 3) for net in (f, g))
        if alignment_condition(theta, A, B) <= 0:
            promised += 1
            assert aligned.upper < along.lower
    assert 10 < promised < 100


def test_random_networks_on_rays_are_what_they_say(rng):
    for _ in range(20):
        f = random_network_on_rays(1.2, (3.0, 0.5), rng=rng, units=range(2, 4), limit=0.4)
        first = f.W[:, 0] > 0
        sums = np.abs(f.a)[first].sum(), np.abs(f.a)[~first].sum()
        assert sums == pytest.approx((3.0, 0.5)) and f.width in (4, 5, 6)
        assert np.all((f.b <= 0.4) & (f.b >= -0.6))


def test_units_that_face_away_join_the_dots(rng):
    t = np.array([5.0, 2.0, 3.0, 4.5, 2.5])
    y = np.array([1.0, -1.0, 2.0, 2.0, 0.0])
    order, nets, at = np.argsort(t), facing_away(t, y), np.linspace(2, 5, 301)
    values = np.interp(at, t[order], y[order])
    # Four pieces, and no dot at which a slope changes its sign: one slope is zero.
    assert len(nets) == 4
    for piece, net in enumerate(nets):
        assert np.abs(net(at) - values).max() < 1e-14
        inside = t[order][piece : piece + 2].mean()
        assert (net.W[:-1, 0] * inside + net.b[:-1] < 0).all()
    assert np.abs(nets[0](at[::-1]) - values).max() > 1


def test_where_the_function_turns_two_units_carry_it(rng):
    t, y = np.sort(rng.normal(size=5)), np.array([0.0, 1.0, -1.0, 2.0, 0.0])
    at = np.linspace(t[0], t[-1], 301)
    *_, first, second, third = facing_away(t, y)
    for turn, net in zip((1, 2, 3), (first, second, third), strict=True):
        assert net.width == 4 and net.c == y[turn]
        assert np.abs(net(at) - np.interp(at, t, y)).max() < 1e-12
        assert (net.W[:, 0] * t[turn] + net.b <= 0).all()


@pytest.mark.parametrize(("t", "Y"), [([0.0], [1.0]), ([0.0, 1.0], [[1.0, 2.0], [1.0, 2.0]])])
def test_one_value_for_each_of_two_places_is_needed(t, Y):
    with pytest.raises(ValueError, match="Y has the shape"):
        facing_away(t, Y)


def test_units_with_own_points_meet_the_conditions(rng):
    for _ in range(10):
        net, X, P = units_with_own_points(rng)
        active, q = X @ net.W.T + net.b > 0, projected_shares(net, X, P)
        assert active.any(axis=0).all() and not active.all(axis=0).any() and (q > 0).all()
        seen, left = X @ net.W.T, X @ P @ net.W.T
        assert np.allclose((left - q * seen)[active], 0)
        assert ((left + q * net.b)[~active] <= 0).all()
        assert np.allclose(P @ P, P) and np.trace(P) == pytest.approx(2)
        # Its own direction is not enough: as it stands, the projected unit sees less.
        assert np.max(np.abs(after_map(net, P)(X) - net(X))) > 1e-3


def test_a_unit_turned_in_fractions_is_the_same_in_floats(rng):
    for _ in range(20):
        w, s = rng.integers(1, 9, (2, 3))
        points = rng.integers(0, 9, (4, 3)) + 1
        net = TwoLayer([w / np.linalg.norm(w)], [np.linalg.norm(w)], [0.0])
        floats = turned_into(net, points.astype(float), projection_onto(s))(points)
        assert [float(value) for value in exactly_turned(w, points, s)] == pytest.approx(floats)


@pytest.mark.parametrize(
    ("points", "s", "why"),
    [
        ([[1, 0], [-1, 0]], [1, 1], "active"),
        ([[1, 1]], [1, -1], "s must be"),
        ([[1, 1]], [1], "same"),
    ],
)
def test_a_unit_that_cannot_be_turned_is_refused(points, s, why):
    with pytest.raises(ValueError, match=why):
        exactly_turned([1, 0], points, s)


def test_one_point_tells_q_and_it_has_either_sign(rng):
    signs = set()
    for _ in range(20):
        net, X, P = unit_with_one_point(rng)
        q = projected_shares(net, X, P)
        assert X[0] @ P @ net.W[0] == pytest.approx(q[0] * (X[0] @ net.W[0]))
        assert np.allclose(P @ P, P) and np.trace(P) == pytest.approx(1)
        signs.add(bool(q[0] > 0))
    assert signs == {True, False}


def test_units_at_the_border_become_no_lighter_and_no_heavier(rng):
    for border in [True, False] * 10:
        net, X, P = units_turned_to_a_line(rng, border=border)
        assert (X @ net.W.T + net.b > 0).all()
        r = projected_shares(net, X, P) / np.linalg.norm(net.W @ P, axis=1)
        assert (np.abs(np.abs(r) - 1) < 1e-9).all() == border
