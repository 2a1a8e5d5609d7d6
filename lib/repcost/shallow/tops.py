"""The highest point of |B w| inside each face of one family, in three steps.

1. `candidates`: on the span of a face the greatest value is the leading singular value of B, and a
   candidate is a leading right singular vector.
2. `doubts`: how wrong each can be, as B, the basis of the span and the decomposition are rounded.
   Where two singular values nearly agree, the vector may be any one between the two.
3. `lie_inside`: a candidate counts if it lies inside its face, or nearly so.

A candidate outside its face counts for nothing: the maximum over that face lies on its border,
which is a smaller face. What is proven is an upper bound of the maximum over all of these faces, as
far as it is not the maximum over a smaller one.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from repcost.shallow.faces import Faces, Inputs, in_parts, unit_rows

Multiplier = Float[np.ndarray, "N m"]
PerFace = Float[np.ndarray, " F"]

# How far outside its face, in radians, a maximiser is still counted as inside: the value moves by
# its square.
_SLACK = 3e-5
_LEAST_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Tops:
    """What the faces of one family hold.

    atoms, heights: the candidates inside their faces, and |B w| there.
    square: the greatest square on these faces, from above.
    ties: what faces with nearly equal singular values may add to the greatest square of all faces.
    """

    atoms: Float[np.ndarray, "k r"]
    heights: Float[np.ndarray, " k"]
    square: float
    ties: float

    @classmethod
    def none(cls, columns: int) -> "Tops":
        return cls(np.zeros((0, columns)), np.zeros(0), 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Candidates:
    """One for each face that is high enough to matter.

    atoms: a leading right singular vector of B on the span, with the sign of its face.
    heights: the leading singular values. gaps: their squares minus those of the second ones.
    sizes: the Frobenius norms of the B, on all of the space.
    """

    faces: Faces
    atoms: Float[np.ndarray, "F r"]
    heights: PerFace
    gaps: PerFace
    sizes: PerFace


@dataclass(frozen=True, eq=False)
class Doubts:
    """How wrong each candidate can be.

    squares: at least the square of |B w| on the true span, but for the rounding of B.
    angles: how far the computed singular vector may be from the true one.
    are_tied: the two leading singular values are too close for the vector to be known.
    tie_losses: by how much a square may exceed those of smaller faces, if it is tied.
    """

    squares: PerFace
    angles: PerFace
    are_tied: Bool[np.ndarray, " F"]
    tie_losses: PerFace


def tops_of_faces(faces: Faces, Xt: Inputs, V: Multiplier, rounding: float, floor: float) -> Tops:
    """The tops of |V^T relu(Xt w)| inside these faces; those that stay below `floor` are left out.

    `rounding` is more than the products and singular values here are off.
    """
    found = candidates(faces, Xt, V, rounding, floor)
    doubt = doubts(found, rounding)
    inside = lie_inside(found, doubt, Xt)
    square = doubt.squares[inside].max(initial=0.0)
    # Each tie leads to a smaller face, at most as many times as there are dimensions.
    open_ties = doubt.are_tied & (doubt.squares > square)
    ties = Xt.shape[1] * doubt.tie_losses[open_ties].max(initial=0.0)
    return Tops(found.atoms[inside], found.heights[inside], float(square), float(ties))


def candidates(
    faces: Faces, Xt: Inputs, V: Multiplier, rounding: float, floor: float
) -> Candidates:
    """The first step: where |B w| is greatest on the span of each face that may reach `floor`."""
    maps = faces.maps(Xt, V)
    sizes = np.linalg.norm(maps, axis=(1, 2))
    used = np.flatnonzero(sizes + rounding > floor)
    faces, sizes = faces.only(used), sizes[used]
    _, s, right = np.linalg.svd(maps[used] @ faces.bases, full_matrices=False)
    w = (faces.bases @ right[:, 0, :, None])[:, :, 0]
    second_squares = s[:, 1] ** 2 if s.shape[1] > 1 else 0.0
    # A singular vector has no sign; on the face of the opposite signs B is another matrix.
    agrees = in_parts(len(Xt), lambda w, s: (w @ Xt.T * s).sum(axis=1) >= 0, w, faces.signs)
    atoms = unit_rows(np.where(agrees[:, None], w, -w))
    return Candidates(faces, atoms, s[:, 0], s[:, 0] ** 2 - second_squares, sizes)


def doubts(found: Candidates, rounding: float) -> Doubts:
    """The second step: how wrong each candidate can be."""
    basis_errors = found.faces.basis_errors
    squares = (found.heights + found.sizes * basis_errors) ** 2
    # The squares of singular values are off by about 2 s times the rounding, and a singular vector
    # turns by that over the gap.
    shifts = 4 * rounding * found.heights
    # An exact tie has no gap; any tiny one makes its angle too large.
    angles = shifts / np.maximum(found.gaps, 1e-300)
    # Where two singular values nearly agree, turning from one vector to the other leads to a
    # smaller face, and loses no more than the gap on the way.
    return Doubts(squares, angles, angles > _SLACK, found.gaps + shifts)


def lie_inside(found: Candidates, doubt: Doubts, Xt: Inputs) -> Bool[np.ndarray, " F"]:
    """The third step: which candidates are known well and lie, within slack, in their face."""
    angles = np.clip(doubt.angles, _LEAST_SLACK, _SLACK) + found.faces.basis_errors
    lengths = np.linalg.norm(Xt, axis=1)

    def is_on_its_side(atoms, signs, angles):
        return (atoms @ Xt.T * signs >= -angles[:, None] * lengths).all(axis=1)

    inside = in_parts(len(Xt), is_on_its_side, found.atoms, found.faces.signs, angles)
    return inside & ~doubt.are_tied
