"""Small networks side by side whose outputs add up: Appendix C of Savarese et al. (2019).

Each has L layers, the last of them one number. By homogeneity only the product alpha of its
last weight and the norms of its matrices counts; balanced layers cost |alpha|^(2/L), so
weight decay on many networks side by side is a penalty on the vector of their alphas
(`repcost.parallel_cost`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.linalg import null_space

from repcost.arrays import ArrayLike, finite_array, listed
from repcost.scalars import real_number

Weights = Float[np.ndarray, " k"]


@dataclass(frozen=True, eq=False)
class SubNetwork:
    """x -> last [W_(L-1) ... [W_1 x]_+ ... ]_+, without biases, the last matrix one row.

    matrices: L - 1 of them, (out, in); points are rows.

    >>> net = SubNetwork((np.array([[3.0, 4.0]]),), 2.0)
    >>> net.depth, net.alpha, net(np.array([[1.0, 0.0]])).tolist()
    (2, 10.0, [6.0])
    """

    matrices: tuple[Float[np.ndarray, "_ _"], ...]
    last: float

    def __post_init__(self):
        parts = listed(self.matrices, "matrices", "matrices, (out, in)")
        checked = [finite_array(part, f"matrices[{i}]", 2) for i, part in enumerate(parts)]
        # Frozen means that only the constructor may do this.
        object.__setattr__(self, "matrices", tuple(checked))
        object.__setattr__(self, "last", real_number(self.last, "last"))

    @property
    def depth(self) -> int:
        return len(self.matrices) + 1

    @property
    def alpha(self) -> float:
        """The last weight times the norms of the matrices: (50)."""
        return float(self.last * np.prod([np.linalg.norm(W) for W in self.matrices]))

    @property
    def squares(self) -> list[float]:
        """The sums of squared weights, layer by layer."""
        return [float(np.sum(np.square(part))) for part in (*self.matrices, self.last)]

    def __call__(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        X = finite_array(X, "X", 2)
        for W in self.matrices:
            X = np.maximum(X @ W.T, 0)
        return self.last * X[:, 0]

    def balanced(self) -> "SubNetwork":
        """The same function with layers of one norm, |alpha|^(1/L): (55) and (56)."""
        # Only the last weight can carry the sign.
        if not self.alpha:
            raise ValueError("a matrix or the last weight is zero; such a network cannot be scaled")
        size = abs(self.alpha) ** (1 / self.depth)
        layers = tuple(size * W / np.linalg.norm(W) for W in self.matrices)
        return SubNetwork(layers, float(np.sign(self.last) * size))

    def resized(self, scales: ArrayLike) -> "SubNetwork":
        """The same function with its layers multiplied by these positive numbers of product one.

        All of the freedom in (53): nothing else of a layer's size can change. scales: (L,), the
        last one for the last weight.
        """
        scales = finite_array(scales, "scales", 1)
        if len(scales) != self.depth or np.any(scales <= 0):
            raise ValueError(f"scales must be {self.depth} positive numbers, one per layer")
        if abs(np.sum(np.log(scales))) > 1e-9:
            raise ValueError("scales must have the product one, or the function changes")
        layers = tuple(s * W for s, W in zip(scales[:-1], self.matrices, strict=True))
        return SubNetwork(layers, float(scales[-1] * self.last))


def side_by_side_cost(networks: list[SubNetwork]) -> float:
    """The sum of all squared weights over L: C_L of Savarese et al. (2019), (43).

    >>> side_by_side_cost([SubNetwork((np.array([[3.0, 4.0]]),), 1.0)])
    13.0
    """
    networks = list(listed(networks, "networks", "SubNetworks"))
    if not networks or not all(isinstance(net, SubNetwork) for net in networks):
        raise ValueError("networks must be a list of SubNetworks, at least one")
    return sum(part for net in networks for part in net.squares) / networks[0].depth


def with_one_fewer(alpha: Weights, V: Float[np.ndarray, "N k"]) -> Iterator[Weights]:
    """The one or two vectors with fewer entries that V sends to V alpha, along a null vector.

    The step of Theorem C.3 of Savarese et al. (2019): if more than N entries are not zero,
    their columns of V are dependent, and a walk along such a dependence ends where an entry
    vanishes. A penalty that is concave on each side of zero is smaller at one of the two
    ends.

    >>> V = np.array([[1.0, 1.0]])
    >>> sorted(end.round(12).tolist() for end in with_one_fewer(np.array([1.0, 2.0]), V))
    [[0.0, 3.0], [3.0, 0.0]]
    """
    alpha, V = finite_array(alpha, "alpha", 1), finite_array(V, "V", 2)
    if V.shape[1] != len(alpha):
        raise ValueError(f"V has {V.shape[1]} columns, but alpha has {len(alpha)} entries")
    if np.count_nonzero(alpha) <= len(V):
        raise ValueError(f"alpha needs more than {len(V)} entries that are not zero, as V has rows")
    return _ends_of_walk(alpha, V)


def _ends_of_walk(alpha: Weights, V: Float[np.ndarray, "N k"]) -> Iterator[Weights]:
    # Entries that are zero stay so: the walk is among the networks that are left.
    active = np.flatnonzero(alpha)
    dependent = null_space(V[:, active]) if len(active) else np.zeros((0, 0))
    if not dependent.shape[1]:
        raise ValueError("alpha has as many entries as V can tell apart; there is no dependence")
    way = np.zeros_like(alpha)
    way[active] = dependent[:, 0]
    # What the dependence does not move, up to rounding, cannot vanish by it.
    moving = np.flatnonzero(np.abs(way) > 1e-12)
    for side in (1, -1):
        lengths = -side * alpha[moving] / way[moving]
        if np.all(lengths < 0):
            continue  # nothing vanishes this way, and the penalty grows
        end = alpha + side * np.min(lengths[lengths > 0]) * way
        # Exactly one entry ends at zero, up to rounding.
        end[np.abs(end) < 1e-10] = 0
        yield end
