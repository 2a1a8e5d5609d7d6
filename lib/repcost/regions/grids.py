"""A classifier of the plane seen on a grid: what a picture can show and a proof need not.

Rows of a grid are values of the second variable, columns of the first, both from low to high.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int, UInt8
from scipy.ndimage import binary_dilation, label

from repcost.arrays import finite_array
from repcost.deep_networks import DeepNet, as_deep
from repcost.scalars import positive_number, whole_number

Labels = Int[np.ndarray, "rows columns"] | UInt8[np.ndarray, "rows columns"]


@dataclass(frozen=True, eq=False)
class GridLabels:
    """labels: (n, n), which output is the largest; lead: the least by which it leads the third."""

    labels: UInt8[np.ndarray, "n n"]
    lead: float


def labels_on_grid(net: DeepNet, half: float, n: int) -> GridLabels:
    """The largest of three outputs or more at n x n points of the square from -half to half.

    Figure 2 of Jacot (2023). Where the third output is never near the first, no three classes meet
    between the points of the grid either.

    >>> plane = DeepNet([[[1, 0], [0, 1], [-1, -1]]], [[0, 0, 0]])
    >>> labels_on_grid(plane, 1.0, 3).labels.tolist()
    [[2, 2, 0], [2, 0, 0], [1, 1, 0]]
    """
    net, half = as_deep(net), positive_number(half, "half")
    n = whole_number(n, "n", 1)
    if net.widths[0] != 2 or net.widths[-1] < 3:
        sizes = f"{net.widths[0]} variables and {net.widths[-1]} outputs"
        raise ValueError(f"net has {sizes}; a grid shows two variables and three outputs or more")
    at = np.linspace(-half, half, n)
    # Row by row, as all points of a fine grid at once take much memory.
    values = np.array([net(np.column_stack([at, np.full(len(at), y)])) for y in at])
    ordered = np.sort(values, axis=2)
    lead = np.min(ordered[:, :, -1] - ordered[:, :, -3])
    return GridLabels(values.argmax(2).astype(np.uint8), float(lead))


def corners_on_grid(labels: Labels) -> int:
    """How many squares of the grid have three labels or more at their four corners.

    >>> corners_on_grid(np.array([[0, 1], [2, 2]])), corners_on_grid(np.array([[0, 1], [1, 1]]))
    (1, 0)
    """
    labels = _labels(labels)
    four = np.stack([labels[:-1, :-1], labels[1:, :-1], labels[:-1, 1:], labels[1:, 1:]])
    # Sorted, k different labels show as k - 1 steps.
    changes = np.diff(np.sort(four, axis=0), axis=0) > 0
    return int(np.sum(changes.sum(axis=0) >= 2))


def most_bordering(labels: Labels) -> int:
    """The most classes that one connected part of a class borders, corners included.

    Parts are connected along rows and columns. Classes cut out by a function of one number border
    two others at most, as the values of that number lie in a row.

    >>> most_bordering(np.array([[0, 0, 0], [1, 2, 3]])), most_bordering(np.array([[0, 1, 2]]))
    (3, 2)
    """
    labels, most = _labels(labels), 0
    for each in np.unique(labels):
        found: Any = label(labels == each)
        parts, count = found
        for part in range(1, count + 1):
            # One step further, diagonally too, and not the part itself.
            ring = binary_dilation(parts == part, np.ones((3, 3))) & (parts != part)
            most = max(most, len(set(labels[ring].tolist()) - {int(each)}))
    return most


def _labels(labels: Labels) -> Labels:
    if isinstance(labels, np.ndarray) and labels.ndim == 2 and labels.dtype.kind in "iu":
        return labels
    found = finite_array(labels, "labels", 2)
    if (found % 1 != 0).any():
        raise ValueError("labels must be a table of whole numbers")
    return found.astype(int)
