"""Labels of classes on unit vectors: the least loss of every width, and a network that attains it.

One hidden layer, no biases. With k units the outputs have the rank k, and the singular values of
labels are the roots of the class sizes; so the k largest classes are served, each by one unit.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from repcost.deep_networks import DeepNet
from repcost.scalars import positive_number, whole_number, whole_numbers


def class_labels(sizes: Sequence[int]) -> Float[np.ndarray, "N c"]:
    """A row for each point, a column for each class of so many points.

    >>> class_labels([2, 1]).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    sizes = whole_numbers(sizes, "sizes", 1)
    return np.repeat(np.eye(len(sizes)), sizes, axis=0)


def labels_least_loss(sizes: Sequence[int], strength: float, width: int) -> float:
    """The least mean squared error plus strength times all squares, with `width` hidden ReLUs.

    For classes in falling order, and N strength at most the root of the smallest one: a class that
    is served pays strength (2 sqrt(m) - N strength), one that is not the whole error m / N.

    >>> labels_least_loss([4, 1], 0.1, 1), labels_least_loss([4, 1], 0.1, 2)
    (0.55, 0.5)
    """
    _, roots, rho, width = _classes(sizes, strength, width)
    served, left = roots[:width], roots[width:]
    return float(strength * (np.sum(2 * served - rho) + np.sum(left**2) / rho))


def labels_network(sizes: Sequence[int], strength: float, width: int) -> DeepNet:
    """A network with that loss for the unit vectors: a unit for each of the largest classes.

    >>> labels_network([4, 1], 0.1, 1)(np.eye(5)).round(3).tolist()[3:]
    [[0.75, 0.0], [0.0, 0.0]]
    """
    labels, roots, rho, width = _classes(sizes, strength, width)
    few = min(width, len(roots))
    # Of the singular value of a class the penalty takes rho; both layers share what is left.
    half = np.sqrt(roots[:few] - rho)
    W = (half / roots[:few])[:, None] * labels[:, :few].T
    return DeepNet([W, np.eye(len(roots), few) * half], [np.zeros(few), np.zeros(len(roots))])


def _classes(sizes: Sequence[int], strength: float, width: int):
    labels, width = class_labels(sizes), whole_number(width, "width", 1)
    counts = labels.sum(axis=0)
    if np.any(np.diff(counts) > 0):
        raise ValueError("sizes must fall, the largest class first")
    rho = len(labels) * positive_number(strength, "strength")
    if rho > np.sqrt(counts[-1]):
        most = np.sqrt(counts[-1]) / len(labels)
        raise ValueError(f"strength must be at most {most:.3g}, or the smallest class is given up")
    return labels, np.sqrt(counts), rho, width
