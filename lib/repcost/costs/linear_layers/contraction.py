"""The fixed point of c -> sqrt(m_k^T G^(-alpha) m_k), by repetition.

Nothing that is found here is believed: `certificate` proves both ends at whatever c comes out.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.linalg import get_lapack_funcs

from repcost.costs.linear_layers.coordinates import Coordinates
from repcost.costs.linear_layers.orthogonality import overlap, straightened
from repcost.costs.linear_layers.scaled_rows import Alive, Floats

# kappa < 1/2 shrinks any starting error below the last bit of a float well before this.
_MOST_STEPS = 120
# Below this ratio of squared singular values, the plain coordinates lose them to rounding.
_NEARLY_SINGULAR = 1e-11

(_jacobi,) = get_lapack_funcs(("gejsv",), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """c as far as it came (lambda_k^2 = c_k / sum c), and V, the right singular vectors there."""

    c: Float[np.ndarray, "*batch K"]
    V: Float[np.ndarray, "*batch r r"]


@dataclass(frozen=True, eq=False)
class SingularBasis:
    """Squared singular values of some X, its right singular vectors V, and Z = X V."""

    sizes: Float[np.ndarray, "*batch r"]
    V: Float[np.ndarray, "*batch r r"]
    Z: Float[np.ndarray, "*batch K r"]


def fixed_point(
    space: Coordinates, alive: Alive, depth: int, rtol: float, graded: bool
) -> FixedPoint:
    """From c_k = |m_k|, until the certificate is narrower than rtol."""
    alpha = (depth - 2) / (depth - 1)
    basis_of = careful_basis if graded else _basis
    # Where c'/c oscillates by s, the gap of the certificate is at most s^2 / (L (1 - kappa)),
    # nearly.
    limit = 1 + np.sqrt(rtol * depth * (1 - alpha / 2) / 4)
    c = np.where(alive, np.linalg.norm(space.Y, axis=-1), 1.0)
    c = np.where(c > 0, c, 1.0)
    step = 0
    while True:
        found = basis_of(space.Y / np.sqrt(c)[..., None])
        image = _image(found, c, alive, alpha)
        moving = _moving(found, image / c, limit, graded)
        if step == _MOST_STEPS or not moving.any():
            return FixedPoint(c, found.V)
        c, step = image, step + 1


def _image(found: SingularBasis, c: Floats, alive: Alive, alpha: float) -> Floats:
    """c' at c; rows that are not alive stay at 1."""
    # The rows of X are m_k / sqrt(c_k), which is where the factor c comes from.
    image = np.sqrt(c * ((found.Z * found.Z) @ (found.sizes**-alpha)[..., None])[..., 0])
    return np.where(alive & (image > 0), image, 1.0)


def _moving(
    found: SingularBasis, ratio: Floats, limit: float, graded: bool
) -> Bool[np.ndarray, "*batch"] | np.bool:
    """Which problems have not arrived, except those that are left to the graded coordinates."""
    moving = ratio.max(-1) > limit * ratio.min(-1)
    if graded:
        return moving
    return moving & (found.sizes.min(-1) > _NEARLY_SINGULAR * found.sizes.max(-1))


def _basis(X: Floats) -> SingularBasis:
    """By the eigenvectors of X^T X: quick, and good for comparable singular values."""
    sizes, V = np.linalg.eigh(np.swapaxes(X, -1, -2) @ X)
    return SingularBasis(np.maximum(sizes, 1e-15 * sizes[..., -1:]), V, X @ V)


def careful_basis(X: Floats) -> SingularBasis:
    """By preconditioned Jacobi rotations (Drmac & Veselic 2008): small ones keep their digits."""
    # LAPACK wants at least as many rows as columns, and some of both.
    if not X.size or X.shape[0] < X.shape[1]:
        return _basis(X)
    _, _, V, _, _, failed = _jacobi(X, joba=2, jobu=3, jobv=0, jobr=0, jobt=0, jobp=0)
    # Eigenvalues come in increasing order, and the columns are straightened from large to small.
    V = _basis(X).V[:, ::-1] if failed else V
    Z = straightened(X @ V, np.zeros_like(X), overlap, range(X.shape[1] - 1)).Z
    return SingularBasis(np.maximum(np.einsum("kr,kr->r", Z, Z), 1e-300), V, Z)
