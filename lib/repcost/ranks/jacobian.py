"""How many directions the output moves in: the largest rank of the Jacobian over a domain."""

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
    """Rank_J: the largest rank of the Jacobian over the interior of the linear regions of the box
    `domain`.

    Definition 1 of Jacot (2023). Exact for one and two variables, of the rationals that the floats
    are: dependent up to rounding is not dependent. In more variables the lower end is the largest
    rank among the regions found, each proven at a point, and the upper end is the least rank of a
    weight matrix; both are exact. points (n, d): for networks too large to cut up, look at these
    points of the domain only. The lower end is then
    an experiment: the singular values that stand above the rounding of the product.

    >>> kink = DeepNet([[[1, 0], [-1, 0], [0, 1]], [[1, -1, 0], [0, 0, 1]]], [[0, 0, -0.999], [0, 0]])
    >>> square = ([-1, -1], [1, 1])
    >>> print(jacobian_rank(kink, square))
    2 (exact, gap 0)
    >>> jacobian_rank(kink, square, points=[[0.0, 0.0], [0.5, 0.5]]).lower
    1.0
    """
    net = as_deep(net)
    low, high = box(domain, net.widths[0])
    upper = min(_rank_at_most(weight) for weight in net.weights)
    if points is None:
        lower = max((region.rank for region in linear_regions(net, (low, high))), default=0)
        return Bracket(float(lower), float(lower if len(low) < 3 else upper), "exact", "lower")
    X = finite_array(points, "points", 2)
    if X.shape[1] != len(low) or not ((low <= X) & (high >= X)).all():
        raise ValueError(f"points must be rows of {len(low)} entries inside the domain")
    return Bracket(float(_rank_seen(net, X)), float(upper), "experiment", "lower")


def jacobian_spectra(
    net: DeepNet | TwoLayer, X: ArrayLike, *, device: str = "cpu"
) -> Float[np.ndarray, "n k"]:
    """The singular values, from large to small, of the Jacobian (m, d) at each row of X (n, d): k =
    min(m, d).

    device: "cpu" for numpy, or where torch is to do it, such as "cuda"; in float64 on either.

    >>> jacobian_spectra(DeepNet([[[3.0, 0.0], [0.0, 4.0]]], [[0.0, 0.0]]), [[1.0, 1.0]]).tolist()
    [[4.0, 3.0]]
    """
    net, X = as_deep(net), finite_array(X, "X", 2)
    widest = max(net.widths) * net.widths[0]
    size = max(1, _AT_ONCE // max(1, widest))
    parts = [X[i : i + size] for i in range(0, max(1, len(X)), size)]
    if device == "cpu":
        return np.concatenate(
            [np.linalg.svd(net.jacobians(part), compute_uv=False) for part in parts]
        )
    return np.concatenate([_spectra_by_torch(net, part, device) for part in parts])


def _spectra_by_torch(
    net: DeepNet, X: Float[np.ndarray, "n d"], device: str
) -> Float[np.ndarray, "n k"]:
    """What `DeepNet.jacobians` does, elsewhere."""
    import torch

    weights = [torch.tensor(np.array(weight), device=device) for weight in net.weights]
    biases = [torch.tensor(np.array(bias), device=device) for bias in net.biases]
    received = torch.tensor(np.array(X), device=device) @ weights[0].T + biases[0]
    product = weights[0].expand(len(X), -1, -1)
    for weight, bias in zip(weights[1:], biases[1:], strict=True):
        # Two numbers alone would make float32.
        slopes = torch.full_like(received, net.negative_slope).masked_fill(received > 0, 1.0)
        product = weight @ (slopes[:, :, None] * product)
        received = (slopes * received) @ weight.T + bias
    return torch.linalg.svdvals(product).cpu().numpy()


def _rank_at_most(weight: Float[np.ndarray, "out in"]) -> int:
    """The rank where elimination in whole numbers proves it, or else the smaller side."""
    seen = int(np.linalg.matrix_rank(weight)) if weight.size else 0
    return seen if not rank_exceeds(weight, seen) else min(weight.shape)


def _rank_seen(net: DeepNet, X: Float[np.ndarray, "n d"]) -> int:
    """A product of matrices is off by at most the product of their norms, times the rounding of the
    sums.
    """
    size = np.prod([np.linalg.norm(weight) for weight in net.weights])
    rounding = 4 * UNIT * (sum(net.widths) + 10 * net.depth) * size
    return int((jacobian_spectra(net, X) > rounding).sum(1).max(initial=0))
