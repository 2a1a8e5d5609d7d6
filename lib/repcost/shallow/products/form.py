"""The quadratic form lambda |w|^2 - |V^T s|^2 - y^T P y in s and w: y = (s, t), t = s - Z w.

Written out, with the blocks A, B, B^T, D of P, it is that of the matrix

    M  =  [ -(V V^T + A + B + B^T + D)     (B + D) Z            ]
          [ Z^T (B^T + D)                  lambda I - Z^T D Z   ].
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Points = Float[np.ndarray, "N r"]
Block = Float[np.ndarray, "N N"]
Square = Float[np.ndarray, "rows rows"]
Pairs = Float[np.ndarray, "pairs pairs"]


@dataclass(frozen=True, eq=False)
class Prices:
    """P by its blocks: of the products s s^T, s t^T and t t^T."""

    A: Block
    B: Block
    D: Block

    @classmethod
    def of(cls, P: Pairs) -> "Prices":
        N = len(P) // 2
        return cls(P[:N, :N], P[:N, N:], P[N:, N:])


def form(Z: Points, squares: Block, prices: Prices) -> Square:
    """M without its lambda I; `squares` is V V^T.

    >>> one = np.eye(1)
    >>> form(2 * one, one, Prices(0 * one, -3 * one, one)).tolist()
    [[4.0, -4.0], [-4.0, -4.0]]
    """
    products = prices.D @ Z
    corner = -(squares + prices.A + prices.B + prices.B.T + prices.D)
    side = prices.B @ Z + products
    return np.block([[corner, side], [side.T, -Z.T @ products]])


def of_pairs(Z: Points, inverse: Square) -> Pairs:
    """J M^-1 J^T for y = J (s, w): by how much log det M falls with each entry of P."""
    N = len(Z)
    ss, sw, ww = inverse[:N, :N], inverse[:N, N:], inverse[N:, N:]
    across = sw @ Z.T
    st = ss - across
    tt = st - across.T + Z @ ww @ Z.T
    return np.block([[ss, st], [st.T, tt]])


def least_lambda(Z: Points, squares: Block, prices: Prices) -> float:
    """The least lambda for these prices, but for rounding; infinite where there is none."""
    N, M = len(Z), form(Z, squares, prices)
    corner, side, rest = M[:N, :N], M[:N, N:], M[N:, N:]
    try:
        lower = np.linalg.cholesky(corner)
    except np.linalg.LinAlgError:
        return np.inf
    half = np.linalg.solve(lower, side)
    return float(np.linalg.eigvalsh(half.T @ half - rest)[-1])
