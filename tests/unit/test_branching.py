"""Branch and bound for the steepest neuron: never below the truth, whatever it is asked for.

The truth comes from `steepest_by_kinks`, which shares nothing with it; fractions compare.
"""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from repcost import shallow_optimum
from repcost.shallow import Oracle
from repcost.shallow.branching import UnitPoints, climbed, proved
from repcost.shallow.branching.outputs import _leave_nothing_out, _pushed_out
from repcost.shallow.branching.ranges import by_cap, by_half_spaces, by_terms
from repcost.shallow.branching.weak_duals import WeakDual, lowered
from repcost.shallow.faces import unit_rows
from tests.shallow_problems import random_data

# Targets over the true maximum: hopeless ones, which a poor search asks for, and easy ones.
TARGETS = (0.0, 0.3, 0.9, 0.999, 1 + 1e-6, 1.1, 3.0)


def steepest_by_kinks(Xt, v, seed=0):
    """A unit w of the greatest sum v_i relu(xt_i.w), or zero: by patterns on spans of kinks."""
    rng, r = np.random.default_rng(seed), Xt.shape[1]
    found = [np.zeros((1, r))]
    for count in range(r):
        for kinks in combinations(Xt, count):
            _, s, rows = np.linalg.svd(np.array(kinks).reshape(count, r))
            basis = rows[np.count_nonzero(s > 1e-9) :]
            w = rng.normal(size=(60, len(basis))) @ basis
            found += [w, (w @ Xt.T > 1e-9) * v @ Xt @ basis.T @ basis]
    w = np.concatenate(found)
    w = w / np.maximum(np.linalg.norm(w, axis=1), 1e-300)[:, None]
    return w[(np.maximum(w @ Xt.T, 0) @ v).argmax()]


def exceeds(Xt, v, w, bound):
    """Whether sum v_i relu(xt_i.w) > bound |w|, in fractions of these floats."""
    w = [Fraction(x) for x in w]
    dots = [sum(Fraction(x) * y for x, y in zip(row, w, strict=True)) for row in Xt.tolist()]
    height = sum(Fraction(a) * max(z, Fraction(0)) for a, z in zip(v.tolist(), dots, strict=True))
    return height > 0 and height**2 > Fraction(bound) ** 2 * sum(y * y for y in w)


def problem(kind, N, r, seed):
    rng = np.random.default_rng([N, r, seed])
    Xt, v = rng.normal(size=(N, r)), rng.normal(size=N)
    if kind != "generic":
        Xt = rng.integers(-2, 3, size=(N, r)).astype(float)
    if kind == "whole":
        v = rng.integers(-4, 5, size=N).astype(float)
    if kind == "close":
        Xt = np.repeat(Xt, 2, axis=0)
        Xt[1::2] = np.nextafter(Xt[1::2], 3.0)
        v = np.repeat(v, 2) * np.tile([1.0, -1.1], N)
    return Xt, v


def bounded(Xt, v, target, spare: float | None = 1e-6, nodes=20_000):
    points = UnitPoints.of(Xt)
    proof = proved(points.units, points.weights(v)[None], np.array([target]), nodes, spare)
    return points.bound_of_data(proof.bounds, v[None]).item(), proof


@pytest.mark.parametrize("kind", ["generic", "tied", "whole", "close"])
@pytest.mark.parametrize(("N", "r"), [(1, 1), (5, 2), (3, 3), (5, 3)])
def test_no_bound_is_below_the_truth_however_low_the_target(kind, N, r):
    for seed in range(2):
        Xt, v = problem(kind, N, r, seed)
        w = steepest_by_kinks(Xt, v)
        truth = max(0.0, float(np.maximum(Xt @ w, 0) @ v))
        for share in TARGETS:
            bound, proof = bounded(Xt, v, share * truth)
            assert proof.is_complete
            assert not exceeds(Xt, v, w, bound)
            # Of pairs one ulp apart floats do not know the kinks: the truth is a little low.
            loose = 1e-3 if kind == "close" else 3e-6
            assert bound <= max(share, 1 + loose) * truth + 1e-8 * np.abs(v).sum() + 1e-280
            bound, _ = bounded(Xt, v, share * truth, spare=None, nodes=1)
            assert not exceeds(Xt, v, w, bound)


def test_the_rows_that_once_gave_an_unsound_leaf():
    Xt, v = np.array([[2.0, 1], [2, 1], [0, 1]]), np.array([-2.0, 3, 4])
    bound, _ = bounded(Xt, v, 4.84665)
    assert 29**0.5 <= bound <= 29**0.5 * (1 + 2e-6)


def test_a_bound_that_forgets_the_others_is_seen():
    """Without the points that pull down the maximum is another one."""
    Xt, v = problem("generic", 6, 3, 1)
    w = steepest_by_kinks(Xt, v)
    truth = float(np.maximum(Xt @ w, 0) @ v)
    assert bounded(Xt, np.maximum(v, 0), 0.0)[0] > 1.05 * truth
    assert exceeds(Xt, v, w, truth * (1 - 1e-9))


@pytest.mark.parametrize("exponent", [-900, -60, 60, 900])
def test_any_size_of_the_multiplier(exponent):
    Xt, V = random_data(9, 3, 1)
    coarse, exact = Oracle(Xt, most_faces=1), Oracle(Xt).peaks(V).bound
    scaled = coarse.proved(np.ldexp(V, exponent), np.ldexp(exact, exponent) * 1.0001, 10_000)
    assert np.ldexp(exact, exponent) * (1 - 1e-9) <= scaled.bound
    assert scaled.bound <= np.ldexp(exact, exponent) * 1.00011


@pytest.mark.parametrize(("N", "d"), [(12, 2), (14, 4), (9, 20)])
def test_what_is_proved_is_what_listed_faces_say(N, d):
    Xt, V = random_data(N, d, 1)
    exact = Oracle(Xt[:, :5]).peaks(V)
    found = Oracle(Xt[:, :5], most_faces=1).proved(V, exact.bound * 1.0001, 10_000)
    assert exact.heights[0] * (1 - 1e-12) <= found.bound <= exact.bound * 1.00011
    assert found.heights[0] == pytest.approx(exact.heights[0], rel=1e-6)


def test_a_frame_of_fewer_dimensions_is_paid_for():
    Xt, v = random_data(6, 40, 1)
    points = UnitPoints.of(Xt)
    starts = unit_rows(random_data(200, 6, 1)[0])
    w = climbed(points.units, points.weights(v[:, 0])[:, None], starts)[0]
    heights = np.maximum(Xt @ points.frame @ w.T, 0).T @ v[:, 0]
    bound, proof = bounded(Xt, v[:, 0], 0.0)
    assert proof.is_complete
    assert heights.max() <= bound <= heights.max() * (1 + 1e-4)


# The parts, each at random neurons.


@pytest.fixture(params=[0, 1, 2, 3])
def node(request):
    """Ranges around random neurons, any theta, and the neurons that are within the ranges."""
    rng = np.random.default_rng(request.param)
    units = rng.normal(size=(8, 3))
    units /= np.linalg.norm(units, axis=1)[:, None]
    v, theta = rng.normal(size=(1, 8)), rng.normal(size=(1, 8))
    w = rng.normal(size=(20_000, 3))
    w /= np.linalg.norm(w, axis=1)[:, None]
    sides = np.sign(units @ w[0]) * (np.arange(8) < 2)
    low = np.where(sides > 0, 0.0, -1.0)[None]
    high = np.where(sides < 0, 0.0, 1.0)[None]
    z = w @ units.T
    inside = ((z >= low) & (z <= high)).all(axis=1)
    return units, v, theta, sides[None], low, high, w[inside]


def test_weak_duals_bound_what_is_inside(node):
    units, v, theta, _, low, high, w = node
    heights = np.maximum(w @ units.T, 0) @ v[0]
    lipschitz = float(np.linalg.norm(units, 2) ** 2)
    before = WeakDual.of(units, v, low, high, theta).bound
    better, bound = lowered(units, lipschitz, v, low, high, theta, np.zeros(1), 300)
    assert heights.max() <= bound[0] < before[0]
    assert WeakDual.of(units, v, low, high, better).bound == pytest.approx(bound)


def test_ranges_hold_all_that_exceeds_the_target(node):
    units, v, theta, sides, low, high, w = node
    heights, z = np.maximum(w @ units.T, 0) @ v[0], w @ units.T
    theta, _ = lowered(units, 8.0, v, low, high, theta, np.zeros(1), 300)
    dual = WeakDual.of(units, v, low, high, theta)
    for share in (0.0, 0.5, 0.9, 0.99):
        target = share * heights.max(keepdims=True)
        above = z[heights > target]
        wanted = np.ones((1, 8), dtype=bool)
        cut = by_terms(v, theta, dual, target, low, high)
        ranges = [
            by_cap(units, dual, target, low, high),
            by_half_spaces(units, sides, dual, target, low, high, wanted),
            cut.ends,
        ]
        for narrower in ranges:
            assert (narrower[0] <= above).all()
            assert (above <= narrower[1]).all()
        positive = above > 0
        assert ((above >= cut.above) | ~positive).all()
        assert ((above <= cut.below) | positive).all()
    assert ranges[1][1].sum() < high.sum()


# The optimum that rests on it.


def test_optima_beyond_lists_are_certified_and_agree_with_lists(monkeypatch):
    X, Y = random_data(6, 2, 1)
    listed = shallow_optimum(X, Y, 0.01).loss
    monkeypatch.setattr("repcost.shallow.problem.Oracle", lambda Xt: Oracle(Xt, most_faces=1))
    searched = shallow_optimum(X, Y, 0.01, rtol=1e-3)
    assert searched.loss.relative_gap <= 1e-3
    assert searched.loss.lower <= listed.upper
    assert listed.lower <= searched.loss.upper
    stopped = shallow_optimum(X, Y, 0.01, rtol=1e-3, nodes=0).loss
    assert stopped.lower <= listed.upper
    assert stopped.relative_gap > 1e-2
    assert "0 nodes" in stopped.reason


@pytest.mark.parametrize(("N", "d", "m"), [(9, 2, 2), (10, 3, 3), (5, 8, 2)])
def test_several_outputs_are_proved_by_directions(N, d, m):
    Xt, V = random_data(N, d, m)
    exact = Oracle(Xt).peaks(V)
    coarse = Oracle(Xt, most_faces=1)
    found = coarse.proved(V, exact.bound * 1.001, 50_000)
    assert exact.heights[0] * (1 - 1e-12) <= found.bound <= exact.bound * 1.0011
    # A target below the maximum, or too few nodes: nothing false is proved.
    for enough, nodes in ((0.9, 20_000), (1.001, 1)):
        bound = coarse.proved(V, exact.bound * enough, nodes).bound
        assert exact.heights[0] * (1 - 1e-12) <= bound <= coarse.bound(V)


def test_cones_that_leave_out_a_direction_are_seen():
    u = np.concatenate([np.eye(3), -np.eye(3)])
    octants = np.array(list(product((0, 3), (1, 4), (2, 5))))
    assert _leave_nothing_out(u, octants)
    assert not _leave_nothing_out(u, octants[1:])
    # The first octant, folded back over another one.
    u[3] = [1.0, 0.1, 0.1]
    assert not _leave_nothing_out(u, octants)


def cones_and_corners(flatness):
    """Cones around a corner, the third vector nearly between the others; their heights, and it."""
    rng = np.random.default_rng(0)
    c = rng.normal(size=(200, 3))
    cones = c[:, None, :] / np.linalg.norm(c, axis=1)[:, None, None] + 0.3 * rng.normal(size=(3, 3))
    cones[:, 2] = cones[:, 0] + cones[:, 1] + flatness * cones[:, 2]
    cones /= np.linalg.norm(cones, axis=2)[:, :, None]
    heights = np.einsum("fjm,fm->fj", cones, c)
    is_in_front = (heights > 0.1).all(axis=1)
    cones, heights = cones[is_in_front], heights[is_in_front]
    return cones, heights, np.linalg.solve(cones, heights[:, :, None])[:, :, 0]


def falls_short(cone, heights, c):
    """Whether u_j.c < h_j for some j, in fractions of these floats."""
    c = [Fraction(x) for x in c]
    reached = [sum(Fraction(x) * y for x, y in zip(u, c, strict=True)) for u in cone.tolist()]
    return any(dot < Fraction(h) for dot, h in zip(reached, heights.tolist(), strict=True))


@pytest.mark.parametrize("flatness", [1.0, 1e-4, 1e-8])
def test_no_corner_falls_short_of_a_height(flatness):
    cones, heights, c = cones_and_corners(flatness)
    pushed = _pushed_out(c, cones, heights)
    cases = list(zip(cones, heights, strict=True))
    assert not any(falls_short(*case, c) for case, c in zip(cases, pushed, strict=True))
    # The solutions of the equations do, by their rounding.
    assert sum(falls_short(*case, c) for case, c in zip(cases, c, strict=True)) > 50
    # Nor are they made longer than by that, however flat the cone is.
    assert (np.linalg.norm(pushed, axis=1) < np.linalg.norm(c, axis=1) * (1 + 1e-14)).all()


def test_corners_that_point_away_prove_nothing():
    assert not len(_pushed_out(-np.ones((1, 3)), np.eye(3)[None], np.ones((1, 3))))


def test_an_optimum_with_several_outputs_beyond_lists(monkeypatch):
    X, Y = random_data(7, 2, 2)
    listed = shallow_optimum(X, Y, 0.05).loss
    monkeypatch.setattr("repcost.shallow.problem.Oracle", lambda Xt: Oracle(Xt, most_faces=1))
    searched = shallow_optimum(X, Y, 0.05, rtol=1e-3)
    assert searched.loss.relative_gap <= 1e-3
    assert searched.loss.lower <= listed.upper
    assert listed.lower <= searched.loss.upper
