"""What networks of one ensemble are measured by, as tables."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

# What a module's `compute` returns.
Named = dict[str, np.ndarray]


def mean_square(rows: Float[np.ndarray, "n m"]) -> float:
    """The mean of the squared lengths of the rows.

    >>> mean_square(np.array([[3.0, 4.0], [0.0, 1.0]]))
    13.0
    """
    return float(np.mean(np.sum(rows**2, axis=1)))


def tables(
    networks: Sequence[Any],
    shape: tuple[int, ...],
    measures: Mapping[str, Callable[[Any], Any]],
) -> Named:
    """Each measure of all networks, one array a measure whose first axes are those of the ensemble.

    >>> tables([1, 2, 3, 4], (2, 2), {"square": lambda n: n * n})["square"].tolist()
    [[1, 4], [9, 16]]
    """
    # Networks stand architecture by architecture, objective by objective, seed by seed.
    found = {}
    for name, measure in measures.items():
        values = np.array([measure(net) for net in networks])
        found[name] = values.reshape(*shape, *values.shape[1:])
    return found


def in_single_precision(arrays: Mapping[str, np.ndarray], *names: str) -> Named:
    """The same arrays, those of these names in float32: half the size of the file."""
    return {
        name: array.astype(np.float32) if name in names else array for name, array in arrays.items()
    }
