"""A plateau that begins at N^2/4 units: how far descents of each width end above the least loss.

After Proposition 14 of Jacot et al. (2022), for the matrix B_N of `bipartite_covariance`.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from repcost.covariances import bipartite_covariance, bipartite_least_loss, nonnegative_descents
from repcost.experiments.arrays import Named

STRENGTH = 0.05


def excess_by_width(
    N: int, starts: int, rng: np.random.Generator, strength: float = STRENGTH
) -> dict[int, Float[np.ndarray, " starts"]]:
    """Relative excess of every descent, sorted, for widths from N - 1 to two beyond N^2/4.

    >>> found = excess_by_width(2, 2, np.random.default_rng(0))
    >>> list(found), bool(max(found[1]) < 1e-9)
    ([1, 2, 3], True)
    """
    # With the identity as inputs, the outputs matter through Y^T Y = B^2 only.
    B, least = bipartite_covariance(N), bipartite_least_loss(N, strength)
    target = B @ B
    return {
        width: nonnegative_descents(target, width, strength, starts, rng).losses / least - 1
        for width in range(N - 1, N * N // 4 + 3)
    }


def excess_by_strength(
    N: int, width: int, strengths: Sequence[float], starts: int, rng: np.random.Generator
) -> Float[np.ndarray, " strengths"]:
    """Relative excess of the best of so many descents, for several strengths.

    >>> bool(excess_by_strength(2, 1, [0.1, 0.2], 2, np.random.default_rng(0)).max() < 1e-9)
    True
    """
    target = bipartite_covariance(N) @ bipartite_covariance(N)
    best = [nonnegative_descents(target, width, at, starts, rng).losses[0] for at in strengths]
    least = [bipartite_least_loss(N, at) for at in strengths]
    return np.array(best) / least - 1


def compute(starts: Mapping[int, int]) -> Named:
    """The same for so many starts for each N, by the names "N-width"."""
    rng, found = np.random.default_rng(0), {}
    for N, count in starts.items():
        for width, excess in excess_by_width(N, count, rng).items():
            found[f"{N}-{width}"] = excess.astype(np.float32)
    return found
