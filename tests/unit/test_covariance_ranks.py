"""Rank_sigma and the CP-rank: graphs of known rank, explicit layers, controls from outside."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import covariance_rank, cp_rank
from repcost.covariances import CovariancePair
from repcost.covariances.cliques import clique_cover
from repcost.covariances.nonnegative_steps import nonnegative_factor
from tests.shallow_problems import balanced_blocks

SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0)]
# Name: vertices, edges, CP-rank of the sum of (e_v + e_w)(e_v + e_w)^T over the edges.
GRAPHS = {
    "path of 4": (4, SQUARE[:3], 3),
    "star of 5": (5, [(0, v) for v in range(1, 5)], 4),
    "circle of 4": (4, SQUARE, 4),
    "circle of 5": (5, [(v, (v + 1) % 5) for v in range(5)], 5),
    "circle of 6": (6, [(v, (v + 1) % 6) for v in range(6)], 6),
    "2 and 3": (5, [(v, w) for v in range(2) for w in range(2, 5)], 6),
    "3 and 3": (6, [(v, w) for v in range(3) for w in range(3, 6)], 9),
    # With triangles: fewer than edges, or not.
    "all of 3": (3, list(combinations(range(3), 2)), 3),
    "all of 4": (4, list(combinations(range(4), 2)), 4),
    "square with a diagonal": (4, [*SQUARE, (0, 2)], 4),
}


def incidence(vertices, edges):
    E = np.zeros((vertices, len(edges)))
    for column, edge in enumerate(edges):
        E[list(edge), column] = 1.0
    return E


def has_triangle(vertices, edges):
    known = {frozenset(edge) for edge in edges}
    threes = combinations(range(vertices), 3)
    return any(known.issuperset(map(frozenset, combinations(three, 2))) for three in threes)


def pair_of(Z, bias):
    """K and K_sigma of a layer that receives Z."""
    A = np.maximum(Z, 0)
    return Z @ Z.T, A @ A.T + bias**2


def whole_layer(rng, points, units):
    """Entries -2, ..., 2; how many points and units is drawn, too."""
    size = rng.integers(*points), rng.integers(*units)
    return rng.integers(-2, 3, size).astype(float)


def ends(bracket):
    assert bracket.how == "certified"
    return bracket.lower, bracket.upper


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs(name):
    """Proposition 13: without triangles the CP-rank is the number of edges."""
    vertices, edges, rank = GRAPHS[name]
    E = incidence(vertices, edges)
    assert ends(cp_rank(E @ E.T)) == (rank, rank)
    assert ends(covariance_rank(E @ E.T, E @ E.T + 0.49, 0.7)) == (rank, rank)
    assert has_triangle(vertices, edges) or rank == len(edges)


def sparse_product(seed, N, k, kept):
    rng = np.random.default_rng(seed)
    B = rng.random((N, k)) * (rng.random((N, k)) < kept)
    return B @ B.T


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kept", [0.3, 1.0])
def test_ten_points_take_no_more_units_than_they_were_made_of(seed, kept):
    rank = cp_rank(sparse_product(seed, 10, 12, kept))
    assert 9 <= rank.lower <= rank.upper <= 12


@pytest.mark.parametrize("sides", [(5, 5), (4, 6)])
def test_two_sides_take_a_unit_for_every_edge(sides):
    """Drew, Johnson & Loewy (1994): floor(N^2 / 4) is reached, with any weights of the edges."""
    edges = [(v, sides[0] + w) for v in range(sides[0]) for w in range(sides[1])]
    E = incidence(10, edges) * (0.5 + np.random.default_rng(1).random((10, 1)))
    assert ends(cp_rank(E @ E.T)) == (len(edges), len(edges))


def test_a_factor_beside_the_boundary_is_found_or_its_absence_told():
    """Two sides and a little of everything: no cover by cliques helps, and steps are singular."""
    A = balanced_blocks(6) + 1e-3
    rank = cp_rank(A, starts=4)
    assert rank.lower >= 5 and rank.upper <= 17
    # Control: nonnegative and semidefinite, but no product of nonnegative factors.
    cut = [[1, 1, 0, 0, 1], [1, 2, 1, 0, 0], [0, 1, 2, 1, 0], [0, 0, 1, 1, 1], [1, 0, 0, 1, 3]]
    none = cp_rank(cut, starts=4)
    assert none.upper == np.inf and "no layer up to 6 units" in none.reason


def test_steps_to_a_nonnegative_factor_stay_within_their_limits():
    A = sparse_product(0, 6, 8, 1.0)
    rng = np.random.default_rng(1)
    start, free = rng.random((6, 9)), rng.random((6, 9)) < 0.8
    found = nonnegative_factor(A, start, free, 100)
    assert found @ found.T == pytest.approx(A, abs=1e-12)
    assert (found >= 0).all() and not found[~free].any()


@pytest.mark.parametrize("N", [4, 6, 8, 10])
def test_balanced_blocks(N):
    """A matrix of size N that needs N^2 / 4 units, though it has rank N - 1."""
    B = balanced_blocks(N)
    assert ends(cp_rank(B)) == (N**2 // 4, N**2 // 4)
    sizes = np.linalg.eigvalsh(B)
    assert sizes == pytest.approx([0, *[N / 2] * (N - 2), N], abs=1e-12)
    assert ends(covariance_rank(B, B, 0.0)) == (N**2 // 4, N**2 // 4)


@pytest.mark.parametrize("seed", range(8))
def test_layers_of_whole_numbers(seed):
    """Zeros everywhere: kinks, points that share no unit, points where no unit is negative."""
    rng = np.random.default_rng(seed)
    Z = whole_layer(rng, points=(2, 6), units=(1, 6))
    k = Z.shape[1]
    rank = covariance_rank(*pair_of(Z, 2.0), 2.0)
    assert rank.lower <= rank.upper <= k
    B = np.abs(Z)
    assert cp_rank(B @ B.T).upper <= k
    # Aligned units count once.
    doubled = np.hstack([Z, 3 * Z])
    assert covariance_rank(*pair_of(doubled, 2.0), 2.0).upper <= k


@pytest.mark.parametrize("N", [2, 3, 4])
@pytest.mark.parametrize("seed", range(2))
def test_pairs_at_random_need_about_n_plus_one(N, seed):
    """A sum of eight atoms: N (N + 1) equations, for which N + 1 units have enough unknowns."""
    Z = np.random.default_rng(seed).normal(size=(N, 8))
    assert ends(covariance_rank(*pair_of(Z, 1.0), 1.0)) == (N, N + 1)


@pytest.mark.parametrize("N", [2, 3, 4, 5])
def test_layers_of_n_plus_one_units_have_all_covariances_nearby(N):
    """Z -> (K, K_sigma) is open at some Z with N + 1 columns: low rank has a volume (Remark 11)."""

    def rank_of_derivative(units, seed):
        Z = np.random.default_rng(seed).normal(size=(N, units))
        A, moves = np.maximum(Z, 0), np.eye(N * units).reshape(-1, N, units)
        halves = moves @ Z.T, moves * (Z > 0) @ A.T
        images = np.stack([half + half.transpose(0, 2, 1) for half in halves], axis=1)
        return np.linalg.matrix_rank(images.reshape(len(moves), -1), tol=1e-9)

    assert max(rank_of_derivative(N + 1, seed) for seed in range(20)) == N * (N + 1)
    assert max(rank_of_derivative(N, seed) for seed in range(20)) == N**2


def test_the_rank_of_k_sigma_counts_without_its_bias():
    """Printed after Definition 12: max(Rank K, Rank_cp K_sigma) <= Rank_sigma. Not with biases."""
    K = np.zeros((2, 2))
    assert ends(covariance_rank(K, K + 1, 1.0)) == (0, 0)
    assert cp_rank(K + 1).lower == 1
    K[0, 0] = 1.0
    assert ends(covariance_rank(K, K + 1, 1.0)) == (1, 1)
    assert cp_rank(K + 1).lower == 2
    for seed in range(10):
        Z = np.random.default_rng(seed).normal(size=(4, 3))
        K, K_sigma = pair_of(Z, 0.0)
        least = max(np.linalg.matrix_rank(K), cp_rank(K_sigma).lower)
        assert least <= covariance_rank(K, K_sigma, 0.0).upper


def test_not_every_nonnegative_covariance_is_completely_positive():
    A = np.array(
        [[1.0, 1, 0, 0, 1], [1, 2, 1, 0, 0], [0, 1, 2, 1, 0], [0, 0, 1, 1, 1], [1, 0, 0, 1, 6]]
    )
    # Horn's form: of two points it is -1 for neighbours on a circle of five, 1 for all others.
    circle = np.roll(np.eye(5), 1, axis=0)
    horn = np.ones((5, 5)) - 2 * (circle + circle.T)
    assert np.linalg.eigvalsh(A).min() > -1e-12
    # <A, C> >= 0 for a completely positive A, as z^T C z >= 0 for z >= 0; so it is for rescaled C.
    z = np.random.default_rng(0).exponential(size=(1000, 5))
    assert (np.einsum("ni,ij,nj->n", z, horn, z) >= 0).all()
    scales = np.abs(np.linalg.eigh(2 * np.diag(np.diag(A)) - A)[1][:, 0])
    assert np.sum(A * horn * np.outer(scales, scales)) < -0.01
    rank = cp_rank(A)
    assert rank.lower == 5
    assert rank.upper == np.inf


@pytest.mark.parametrize("N, k", [(3, 3), (4, 7), (5, 5), (5, 9), (6, 6)])
def test_random_nonnegative_factors(N, k):
    B = np.random.default_rng(k).uniform(size=(N, k))
    assert ends(cp_rank(B @ B.T)) == (min(N, k), min(N, k))


def test_noise_below_the_tolerance_changes_nothing():
    rng = np.random.default_rng(0)
    for N, edges, rank in GRAPHS.values():
        E = incidence(N, edges)
        noise = rng.uniform(size=(N, N))
        A = E @ E.T + 1e-11 * (noise + noise.T)
        assert ends(cp_rank(A)) == (rank, rank)
    # Control: at a tolerance below it, faint entries join the graph, and two edges become one
    # clique.
    path = np.array([[1.0, 1, 0], [1, 2, 1], [0, 1, 1]])
    faint = path + 1e-8 * np.ones((3, 3))
    assert cp_rank(faint, rtol=1e-7).lower == 2
    assert clique_cover(faint > 0, faint > 0)[0] == 1


def test_the_found_layer_is_measured():
    K, P = pair_of(np.array([[1.0, -2.0], [3.0, 1.0]]) / 4, 0.0)
    pair = CovariancePair(K, P, 1e-10)
    Z = np.array([[1.0, -2.0], [3.0, 1.0]]) / 4
    assert pair.fits(Z)
    assert pair.fits(Z[:, ::-1])
    assert not pair.fits(Z + 1e-9)
    assert not pair.fits(-Z)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6))
def test_invariances(seed):
    """Permuted points, scaled points, one more unit; scaling a point by s scales row and column."""
    rng = np.random.default_rng(seed)
    Z = whole_layer(rng, points=(1, 5), units=(1, 4))
    N, k = Z.shape
    rank = covariance_rank(*pair_of(Z, 0.0), 0.0)
    assert rank.lower <= rank.upper <= k
    order, scales = rng.permutation(N), 2.0 ** rng.integers(-1, 2, (N, 1))
    for other in (4 * scales * Z[order][:, rng.permutation(k)], np.hstack([Z, 0 * Z])):
        same = covariance_rank(*pair_of(other, 0.0), 0.0)
        assert same.lower == rank.lower
        assert same.upper <= k
    more = covariance_rank(*pair_of(np.vstack([Z, rng.integers(-2, 3, (1, k))]), 0.0), 0.0)
    assert more.upper >= rank.lower


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: cp_rank([1.0]), "A must have 2 axes"),
        (lambda: cp_rank([[1.0, 2.0]]), "A has shape"),
        (lambda: cp_rank([[1.0, 0.5], [0.4, 1.0]]), "not symmetric"),
        (lambda: cp_rank([[1.0, 2.0], [2.0, 1.0]]), "A has an eigenvalue -0.5 times"),
        (lambda: cp_rank([[1.0, -0.5], [-0.5, 1.0]]), "A has an entry -0.5 times"),
        (lambda: cp_rank([[1.0]], rtol=0.0), "rtol must be between"),
        (lambda: covariance_rank([[1.0]], np.eye(2), 0.0), "both are"),
        (lambda: covariance_rank([[1.0]], [[1.0]], 1.1), "bias"),
        (lambda: covariance_rank([[1.0]], [[2.0]], 0.0), "larger than K"),
        (lambda: covariance_rank([[-1.0]], [[0.0]], 0.0), "K has an eigenvalue"),
        (lambda: covariance_rank([[np.nan]], [[0.0]], 0.0), "K holds NaN"),
    ],
)
def test_refuses(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()
