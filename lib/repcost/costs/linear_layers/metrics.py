"""Phi_L as a path norm after the best linear map of the inputs.

**What is computed.** For rows m_k = a_k w_k and positive T of trace one on their span let |m|_T be
the length of T^(-(L-2)/2) m. Then Phi_L^(L/2) is the least sum of the |m_k|_T. With
X = D_lambda^(-1) M at the best scales, the best T is (X^T X)^(1/(L-1)) divided by its trace: for it
Hoelder's inequality |X|_q <= |X T^(-(L-2)/2)|_F (tr T)^((L-2)/2) is an equality. Floats, without a
certificate.
"""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.costs.linear_layers.arguments import takes_network
from repcost.costs.linear_layers.phi import optimal_shares
from repcost.deep_networks import DeepNet, as_two_layer
from repcost.networks import TwoLayer
from repcost.scalars import whole_depth

# Eigenvalues below this part of the largest are taken for rounding of zero.
_ROUNDING = 1e-13

Metric = Float[np.ndarray, "d d"]


@takes_network("best_metric(TwoLayer(W, a), depth)")
def best_metric(net: TwoLayer | DeepNet, depth: int) -> Metric:
    """The positive matrix of trace one, on the span of the rows, whose path norm is Phi_L^(L/2).

    The book's addition to Lemma 3.4 of Ongie & Willett (2022). Directions in which it is large are
    cheap for all units; with two layers nothing depends on it. Every unit needs weights.

    >>> net = TwoLayer([[1.0, 0.0], [0.0, 1.0]], [8.0, 1.0])
    >>> best_metric(net, 3).round(6).tolist()  # 8^(2/3) to 1, divided by 5
    [[0.8, 0.0], [0.0, 0.2]]
    """
    net, depth = as_two_layer(net), whole_depth(depth)
    if not net.width or not (net.a[:, None] * net.W).any(axis=1).all():
        raise ValueError(
            "net has units without weights, or none at all; remove those that are zero"
        )
    scales = np.sqrt(optimal_shares(net, depth))
    _, s, Vt = np.linalg.svd((net.a / scales)[:, None] * net.W, full_matrices=False)
    powers = np.where(s > _ROUNDING * s[0], s, 0.0) ** (2 / (depth - 1))
    return Vt.T @ np.diag(powers / powers.sum()) @ Vt


def metric_lengths(rows: ArrayLike, T: ArrayLike, depth: int) -> Float[np.ndarray, " K"]:
    """|T^(-(L-2)/2) m_k| for the rows m_k, (K, d): infinite off the span of T, (d, d).

    >>> metric_lengths([[8.0, 0.0], [0.0, 1.0]], [[0.8, 0.0], [0.0, 0.2]], 3).round(6).tolist()
    [8.944272, 2.236068]
    """
    rows, T, depth = finite_array(rows, "rows", 2), finite_array(T, "T", 2), whole_depth(depth)
    if T.shape != (rows.shape[1],) * 2 or not np.allclose(T, T.T):
        raise ValueError(
            f"T must be symmetric with {rows.shape[1]} rows, as many as rows has columns"
        )
    sizes, V = np.linalg.eigh(T)
    kept = sizes > _ROUNDING * sizes[-1]
    inside = rows @ V[:, kept]
    missed = np.linalg.norm(rows - inside @ V[:, kept].T, axis=1)
    lengths = np.linalg.norm(inside * sizes[kept] ** (-(depth - 2) / 2), axis=1)
    off_the_span = missed > np.sqrt(_ROUNDING) * np.linalg.norm(rows, axis=1)
    return np.where(off_the_span, np.inf, lengths)
