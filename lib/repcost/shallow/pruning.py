"""Fewer neurons, the same outputs, no more cost: what a convex program over all widths cannot tell
apart.
"""

import contextlib

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import linprog, nnls

from repcost.arrays import ArrayLike, finite_array
from repcost.deep_networks import DeepNet

Atoms = Float[np.ndarray, "k r"]
Outer = Float[np.ndarray, "k m"]
# Another number of neurons than there was.
Other = tuple[Float[np.ndarray, "other r"], Float[np.ndarray, "other m"]]
Weights = Float[np.ndarray, " k"]


def prune(net: DeepNet, X: ArrayLike, *, bias: float = 1.0) -> DeepNet:
    """A network with the same outputs at the rows of X (N, d), and at most N m neurons in its last
    hidden layer.

    Caratheodory's theorem as in Proposition 7 of Jacot et al. (2022), with N m in place of N (N +
    1) for the last hidden layer of m outputs. Neurons that differ by a positive factor, or are
    active at the same points with outer weights that do, become one; a basic solution of a linear
    programme does the rest. The sum of squares of all weights (those of biases being the biases
    over `bias`) does not rise, and the layer comes out balanced. Outputs agree up to rounding;
    where float64 is too coarse for that, neurons are merged only. Off X the function changes.

    >>> net = DeepNet([[[1.0], [2.0], [1.0]], [[1.0, 1.0, 0.5]]], [[0.0, 0.0, 0.5], [0.0]])
    >>> small = prune(net, [[1.0], [3.0]])
    >>> small.widths, small([[1.0], [3.0]]).round(9).tolist(), bool(small.squared_norm < net.squared_norm)
    ((1, 1, 1), [[3.75], [10.75]], True)
    """
    if net.depth < 2:
        raise ValueError("net has no hidden layer; there is nothing to prune")
    if bias < 0 or (bias == 0 and net.biases[-2].any()):
        raise ValueError(
            f"bias is {bias}, but net has hidden biases; give the beta > 0 that multiplies them"
        )
    weights, biases = net.weights[-2], net.biases[-2]
    incoming = np.column_stack([weights, biases / bias if bias else 0 * biases])
    received = net.preactivations(X)
    inputs = net.activation(received[-3]) if net.depth > 2 else finite_array(X, "X", 2)
    inputs = np.column_stack([inputs, np.full(len(inputs), bias)])
    W, A = merged(inputs, *unit_atoms(incoming, net.weights[-1].T))
    size = np.linalg.norm(A, axis=1)
    columns = net.activation(inputs @ W.T)[:, None, :] * (A / size[:, None]).T
    kept = basic_weights(columns.reshape(len(inputs) * A.shape[1], len(W)), size)
    W, A = W[kept > 0], (A * (kept / size)[:, None])[kept > 0]
    root = np.sqrt(np.linalg.norm(A, axis=1))[:, None]
    W, A = W * root, A / root
    return DeepNet(
        [*net.weights[:-2], W[:, :-1], A.T],
        [*net.biases[:-2], bias * W[:, -1], net.biases[-1]],
        net.negative_slope,
    )


def unit_atoms(W: Atoms, A: Outer) -> Other:
    """The neurons that do something, their incoming weights at length one."""
    size = np.linalg.norm(W, axis=1)[:, None]
    alive = (size[:, 0] > 0) & A.any(axis=1)
    return W[alive] / size[alive], A[alive] * size[alive]


def merged(inputs: Float[np.ndarray, "N r"], W: Atoms, A: Outer) -> Other:
    """Neurons of equal direction as one, then those active at the same points with outer weights of
    equal direction.
    """
    first, group = _groups(W)
    W, A = unit_atoms(W[first], _sums(A, group))
    size = np.linalg.norm(A, axis=1)[:, None]
    active = (W @ inputs.T > 0).astype(float)
    first, group = _groups(np.column_stack([active, A / size]))
    return unit_atoms(_sums(size * W, group), (A / size)[first])


def basic_weights(columns: Float[np.ndarray, "p k"], weights: Weights) -> Weights:
    """Non-negative weights with the same weighted sum of the columns, no greater total, and at most
    p positive ones.

    The given weights, where rounding gets in the way.
    """
    target, scale = columns @ weights, np.abs(columns).max(initial=0.0)
    if not scale or not len(weights):
        return 0 * weights
    total = weights.sum()
    most = np.abs(columns) @ weights

    def is_as_good(other: Weights) -> bool:
        same = (np.abs(columns @ other - target) <= 1e-12 * most.max()).all()
        return bool(same and other.sum() <= total * (1 + 1e-13))

    found = linprog(
        np.ones(len(weights)),
        A_eq=columns / scale,
        b_eq=target / (scale * total),
        method="highs-ds",
    ).x
    if found is not None:
        basis = np.flatnonzero(found > 1e-12)
        kept = np.zeros(len(weights))
        # The programme is solved to nine digits; on its basis the equations are solved to all.
        with contextlib.suppress(RuntimeError):  # too many iterations
            kept[basis] = total * nnls(columns[:, basis] / scale, target / (scale * total))[0]
        if is_as_good(kept):
            return kept
    kept = _stepped(columns, weights)
    return kept if is_as_good(kept) else weights


def _stepped(columns: Float[np.ndarray, "p k"], weights: Weights) -> Weights:
    """The proof of Caratheodory's theorem: along a dependence of the columns, not uphill, until a
    weight is zero.

    Slower than the programme, but its error is rounding, not the tolerance of the programme.
    """
    weights, p = np.array(weights), len(columns)
    while len(some := np.flatnonzero(weights)[: p + 1]) > p:
        direction = np.linalg.qr(columns[:, some].T, mode="complete")[0][:, -1]
        direction *= -np.copysign(1.0, direction.sum())
        with np.errstate(divide="ignore"):
            steps = np.where(direction < 0, weights[some] / np.abs(direction), np.inf)
        weights[some] = np.maximum(weights[some] + steps.min() * direction, 0.0)
        weights[some[steps.argmin()]] = 0.0
    return weights


def _groups(rows: Float[np.ndarray, "k c"]) -> tuple[Int[np.ndarray, " g"], Int[np.ndarray, " k"]]:
    """The first member of each group of rows that agree to eleven digits, and the group of each
    row.
    """
    _, first, group = np.unique(
        rows.round(11) + 0.0, axis=0, return_index=True, return_inverse=True
    )
    return first, group.reshape(-1)


def _sums(rows: Float[np.ndarray, "k c"], group: Int[np.ndarray, " k"]) -> Float[np.ndarray, "g c"]:
    sums = np.zeros((group.max(initial=-1) + 1, rows.shape[1]))
    np.add.at(sums, group, rows)
    return sums
