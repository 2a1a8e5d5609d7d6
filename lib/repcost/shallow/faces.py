"""The faces that the data cut out of the sphere of neurons, and the geometry of each in floats.

A face is a set of sign vectors sign(Xt w): it says which points are active (+), silent (-) or at
the kink (0). Its span is orthogonal to the points at the kink. Which faces there are is known in
whole numbers; the bases of their spans are floats, and come with a bound of their errors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Shaped

from repcost.integers import reduced
from repcost.rounding import UNIT
from repcost.scales import exponents_of_rows
from repcost.shallow.arrangements import Normal, Signs

Inputs = Float[np.ndarray, "N r"]

# In the arrays of a part.
_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False)
class Faces:
    """Faces of one dimension k, F of them.

    signs: sign(Xt w) inside of each face. bases: orthonormal bases of their spans.
    basis_errors: how far a unit vector of the true span may be from the computed one.
    """

    signs: Signs
    bases: Float[np.ndarray, "F r k"]
    basis_errors: Float[np.ndarray, " F"]

    def maps(self, Xt: Inputs, V: Float[np.ndarray, "N m"]) -> Float[np.ndarray, "F m r"]:
        """The matrices B with V^T relu(Xt w) = B w on each face: the active points' v_i xt_i^T."""
        # One product for all faces: the sum of v_i xt_i^T over the points active on each.
        (N, r), m = Xt.shape, V.shape[1]
        per_point = (V[:, :, None] * Xt[:, None, :]).reshape(N, m * r)
        sums = in_parts(N, lambda signs: (signs > 0) @ per_point, self.signs)
        return sums.reshape(-1, m, r)

    def only(self, which: np.ndarray) -> "Faces":
        """Those with these indices."""
        return Faces(self.signs[which], self.bases[which], self.basis_errors[which])


def families_of_faces(Xt: Inputs, rows: Sequence[Normal], signs: Signs) -> list[Faces]:
    """The faces with these sign vectors by dimension, the smallest first.

    `rows` are those of Xt in whole numbers, up to a frame: they decide the ranks.
    """
    # Many faces share their points at the kink, and with them their span.
    kinks, which = _distinct_kinks(signs == 0)
    alive = Xt.any(axis=1)
    units = np.zeros_like(Xt)
    units[alive] = unit_rows(Xt)
    spans = [_span(units[kink & alive], _rank(rows, kink)) for kink in kinks]
    dimensions = np.array([basis.shape[1] for basis, _ in spans])[which]
    families = []
    for dimension in np.unique(dimensions):
        family = np.flatnonzero(dimensions == dimension)
        bases = np.stack([spans[i][0] for i in which[family]])
        errors = np.array([spans[i][1] for i in which[family]])
        families.append(Faces(signs[family], bases, errors))
    return families


def in_parts(
    width: int, found: Callable[..., np.ndarray], *arrays: Shaped[np.ndarray, "F ..."]
) -> Shaped[np.ndarray, "F ..."]:
    """found(*arrays) for some rows after the other: floats of all would not fit into memory."""
    step = max(1, _NUMBERS // max(width, 1))
    starts = range(0, max(len(arrays[0]), 1), step)
    return np.concatenate([found(*(each[at : at + step] for each in arrays)) for at in starts])


def _distinct_kinks(kinks: Bool[np.ndarray, "F N"]) -> tuple[np.ndarray, np.ndarray]:
    """The different rows, and which of them each is: by their bits, eight to a byte."""
    packed = np.packbits(kinks, axis=1)
    _, first, which = np.unique(
        packed.view(f"V{packed.shape[1]}").ravel(), return_index=True, return_inverse=True
    )
    return kinks[first], which.ravel()


def unit_rows(w: Float[np.ndarray, "k r"]) -> Float[np.ndarray, "g r"]:
    """The rows at length one, without those that are zero."""
    w = w[w.any(axis=1)]
    # At size one first: squares of small entries would vanish.
    w = np.ldexp(w, -exponents_of_rows(w)[:, None])
    return w / np.linalg.norm(w, axis=1)[:, None]


def _rank(rows: Sequence[Normal], chosen: Bool[np.ndarray, " N"]) -> int:
    return len(reduced([rows[i] for i in np.flatnonzero(chosen).tolist()])[1])


def _span(
    normals: Float[np.ndarray, "n r"], rank: int
) -> tuple[Float[np.ndarray, "r dimension"], float]:
    """An orthonormal basis of what is orthogonal to normals of length one, and its error."""
    _, s, rows = np.linalg.svd(normals)
    # A perturbation of the normals turns their span by at most itself over their least singular
    # value; two unit vectors are never more than 2 apart.
    error = min(40 * len(rows) * UNIT / max(s[rank - 1], UNIT), 2.0) if rank else 0.0
    return rows[rank:].T, error
