"""Networks whose units share a few rays, so that few units would do.

Units on one ray are positive multiples of each other, and a positively homogeneous activation keeps
that, so they can be merged. How few are left is then known beforehand.
"""

import numpy as np
from jaxtyping import Float

from repcost.deep_networks import DeepNet
from repcost.representations import Representations, network_of, representations
from repcost.scalars import generator, whole_number

UNITS, POINTS = 7, 4


def with_shared_rays(rays: int, rng: np.random.Generator) -> Representations:
    """Two hidden layers of 7 units on so many independent rays each, at four points of the plane.

    Unit k is one, two or three times the ray k % rays. Drawn again until what each layer receives
    has the rank `rays`.

    >>> found = with_shared_rays(2, np.random.default_rng(0))
    >>> [np.linalg.matrix_rank(Z).item() for Z in found.preactivations[:2]]
    [2, 2]
    """
    rays, rng = whole_number(rays, "rays", 1, 3), generator(rng)
    scale, which = rng.integers(1, 4, (2, UNITS, 1)), np.arange(UNITS) % rays
    widths = 3, UNITS + 1
    hidden = [s * rng.normal(size=(rays, k))[which] for s, k in zip(scale, widths, strict=True)]
    net = network_of([*hidden, rng.normal(size=(2, UNITS + 1))])
    found = representations(net, rng.normal(size=(POINTS, 2)))
    full = all(np.linalg.matrix_rank(Z) == rays for Z in found.preactivations[:-1])
    return found if full else with_shared_rays(rays, rng)


def wide_of_ranks(
    rays: int, rank: int, rng: np.random.Generator
) -> tuple[DeepNet, Float[np.ndarray, "n 3"]]:
    """80 units without biases and four outputs, and points: what is sent has the rank `rays`.

    The points, three on each of so many rays of the space, are what makes it so; the outer weights
    have the rank `rank`, and so have the outputs.

    >>> net, X = wide_of_ranks(2, 1, np.random.default_rng(0))
    >>> sent = np.maximum(net.preactivations(X)[0], 0)
    >>> np.linalg.matrix_rank(sent).item(), np.linalg.matrix_rank(net(X)).item()
    (2, 1)
    """
    rays, rank = whole_number(rays, "rays", 1), whole_number(rank, "rank", 1, 4)
    directions = np.repeat(generator(rng).normal(size=(rays, 3)), 3, axis=0)
    X = rng.uniform(0.5, 2, (3 * rays, 1)) * directions
    outer = rng.normal(size=(4, rank)) @ rng.normal(size=(rank, 80))
    return DeepNet([rng.normal(size=(80, 3)), outer], [np.zeros(80), np.zeros(4)]), X
