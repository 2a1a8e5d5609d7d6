import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import residues
from repcost.integers import rank_of_floats
from repcost.residues import PRIME

# Denormals and the largest floats too.
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(FLOATS, FLOATS)
def test_residues_are_those_of_the_rationals(x, y):
    (top, bottom), (up, down) = x.as_integer_ratio(), y.as_integer_ratio()
    ours = residues.residues(np.array([x, y]))
    assert [int(r) * b % PRIME for r, b in zip(ours, (bottom, down), strict=True)] == [
        top % PRIME,
        up % PRIME,
    ]


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_the_rank_is_the_exact_one(seed):
    rng = np.random.default_rng(seed)
    rows, columns, rank = rng.integers(1, 7, 3)
    # Products of small whole numbers, at very different sizes: no float is rounded.
    A = rng.integers(-3, 4, (rows, rank)) @ rng.integers(-3, 4, (rank, columns))
    A = np.ldexp(A.astype(float), rng.integers(-900, 900, (rows, 1)))
    assert residues.rank(residues.residues(A)) == rank_of_floats(A)


def test_dependent_up_to_rounding_is_not_dependent():
    A = np.array([[0.1, 0.3], [0.3, 0.9]])
    assert residues.rank(residues.residues(A)) == 2 > np.linalg.matrix_rank(A)


def test_a_multiple_of_the_prime_is_the_one_thing_that_it_does_not_see():
    assert residues.rank(np.array([[float(PRIME % PRIME)]])) == 0
    assert residues.rank(residues.residues(np.diag([1.0, PRIME]))) == 1


@pytest.mark.parametrize("inner", [0, 1, 2**13, 2**13 + 1, 20000])
def test_products_of_any_length_are_exact(inner):
    rng = np.random.default_rng(inner)
    # The largest residues of all, where one term more would round.
    A, B = (np.full(shape, PRIME - 1.0) for shape in ((2, inner), (inner, 3)))
    A[:, ::7] = rng.integers(0, PRIME, A[:, ::7].shape)
    exact = A.astype(object).astype(object) @ B.astype(object) if inner else np.zeros((2, 3))
    expected = np.array([[int(x) % PRIME for x in row] for row in exact])
    assert (residues.product(A, B) == expected).all()


def test_squeezing_keeps_ranks_up_to_what_was_asked_for():
    rng = np.random.default_rng(0)
    A = residues.residues(rng.normal(size=(40, 30)))
    for most in (1, 5, 30, 50):
        rows, columns = (residues.squeezed(size, most, rng) for size in A.shape)
        found = residues.rank(residues.product(residues.product(rows, A), columns.T))
        assert found == min(most, 30)
