"""Units on rays, and directions of layers, against slower sums."""

import numpy as np
import pytest

from repcost import DeepNet, measure
from repcost.datasets import random_network
from repcost.representations import (
    centred_spectra,
    class_scatter,
    handed_on,
    merged_rays,
    on_rays,
    second_directions,
)

RNG = np.random.default_rng(0)


def test_units_are_grouped_by_direction():
    rays, which = np.linalg.qr(RNG.normal(size=(5, 3)))[0], np.array([0, 1, 1, 2, 1, 0, 2, 1])
    Z = rays[:, which] * RNG.uniform(0.5, 2, 8)
    Z[:, 3] *= 1e-4  # below one per cent
    groups = on_rays(Z)
    assert [sorted(group.tolist()) for group in groups] == [[1, 2, 4, 7], [0, 5], [6]]
    assert len(on_rays(-Z)) == 3 and len(on_rays(np.hstack([Z, -Z]))) == 6


def test_one_unit_a_ray_has_the_same_covariances():
    ray = np.arange(7) % 3
    Z = RNG.normal(size=(4, 3))[:, ray] * RNG.uniform(0.5, 2, 7)
    few = merged_rays(Z, ray)
    assert few.shape == (4, 3)
    for one, other in ((few, Z), (np.maximum(few, 0), np.maximum(Z, 0))):
        assert one @ one.T == pytest.approx(other @ other.T)


def test_scatter_by_pairs_of_points():
    Z, labels = RNG.normal(size=(12, 3)), np.repeat([0, 1, 2], 4)
    total = np.sum((Z - Z.mean(axis=0)) ** 2)
    pairs = [
        np.sum((Z[i] - Z[j]) ** 2) for i in range(12) for j in range(i) if labels[i] == labels[j]
    ]
    within = sum(pairs) / 4  # of a class of four: the pairs over the number of points
    assert class_scatter(Z, labels) == pytest.approx(within / (total - within))


def test_what_is_handed_on():
    net = random_network(3, 5, 4, 2, negative_slope=0.2, rng=np.random.default_rng(0))
    X = RNG.normal(size=(9, 3))
    layers = handed_on(net, X)
    assert (layers[0] == X).all() and (layers[-1] == net(X)).all()
    for W, b, below, here in zip(net.weights, net.biases, layers, layers[1:], strict=False):
        received = below @ W.T + b
        sent = np.where(received > 0, received, 0.2 * received)
        assert here == pytest.approx(received if here is layers[-1] else sent)


def test_spectra_are_those_that_measure_tells():
    net = random_network(3, 5, 4, 2, rng=np.random.default_rng(0))
    X = RNG.normal(size=(9, 3))
    theirs = measure(net, X).spectra[-1]  # of the outputs, over the root of N
    assert centred_spectra(net, X)[-1] / 3 == pytest.approx(theirs)
    squares = [np.linalg.eigvalsh(np.cov(Z.T, bias=True)) for Z in handed_on(net, X)]
    for s, values in zip(centred_spectra(net, X), squares, strict=True):
        assert np.sort(s**2 / 9)[-2:] == pytest.approx(values[-2:])


@pytest.mark.parametrize("centring", [True, False])
def test_second_directions_from_eigenvalues(centring):
    net = random_network(3, 5, 4, 2, rng=np.random.default_rng(0))
    X = RNG.normal(size=(9, 3))
    found = second_directions(net, X, centring=centring)
    for Z, ratio, share, variance in zip(
        handed_on(net, X), found.ratio, found.share, found.variance, strict=False
    ):
        C = np.cov(Z.T, bias=True) if centring else Z.T @ Z / len(Z)
        values = np.sort(np.linalg.eigvalsh(C))[::-1]
        assert ratio == pytest.approx(np.sqrt(values[1] / values[0]))
        assert share == pytest.approx(values[1:].sum() / values.sum())
        assert variance == pytest.approx(values.sum())
    assert found.variance[-1] == pytest.approx(np.mean(net(X) ** 2) * 2) or centring


def test_a_layer_of_one_point_counts_as_a_line():
    constant = DeepNet([np.zeros((2, 2)), np.eye(2)], [[1.0, 1.0], [0.0, 0.0]])
    found = second_directions(constant, RNG.normal(size=(5, 2)))
    assert (found.ratio[1], found.share[1], found.variance[1]) == (0, 0, 0)
