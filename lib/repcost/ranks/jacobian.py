"""How many directions the output moves in: the largest rank of the Jacobian over a domain.

Ranks at points bound it from below (`at_points`), ranks of weights from above (`from_above`).
Where these two meet nothing else is asked, however large the network is. Elsewhere every linear
region is looked at, so in one and two variables, where all regions are found, the two always meet,
and in three where the units are few enough.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet, as_deep
from repcost.devices import Device, computing, place, timed
from repcost.domains import Corner, Domain, box
from repcost.far_networks import Middle, in_the_middle, size_exponents
from repcost.networks import TwoLayer, points_for
from repcost.ranks.at_points import rank_at, search_points
from repcost.ranks.from_above import rank_from_above
from repcost.regions.subdivision import cells, has_few_cells

Points = Float[np.ndarray, "n d"]

# Entries of the Jacobians that are held at a time.
_AT_ONCE = 10_000_000
# Cells of three variables take some hundredths of a millisecond each; with more variables they are
# found by linear programmes, some milliseconds each.
_CELLS_OF_SPACE, _CELLS_BEYOND = 100_000, 5000


def jacobian_rank(
    net: DeepNet | TwoLayer, domain: Domain, *, points: ArrayLike | None = None
) -> Bracket:
    """Rank_J: the largest rank of the Jacobian inside the linear regions of the box `domain`.

    Definition 1 of Jacot (2023). Exact for one and two variables, and for three up to some eighty
    units, of the rationals that the floats are: dependent up to rounding is not dependent. Beyond
    that the lower end is the largest rank that was seen, each proven at a point, and the upper end
    is the least rank of a weight matrix without units that are off on the whole box; both are
    exact, for floats of any size.

    points: (n, d), to look at these points of the domain only. The lower end is the largest rank in
        the regions that they lie in, or border on.

    >>> bends, joins = [[1, 0], [-1, 0], [0, 1]], [[1, -1, 0], [0, 0, 1]]
    >>> kink, square = DeepNet([bends, joins], [[0, 0, -0.999], [0, 0]]), ([-1, -1], [1, 1])
    >>> print(jacobian_rank(kink, square))
    2 (exact, gap 0)
    >>> jacobian_rank(kink, square, points=[[0.0, 0.0], [0.5, 0.5]]).lower
    1.0
    """
    net = as_deep(net)
    low, high = box(domain, net.widths[0])
    if points is None:
        return largest_rank(net, low, high, *rank_ends(net, low, high))
    upper = rank_from_above(net, low, high)
    lower = rank_at(net, low, high, _inside(points, low, high), upper)
    reason = "these points show no more" if lower < upper else ""
    return Bracket(float(lower), float(upper), "exact", "lower", reason=reason)


def rank_ends(net: DeepNet, low: Corner, high: Corner) -> tuple[int, int]:
    """The largest rank seen at some points, and an upper end of the bottleneck rank too."""
    upper = rank_from_above(net, low, high)
    return rank_at(net, low, high, search_points(net, low, high), upper), upper


def largest_rank(net: DeepNet, low: Corner, high: Corner, lower: int, upper: int) -> Bracket:
    """Where these two ends leave a gap, the regions decide, if they can be listed."""
    reason = ""
    if lower < upper and _may_be_listed(net):
        # Not by `linear_regions`, whose Jacobians must be floats. With more than three variables
        # each cell has to be proven at a point, so there may be none at all.
        lower = max([lower, *(cell.rank for cell in cells(net, low, high))])
        upper = lower if len(low) < 4 else upper
        reason = "more than three variables: cells may be missing"
    elif lower < upper:
        reason = "points alone: there are too many cells to list"
    return Bracket(
        float(lower), float(upper), "exact", "lower", reason=reason if lower < upper else ""
    )


def _may_be_listed(net: DeepNet) -> bool:
    """Always in the plane."""
    inputs = net.widths[0]
    return inputs < 3 or has_few_cells(net, _CELLS_OF_SPACE if inputs == 3 else _CELLS_BEYOND)


def _inside(points: ArrayLike, low: Corner, high: Corner) -> Points:
    X = finite_array(points, "points", 2)
    if not len(X):
        raise ValueError("points is empty; give at least one, or leave it out")
    if X.shape[1] != len(low) or not ((low <= X) & (high >= X)).all():
        raise ValueError(f"points must be rows of {len(low)} entries inside the domain")
    return X


def jacobian_spectra(
    net: DeepNet | TwoLayer, X: ArrayLike, *, device: str | Device = "cpu"
) -> Float[np.ndarray, "n k"]:
    """The singular values, from large to small, of the Jacobian (m, d) at each row of X, (n, d).

    There are k = min(m, d) of them, in float64: weights may be of any size, and where all singular
    values are larger or smaller than floats go, that is refused, or they are zero.
    device: "cpu" for numpy, where torch is to do it, such as "cuda", or "auto" for a GPU where
        there is one and the products are worth it; in float64 on either.

    >>> jacobian_spectra(DeepNet([[[3.0, 0.0], [0.0, 4.0]]], [[0.0, 0.0]]), [[1.0, 1.0]]).tolist()
    [[4.0, 3.0]]
    """
    net = as_deep(net)
    linear, X = _linear_parts(net), points_for(X, net.widths[0])
    flops = _flops(net, min(len(X), _rows_at_once(net)))
    at = place(device, flops)
    with timed(device, "jacobian_spectra", at, flops) as steps:
        values = _spectra(net, linear, X, at)
        steps.append(-(-len(X) // _rows_at_once(net)))
    with np.errstate(over="ignore"):
        spectra = np.ldexp(values, linear.top)
    if not np.isfinite(spectra).all():
        raise ValueError(
            "net has Jacobians larger than floats go; divide its weights by powers of two first"
        )
    return spectra


def _linear_parts(net: DeepNet) -> Middle:
    """The weights alone, from the middle of the floats: all that Jacobians are made of."""
    biases = [np.zeros_like(bias) for bias in net.biases]
    alone = net.with_layers(net.weights, biases)
    return in_the_middle(alone, np.zeros(net.widths[0], dtype=np.int64))


def _spectra(net: DeepNet, linear: Middle, X: Points, device: str) -> Float[np.ndarray, "n k"]:
    """Singular values of the Jacobians, divided by 2^linear.top."""
    # Which units are active is seen in the middle too, where nothing overflows.
    middle = in_the_middle(net, size_exponents(X))
    X = middle.points(X)
    size = _rows_at_once(net)
    parts = [X[i : i + size] for i in range(0, max(1, len(X)), size)]
    singular_values = _by_numpy if device == "cpu" else partial(_by_torch, device=device)
    return np.concatenate(
        [singular_values(_slopes(middle.net, part), linear.net, len(part)) for part in parts]
    )


def _rows_at_once(net: DeepNet) -> int:
    # Between layers a product has as many rows as the layer has units.
    return max(1, _AT_ONCE // max(1, max(net.widths) * net.widths[0]))


def _flops(net: DeepNet, rows: int) -> float:
    """Operations of the products at so many points, without those of the singular values."""
    return 2.0 * rows * net.widths[0] * sum(into * out for into, out in pairwise(net.widths[1:]))


def _slopes(net: DeepNet, X: Points) -> list[Float[np.ndarray, "n out"]]:
    """What the units of each hidden layer multiply by."""
    return [net.activation.slopes(received) for received in net.preactivations(X)[:-1]]


def _by_numpy(slopes: Sequence[np.ndarray], net: DeepNet, n: int) -> Float[np.ndarray, "n k"]:
    """What `DeepNet.jacobians` does, with the slopes of another network."""
    product = np.broadcast_to(net.weights[0], (n, *net.weights[0].shape))
    for slope, weight in zip(slopes, net.weights[1:], strict=True):
        product = weight @ (slope[:, :, None] * product)
    return np.linalg.svd(product, compute_uv=False)


def _by_torch(
    slopes: Sequence[np.ndarray], net: DeepNet, n: int, device: str
) -> Float[np.ndarray, "n k"]:
    """The same, with the large products elsewhere."""
    import torch

    def there(array: Float[np.ndarray, "..."]) -> Any:
        return torch.tensor(np.array(array), device=device)

    # Evaluating the network is cheap beside its derivative, and the slopes are known here.
    with computing(device, "jacobian_spectra", f"give at most {max(1, n // 2)} points in a call"):
        product = there(net.weights[0]).expand(n, -1, -1)
        for slope, weight in zip(slopes, net.weights[1:], strict=True):
            product = there(weight) @ (there(slope)[:, :, None] * product)
        return torch.linalg.svdvals(product).cpu().numpy()
