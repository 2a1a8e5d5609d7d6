"""The steepest neuron: max |V^T relu(Xt w)| over |w| = 1, which decides whether a shallow network
is optimal.

Section 3.2 of Jacot et al. (2022) asks for the cone of covariances that a layer can reach; this
maximum describes its dual cone. `Xt` (N, r) holds the inputs with their bias column, `V` (N, m) the
residual of a network over strength.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.integers import reduced
from repcost.rounding import UNIT
from repcost.shallow.arrangements import Normal, Signs, sign_vectors, whole_rows

Floats = Float[np.ndarray, "..."]
# Beyond so many faces their list costs more than it is worth.
MOST_FACES = 50_000
# How far outside its face, in radians, a maximiser is still counted as inside: the value moves by
# its square.
_SLACK = 3e-5


@dataclass(frozen=True, eq=False)
class Peaks:
    """bound: at least max |V^T relu(Xt w)| over |w| = 1; atoms: unit vectors w, highest first;
    their heights.
    """

    bound: float
    atoms: Float[np.ndarray, "k r"]
    heights: Float[np.ndarray, " k"]


class Oracle:
    """Finds the peaks for any V, given the inputs once.

    On a face of the arrangement of the hyperplanes <xt_i, w> = 0 the function is |B w| with a fixed
    matrix B. A
    maximiser over the sphere lies inside some face, so it is a leading right singular vector of B
    on its span: that leaves finitely many candidates, whatever the number of outputs. With too many
    faces the bound is (|V^T Xt| + |V| |Xt|)/2 in spectral norms, and the peaks come from a search.
    """

    def __init__(self, Xt: Float[np.ndarray, "N r"], most_faces: int = MOST_FACES):
        rows = whole_rows(Xt)
        signs = sign_vectors(rows, most_faces)
        # Only the row space matters, which is small where there are fewer points than inputs.
        self.frame = np.linalg.qr(Xt.T)[0] if Xt.shape[1] > len(Xt) else np.eye(Xt.shape[1])
        self.Xt = Xt @ self.frame
        self.is_exact = signs is not None
        self.families = [] if signs is None else _families(self.Xt, rows, signs)

    def peaks(self, V: Float[np.ndarray, "N m"]) -> Peaks:
        found = self._over_faces(V) if self.is_exact else self._searched(V)
        return Peaks(found.bound, found.atoms @ self.frame.T, found.heights)

    @property
    def spanning(self) -> Float[np.ndarray, "k r"]:
        """Atoms whose outputs span those of all atoms: generic ones, and those that bend at the
        most points.
        """
        generic = np.linalg.pinv(self.Xt) @ np.random.default_rng(0).normal(
            size=(len(self.Xt), 4 * len(self.Xt))
        )
        sides = [self.Xt, generic.T, *(family.bases[:, :, 0] for family in self.families[:1])]
        return _unit(np.concatenate([*sides, *(-w for w in sides)])) @ self.frame.T

    def _over_faces(self, V: Float[np.ndarray, "N m"]) -> Peaks:
        rounding, square, flat = self._rounding(V), 0.0, 0.0
        atoms, heights = [np.zeros((0, self.Xt.shape[1]))], [np.zeros(0)]
        for family in self.families:
            top = family.tops(self.Xt, V, rounding, np.sqrt(square) / 2)
            atoms.append(top.atoms)
            heights.append(top.heights)
            square, flat = max(square, top.square), max(flat, top.flat)
        order = np.argsort(-np.concatenate(heights), kind="stable")
        bound = float(np.sqrt(square + flat)) * (1 + 8 * UNIT) + rounding
        return Peaks(bound, np.concatenate(atoms)[order], np.concatenate(heights)[order])

    def _searched(self, V: Float[np.ndarray, "N m"]) -> Peaks:
        rng = np.random.default_rng(0)
        w = _unit(np.concatenate([self.Xt, -self.Xt, rng.normal(size=(200, self.Xt.shape[1]))]))
        for _ in range(100):
            received = w @ self.Xt.T
            w = _unit(((received > 0) * (np.maximum(received, 0.0) @ V @ V.T)) @ self.Xt)
        w = np.unique(w.round(8), axis=0)
        heights = np.linalg.norm(np.maximum(w @ self.Xt.T, 0.0) @ V, axis=1) / np.linalg.norm(
            w, axis=1
        )
        size = np.linalg.norm(V, 2) * np.linalg.norm(self.Xt, 2)
        bound = float(np.linalg.norm(V.T @ self.Xt, 2) + size) / 2 + self._rounding(V)
        order = np.argsort(-heights, kind="stable")
        return Peaks(bound, _unit(w[order]), heights[order])

    def _rounding(self, V: Float[np.ndarray, "N m"]) -> float:
        """More than the errors of the products and singular values here can amount to."""
        units = 2 * (len(V) + 10 * self.Xt.shape[1] + 10 * V.shape[1] + 100)
        return units * UNIT * float(np.linalg.norm(V) * np.linalg.norm(self.Xt))


@dataclass(frozen=True, eq=False)
class _Tops:
    """The maximisers inside their faces, the greatest square among the faces, and what nearly equal
    ones may add.
    """

    atoms: Float[np.ndarray, "k r"]
    heights: Float[np.ndarray, " k"]
    square: float
    flat: float


@dataclass(frozen=True, eq=False)
class _Faces:
    """The faces of one dimension: their signs, orthonormal bases of their spans, and the error of
    those.
    """

    signs: Float[np.ndarray, "F N"]
    bases: Float[np.ndarray, "F r k"]
    error: Float[np.ndarray, " F"]

    def tops(
        self,
        Xt: Float[np.ndarray, "N r"],
        V: Float[np.ndarray, "N m"],
        rounding: float,
        least: float,
    ) -> _Tops:
        (N, r), m = Xt.shape, V.shape[1]
        maps = ((self.signs > 0) @ (V[:, :, None] * Xt[:, None, :]).reshape(N, m * r)).reshape(
            -1, m, r
        )
        size = np.linalg.norm(maps, axis=(1, 2))
        use = np.flatnonzero(size + rounding > least)
        bases, signs, error = self.bases[use], self.signs[use], self.error[use]
        _, s, c = np.linalg.svd(maps[use] @ bases, full_matrices=False)
        w = (bases @ c[:, 0, :, None])[:, :, 0]
        upper = (s[:, 0] + size[use] * error) ** 2
        gap = s[:, 0] ** 2 - (s[:, 1] ** 2 if s.shape[1] > 1 else 0.0)
        # How far the computed singular vector may be from the true one.
        angle = 4 * rounding * s[:, 0] / np.maximum(gap, 1e-300)
        # Where two singular values nearly agree, turning from one vector to the other leads to a
        # smaller face, and loses no more than the gap on the way.
        flat = angle > _SLACK
        slack = (np.clip(angle, 1e-9, _SLACK) + error)[:, None] * np.linalg.norm(Xt, axis=1)
        w = _unit(np.where(((w @ Xt.T * signs).sum(axis=1) >= 0)[:, None], w, -w))
        inside = ((w @ Xt.T * signs >= -slack).all(axis=1)) & ~flat
        square = upper[inside].max(initial=0.0)
        lost = r * (gap + 4 * rounding * s[:, 0])[flat & (upper > square)].max(initial=0.0)
        return _Tops(w[inside], s[inside, 0], float(square), float(lost))


def _families(Xt: Float[np.ndarray, "N r"], rows: Sequence[Normal], signs: Signs) -> list[_Faces]:
    """The faces by dimension, smallest first."""
    zeros, which = np.unique(signs == 0, axis=0, return_inverse=True)
    spans = [
        _span(Xt[zero], len(reduced([rows[i] for i in np.flatnonzero(zero).tolist()])[1]))
        for zero in zeros
    ]
    dimensions = np.array([basis.shape[1] for basis, _ in spans])[which]
    families = [np.flatnonzero(dimensions == k) for k in np.unique(dimensions)]
    return [
        _Faces(
            signs[family].astype(float),
            np.stack([spans[i][0] for i in which[family]]),
            np.array([spans[i][1] for i in which[family]]),
        )
        for family in families
    ]


def _span(
    normals: Float[np.ndarray, "k r"], rank: int
) -> tuple[Float[np.ndarray, "r dimension"], float]:
    """An orthonormal basis of what is orthogonal to the normals, and by how much its vectors may be
    wrong.
    """
    _, s, rows = np.linalg.svd(_unit(normals))
    error = min(40 * len(rows) * UNIT / max(s[rank - 1], UNIT), 2.0) if rank else 0.0
    return rows[rank:].T, error


def _unit(w: Float[np.ndarray, "k r"]) -> Float[np.ndarray, "g r"]:
    """The rows at length one, without those that are zero."""
    size = np.linalg.norm(w, axis=1)
    return w[size > 0] / size[size > 0][:, None]
