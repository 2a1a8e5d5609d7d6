"""Figure 3 A of Jacot (2023): autoencoders of digits, shallow and deep, and linear projections."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Float, UInt8

from repcost.datasets import mnist_subset
from repcost.deep_networks import DeepNet
from repcost.devices import Device
from repcost.experiments.arrays import Named, mean_square, tables
from repcost.ranks.jacobian import jacobian_spectra
from repcost.representations.spectra import centred_spectra
from repcost.training import Architecture, Objective, Recipe, train

DEPTHS, RIDGES = (5, 2), (1e-4, 1e-3)
LEVELS = 0.1, 0.2, 0.3  # of the noise in each pixel
CUT = 0.05  # of the largest singular value: what counts as a direction of a layer
SHOWN = 6  # digits that the figure shows

Images = Float[np.ndarray, "n pixels"]


@cache
def images_and_draws() -> tuple[Images, Images]:
    """The test images, and draws of variance one that make the noise of every level.

    >>> images, draws = images_and_draws()
    >>> images.shape == draws.shape
    True
    """
    images = mnist_subset().test_images
    return images, np.random.default_rng(9).normal(size=images.shape)


def with_noise(level: float, count: int | None = None) -> Images:
    """The first of the test images with noise of that size."""
    images, draws = images_and_draws()
    return images[:count] + level * draws[:count]


def as_grey(images: Images) -> UInt8[np.ndarray, "n pixels"]:
    """Grey values in a byte, those beyond paper and ink cut off.

    >>> as_grey(np.array([[-1.0, 0.5, 2.0]])).tolist()
    [[0, 127, 255]]
    """
    return (255 * np.clip(images, 0, 1)).astype(np.uint8)


def compute(
    seeds: Sequence[int],
    *,
    width: int = 200,
    steps: int = 2500,
    points: int = 2000,
    device: str | Device = "cpu",
) -> Named:
    """What linear projections leave, what the noise has, and each measure by "measure_depth".

    The measures are for ridges x seeds; see `measures` and `linear_baseline`. The last ridge is the
    first over the depth, the other way to read the paper.
    """
    train_images = mnist_subset().train_images[:points]
    # All networks see the same noise, level by level.
    found = linear_baseline(train_images) | _of_the_images(train_images)
    for L in DEPTHS:
        deep = Architecture.deep((784, *[width] * (L - 1), 784))
        ridges = (*RIDGES, RIDGES[0] / L)
        objectives = [Objective.jacot_2023(each, per_layer=False) for each in ridges]
        data, recipe = (train_images, train_images), _recipe(steps)
        nets = train(deep, data, objectives, recipe, seeds, device=device).networks
        of_all = tables(nets, (len(ridges), len(seeds)), measures(train_images, device))
        for name, values in of_all.items():
            found[f"{name}_{L}"] = values if name == "shown" else values.astype(np.float32)
    return found


def linear_baseline(train_images: Images, ks: Sequence[int] = tuple(range(10, 201, 10))) -> Named:
    """Squared errors of the projections onto the first k principal axes, (ks, 1 + levels).

    ks: the numbers of axes; linear: errors without noise and at every level.
    """
    images, _ = images_and_draws()
    mean = train_images.mean(0)
    axes = np.linalg.svd(train_images - mean, full_matrices=False)[2]
    given = [images, *(with_noise(level) for level in LEVELS)]
    linear = [
        [mean_square(mean + (Z - mean) @ A.T @ A - images) for Z in given]
        for A in (axes[:k] for k in ks)
    ]
    return {"ks": np.array(ks), "linear": np.array(linear)}


def measures(train_images: Images, device: str | Device = "cpu"):
    """What is kept of an autoencoder: norm, errors, ranks of layers, Jacobians, some outputs."""
    images, _ = images_and_draws()

    def errors(net: DeepNet) -> list[float]:
        return [mean_square(net(with_noise(level)) - images) for level in (0, *LEVELS)]

    def ranks(net: DeepNet) -> list[int]:
        spectra = centred_spectra(net, train_images)[:-1]
        return [int(np.sum(s > CUT * s[0])) for s in spectra]

    def spectrum(net: DeepNet) -> Float[np.ndarray, " k"]:
        return np.median(jacobian_spectra(net, images[:5], device=device)[:, :220], axis=0)

    return {
        "norm": lambda net: net.squared_norm / net.depth,
        "trained": lambda net: mean_square(net(train_images) - train_images),
        "errors": errors,
        "ranks": ranks,
        "spectrum": spectrum,
        "shown": lambda net: as_grey(net(with_noise(LEVELS[-1], SHOWN))),
    }


def _of_the_images(train_images: Images) -> Named:
    images, draws = images_and_draws()
    return {
        "energy": np.array([mean_square(level * draws) for level in LEVELS]),
        "variance": np.array(mean_square(images - train_images.mean(0))),
        "clean": as_grey(images[:SHOWN]),
        "given": as_grey(with_noise(LEVELS[-1], SHOWN)),
    }


def _recipe(steps: int) -> Recipe:
    return Recipe(
        steps,
        1e-3,
        schedule="warm-up-stable-decay",
        annealing=30.0,
        annealed=0.6,
        spread=False,
        batch_size=250,
        dtype="float32",
    )
