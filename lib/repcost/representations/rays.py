"""Units that share a ray: aligned neurons, which one neuron could replace."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from repcost.arrays import finite_array, same_length
from repcost.scalars import real_number, whole_numbers
from repcost.scales import exponent_of

Layer = Float[np.ndarray, "n units"]


def on_rays(Z: Layer, cosine: float = 0.99) -> list[Int[np.ndarray, " group"]]:
    """The units of a layer by direction, the largest group first; units below 1 % are left out.

    Figure 1 of Jacot et al. (2022), where the neurons gather on few rays. A group is those within
    `cosine` of the unit that has the most others near it; then the rest is grouped.

    >>> Z = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.1, 0.001]])
    >>> [group.tolist() for group in on_rays(Z)]
    [[0, 2], [1]]
    """
    Z, cosine = finite_array(Z, "Z", 2), real_number(cosine, "cosine")
    if not Z.size:
        return []
    # Directions and ratios do not see the size; at one no square is lost.
    Z = np.ldexp(Z, -exponent_of(Z))
    size = np.linalg.norm(Z, axis=0)
    left = np.flatnonzero(size > 0.01 * size.max(initial=0.0))
    U, groups = Z / np.where(size > 0, size, 1), []
    while len(left):
        # The densest direction first, so that a group does not depend on the order of its units.
        near = U[:, left].T @ U[:, left] > cosine
        most = near.sum(axis=0).argmax()
        groups.append(left[near[most]])
        left = left[~near[most]]
    return sorted(groups, key=len, reverse=True)


def merged_rays(Z: Layer, ray: Int[np.ndarray, " units"]) -> Float[np.ndarray, "n rays"]:
    """One unit for each ray, as long as all units on it together: the same covariances.

    Proposition 8 of Jacot et al. (2022). ray[k] is the number of the ray of unit k; the first units
    are those of rays 0, 1, ... in this order.

    >>> merged_rays(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([0, 0])).tolist()
    [[5.0], [0.0]]
    """
    Z, ray = finite_array(Z, "Z", 2), np.array(whole_numbers(ray, "ray", 0))
    rays = int(np.max(ray)) + 1
    if len(ray) != Z.shape[1] or ray[:rays].tolist() != list(range(rays)):
        remedy = "one number a unit of Z, the first ones 0, 1, ... up to the largest"
        raise ValueError(f"ray must hold {remedy}")
    if not Z[:, :rays].any(axis=0).all():
        raise ValueError("Z has no direction in one of its first units, the one of each ray")
    # Covariances are sums of squares of the units on a ray.
    squares = np.bincount(ray, np.sum(Z**2, axis=0))
    unit = Z[:, :rays] / np.linalg.norm(Z[:, :rays], axis=0)
    return unit * np.sqrt(squares)


def class_scatter(Z: Layer, labels: Sequence[int] | Int[np.ndarray, " n"]) -> float:
    """Squared distances of the points within their classes, over those between the classes.

    What Figure 1 of Jacot et al. (2022) shows: from layer to layer the points of a class gather.

    >>> class_scatter(np.array([[0.0], [2.0], [10.0], [12.0]]), [0, 0, 1, 1])
    0.04
    """
    Z, labels = finite_array(Z, "Z", 2), np.array(whole_numbers(labels, "labels", 0))
    same_length(Z=Z, labels=labels)
    if len(set(labels.tolist())) <= labels.max():
        raise ValueError("labels must hold every class from 0 to the largest; number them anew")
    Z = np.ldexp(Z, -exponent_of(Z))
    means = np.array([Z[labels == kind].mean(axis=0) for kind in range(labels.max() + 1)])[labels]
    between = float(np.sum((means - Z.mean(axis=0)) ** 2))
    if not between:
        raise ValueError("labels have one mean only; give two classes at different places")
    return float(np.sum((Z - means) ** 2) / between)
