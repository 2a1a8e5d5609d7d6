"""Phi_L by a contraction, and a certificate that holds at every step of it.

Where singular values enter, float64 carries a proof: a basis V is found by any means, and then it
is measured how far the columns of X V are from orthogonal, relative to their own lengths. What
follows holds whatever V was.

  1. If X V = B D^(1/2) with |B^T B - 1| <= eta < 1, each squared singular value of X V is one of D
     times a number in [1 - eta, 1 + eta] (Ostrowski), and (X V)^T (X V) lies between (1 -+ eta) D.
     x^p with 0 < p < 1 is operator monotone, so the same holds for m^T G^(-p) m: a small relative
     error, for any condition number.
  2. If |V^T V - 1| <= nu, then X V and X have the same singular values up to factors sqrt(1 +- nu).
  3. If X has as many independent directions as X V has columns, X = (X V) T with T = V^T + (X V)^+
     (X - X V V^T), so what V misses acts as a factor |T|. If that is not known, it adds |X - X V
     V^T|_q^q (q <= 1: Rotfel'd).
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.linalg import get_lapack_funcs

from repcost.costs.linear_layers.row_space import TINY, Coordinates, Each, Floats, straightened
from repcost.rounding import UNIT, gamma

Alive = Bool[np.ndarray, "*batch K"]

# Beyond this defect the bounds above are not used.
_LARGEST_DEFECT = 0.05
# kappa < 1/2 shrinks any starting error below the last bit of a float well before this.
_MOST_STEPS = 120

(_jacobi,) = get_lapack_funcs(("gejsv",), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Frame:
    """Z = X V with columns of squared lengths `sizes`, orthogonal up to the relative defect; |Z -
    exact| <= error.
    """

    Z: Float[np.ndarray, "*batch K r"]
    error: Float[np.ndarray, "*batch K r"]
    sizes: Float[np.ndarray, "*batch r"]
    defect: Each
    turn: Each

    @property
    def sound(self) -> Bool[np.ndarray, "*batch"] | bool | np.bool:
        return self.defect + self.turn < _LARGEST_DEFECT


def frame(X: Floats, error: Floats, V: Floats, graded: bool) -> Frame:
    """Measured, not assumed: every bound below is computed from these floats (1.01 covers the
    rounding of bounds).
    """
    K, r = X.shape[-2:]
    Z = X @ V
    error = 1.01 * ((gamma(r) * np.abs(X) + error) @ np.abs(V)) + TINY
    sheared = 0.0
    if graded:
        Z, error, sheared = straightened(Z, error, _overlap, [*range(r - 1)] * 2)
    sizes = np.einsum("...kr,...kr->...r", Z, Z)
    lengths = np.sqrt(np.where(sizes > 0, sizes, 1.0))
    B = Z / lengths[..., None, :]
    spill = np.linalg.norm(error / lengths[..., None, :], axis=(-2, -1))
    one = np.eye(r)
    # Entries of B^T B are sums of K products of unit columns.
    defect = (
        np.linalg.norm(np.swapaxes(B, -1, -2) @ B - one, axis=(-2, -1)) + 1.1 * gamma(K + 6) * r
    )
    defect = 1.01 * (defect + 2.1 * spill + spill**2)
    turn = (
        1.01 * np.linalg.norm(np.swapaxes(V, -1, -2) @ V - one, axis=(-2, -1))
        + 1.1 * gamma(r + 1) * r
    )
    turn = turn + (1 + turn) * sheared
    return Frame(Z, error, sizes, np.where((sizes > 0).all(-1), defect, np.inf), turn)


def _overlap(Z: Float[np.ndarray, "K r"], i: int) -> Float[np.ndarray, " rest"]:
    """What takes column i out of the columns after it, as Gram and Schmidt do."""
    size = Z[:, i] @ Z[:, i]
    return -(Z[:, i] @ Z[:, i + 1 :]) / size if size > 0 else np.zeros(Z.shape[1] - i - 1)


def power_sum(space: Coordinates, seen: Frame, c: Floats, power: float) -> tuple[Each, Each, Each]:
    """sum s_k^(2 power) over the singular values of D_c^(-1/2) M: value, and factors (below, above)
    of its bounds.

    Without the rounding of the sum itself, which `rounding` bounds. 0 < power <= 1/2.
    """
    value = (np.where(seen.sizes > 0, seen.sizes, 1.0) ** power).sum(-1)
    slack = 1.1 * power * (seen.defect + seen.turn + space.stretch)
    below, above = np.exp(-slack), np.exp(slack)
    if space.residual is None:
        return value, below, above
    missed = 1.01 * space.residual / np.sqrt(c)
    if not space.divides:
        K = missed.shape[-1]
        return value, below, above + 1.01 * K ** (1 - power) * (missed**2).sum(-1) ** power / value
    lengths = np.sqrt(np.where(seen.sizes > 0, seen.sizes, 1.0))
    spilled = ((np.abs(seen.Z) + seen.error) * missed[..., None]).sum(-2) / lengths
    # (X V)^+ = D^(-1/2) (1 + F)^(-1) B^T with |F| <= defect.
    factor = np.linalg.norm(spilled / lengths, axis=-1)
    factor = factor + 1.1 * seen.defect * np.linalg.norm(spilled, axis=-1) / lengths.min(-1)
    return value, below, above * (1 + 1.1 * factor) ** (2 * power)


def rounding(seen: Frame, terms: int, *logarithms: Each) -> Each:
    """Relative error of sums of powers: one unit a term, 4 a power, and |log x| for a rounded
    exponent of x.
    """
    size = np.abs(np.log(np.where(seen.sizes > 0, seen.sizes, 1.0))).max(-1)
    return UNIT * (terms + seen.sizes.shape[-1] + 60 + size + sum(np.abs(x) for x in logarithms))


@dataclass(frozen=True, eq=False)
class Contracted:
    """Phi_L of the scaled rows: `lower <= Phi_L <= upper`, and the fixed point c (lambda_k^2 = c_k
    / sum c).
    """

    lower: Each
    upper: Each
    c: Float[np.ndarray, "*batch K"]


def contract(space: Coordinates, alive: Alive, depth: int, rtol: float, graded: bool) -> Contracted:
    """c -> sqrt(m_k^T G^(-alpha) m_k), G = sum_k m_k m_k^T / c_k, alpha = (L-2)/(L-1), from c_k =
    |m_k|.

    log c moves by a factor kappa = alpha / 2 < 1/2 nearer to the fixed point in each step, in sup
    and in Hilbert's metric (x^alpha is operator monotone), whatever the condition number.
    """
    alpha = (depth - 2) / (depth - 1)
    c = np.where(alive, np.linalg.norm(space.Y, axis=-1), 1.0)
    c = np.where(c > 0, c, 1.0)
    # Where c'/c oscillates by s, the gap of the certificate below is at most s^2 / (L (1 - kappa)),
    # nearly.
    limit = 1 + np.sqrt(rtol * depth * (1 - alpha / 2) / 4)
    step = 0
    while True:
        sizes, V, Z = (_careful_basis if graded else _basis)(space.Y / np.sqrt(c)[..., None])
        image = np.sqrt(c * ((Z * Z) @ (sizes**-alpha)[..., None])[..., 0])
        image = np.where(alive & (image > 0), image, 1.0)
        ratio = image / c
        moving = ratio.max(-1) > limit * ratio.min(-1)
        # Problems with a nearly singular G are left to the graded coordinates.
        if not graded:
            moving &= sizes.min(-1) > 1e-11 * sizes.max(-1)
        if step == _MOST_STEPS or not moving.any():
            return _certified(space, alive, c, V, depth, graded)
        c, step = image, step + 1


def _certified(
    space: Coordinates, alive: Alive, c: Floats, V: Floats, depth: int, graded: bool
) -> Contracted:
    """Both ends at this c, which is any positive vector: nothing about convergence is assumed.

    g(t) = log |diag(e^t) M|_q + 1/2 log sum e^(-2t) is convex (t = -1/2 log c), min g = log
    Phi_L^(L/2), its gradient is the share of c'^2/c minus the share of c, and the exact minimiser
    is a Banach distance away.
    """
    alpha = (depth - 2) / (depth - 1)
    X = space.Y / np.sqrt(c)[..., None]
    seen = frame(X, 2.1 * UNIT * np.abs(X) + 1.01 * space.error / np.sqrt(c)[..., None], V, graded)
    value, below, above = power_sum(space, seen, c, 1 / (depth - 1))
    mass = (c * alive).sum(-1)
    cost = value ** ((depth - 1) / depth) * mass ** (1 / depth)
    weights = np.where(seen.sizes > 0, seen.sizes, 1.0) ** -alpha
    image = np.einsum("...kr,...r->...k", seen.Z**2, weights)
    # c' of the exact rows differs by at most this relative amount.
    blur = np.sqrt(
        np.einsum("...kr,...r->...k", seen.error**2, weights)
        / np.where(alive & (image > 0), image, 1.0)
    )
    blur = 1.1 * (seen.defect + np.where(alive, blur, 0.0).max(-1, initial=0.0)) + rounding(
        seen, c.shape[-1]
    )
    decrease = _decrease(c, np.sqrt(image * c), alive, alpha, blur)
    allowance = rounding(seen, c.shape[-1], np.log(value), np.log(mass))
    lower = cost * (below ** ((depth - 1) / depth) * np.exp(-2 / depth * decrease) - allowance)
    upper = cost * (above ** ((depth - 1) / depth) + 1.01 * allowance * above)
    sound = seen.sound & (blur < _LARGEST_DEFECT)
    return Contracted(
        np.where(sound, np.maximum(lower, 0.0), 0.0), np.where(sound, upper, np.inf), c
    )


def _decrease(c: Floats, image: Floats, alive: Alive, alpha: float, blur: Each) -> Each:
    """How much lower than g(t) the minimum of g can be, if `image` is c' up to a relative error
    `blur` (< 0.05).
    """
    share = np.where(alive, image**2 / c, 0.0)
    share = share / share.sum(-1, keepdims=True)
    held = np.where(alive, c, 0.0)
    held = held / held.sum(-1, keepdims=True)
    ratio = np.where(alive, image / c, np.nan) if not alive.all() else image / c
    spread = np.log(np.fmax.reduce(ratio, axis=-1) / np.fmin.reduce(ratio, axis=-1)) + 2.2 * blur
    # The parts of the gradient sum to 0, so only the oscillation of the way to the minimum counts:
    # 1/2 * 1/2.
    return (np.abs(share - held).sum(-1) + 5 * blur) * spread / (4 * (1 - alpha / 2))


def _basis(X: Floats) -> tuple[Floats, Floats, Floats]:
    """Squared singular values, right singular vectors V, and X V."""
    sizes, V = np.linalg.eigh(np.swapaxes(X, -1, -2) @ X)
    return np.maximum(sizes, 1e-15 * sizes[..., -1:]), V, X @ V


def _careful_basis(X: Floats) -> tuple[Floats, Floats, Floats]:
    """The same by preconditioned Jacobi rotations (Drmac & Veselic 2008): small singular values
    keep their digits.
    """
    _, _, V, _, _, failed = _jacobi(X, joba=2, jobu=3, jobv=0, jobr=0, jobt=0, jobp=0)
    V = _basis(X)[1][:, ::-1] if failed else V
    Z, _, _ = straightened(X @ V, np.zeros_like(X), _overlap, range(X.shape[1] - 1))
    return np.maximum(np.einsum("kr,kr->r", Z, Z), 1e-300), V, Z
