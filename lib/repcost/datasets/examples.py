"""Networks whose ranks are known by hand, each with a name.

Weights are small whole or dyadic numbers, so that little or nothing rounds.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike
from repcost.deep_networks import DeepNet
from repcost.domains import Corner
from repcost.scalars import generator, whole_number

# A weight and a bias.
Affine = tuple[ArrayLike, ArrayLike]

# Of one variable, beginning where the first unit is active.
_TENT: tuple[Affine, ...] = ([[1], [1]], [0, -0.5]), ([[2, -4]], [0])
# Of the mean t of three variables, and of s and t. A bias of one lifts these above zero, where a
# unit passes them on as they are.
_MEAN, _MIDDLES = np.full((1, 3), 1 / 3), [[0.5, 0, 0.5], [0, 0.5, 0.5]]
_BENDS: tuple[Affine, ...] = (
    ([[1], [1], [1]], [0, -1, -1.5]),
    ([[1, 0, 0], [-1, 2, 0], [0, 0, 1]], [-1, 1, 0]),
)
_FOLDS: tuple[Affine, ...] = (
    ([[1, 0], [1, 0], [0, 1], [1, 1]], [0, -1, 0, -2]),
    ([[-1, 2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], [1, -1, 0]),
)


@dataclass(frozen=True, eq=False)
class Example:
    """A ReLU network on a box (low, high), with the two ranks of its function there."""

    network: DeepNet
    domain: tuple[Corner, Corner]
    jacobian_rank: int
    bottleneck_rank: int

    @property
    def ranks(self) -> set[int]:
        """The Jacobian rank and the bottleneck rank, once if they are the same."""
        return {self.jacobian_rank, self.bottleneck_rank}

    def points(self, count: int, rng: np.random.Generator) -> Float[np.ndarray, "n d"]:
        """So many points of the domain, uniform in it.

        >>> example_networks()["diagonal"].points(4, np.random.default_rng(0)).shape
        (4, 2)
        """
        count, rng = whole_number(count, "count", 0), generator(rng)
        return rng.uniform(*self.domain, (count, len(self.domain[0])))


def example_networks() -> dict[str, Example]:
    """Eight networks by name; the two ranks of the last, the cross, are different.

    Section 3 and, corrected, Example 1 of Jacot (2023).

    identity, absolute value: of one variable.
    tent: min(2x, 2 - 2x).
    tent of tent: the same twice.
    bent mean: (t, |t|, [t - 1/2]_+) of the mean t of three variables.
    diagonal: (2x, y / 2).
    bent plane: (|s|, t, [s + t]_+) of s = (x + z) / 2, t = (y + z) / 2.
    cross: `cross_network`.

    >>> tent = example_networks()["tent"]
    >>> tent.network([[0.25], [0.75]]).ravel().tolist(), tent.bottleneck_rank
    ([0.5, 0.5], 1)
    """
    return {
        "identity": _example(1, [-1], ([[1]], [0])),
        "absolute value": _example(1, [-1], ([[1], [-1]], [0, 0]), ([[1, 1]], [0])),
        "tent": _example(1, [0], *_TENT),
        "tent of tent": _example(1, [0], *_TENT, *_TENT),
        "bent mean": _example(1, [-1] * 3, (_MEAN, [1]), *_BENDS),
        "diagonal": _example(2, [0, 0], ([[2, 0], [0, 0.5]], [0, 0])),
        "bent plane": _example(2, [-1] * 3, (_MIDDLES, [1, 1]), *_FOLDS),
        "cross": Example(cross_network(), (-np.ones(2), np.ones(2)), 1, 2),
    }


def cross_network() -> DeepNet:
    """min(|x|, |y|) (sign x, sign y): everything moves to the nearer diagonal.

    Example 1 of Jacot (2023) with its two cases exchanged, as it must be read to be continuous.
    Whole weights, depth three.

    >>> cross_network()([[3.0, -1.0], [-2.0, 5.0]]).tolist()
    [[1.0, -1.0], [-2.0, 2.0]]
    """
    # [x]_+, [-x]_+, [y]_+, [-y]_+; then each of them, and what it has more than all others.
    parts = ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0] * 4)
    excess = (np.vstack([np.eye(4), 2 * np.eye(4) - np.ones((4, 4))]), [0] * 8)
    minima = ([[1, -1, 0, 0, -1, 1, 0, 0], [0, 0, 1, -1, 0, 0, -1, 1]], [0, 0])
    return _network(parts, excess, minima)


def _network(*layers: Affine) -> DeepNet:
    return DeepNet([weight for weight, _ in layers], [bias for _, bias in layers])


def _example(rank: int, low: list[float], *layers: Affine) -> Example:
    """Both ranks are `rank`; the box reaches up to one everywhere."""
    return Example(_network(*layers), (np.array(low, dtype=float), np.ones(len(low))), rank, rank)
