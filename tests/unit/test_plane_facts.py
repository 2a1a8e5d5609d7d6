"""The facts on which `interpolate_plane` rests, one by one, as its room's page numbers them."""

from fractions import Fraction

import numpy as np
import pytest

from repcost import TwoLayer, interpolate_line, interpolate_plane, linear_layers_cost
from repcost.costs.plane.arcs import Arcs
from repcost.costs.plane.boxes import MetricBox, box_bound, whole_disc
from repcost.costs.plane.directions import spread_direction, unit_vectors
from repcost.costs.plane.metrics import DiscForm, form_size, point_map_of_best_allotment
from repcost.costs.plane.parallel_units import line_costs, parallel_network
from repcost.costs.plane.prices import earnings, most_earned, summing_to_zero
from repcost.costs.plane.repairs import repaired
from repcost.costs.plane.samples import NormalisedSamples
from tests.plane_cases import all_arcs_cost, grid, random_points, sampled_earnings


def power(form, exponent):
    """Of a symmetric matrix."""
    sizes, axes = np.linalg.eigh(form)
    return (axes * sizes**exponent) @ axes.T


def disc_form(angle, edge):
    """P of trace 1 as a matrix, by its definition."""
    turn = np.array([[np.cos(angle), np.sin(angle)], [np.sin(angle), -np.cos(angle)]])
    return (np.eye(2) - (1 - edge) * turn) / 2


def random_disc_form(rng):
    return disc_form(rng.uniform(0, 2 * np.pi), rng.uniform(0.05, 1))


@pytest.mark.parametrize("seed", range(5))
def test_the_oracle_is_exact(seed):
    """On 20,000 directions nothing is larger, and nearly as large (Fact 5)."""
    rng = np.random.default_rng(seed)
    X, A = rng.normal(size=(5, 2)), np.diag([1.0, 0.1])
    alpha = summing_to_zero(rng.normal(size=5))
    assert sum(map(Fraction, alpha.tolist())) == 0
    for arcs in (Arcs.around(X), Arcs.around(X).moved(A)):
        largest = np.abs(earnings(arcs, alpha)[0]).max()
        sampled = sampled_earnings(alpha, arcs.points, np.linspace(0, 2 * np.pi, 20_000))
        assert sampled <= largest * (1 + 1e-14) <= most_earned(arcs, alpha)
        assert sampled > largest * (1 - 1e-5)
        # Control: with all points active it would be less.
        assert largest > np.abs(arcs.points.T @ alpha).max()


def test_the_metric_is_a_change_of_points():
    """Arcs of moved points are moved arcs; the answer is that of the moved points (Fact 9)."""
    X, y = random_points(4, 6)
    A = np.array([[1.0, 0.2], [0.2, 0.3]])
    moved, anew = Arcs.around(X).moved(A), Arcs.around(X @ A)
    costs = [all_arcs_cost(arcs, y) for arcs in (moved, anew)]
    assert costs[0] == pytest.approx(costs[1], rel=1e-8)
    assert costs[0] == pytest.approx(interpolate_plane(X @ A, y).cost.value, rel=1e-8)


@pytest.mark.parametrize("depth", [3, 4, 7])
def test_the_best_allotment_gives_the_cost_of_linear_layers(depth):
    """Facts 9 and 11: sum |T^(-(L-2)/2) m_k| is Phi_L^(L/2) at the best T, and more elsewhere."""
    rng = np.random.default_rng(depth)
    net = TwoLayer(rng.normal(size=(5, 2)), rng.normal(size=5), np.zeros(5))
    rows = net.a[:, None] * net.W
    cost = linear_layers_cost(net, depth).value ** (depth / 2)

    def lengths(T):
        return np.linalg.norm(rows @ power(T / np.trace(T), -(depth - 2) / 2), axis=1).sum()

    best = power(point_map_of_best_allotment(net, depth), 2 / (depth - 2))
    assert lengths(best) == pytest.approx(cost, rel=1e-10)
    others = [random_disc_form(rng) for _ in range(50)]
    assert min(map(lengths, others)) >= cost * (1 - 1e-12)
    # Control: the best allotment of another depth is not this one's.
    assert lengths(power(best, 1.2)) > cost * (1 + 1e-4)


def test_forms_are_points_of_the_disc():
    """Fact 14: eigenvalue edge/2 at half the angle; the point map is P^(-1/2), scaled to norm 1."""
    rng = np.random.default_rng(0)
    for angle, edge in zip(rng.uniform(0, 2 * np.pi, 9), rng.uniform(0.01, 1, 9), strict=True):
        form, P = DiscForm(angle, edge), disc_form(angle, edge)
        assert P @ form.cheap_direction == pytest.approx(edge / 2 * form.cheap_direction, abs=1e-15)
        assert form.point_map() == pytest.approx(np.sqrt(edge / 2) * power(P, -0.5), abs=1e-13)
        assert np.linalg.norm(form.point_map(), 2) == pytest.approx(1, rel=1e-15)
        assert DiscForm(angle + 2 * np.pi, edge).key == pytest.approx(form.key, rel=1e-14)
    assert DiscForm(1.0, 1.0).key == DiscForm(2.0, 1.0).key


def test_the_squared_cost_is_concave_in_the_form():
    """Facts 12 and 13, on random chords of the disc, and of degree one."""
    samples = NormalisedSamples.of(*random_points(2, 5))
    arcs, rng = Arcs.around(samples.points), np.random.default_rng(2)

    def squared_cost(P):
        return all_arcs_cost(arcs.moved(power(P, -0.5)), samples.values) ** 2

    P, convex = random_disc_form(rng), 0
    assert squared_cost(3 * P) == pytest.approx(3 * squared_cost(P), rel=1e-8)
    for _ in range(20):
        ends, share = (random_disc_form(rng), random_disc_form(rng)), rng.uniform(0.2, 0.8)
        between = squared_cost(share * ends[0] + (1 - share) * ends[1])
        values = [squared_cost(P) for P in ends]
        assert share * values[0] + (1 - share) * values[1] <= between * (1 + 1e-7)
        # Control: in the allotment, which is P^(-1/2) for four layers, it is not concave.
        T = [power(P, -0.5) for P in ends]
        middle = squared_cost(power(share * T[0] + (1 - share) * T[1], -2))
        convex += share * values[0] + (1 - share) * values[1] > middle * (1 + 1e-3)
    assert convex > 0


@pytest.mark.parametrize("depth", [3, 4, 9])
def test_the_trace_constraint(depth):
    """N(P) = (tr P^(-1/(L-2)))^-(L-2), Fact 14; concave, and at most edge/2."""
    edge = np.linspace(0.01, 1, 50)
    s = 1 / (depth - 2)
    sizes = form_size(edge, depth)
    traces = (edge / 2) ** -s + (1 - edge / 2) ** -s
    assert sizes == pytest.approx(traces ** (2 - depth), rel=1e-12)
    assert np.all(np.diff(sizes, 2) < 1e-15) and np.all(sizes <= edge / 2)
    assert np.all(np.diff(sizes) > 0) and np.all(np.diff(sizes / edge) < 0)


def squared_costs_on_the_disc(samples):
    """V as a function of the place in the disc."""
    arcs = Arcs.around(samples.points)

    def squared_cost(angle, edge):
        form = DiscForm(angle, edge)
        return form.form_cost(all_arcs_cost(arcs.moved(form.point_map()), samples.values))

    return squared_cost


def random_boxes(rng):
    """Three at the edge, nine anywhere: of first angle, half the angle between, near, far."""
    boxes = [(4.2, 0.4, 0.0, 0.01), (2.1, 0.4, 0.0, 0.1), (2.8, 0.1, 0.0, 0.01)]
    for _ in range(9):
        far = 10 ** rng.uniform(-2, 0)
        boxes.append((rng.uniform(0, 6), rng.uniform(0.02, 0.4), far * rng.uniform(0.1, 0.8), far))
    return [MetricBox(0.0, first, first + 2 * half, near, far) for first, half, near, far in boxes]


def ends_of(squared_cost, box, edge):
    """V at the ends of the chord at this distance from the edge of the disc."""
    first, last = (squared_cost(angle, edge) if edge else 0.0 for angle in (box.first, box.last))
    return first, last


def test_the_search_bounds_what_lies_between_corners():
    """V at metrics of random boxes against the bound from its values at the corners (Fact 15)."""
    squared_cost = squared_costs_on_the_disc(NormalisedSamples.of(*random_points(5, 5)))
    without_bulge = 0
    for box in random_boxes(np.random.default_rng(1)):
        near, far = (ends_of(squared_cost, box, edge) for edge in (box.near, box.far))
        flat = MetricBox(0.0, box.first, box.first, box.near, box.far)
        for edge in (box.far, (box.near + box.far) / 2, max(box.near, box.far / 100)):
            angles = np.linspace(box.first, box.last, 5)
            least = min(squared_cost(angle, edge) for angle in angles)
            for depth in (3, 5):
                ratio = least / form_size(edge, depth)
                assert box_bound(box, near, far, depth) <= ratio * (1 + 1e-7)
                too_much = box_bound(flat, near, far, depth)
                without_bulge += too_much > ratio * (1 + 1e-3)
    assert without_bulge > 0  # control: arcs are not chords


@pytest.mark.parametrize("seed", range(5))
def test_chords_of_unequal_ends_bound_more(seed):
    """Fixed units, whose (sum |m|_P)^2 is concave too: on all of a box, and better by both ends."""
    rng = np.random.default_rng(seed)
    units, gained, lost = rng.normal(size=(2, 2)), 0, 0

    def squared_cost(angle, edge):
        return np.sqrt(np.einsum("ki,ij,kj->k", units, disc_form(angle, edge), units)).sum() ** 2

    for box in random_boxes(rng):
        near, far = (ends_of(squared_cost, box, edge) for edge in (box.near, box.far))
        bound = box_bound(box, near, far, 3)
        edges = np.linspace(max(box.near, box.far / 1000), box.far, 15)
        least = min(
            squared_cost(angle, edge) / form_size(edge, 3)
            for angle in np.linspace(box.first, box.last, 15)
            for edge in edges
        )
        assert bound <= least * (1 + 1e-12)
        by_least = box_bound(box, (min(near), min(near)), (min(far), min(far)), 3)
        assert by_least <= bound
        gained += by_least < bound * (1 - 1e-3)
        # Control: what only the other end has is no bound.
        lost += box_bound(box, (max(near), max(near)), (max(far), max(far)), 3) > least
    assert gained > 0 and lost > 0


def test_halves_cover_their_box():
    boxes, area = whole_disc(), 0.0
    for _ in range(60):
        box = boxes.pop(0)
        boxes += box.halves()
    for box in boxes:
        area += box.half_angle * ((1 - box.near) ** 2 - (1 - box.far) ** 2)
    assert area == pytest.approx(np.pi, rel=1e-12)


def test_costs_of_one_variable_in_many_directions():
    X, y = random_points(7, 8)
    V = unit_vectors(np.linspace(0, np.pi, 9))
    expected = [interpolate_line(X @ v, y).cost.value for v in V]
    assert line_costs(X @ V.T, y) == pytest.approx(expected, rel=1e-9)
    assert line_costs(np.ones((2, 1)), np.array([0.0, 1.0])).tolist() == [np.inf]


def test_values_that_differ_by_less_than_rounding_are_not_put_on_one_level():
    """(0, 0) and (0, 1) meet along the first axis, and their values are not the same."""
    X, y = [[0, 0], [0, 1], [1, 0.3], [2, 0.1]], [1.0, np.nextafter(1.0, 2), -3e15, 5e15]
    samples, along = NormalisedSamples.of(np.array(X, dtype=float), np.array(y)), np.array([1.0, 0])
    assert samples.values[0] == samples.values[1]
    net = parallel_network(samples, samples.values, along)
    assert net and repaired(samples, net, 3, patch=along, along=along).cost == np.inf
    assert interpolate_plane(X, y, 3, max_cells=10).cost.upper < np.inf


def test_no_two_points_are_close_in_the_spread_direction():
    X = grid(4)
    t = np.sort(X @ spread_direction(X))
    assert np.diff(t).min() > 0.05


def test_shortfalls_are_exact():
    points = np.array([[0.1, 0.2], [1.3, 0.7], [2.1, 0.3]])
    samples = NormalisedSamples.of(points, np.array([0.0, 1.0, 3.0]))
    net = TwoLayer([[0.3, 0.7]], [1.1], [0.05], 0.1)
    shortfalls, outputs = samples.shortfalls(net), net(samples.points)
    assert shortfalls == pytest.approx(samples.values - outputs, abs=1e-15)
    assert np.abs(samples.values - shortfalls - outputs).max() < 1e-15
