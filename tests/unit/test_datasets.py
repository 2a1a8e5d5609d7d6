"""The data have the properties for which they were made."""

import gzip
import hashlib
from fractions import Fraction
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from repcost import interpolate_line
from repcost.datasets import (
    digits,
    mnist,
    mnist_subset,
    s_shapes,
    sine_curve,
    taught,
    taught_rank_five,
    ten_points,
    two_rays,
)


def test_ten_points_cost_what_the_figure_says():
    x, y = ten_points()
    points = [(Fraction(str(a)), Fraction(str(b))) for a, b in zip(x, y, strict=True)]
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(points)]
    variation = sum(abs(after - before) for before, after in pairwise(slopes))
    assert len(x) == 10 and max(
        variation, (variation + abs(slopes[0] + slopes[-1])) / 2
    ) == Fraction("4.35")
    cost = interpolate_line(x, y).cost
    assert cost.lower - 1e-12 <= 4.35 <= cost.upper + 1e-12


@pytest.mark.parametrize("angle", [2 * np.pi / 3, 0.55 * np.pi, 0.52 * np.pi])
def test_two_rays_are_two_rays(angle):
    X, y = two_rays(angle, heights=(1.125, -0.375), offset=0.0)
    first, second = X[:5], X[5:]
    assert [np.linalg.matrix_rank(ray) for ray in (first, second)] == [1, 1]
    assert first[-1] == pytest.approx(np.array([2, 1]) / np.sqrt(5), rel=1e-14)
    assert first[-1] @ second[-1] == pytest.approx(np.cos(angle), abs=1e-14)
    # Distances .8 and 1 are .2 and .4 beyond the bend.
    assert y == pytest.approx([0, 0, 0, 0.225, 0.45, 0, 0, 0, -0.075, -0.15], abs=1e-15)


def test_figure_three_of_the_linear_layers_paper():
    _, y = two_rays()
    assert (y.min(), y.max()) == pytest.approx((-0.8, -0.2))


def test_teachers_know_the_answers():
    X, Y, teacher = taught(200)
    assert teacher.widths == (50, 10, 10, 10) and not any(b.any() for b in teacher.biases)
    assert (teacher(X) == Y).all() and np.var(X) == pytest.approx(1.0, abs=0.03)
    X, Y, teacher = taught_rank_five(300)
    assert (teacher(X) == Y).all()
    assert Y.mean(0) == pytest.approx(np.zeros(50), abs=1e-14)
    assert np.mean(np.sum(Y**2, axis=1)) == pytest.approx(5.0, rel=1e-13)
    assert {np.linalg.matrix_rank(J) for J in teacher.jacobians(X[:20])} == {5}


def test_shapes():
    X, labels = s_shapes(50, noise=0.0)
    assert np.bincount(labels).tolist() == [50] * 4
    t = X[:, 1] / 1.5
    assert X[:, 0] + np.sin(np.pi * t) == pytest.approx(labels - 1.5, abs=1e-12)
    noisy, _ = s_shapes(50)
    assert np.std(noisy - X) == pytest.approx(0.03, rel=0.1)
    curve = sine_curve(30, amplitude=0.8)
    assert curve[:, 1] == pytest.approx(0.8 * np.sin(np.pi * curve[:, 0] / 1.5), abs=1e-12)


@pytest.mark.parametrize("make", [taught, taught_rank_five, s_shapes, sine_curve])
def test_seeds_decide(make):
    def first(seed):
        made = make(20, seed=seed)
        return made[0] if isinstance(made, tuple) else made

    assert (first(1) == first(1)).all() and not (first(1) == first(2)).all()


def test_the_subset_of_mnist():
    some = mnist_subset()
    assert [part.shape for part in some] == [(2000, 784), (2000,), (1000, 784), (1000,)]
    assert some.train_images.dtype == np.float64 and (
        some.train_images.min(),
        some.train_images.max(),
    ) == (0.0, 1.0)
    assert some.train_labels[:10].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]
    assert some.test_labels[:10].tolist() == [7, 2, 1, 0, 4, 1, 4, 9, 5, 9]
    assert np.bincount(some.train_labels, minlength=10).min() > 150
    assert "ShareAlike" in (files("repcost.datasets") / "mnist-2000-1000.LICENSE").read_text()


def idx(array: np.ndarray) -> bytes:
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">i4").tobytes()
    return gzip.compress(header + array.tobytes(), mtime=0)


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """Two mirrors on this disk: one with something else, one with small files in MNIST's format."""
    pytest.importorskip("pooch")
    some = mnist_subset()
    images = [
        np.round(part[:7] * 255).astype(np.uint8).reshape(-1, 28, 28) for part in (some[0], some[2])
    ]
    labels = [part[:7].astype(np.uint8) for part in (some[1], some[3])]
    content = dict(
        zip(digits._MD5, map(idx, (images[0], labels[0], images[1], labels[1])), strict=True)
    )
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    for name, data in content.items():
        (tmp_path / "first" / name).write_bytes(b"another file")
        (tmp_path / "second" / name).write_bytes(data)
    monkeypatch.setattr(
        digits, "_MD5", {name: hashlib.md5(data).hexdigest() for name, data in content.items()}
    )
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / "cache")
    monkeypatch.setattr("pooch.retrieve", fetch_from_disk)
    monkeypatch.setattr(
        digits, "_MIRRORS", (f"{tmp_path}/nowhere/", f"{tmp_path}/first/", f"{tmp_path}/second/")
    )
    return some


def fetch_from_disk(url, known_hash, *, fname, path):
    """What pooch.retrieve does, with a path for an address."""
    data = Path(url).read_bytes()
    if hashlib.md5(data).hexdigest() != known_hash.removeprefix("md5:"):
        raise ValueError("the hash does not match")
    path.mkdir(exist_ok=True)
    (path / fname).write_bytes(data)
    return str(path / fname)


def test_all_of_mnist_comes_from_the_mirror_that_has_it(shelf):
    fetched = mnist()
    for ours, theirs in zip(fetched, shelf, strict=True):
        assert (ours == theirs[:7]).all() and ours.dtype == theirs.dtype


def test_no_network_is_said_clearly(shelf, monkeypatch):
    monkeypatch.setattr(digits, "_MIRRORS", ("/nowhere/",))
    with pytest.raises(
        OSError, match=r"train-images.*could not be fetched.*mnist_subset needs no network"
    ):
        mnist()


def test_pooch_is_called_as_it_wants_to_be():
    """The stand-in above takes the arguments of the real one."""
    import inspect

    pooch = pytest.importorskip("pooch")
    assert list(inspect.signature(pooch.retrieve).parameters)[:4] == [
        "url",
        "known_hash",
        "fname",
        "path",
    ]
    assert list(inspect.signature(fetch_from_disk).parameters) == [
        "url",
        "known_hash",
        "fname",
        "path",
    ]


@pytest.mark.parametrize("kept", [0, 1000, -100])
def test_digits_that_are_damaged_are_named_with_the_remedy(tmp_path, monkeypatch, kept):
    shipped = files("repcost.datasets") / "mnist-2000-1000.npz"
    path = tmp_path / "mnist-2000-1000.npz"
    path.write_bytes(shipped.read_bytes()[:kept])
    monkeypatch.setattr(digits, "files", lambda package: tmp_path)
    with pytest.raises(ValueError, match=r"mnist-2000-1000\.npz is no file of arrays; install"):
        mnist_subset()
