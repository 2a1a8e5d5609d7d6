"""Phi_L: what a finite network costs when its one ReLU layer is preceded by linear layers.

Phi_L(W, a)^(L/2) = min over |lambda| = 1 of |D_lambda^(-1) D_a W| in the Schatten quasi-norm with q
= 2/(L-1): equations (11) and (14) of Ongie & Willett (2022), here for every whole L >= 2.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.bounds import Bracket
from repcost.costs.linear_layers.contraction import Contracted, contract
from repcost.costs.linear_layers.row_space import (
    FAINTEST,
    UNIT,
    Floats,
    ScaledRows,
    graded_coordinates,
    independent_directions,
    outward,
    plain_coordinates,
    scaled_rows,
)
from repcost.costs.linear_maps import whole_depth

# Rows further apart than this power of two go to the graded coordinates at once.
_COMPARABLE = 40


def linear_layers_cost(W: ArrayLike, a: ArrayLike, depth: int, *, rtol: float = 1e-10) -> Bracket:
    """The least weight cost of sum_k a_k [<w_k, x> + b_k]_+ with `depth` layers, all but the last
    two linear.

    Phi_L of Ongie & Willett (2022), eqs. (11) and (14): W is (K, d), a is (K,), the cost is (|a|^2
    + sum |W_i|_F^2)/L and biases are free; depth counts all layers, and 2 is sum_k |a_k| |w_k|.
    Arrays (B, K, d) and (B, K) give a Bracket of B costs. It is the cost of the function if no two
    units bend at the same hyperplane.

    Certified for exactly these floats, with a relative gap of at most `rtol` where they allow it.
    They do not where
    rows are dependent up to rounding only: Phi_L then feels rounding as its power 2/L. The lower
    end is the cost with that rounding removed (`attained` says "lower"), and the gap is what it may
    add.

    >>> cost = linear_layers_cost([[1.0, 0.0], [0.0, 1.0]], [8.0, 1.0], 3)
    >>> round(cost.value, 9), cost.relative_gap < 1e-10
    (5.0, True)
    """
    W, a = _weights(W, a)
    depth = whole_depth(depth)
    if not 0 < rtol < 1:
        raise ValueError(f"rtol must be between 0 and 1, not {rtol}; 1e-10 is the default")
    rows = _checked_rows(W, a) if W.ndim == 3 else _checked_rows(W[None], a[None])
    lower, upper, floor = _path_norms(rows) if depth == 2 else _ends(rows, depth, rtol)
    if not np.isfinite(upper).all():
        raise ValueError("the cost is larger than floats go; divide a by a power of two first")
    if W.ndim == 2:
        lower, upper = float(lower[0]), float(upper[0])
    return Bracket(lower, upper, "certified", "lower" if floor else "upper")


def linear_layers_bound(
    W: ArrayLike, a: ArrayLike, depth: int = 3, *, basis: ArrayLike | None = None
) -> float:
    """An upper bound of Phi_L: sum_j (sum_k |a_k| |<w_k, v_j>|)^(2/L).

    Theorem 3.9 of Ongie & Willett (2022), eq. (19b), there for L = 3 and the right singular vectors
    v_j of W, which are the default. `basis` (d, m) holds other orthonormal columns v_j; they must
    span the rows. 1/L, biases free.

    >>> round(linear_layers_bound([[1.0, 0.0], [0.0, 1.0]], [8.0, 1.0], basis=[[1, 0], [0, 1]]), 12)
    5.0
    """
    W, a = _weights(finite_array(W, "W", 2), a)
    depth = whole_depth(depth)
    if basis is None:
        V = np.linalg.svd(W, full_matrices=False)[2][: independent_directions(W)].T
    else:
        V = finite_array(basis, "basis", 2)
        if len(V) != W.shape[1]:
            raise ValueError(
                f"basis has {len(V)} rows, but W has {W.shape[1]} columns; columns of basis are vectors"
            )
        if np.abs(V.T @ V - np.eye(V.shape[1])).max(initial=0.0) > 1e-10:
            raise ValueError("basis is not orthonormal; take the Q of numpy.linalg.qr(basis)")
        if (np.linalg.norm(W - W @ V @ V.T, axis=1) > 1e-10 * np.linalg.norm(W, axis=1)).any():
            raise ValueError("basis does not span the rows of W; add columns to it")
    return float(((np.abs(a) @ np.abs(W @ V)) ** (2 / depth)).sum())


def polar_bound(W: ArrayLike, a: ArrayLike, Q: ArrayLike) -> float:
    """A lower bound of Phi_3 from any matrix Q of W's shape: sum_k |a_k <w_k, q_k>|^(2/3) after
    |Q|_2 is made 1.

    Lemma 3.8 of Ongie & Willett (2022), eq. (18); the best Q is the polar factor of the optimal
    D_lambda^(-1) D_a W.

    >>> round(polar_bound([[1.0, 0.0], [0.0, 1.0]], [8.0, 1.0], [[1, 0], [0, 1]]), 12)
    5.0
    """
    W, a = _weights(finite_array(W, "W", 2), a)
    Q = finite_array(Q, "Q", 2)
    if Q.shape != W.shape:
        raise ValueError(f"Q has shape {Q.shape}, but W has shape {W.shape}; they must agree")
    norm = np.linalg.norm(Q, 2) if Q.size else 0.0
    return float((np.abs(a * (W * Q).sum(1) / norm) ** (2 / 3)).sum()) if norm else 0.0


def optimal_shares(
    W: Float[np.ndarray, "K d"], a: Float[np.ndarray, " K"], depth: int
) -> Float[np.ndarray, " K"]:
    """The lambda_k^2 of (11), which add up to 1, for rows that are not zero: unique, as log g is
    strictly convex.
    """
    rows = _checked_rows(W, a)
    if depth == 2:
        exponents = rows.exponents - rows.top
        c = np.ldexp(rows.factors * np.linalg.norm(rows.directions, axis=-1), exponents)
    else:
        rows = replace(rows, exponents=np.maximum(rows.exponents, rows.top + FAINTEST))
        c = contract(graded_coordinates(rows), rows.alive, depth, 1e-14, graded=True).c
    return c / c.sum()


def _weights(
    W: ArrayLike, a: ArrayLike
) -> tuple[Float[np.ndarray, "*batch K d"], Float[np.ndarray, "*batch K"]]:
    axes = 3 if np.ndim(W) == 3 else 2
    W, a = finite_array(W, "W", axes), finite_array(a, "a", axes - 1)
    if a.shape != W.shape[:-1]:
        raise ValueError(
            f"a has shape {a.shape}, but W has shape {W.shape}; a needs one entry per row of W"
        )
    return W, a


def _checked_rows(W: Floats, a: Floats) -> ScaledRows:
    rows = scaled_rows(W, a)
    if ((np.abs(rows.directions) < 2.0**-1000) & (W != 0)).any():
        raise ValueError(
            "entries within one row of W differ by more than 2^1000; replace the small ones by zero"
        )
    return rows


def _path_norms(rows: ScaledRows) -> tuple[Floats, Floats, bool]:
    """Depth 2, eq. (13): sums of d squares, a root, a product, a sum of K, each rounded; faint rows
    may underflow.
    """
    K, d = rows.directions.shape[-2:]
    shift = np.maximum(rows.exponents - rows.top[..., None], -1000)
    lengths = rows.factors * np.linalg.norm(rows.directions, axis=-1)
    value = np.where(rows.alive, np.ldexp(lengths, shift), 0.0).sum(-1)
    allowance = UNIT * (d + K + 20)
    lower, upper = value * (1 - allowance) - K * 2.0**-990 * (value > 0), value * (1 + allowance)
    return *outward(lower, upper, rows.top, 2), False


def _ends(rows: ScaledRows, depth: int, rtol: float) -> tuple[Floats, Floats, bool]:
    """Problem by problem the plain coordinates if they are good enough, or else the better of both."""
    lower, upper = np.zeros(len(rows.top)), np.full(len(rows.top), np.inf)
    empty = ~rows.alive.any(-1)
    upper[empty] = 0.0
    lowest = np.where(rows.alive, rows.exponents, 100_000).min(-1, initial=100_000)
    easy = np.flatnonzero(~empty & (rows.top - lowest < _COMPARABLE))
    if len(easy):
        part = rows if len(easy) == len(lower) else rows.part(easy)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = contract(plain_coordinates(part), part.alive, depth, rtol, graded=False)
        lower[easy], upper[easy] = found.lower, found.upper
    floor = False
    hard = np.flatnonzero((upper - lower > rtol * upper) | np.isinf(upper))
    for i in hard:
        found, proven = _graded(rows.part(i), depth, rtol)
        better = found.lower > lower[i] or found.upper < upper[i]
        lower[i], upper[i] = max(lower[i], found.lower), min(upper[i], found.upper)
        floor |= better and not proven
    return *outward(lower, upper, rows.top, depth), floor


def _graded(rows: ScaledRows, depth: int, rtol: float) -> tuple[Contracted, bool]:
    # Rows this faint add less than rtol/8 together; without them the rest is easier.
    faintest = max(FAINTEST, depth / 2 * np.log2(rtol / (8 * len(rows.alive))))
    kept = rows.alive & (rows.exponents - rows.top >= faintest)
    space = graded_coordinates(rows.part(kept))
    found = contract(space, np.ones(int(kept.sum()), dtype=bool), depth, rtol, graded=True)
    # Networks side by side cost the sum of their costs, so a faint row adds |m_k|^(2/L) at most,
    # and takes nothing.
    faint = rows.alive & ~kept
    lengths = np.log2(rows.factors[faint]) + np.log2(
        np.linalg.norm(rows.directions[faint], axis=-1)
    )
    added = 1.01 * float(np.exp2((lengths + rows.exponents[faint] - rows.top) * 2 / depth).sum())
    return Contracted(found.lower, found.upper + added, found.c), space.divides
