"""How many directions the output moves in: the largest rank of the Jacobian over a domain.

Every linear region is looked at, so the answer is exact where all regions are found. Where the
network is too large for that, singular values at points bound the rank from below.
"""

from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Domain, box
from repcost.integers import rank_exceeds
from repcost.networks import TwoLayer
from repcost.regions import linear_regions
from repcost.rounding import UNIT

# Entries of the Jacobians that are held at a time.
_AT_ONCE = 10_000_000


def jacobian_rank(
    net: DeepNet | TwoLayer, domain: Domain, *, points: ArrayLike | None = None
) -> Bracket:
    """Rank_J: the largest rank of the Jacobian inside the linear regions of the box `domain`.

    Definition 1 of Jacot (2023). Exact for one and two variables, of the rationals that the floats
    are: dependent up to rounding is not dependent. In more variables the lower end is the largest
    rank among the regions found, each proven at a point, and the upper end is the least rank of a
    weight matrix; both are exact.

    points: (n, d), for networks too large to cut up: look at these points of the domain only. The
        lower end is then an experiment: the singular values that stand above the rounding of the
        product.

    >>> bends, joins = [[1, 0], [-1, 0], [0, 1]], [[1, -1, 0], [0, 0, 1]]
    >>> kink, square = DeepNet([bends, joins], [[0, 0, -0.999], [0, 0]]), ([-1, -1], [1, 1])
    >>> print(jacobian_rank(kink, square))
    2 (exact, gap 0)
    >>> jacobian_rank(kink, square, points=[[0.0, 0.0], [0.5, 0.5]]).lower
    1.0
    """
    net = as_deep(net)
    low, high = box(domain, net.widths[0])
    upper = min(_rank_at_most(weight) for weight in net.weights)
    if points is None:
        # Beyond the plane each cell has to be proven at a point, so there may be none at all.
        lower = max((region.rank for region in linear_regions(net, (low, high))), default=0)
        return Bracket(float(lower), float(lower if len(low) < 3 else upper), "exact", "lower")
    X = finite_array(points, "points", 2)
    if X.shape[1] != len(low) or not ((low <= X) & (high >= X)).all():
        raise ValueError(f"points must be rows of {len(low)} entries inside the domain")
    return Bracket(float(_rank_seen(net, X)), float(upper), "experiment", "lower")


def jacobian_spectra(
    net: DeepNet | TwoLayer, X: ArrayLike, *, device: str = "cpu"
) -> Float[np.ndarray, "n k"]:
    """The singular values, from large to small, of the Jacobian (m, d) at each row of X, (n, d).

    There are k = min(m, d) of them.
    device: "cpu" for numpy, or where torch is to do it, such as "cuda"; in float64 on either.

    >>> jacobian_spectra(DeepNet([[[3.0, 0.0], [0.0, 4.0]]], [[0.0, 0.0]]), [[1.0, 1.0]]).tolist()
    [[4.0, 3.0]]
    """
    net, X = as_deep(net), finite_array(X, "X", 2)
    # Between layers a product has as many rows as the layer has units.
    widest = max(net.widths) * net.widths[0]
    size = max(1, _AT_ONCE // max(1, widest))
    parts = [X[i : i + size] for i in range(0, max(1, len(X)), size)]
    return np.concatenate([_spectra(net, part, device) for part in parts])


def _spectra(net: DeepNet, X: Float[np.ndarray, "n d"], device: str) -> Float[np.ndarray, "n k"]:
    if device == "cpu":
        return np.linalg.svd(net.jacobians(X), compute_uv=False)
    return _spectra_by_torch(net, X, device)


def _spectra_by_torch(
    net: DeepNet, X: Float[np.ndarray, "n d"], device: str
) -> Float[np.ndarray, "n k"]:
    """What `DeepNet.jacobians` does, with the large products elsewhere."""
    import torch

    def there(array: Float[np.ndarray, "..."]) -> Any:
        return torch.tensor(np.array(array), device=device)

    # Evaluating the network is cheap beside its derivative, and the slopes are known here.
    hidden = net.preactivations(X)[:-1]
    product = there(net.weights[0]).expand(len(X), -1, -1)
    for received, weight in zip(hidden, net.weights[1:], strict=True):
        slopes = there(net.activation.slopes(received))
        product = there(weight) @ (slopes[:, :, None] * product)
    return torch.linalg.svdvals(product).cpu().numpy()


def _rank_at_most(weight: Float[np.ndarray, "out in"]) -> int:
    """The rank where elimination in whole numbers proves it, or else the smaller side."""
    # The rank in floats is a guess at where to look; only the exact one bounds anything.
    seen = int(np.linalg.matrix_rank(weight)) if weight.size else 0
    return seen if not rank_exceeds(weight, seen) else min(weight.shape)


def _rank_seen(net: DeepNet, X: Float[np.ndarray, "n d"]) -> int:
    """The largest number of singular values at a point that are more than rounding.

    A product of matrices is off by at most the product of their norms, times the rounding of the
    sums.
    """
    # The norm of Frobenius, which bounds the other, is cheap.
    size = np.prod([np.linalg.norm(weight) for weight in net.weights])
    rounding = 4 * UNIT * (sum(net.widths) + 10 * net.depth) * size
    return int((jacobian_spectra(net, X) > rounding).sum(1).max(initial=0))
