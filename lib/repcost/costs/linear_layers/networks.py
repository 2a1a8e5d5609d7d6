"""Weights that attain Phi_L: what shows that its upper end is not only a number."""

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike
from repcost.costs.linear_layers.contraction import careful_basis, fixed_point
from repcost.costs.linear_layers.coordinates import FAINTEST, graded_coordinates
from repcost.costs.linear_layers.directions import independent_directions
from repcost.costs.linear_layers.phi import optimal_shares
from repcost.costs.linear_layers.scaled_rows import ScaledRows
from repcost.deep_networks import DeepNet, as_two_layer
from repcost.networks import TwoLayer
from repcost.scalars import whole_depth
from repcost.scales import lengths

# Rows within so many powers of two do each other no harm; nor do those of nearly this size.
_COMPARABLE, _MODERATE = 10, 400


@dataclass(frozen=True, eq=False)
class LinearLayersNetwork:
    """x -> a^T [W_(L-1) ... W_1 x + b]_+ + c, equation (3) of Ongie & Willett (2022).

    Points are rows. matrices: W_1 (r, d), ..., W_(L-1) (K, r); a: (K,); b: (K,); c: output bias.
    """

    matrices: tuple[Float[np.ndarray, "_ _"], ...]
    a: Float[np.ndarray, " K"]
    b: Float[np.ndarray, " K"]
    c: float

    @property
    def depth(self) -> int:
        return len(self.matrices) + 1

    def collapsed(self) -> TwoLayer:
        """The same function with the product of the matrices as its only inner layer."""
        # Products may leave the floats where their factors do not; TwoLayer refuses those.
        with np.errstate(over="ignore", invalid="ignore"):
            product = reduce(lambda below, W: W @ below, self.matrices)
        return TwoLayer(product, self.a, self.b, self.c)

    def __call__(self, X: ArrayLike) -> Float[np.ndarray, " n"]:
        """Values at the rows of X, (n, d)."""
        return self.collapsed()(X)

    @property
    def weight_cost(self) -> float:
        """C_L = (|a|^2 + sum_i |W_i|_F^2) / L, biases free: equation (4)."""
        with np.errstate(over="ignore"):  # infinite beyond the range of floats
            # Each layer's share, as the sum of all may be no float where C_L is one.
            shares = (np.sum(each**2) / self.depth for each in (self.a, *self.matrices))
            return float(sum(shares))


def linear_layers_network(net: TwoLayer | DeepNet, depth: int) -> LinearLayersNetwork:
    """The cheapest network with the units of `net` and `depth` layers, all but two of them linear.

    Lemma 3.2 of Ongie & Willett (2022): with D_lambda^(-1) D_a W = U S V^T at the optimal
    lambda, the matrices are S^(1/(L-1)) V^T, S^(1/(L-1)), ..., U S^(1/(L-1)), balanced by one
    factor; weight_cost = Phi_L, 1/L, biases free. In floats, without a certificate: each unit is
    as it was up to rounding of its own size, and the cost is nearly the least where units differ by
    less than 10^100 or so in size, and their directions, if at all, before the eighth digit.
    Refused where biases leave the range of floats, and beyond 10^6 layers.

    >>> net = linear_layers_network(TwoLayer([[1.0, 0.0], [0.0, 1.0]], [8.0, -1.0], [0.0, 0.0]), 3)
    >>> round(net.weight_cost, 10), [W.shape for W in net.matrices]
    (5.0, [(2, 2), (2, 2)])
    """
    net = as_two_layer(net)
    depth = whole_depth(depth, built=True)
    # Units that are zero or constant cost nothing; rescaling changes neither f nor Phi_L.
    net = _balanced(net)
    if net.width == 0:
        sizes = [(0, net.dimension), *[(0, 0)] * (depth - 2)]
        return LinearLayersNetwork(tuple(np.zeros(size) for size in sizes), net.a, net.b, net.c)
    rows = ScaledRows.checked(net.W, net.a)
    moderate = abs(rows.top) <= _MODERATE
    if depth == 2 and not (moderate and rows.spread <= _MODERATE):
        return LinearLayersNetwork((net.W,), net.a, net.b, net.c)
    if depth > 2 and not (moderate and rows.spread <= _COMPARABLE):
        return _of_rows_far_apart(net, rows, depth)
    shares = np.sqrt(optimal_shares(net, depth))
    gain = np.abs(net.a) / shares
    matrices, balance = _factors(net.W, gain, depth)
    # The signs of a go to the last layer, its sizes into the gain.
    a, b = np.sign(net.a) * shares * balance, gain * net.b / balance
    return LinearLayersNetwork(matrices, a, b, net.c)


def _balanced(net: TwoLayer) -> TwoLayer:
    """`net.balanced()` to the last bit, with all squares and quotients taken near 1."""
    alive = (net.a != 0) & net.W.any(1)
    (m, e), W = np.frexp(net.a[alive]), net.W[alive]
    size = np.frexp(np.abs(W).max(1, initial=0.0))[1]
    W = np.ldexp(W, -size[:, None])
    half, odd = np.divmod(e - size, 2)
    scale = np.sqrt(np.ldexp(np.abs(m), odd) / np.linalg.norm(W, axis=1))
    with np.errstate(over="ignore"):
        b = np.ldexp(scale * net.b[alive], half)
        constant = ~net.W.any(1)
        c = net.c + float(net.a[constant] @ np.maximum(net.b[constant], 0.0))
    if not (np.isfinite(b).all() and np.isfinite(c)):
        raise ValueError("net has biases that would leave the range of floats; divide its b or a")
    W, a = np.ldexp(scale[:, None] * W, (size + half)[:, None]), np.ldexp(m / scale, e - half)
    return TwoLayer(W, a, b, c)


def _of_rows_far_apart(net: TwoLayer, rows: ScaledRows, depth: int) -> LinearLayersNetwork:
    """The same network, where large rows would spill their rounding into the small ones."""
    # Fainter rows get shares and directions as if they were this large, but stay what they are.
    seen = replace(rows, exponents=np.maximum(rows.exponents, rows.top + FAINTEST))
    space = graded_coordinates(seen)
    c = fixed_point(space, rows.alive, depth, 1e-14, graded=True).c
    Y = space.Y / np.sqrt(c)[:, None]
    found = careful_basis(Y)
    # Sizes further apart than any float may leave small rows with another one's rounding. Along the
    # directions that were found they are what they are, if not at the least cost.
    right = lengths(found.Z @ found.V.T - Y) <= 1e-9 * lengths(Y)
    Z = np.where(right[:, None], found.Z, Y @ found.V)
    sizes, total = np.sqrt(found.sizes), c.sum()
    root = (sizes * np.sqrt(total)) ** (1 / (depth - 1))
    balance = np.linalg.norm(root) ** ((depth - 1) / depth)
    # Each of the layers has its share of the largest row, 2^top.
    scale = 2.0 ** (int(rows.top) / depth)
    root, balance = root * balance ** (-1 / (depth - 1)) * scale, balance * scale
    U = np.ldexp(Z / sizes, (rows.exponents - seen.exponents)[:, None])
    first = root[:, None] * (space.basis @ found.V).T
    matrices = (first, *[np.diag(root)] * (depth - 3), U * root)
    shares = np.sqrt(c / total)
    return LinearLayersNetwork(
        matrices, np.sign(net.a) * shares * balance, np.abs(net.a) / shares / balance * net.b, net.c
    )


def _factors(
    W: Float[np.ndarray, "K d"], gain: Float[np.ndarray, " K"], depth: int
) -> tuple[tuple[Float[np.ndarray, "_ _"], ...], float]:
    """depth - 1 matrices with the product gain W / balance, and the balance.

    It makes |a|^2 = |W_i|_F^2 for every i, which is what the arithmetic-geometric mean asks for.
    """
    U, s, Vt = np.linalg.svd(gain[:, None] * W, full_matrices=False)
    # Singular values that are rounding would come back as roots that are not small.
    r = independent_directions(W)
    root = s[:r] ** (1 / (depth - 1))
    balance = np.linalg.norm(root) ** ((depth - 1) / depth)
    if depth == 2:
        return (gain[:, None] * W / balance,), float(balance)
    root = root * balance ** (-1 / (depth - 1))
    # Only r directions pass from layer to layer, each multiplied by the same number in all.
    inner = [np.diag(root)] * (depth - 3)
    return (root[:, None] * Vt[:r], *inner, U[:, :r] * root), float(balance)
