"""The shortest open tour against all orders, other trees, exact lengths, and predicted growth."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, permutations

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from repcost import open_tour, shortest_open_tour
from repcost.ranks.chain_moves import Shortener
from repcost.ranks.closed_tours import ClosedTour
from repcost.ranks.prices import ascent
from repcost.ranks.spanning_trees import least_spanning_tree, nearest, tour_floor
from repcost.ranks.subset_paths import shortest_path
from repcost.ranks.tour_search import shortened


def cloud(n, k, seed=0):
    return np.random.default_rng(seed).random((n, k))


def length(points, order):
    visited = np.asarray(points, dtype=float)[list(order)]
    return math.fsum(np.linalg.norm(np.diff(visited, axis=0), axis=1))


def by_dynamic_programming(points):
    order, least = shortest_path(cdist(points, points))
    assert length(points, order) == pytest.approx(least, rel=1e-14)
    return least


def by_all_orders(points):
    return min(length(points, order) for order in permutations(range(len(points))))


def tree_length(points):
    return float(minimum_spanning_tree(cdist(points, points)).sum())


def by_nearest_neighbours(distance):
    tour = [0]
    while left := sorted(set(range(len(distance))) - set(tour)):
        tour.append(min(left, key=lambda j: distance[tour[-1], j]))
    return tour


def two_opt(points):
    """Theirs: nearest neighbour, then every pair of edges, first improvement."""
    distance = cdist(points, points)
    tour, improved = by_nearest_neighbours(distance), True

    def total(order):
        return sum(distance[a, b] for a, b in pairwise(order))

    while improved:
        improved = False
        for i, j in combinations(range(len(tour)), 2):
            turned = tour[:i] + tour[i : j + 1][::-1] + tour[j + 1 :]
            if total(turned) < total(tour):
                tour, improved = turned, True
    return length(points, tour)


def exact_length(points):
    """Of the best of all orders, in mpmath's precision."""
    rows = [[mpmath.mpf(x) for x in row] for row in points.tolist()]

    def step(a, b):
        return mpmath.norm([x - y for x, y in zip(rows[a], rows[b], strict=True)])

    orders = permutations(range(len(rows)))
    return min(sum(step(a, b) for a, b in pairwise(order)) for order in orders)


@pytest.mark.parametrize("n", [2, 3, 5, 7])
@pytest.mark.parametrize("k", [2, 3])
def test_few_points_equal_the_best_of_all_orders(n, k):
    points = cloud(n, k, seed=n)
    tour = shortest_open_tour(points)
    assert tour.value == pytest.approx(by_all_orders(points), rel=1e-14)
    assert tour.relative_gap < 1e-13 and tour.how == "certified"


def test_the_bracket_holds_the_exact_length():
    points = cloud(6, 3, seed=4)
    with mpmath.workdps(40):
        tour = shortest_open_tour(points)
        assert tour.lower < exact_length(points) < tour.upper


@pytest.mark.parametrize("n", [15, 16])
@pytest.mark.parametrize("k", [2, 4])
def test_trees_and_exchanges_enclose_dynamic_programming(n, k):
    points = cloud(n, k, seed=n)
    exact, tour = by_dynamic_programming(points), shortest_open_tour(points)
    assert tour.lower <= exact * (1 + 1e-14) and exact * (1 - 1e-14) <= tour.upper
    assert tour.relative_gap < 0.05


def test_a_tour_whose_length_is_known():
    """Steps of a grid: no two points are nearer than 1, so n points need n - 1."""
    grid = np.stack(np.meshgrid(np.arange(12.0), np.arange(9.0)), axis=-1).reshape(-1, 2)
    tour = shortest_open_tour(grid)
    assert 107 in tour and tour.lower > 107 * (1 - 1e-12)


def test_on_a_line_it_is_the_range():
    assert shortest_open_tour([[3.0], [-1.0], [0.5], [3.0]]).lower == 4
    assert shortest_open_tour([[3.0], [-1.0]]).upper == 4
    assert open_tour([[3.0], [-1.0], [0.5]]).tolist() == [0, 2, 1]
    # Columns that do not vary are no dimensions; this difference is no float, so the ends are two
    # neighbours.
    flat = shortest_open_tour([[5.0, 0.1], [5.0, 3.0]])
    assert flat.upper == np.nextafter(flat.lower, 9)
    assert flat.lower < Fraction(3) - Fraction(0.1) < flat.upper
    slanted = np.outer(np.random.default_rng(0).random(100), [3.0, 4.0])
    tour = shortest_open_tour(slanted)
    assert tour.value == pytest.approx(5 * np.ptp(slanted[:, 0]) / 3, rel=1e-12)
    assert tour.relative_gap < 1e-12


def test_repeated_points_cost_nothing():
    points = cloud(9, 2)
    both = np.concatenate([points, points[::-1]])
    once, twice = shortest_open_tour(points), shortest_open_tour(both)
    assert (once.lower, once.upper) == (twice.lower, twice.upper)
    order = open_tour(both)
    assert sorted(order.tolist()) == list(range(18)) and (order[::2] + order[1::2] == 17).all()
    assert str(shortest_open_tour(np.ones((5, 3)))) == "0 (certified, gap 0)"


@pytest.mark.parametrize(("n", "k"), [(12, 2), (60, 2), (300, 3), (200, 30)])
def test_the_order_attains_the_upper_end(n, k):
    points = cloud(n, k)
    order = open_tour(points)
    assert sorted(order.tolist()) == list(range(n))
    assert shortest_open_tour(points).value == pytest.approx(length(points, order), rel=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_twelve_points_lie_between_the_tree_and_two_opt(k):
    points = cloud(12, k, seed=k)
    assert tree_length(points) < shortest_open_tour(points).lower
    assert shortest_open_tour(points).upper <= two_opt(points) * (1 + 1e-14)


def test_many_points_are_enclosed_better_than_by_tree_and_two_opt():
    points = cloud(40, 2)
    tour = shortest_open_tour(points)
    assert 1.05 * tree_length(points) < tour.lower < tour.upper < two_opt(points)
    assert shortest_open_tour(cloud(1000, 2)).relative_gap < 0.05


@pytest.mark.parametrize("k", [1, 2, 6])
def test_the_tree_equals_that_of_scipy(k):
    points = cloud(300, k)
    edges, lengths = least_spanning_tree(points, np.zeros(300))
    assert lengths.sum() == pytest.approx(tree_length(points), rel=1e-13)
    steps = points[edges[:, 0]] - points[edges[:, 1]]
    assert lengths == pytest.approx(np.linalg.norm(steps, axis=1), rel=1e-13)
    prices = np.random.default_rng(1).random(300)
    theirs = minimum_spanning_tree(cdist(points, points) + prices + prices[:, None])
    assert least_spanning_tree(points, prices)[1].sum() == pytest.approx(theirs.sum(), rel=1e-13)


@given(st.integers(0, 10**6), st.floats(0, 2))
def test_any_prices_prove_a_lower_bound(seed, size):
    rng = np.random.default_rng(seed)
    points = rng.random((7, 2))
    prices = size * rng.normal(size=7)
    _, costs = least_spanning_tree(points, prices)
    assert tour_floor(costs, prices, 1e-14) <= by_dynamic_programming(points)


def test_other_bounds_with_prices_are_wrong():
    """The prices of the ends count once: never is weak, and with the largest it is no bound."""
    points = cloud(12, 2)
    exact, prices = by_dynamic_programming(points), ascent(points)
    costs = least_spanning_tree(points, prices)[1]
    right = tour_floor(costs, prices, 1e-14)
    largest_ends = costs.sum() - 2 * prices.sum() + np.sort(prices)[-2:].sum()
    prices_once = costs.sum() - prices.sum()
    assert right <= exact < largest_ends
    assert right > 0.99 * exact
    shifted = least_spanning_tree(points, prices + 1)[1]
    # A constant added to all prices changes nothing; where prices count once it would.
    assert tour_floor(shifted, prices + 1, 1e-14) == pytest.approx(right, rel=1e-12)
    assert shifted.sum() - (prices + 1).sum() > prices_once + 5 > exact


@pytest.mark.parametrize("n", range(2, 10))
def test_sets_up_to_the_middle_give_what_all_sets_give(n):
    points = cloud(n, 2, seed=n)
    assert by_dynamic_programming(points) == pytest.approx(by_all_sets(points), rel=1e-14)


def by_all_sets(points):
    """Theirs: Held & Karp (1962) over all sets, as bits."""
    n, distance = len(points), cdist(points, points)
    best = np.full((2**n, n), np.inf)
    best[1 << np.arange(n), np.arange(n)] = 0.0
    for S in range(2**n):
        for last in (j for j in range(n) if S >> j & 1 and 1 << j != S):
            best[S, last] = (best[S ^ 1 << last] + distance[last]).min()
    return best[-1].min()


def circle(order):
    """Pairs of neighbours, all the way round."""
    return list(zip(order, [*order[1:], order[0]], strict=True))


def edges_of(order):
    return set(map(frozenset, circle(order)))


def removed_and_added(chain):
    turned = circle(chain)
    return {frozenset(pair) for pair in turned[::2]}, {frozenset(pair) for pair in turned[1::2]}


def rejoined(order, chain):
    """Theirs: the edges as a set, exchanged, and whether they make one circle; None if not."""
    removed, added = removed_and_added(chain)
    edges = (edges_of(order) - removed) | added
    graph = np.zeros((len(order), len(order)))
    for i, j in edges:
        graph[i, j] = graph[j, i] = 1
    circles = connected_components(graph, directed=False)[0]
    return edges if circles == 1 and (graph.sum(0) == 2).all() else None


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_chains_exchange_the_edges_they_name_or_are_refused(seed, removed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(9).tolist()
    places = rng.choice(9, removed, replace=False)
    ends = [[order[place], order[(place + 1) % 9]][:: rng.choice([-1, 1])] for place in places]
    chain = tuple(city for edge in ends for city in edge)
    added = removed_and_added(chain)[1]
    # New edges are new, and lead somewhere: chains with others are never tried.
    assume(not added & edges_of(order) and len(added) == removed)
    assume(min(map(len, added)) == 2)
    tour, expected = ClosedTour(order), rejoined(order, chain)
    assert tour.rejoin(chain) == (expected is not None)
    if expected:
        assert edges_of(tour.order) == expected
        assert [tour.place[city] for city in tour.order] == list(range(9))
    # Control: what is taken back is as it was.
    tour.take_back()
    assert tour.order == order and [tour.place[city] for city in order] == list(range(9))


def circle_length(distance, order):
    return math.fsum(distance[a, b] for a, b in circle(order))


def test_moves_gain_what_they_say():
    points = cloud(60, 2)
    order = np.random.default_rng(0).permutation(60).tolist()
    tour, distance = ClosedTour(order), cdist(points, points)
    shortener = Shortener(tour, dict(enumerate(distance.tolist())), nearest(points).tolist())
    gained, start = shortener.shorten(order), circle_length(distance, order)
    assert gained == pytest.approx(start - circle_length(distance, tour.order), rel=1e-12)
    assert sorted(tour.order) == list(range(60)) and gained > 0.7 * start
    # Control: where no move gains any more, there is nothing to do.
    assert shortener.shorten(order) == 0


def improved(points, order):
    prices = ascent(points)
    return shortened(points, prices, least_spanning_tree(points, prices)[0], np.asarray(order))


def test_a_tour_only_gets_shorter():
    points = cloud(120, 2)
    order = np.random.default_rng(0).permutation(120)
    found = improved(points, order)
    assert sorted(found.tolist()) == list(range(120))
    assert length(points, found) < 0.2 * length(points, order)
    assert length(points, improved(points, found)) <= length(points, found) * (1 + 1e-12)


# Lengths that Helsgaun's LKH found in one run for clouds of 200 and 400 points in the unit square.
RECORDED = {200: 10.5777, 400: 14.4646}


@pytest.mark.parametrize("n", RECORDED)
def test_tours_are_as_short_as_those_of_lin_kernighan_and_helsgaun(n):
    points = cloud(n, 2)
    assert length(points, open_tour(points)) < 1.01 * RECORDED[n]
    assert shortest_open_tour(points).lower > 0.985 * RECORDED[n]


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 40), st.integers(1, 4), st.integers(0, 10**6))
def test_what_does_not_change_the_length(n, k, seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(-3, 4, size=(n, k)).astype(float)
    tour = shortest_open_tour(points)
    again = shortest_open_tour(points)
    assert (again.lower, again.upper) == (tour.lower, tour.upper)
    shuffled, turn = rng.permutation(points), np.linalg.qr(rng.normal(size=(k, k)))[0]
    moved = shortest_open_tour(shuffled @ turn + rng.normal(size=k))
    assert max(tour.lower, moved.lower) <= min(tour.upper, moved.upper) * (1 + 1e-12)
    larger = shortest_open_tour(points * 2.0**40)
    assert larger.value == pytest.approx(tour.value * 2.0**40, rel=1e-12)
    # Leaving a point out never makes the shortest tour longer.
    assert shortest_open_tour(points[1:]).lower <= tour.upper


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize("n", [10, 50])
def test_any_scale(n, scale):
    points = cloud(n, 2)
    value = shortest_open_tour(points).value
    assert shortest_open_tour(points * scale).value / scale == pytest.approx(value, rel=1e-9)


def test_far_from_the_origin():
    points = cloud(30, 2).round(3) + 1e9
    near = shortest_open_tour(points - 1e9)
    far = shortest_open_tour(points)
    assert far.lower == pytest.approx(near.lower, rel=1e-6)
    assert far.upper == pytest.approx(near.upper, rel=1e-6)


def recorded_clouds():
    """The stream of random points behind the numbers below: clouds of the cube, then inputs X."""
    rng = np.random.default_rng(0)
    rng.random((10, 2))
    cubes = {(k, n): [rng.random((n, k)) for _ in range(3)] for k in (1, 2, 3, 4) for n in SIZES}
    maps = {n: rng.random((n, 2)) for n in (6, 9, 12)}
    return cubes, maps


SIZES = (100, 200, 400, 800, 1600, 3200)


def exponent(sizes, values):
    """Of the power of the size that the values follow."""
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]


def test_a_rank_one_interpolant_of_twelve_points_is_steep():
    """Proposition 10: somewhere its slope is tour / diameter; here the best on straight lines."""
    X = recorded_clouds()[1][12]
    Y = X @ np.array([[1, 0.3], [-0.2, 1]]).T
    tour, diameter = shortest_open_tour(Y), cdist(X, X).max()
    assert f"{tour.value:.4f} {tree_length(Y):.4f}" == "2.6247 2.4747"
    assert f"{tour.lower / diameter:.3f}" == "2.309"
    assert tour.value <= two_opt(Y)

    def steepest(angle):
        along = X @ [np.cos(angle), np.sin(angle)]
        order = np.argsort(along)
        return (np.linalg.norm(np.diff(Y[order], axis=0), axis=1) / np.diff(along[order])).max()

    assert min(map(steepest, np.linspace(0, np.pi, 500, endpoint=False))) > tour.lower / diameter


@pytest.mark.parametrize(("k", "recorded"), [(2, 0.494), (3, 0.653), (4, 0.733)])
def test_tours_grow_like_a_power_of_the_number_of_points(k, recorded):
    cubes, _ = recorded_clouds()

    def mean_tree(n):
        return np.mean([least_spanning_tree(X, np.zeros(n))[1].sum() for X in cubes[k, n]])

    trees = [mean_tree(n) for n in SIZES]
    slope = exponent(SIZES, trees)
    assert slope == pytest.approx(recorded, abs=5e-4)
    assert slope == pytest.approx(1 - 1 / k, abs=0.03)
    if k == 2:
        assert trees[-1] / 3200**0.5 == pytest.approx(0.653, abs=5e-4)
    few = (100, 800)
    tours = [shortest_open_tour(cubes[k, n][0]) for n in few]
    for ends in ([tour.lower for tour in tours], [tour.upper for tour in tours]):
        assert exponent(few, ends) == pytest.approx(1 - 1 / k, abs=0.06)


@pytest.mark.parametrize(
    ("k", "n", "depth"), [(2, 100, 4), (2, 1000, 7), (3, 100, 4), (3, 1000, 6)]
)
def test_depths_at_which_every_rank_one_interpolant_of_the_identity_is_dearer(k, n, depth):
    """(tour / diameter)^(2/L) > k, the cost of the identity per layer."""
    X, diameter = cloud(n, k), math.sqrt(k)
    assert (shortest_open_tour(X).lower / diameter) ** (2 / depth) > k
    # The tree alone proves it no deeper than this.
    assert (tree_length(X) / diameter) ** (2 / (depth + 1)) <= k


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ([], "points must have 2 axes"),
        ([[1.0, np.nan]], "points holds NaN"),
        (np.zeros((0, 2)), "at least one row"),
        (np.zeros((2, 0)), "at least one row and one column"),
        ([[1.7e308], [-1.7e308]], "longer than floats"),
        ([[1.7e308, 0], [-1.7e308, 1.0]], "longer than floats"),
    ],
)
@pytest.mark.parametrize("function", [shortest_open_tour, open_tour])
def test_refuses(function, points, says, unchecked):
    with pytest.raises(ValueError, match=says):
        function(points)


def test_a_bar_is_shown_when_asked_for(capsys):
    shortest_open_tour(cloud(20, 2), progress=True)
    assert "prices" in capsys.readouterr().err
    shortest_open_tour(cloud(20, 2))
    assert capsys.readouterr() == ("", "")
