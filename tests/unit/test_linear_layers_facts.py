"""The facts behind the certificate of Phi_L, one by one: what each says, and why it is needed."""

import numpy as np
import pytest

from repcost import TwoLayer, linear_layers_cost
from repcost.costs.linear_layers.certificate import certified, every_c_costs_enough
from repcost.costs.linear_layers.contraction import FixedPoint, fixed_point
from repcost.costs.linear_layers.coordinates import plain_coordinates
from repcost.costs.linear_layers.frames import lengths_tell_singular_values
from repcost.costs.linear_layers.orthogonality import departure, overlap, straightened
from repcost.costs.linear_layers.power_sums import missed_parts_add
from repcost.costs.linear_layers.routes import rows_left_out_add_little
from repcost.costs.linear_layers.scaled_rows import ScaledRows
from tests.phi_problems import in_50_digits, random_problem, rotation

SEEDS = range(10)


def coordinates(seed, K=5, d=3):
    """Rows, scaled so that none of them has to be scaled back."""
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(K, d))
    M /= 1.01 * np.abs(M).max(axis=1, keepdims=True)
    rows = ScaledRows.of(M, np.full(K, 0.5))
    assert rows.top == 0
    return M / 2, rows, plain_coordinates(rows)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("depth", [3, 5, 20])
def test_facts_1_and_2_hold_at_any_shares(seed, depth):
    """However far from the fixed point, both ends are true; and near it they are close."""
    M, rows, space = coordinates(seed)
    true = in_50_digits(M, np.ones(len(M)), depth)
    at = fixed_point(space, rows.alive, depth, 1e-12, graded=False)
    for spread in (0.0, 1e-6, 0.1, 1.0):
        c = at.c * np.exp(spread * np.random.default_rng(seed).normal(size=len(M)))
        _, s, Vt = np.linalg.svd(M / np.sqrt(c)[:, None], full_matrices=False)
        ends = certified(space, rows.alive, FixedPoint(c, Vt.T), depth, graded=False)
        assert ends.lower <= true <= ends.upper
        assert ends.upper - ends.lower <= 3 * (spread**2 + 1e-12) * ends.upper
        cost = every_c_costs_enough((s ** (2 / (depth - 1))).sum(), c.sum(), depth)
        assert cost >= float(true) * (1 - 1e-13)
        # Control: without fact 2, what shares as far away as the last ones cost is no lower end.
        assert spread < 1 or cost > float(true) * (1 + 1e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_fact_3_lengths_tell_singular_values(seed):
    rng = np.random.default_rng(seed)
    Z = np.linalg.qr(rng.normal(size=(8, 4)))[0] * 10.0 ** -np.arange(0, 16, 4)
    Z *= 1 + 1e-3 * rng.normal(size=Z.shape)
    sizes = (Z**2).sum(0)
    eta = lengths_tell_singular_values(Z, np.zeros_like(Z), sizes)
    # Of graded columns, the singular values are those after scaling: no absolute error is left.
    s = np.linalg.svd(straightened(Z, 0 * Z, overlap, range(3)).Z, compute_uv=False)
    off = np.abs(np.sort(s**2) / np.sort(sizes) - 1).max()
    assert off <= eta < 0.05
    assert off > 1e-9  # and eta is there for a reason
    assert lengths_tell_singular_values(Z * [1, 0, 1, 1], 0 * Z, sizes * [1, 0, 1, 1]) == np.inf


@pytest.mark.parametrize("seed", SEEDS)
def test_fact_4_a_basis_that_is_nearly_orthonormal(seed):
    rng = np.random.default_rng(seed)
    X, V = rng.normal(size=(6, 4)), rotation(seed, 4) + 1e-3 * rng.normal(size=(4, 4))
    ratio = np.linalg.svd(X @ V, compute_uv=False) / np.linalg.svd(X, compute_uv=False)
    nu = departure(V)
    assert (np.sqrt(1 - nu) <= ratio).all() and (ratio <= np.sqrt(1 + nu)).all()
    assert departure(rotation(seed, 4)) < 1e-13


@pytest.mark.parametrize("power", [0.5, 0.25, 0.05])
def test_fact_6_parts_that_are_missed_add_little(power):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(5, 5)) * [1, 1, 1, 0, 0], 1e-3 * rng.normal(size=(5, 5))
    before, after = (
        (np.linalg.svd(X, compute_uv=False)[:count] ** (2 * power)).sum()
        for X, count in ((A, 3), (A + B, 5))
    )
    added = missed_parts_add(np.linalg.norm(B, axis=1), power)
    assert after - before <= added
    # Control: the first power of the norm, which is what a norm would add, is too little.
    assert power == 0.5 or after - before > np.linalg.norm(B)


@pytest.mark.parametrize("depth", [3, 5, 20])
def test_fact_9_rows_left_out_add_little(depth):
    W, a = random_problem(3, 6, 4)
    a[3:] *= 2.0**-60
    rows = ScaledRows.of(W, a)
    kept = linear_layers_cost(TwoLayer(W[:3], a[:3]), depth)
    whole = linear_layers_cost(TwoLayer(W, a), depth)
    added = rows_left_out_add_little(rows.part(np.arange(3, 6)), np.array(0), depth)
    assert kept.lower <= whole.upper
    assert whole.lower <= kept.upper + added
    # Control: an eighth of it would not do, as one of these rows has a direction of its own.
    assert depth < 20 or whole.upper > kept.upper + added / 8
