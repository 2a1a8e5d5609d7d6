"""The steepest neuron against a search, where floats hardly know it, and the list of faces."""

import numpy as np
import pytest

from repcost.shallow import Oracle
from repcost.shallow.arrangements import sign_vectors, whole_rows
from repcost.shallow.faces import families_of_faces
from repcost.shallow.tops import candidates, doubts, lie_inside
from tests.shallow_problems import random_data, steepest_by_search


@pytest.mark.parametrize(
    ("N", "r", "m"), [(6, 2, 1), (9, 2, 3), (7, 3, 2), (6, 4, 2), (5, 5, 1), (4, 7, 2)]
)
def test_the_steepest_neuron(N, r, m):
    Xt, V = random_data(N, r, m)
    peaks = Oracle(Xt).peaks(V)
    values = np.linalg.norm(np.maximum(peaks.atoms @ Xt.T, 0) @ V, axis=1)
    assert values == pytest.approx(peaks.heights, rel=1e-12)
    assert np.linalg.norm(peaks.atoms, axis=1) == pytest.approx(1)
    assert peaks.heights[0] <= peaks.bound <= peaks.heights[0] * (1 + 1e-11)
    assert 0.8 * peaks.bound < steepest_by_search(V, Xt) <= peaks.bound


@pytest.mark.parametrize("step", [1e-3, 1e-7, 1e-11, 1e-15])
def test_points_close_together(step):
    """The hyperplanes of close points meet in a line that float64 hardly knows; the bound does."""
    rng = np.random.default_rng(1)
    Xt, V = rng.normal(size=(6, 3)), rng.normal(size=(6, 1))
    Xt[1] = Xt[0] + step * Xt[2]
    V[1] = -V[0] + 0.1
    bound = Oracle(Xt).peaks(V).bound
    assert steepest_by_search(V, Xt) <= bound
    assert step < 1e-12 or bound <= 1.1 * steepest_by_search(V, Xt)


def test_symmetric_points_where_singular_values_coincide():
    angles = np.arange(8) * np.pi / 4
    Xt, V = np.column_stack([np.cos(angles), np.sin(angles)]), np.eye(8)
    bound = Oracle(Xt).peaks(V).bound
    assert bound == pytest.approx(np.linalg.norm(np.maximum(Xt @ Xt[0], 0)), rel=1e-7)


def families(Xt):
    rows = whole_rows(Xt)
    signs = sign_vectors(rows, 1000)
    assert signs is not None
    return families_of_faces(Xt, rows, signs)


@pytest.mark.parametrize(("N", "r", "m"), [(6, 2, 1), (7, 3, 2)])
def test_candidates_inside_their_faces_have_their_heights_and_others_do_not(N, r, m):
    Xt, V = random_data(N, r, m)
    for faces in families(Xt):
        found = candidates(faces, Xt, V, 0.0, 0.0)
        inside = lie_inside(found, doubts(found, 1e-14), Xt)
        values = np.linalg.norm(np.maximum(found.atoms @ Xt.T, 0) @ V, axis=1)
        assert values[inside] == pytest.approx(found.heights[inside], abs=1e-12)
        # Elsewhere other points are active than on the face whose map was maximised.
        signs = np.sign((found.atoms @ Xt.T).round(9))
        assert (inside == (signs == found.faces.signs).all(axis=1)).all()
        assert (np.abs(values - found.heights)[~inside] > 1e-9).all()


def test_equal_singular_values_are_tied():
    """Of points on the axes with equal residuals, every direction of the quadrant is as high."""
    Xt, V = np.eye(2), np.eye(2)
    (found,) = [candidates(faces, Xt, V, 0.0, 0.0) for faces in families(Xt)[1:]]
    doubt = doubts(found, 1e-14)
    positive = (found.faces.signs == 1).all(axis=1)
    assert doubt.are_tied.tolist() == positive.tolist()
    assert not lie_inside(found, doubt, Xt)[positive].any()


def test_with_too_many_faces_the_bound_is_wider_and_the_search_is_near():
    X, Y = random_data(12, 4, 1)
    exact, coarse = Oracle(X), Oracle(X, most_faces=10)
    assert exact.is_exact
    assert not coarse.is_exact
    V = Y - 0.3
    assert coarse.peaks(V).bound >= exact.peaks(V).bound
    assert coarse.peaks(V).heights[0] == pytest.approx(exact.peaks(V).heights[0], rel=0.05)


@pytest.mark.parametrize(
    "A", [np.eye(4), np.ones((3, 2)), [[1, 0], [0, 0], [-2, 0]], [[0.1, 0.3], [0.3, 0.9], [1, 2]]]
)
def test_sign_vectors_of_small_arrangements(A):
    A = np.array(A, dtype=float)
    signs = sign_vectors(whole_rows(A), 1000)
    assert signs is not None
    listed = {tuple(row) for row in signs.tolist()}
    assert len(listed) == len(signs)
    w = np.random.default_rng(0).normal(size=(2000, A.shape[1]))
    assert {tuple(row) for row in np.sign(w @ A.T).astype(int).tolist()} <= listed
    assert {tuple(-x for x in row) for row in listed} == listed


@pytest.mark.parametrize(("N", "r", "cells"), [(7, 2, 14), (7, 3, 44), (6, 4, 52)])
def test_the_number_of_patterns_is_the_one_of_cover(N, r, cells):
    """Cover (1965): 2 sum over k < r of (N - 1 choose k) for points in general position."""
    signs = sign_vectors(whole_rows(random_data(N, r, 1)[0]), 10_000)
    assert signs is not None
    assert np.count_nonzero((signs != 0).all(axis=1)) == cells
    assert sign_vectors(whole_rows(random_data(N, r, 1)[0]), 10) is None
