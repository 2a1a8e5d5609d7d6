"""Elimination in whole numbers: ranks that no rounding can change."""

from fractions import Fraction

import numpy as np
import pytest

from repcost.integers import Elimination, rank_exceeds, rank_of_floats, reduced


def echelon_in_fractions(A):
    """The reduced echelon form column by column, as it is taught."""
    rows, columns = [[Fraction(x) for x in row] for row in A], []
    for j in range(len(A[0]) if A else 0):
        done = len(columns)
        found = next((i for i in range(done, len(rows)) if rows[i][j]), None)
        if found is None:
            continue
        rows[done], rows[found] = rows[found], rows[done]
        rows[done] = [x / rows[done][j] for x in rows[done]]
        for i in set(range(len(rows))) - {done}:
            factor = rows[i][j]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[done], strict=True)]
        columns.append(j)
    return rows[: len(columns)], columns


@pytest.mark.parametrize("seed", range(100))
def test_the_echelon_form_against_fractions(seed):
    rng = np.random.default_rng(seed)
    m, n, r = rng.integers(0, 7, 3)
    A = (rng.integers(-3, 4, (m, r)) @ rng.integers(-3, 4, (r, n))).tolist()
    rows, columns = reduced(A)
    expected, theirs = echelon_in_fractions(A)
    assert columns == theirs
    # One pivot for all, so that rows can be added up before they are divided by it.
    assert len({row[column] for row, column in zip(rows, columns, strict=True)}) <= 1
    divided = [
        [Fraction(x, row[column]) for x in row] for row, column in zip(rows, columns, strict=True)
    ]
    assert divided == expected


def test_entries_are_minors():
    """They grow with the rank alone: the pivot is the determinant, whatever was added between."""
    rng = np.random.default_rng(0)
    A, found = rng.integers(-9, 10, (5, 5)), Elimination()
    for row in A.tolist():
        assert found.take(row)
        assert not found.take([7 * x for x in row])
    assert abs(found.pivot) == round(abs(np.linalg.det(A)))


def test_the_exact_rank():
    W = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.1, 0.2, 0.3], [1.0, 0.0, 1e-30]])
    assert not rank_exceeds(W[:2], 1)
    assert rank_exceeds(W[:3], 1)  # 0.3 is not three times 0.1
    assert not rank_exceeds(W[[0, 1, 3]], 2)
    assert rank_exceeds(W, 2)
    assert rank_exceeds(np.ones((3000, 30)), 10)  # unknown counts as true


@pytest.mark.parametrize("scale", [2.0**-900, 1.0, 2.0**900])
def test_ranks_of_rows_far_apart(scale):
    rng = np.random.default_rng(1)
    A = (rng.integers(-5, 6, (9, 2)) @ rng.integers(-5, 6, (2, 4))).astype(float)
    A *= 2.0 ** rng.integers(-60, 60, (9, 1)) * scale
    assert rank_of_floats(A) == 2
    assert rank_exceeds(A, 1) and not rank_exceeds(A, 2)


def test_a_sum_of_rows_that_rounds_is_no_sum():
    u, v = np.array([0.1, 0.7, 0.3]), np.array([0.2, 0.9, 0.5])
    assert rank_of_floats(np.stack([u, v, u + v])) == 3
    assert rank_of_floats(np.stack([u, v, u - 2 * u, 4 * v])) == 2
