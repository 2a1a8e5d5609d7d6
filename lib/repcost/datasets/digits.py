"""Handwritten digits: a part of MNIST comes with the package, the whole of it over the network."""

import gzip
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, UInt8

from repcost.npz_files import read_npz

Bytes = UInt8[np.ndarray, "..."]

# Each file is the same in all of these places.
_MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)
_MD5 = {
    "train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
    "t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
    "t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
}


class Digits(NamedTuple):
    """Images as rows of 28 x 28 grey values between 0 (paper) and 1 (ink), and what they show."""

    train_images: Float[np.ndarray, "n 784"]
    train_labels: Int[np.ndarray, " n"]
    test_images: Float[np.ndarray, "m 784"]
    test_labels: Int[np.ndarray, " m"]


def mnist_subset() -> Digits:
    """The first 2000 training and the first 1000 test images of MNIST; they come with the package.

    >>> digits = mnist_subset()
    >>> digits.train_images.shape, digits.train_labels[:5].tolist()
    ((2000, 784), [5, 0, 4, 1, 9])
    """
    shipped = files("repcost.datasets") / "mnist-2000-1000.npz"
    names, remedy = (
        ("Xtr", "ytr", "Xte", "yte"),
        "install repcost again, or check the file out again",
    )
    arrays = read_npz(shipped, what="the data file", remedy=remedy, needs=names)
    return _digits(*(arrays[name] for name in names))


def mnist() -> Digits:
    """All 60,000 training and 10,000 test images, fetched once into a cache; needs pooch."""
    return _digits(*(_parsed(_fetched(name)) for name in _MD5))


def _digits(train_images: Bytes, train_labels: Bytes, *test: Bytes) -> Digits:
    parts = []
    for images, labels in ((train_images, train_labels), test):
        parts += [images.reshape(len(images), -1) / 255.0, labels.astype(np.int64)]
    return Digits(*parts)


def _fetched(name: str) -> bytes:
    """The file's content, checked against its known sum."""
    try:
        import pooch
    except ImportError:
        raise ImportError(
            "mnist needs pooch: pip install pooch; mnist_subset comes with the package"
        ) from None
    cache, digest = pooch.os_cache("repcost"), f"md5:{_MD5[name]}"
    for mirror in _MIRRORS:
        try:
            path = pooch.retrieve(mirror + name, digest, fname=name, path=cache)
        except (OSError, ValueError):
            # No network, or another file than expected: the next mirror may do better.
            continue
        return gzip.decompress(Path(path).read_bytes())
    mirrors = " or ".join(_MIRRORS)
    raise OSError(f"{name} could not be fetched from {mirrors}; mnist_subset needs no network")


def _parsed(content: bytes) -> Bytes:
    """IDX: two zeros, 8 for bytes, the number of axes, each length in four bytes, the values."""
    # Lengths have their most significant byte first.
    axes = content[3]
    shape = np.frombuffer(content, ">i4", axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)
