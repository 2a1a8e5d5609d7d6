"""The steepest neuron: max |V^T relu(Xt w)| over |w| = 1, which decides whether a net is optimal.

`Xt` (N, r) holds the inputs with their bias column, `V` (N, m) is the multiplier of the dual,
for a network its residual over rho. Section 3.2 of Jacot et al. (2022) asks for the cone of
covariances that a layer can reach; this maximum describes its dual cone.

The hyperplanes <xt_i, w> = 0 cut the sphere into faces, on each of which the same points are
active. There relu(Xt w) is linear in w, so the function is |B w| with a fixed matrix B. A
maximiser over the whole sphere lies inside some face, where it maximises |B w| on the span of
the face as well. So it is a leading right singular vector of B on that span. That leaves one
candidate for each face, whatever the number of outputs (`tops`).

With too many faces to list, twice the function is at most |V^T Xt w| + |V^T |Xt w||, as
relu(t) = (t + |t|) / 2. This bounds the maximum by (|V^T Xt| + |V| |Xt|) / 2 in spectral
norms, and the neurons come from a search.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.rounding import UNIT
from repcost.scales import exponent_of, rounded_up
from repcost.shallow.arrangements import sign_vectors, whole_rows
from repcost.shallow.faces import families_of_faces, unit_rows
from repcost.shallow.tops import Tops, tops_of_faces

# Beyond so many faces their list costs more than it is worth. Where four times as many are to be
# expected of points in general position, none is listed either.
MOST_FACES = 50_000
# The search that stands in for the list: random starts, and steps from each.
_STARTS, _STEPS = 200, 100

Multiplier = Float[np.ndarray, "N m"]
Inputs = Float[np.ndarray, "N r"]


@dataclass(frozen=True, eq=False)
class Peaks:
    """What the oracle answers for one V.

    bound: at least max |V^T relu(Xt w)| over |w| = 1.
    atoms: unit vectors w (k, r), the highest first; one may be there from several faces.
    heights: their values (k,).
    """

    bound: float
    atoms: Float[np.ndarray, "k r"]
    heights: Float[np.ndarray, " k"]


class Oracle:
    """Finds the peaks of |V^T relu(Xt w)| for any V, given the inputs Xt (N, r) once.

    `is_exact` says whether the faces could be listed: the bound is then the maximum but for its
    rounding, and for what nearly equal singular values may add.

    >>> peaks = Oracle(np.eye(2)).peaks(np.array([[3.0], [-4.0]]))
    >>> peaks.heights[0].item(), peaks.atoms[0].tolist()
    (4.0, [0.0, 1.0])
    >>> 4.0 <= peaks.bound < 4.0 * (1 + 1e-12)
    True
    """

    def __init__(self, Xt: Inputs, most_faces: int = MOST_FACES):
        rows = whole_rows(Xt)
        signs = sign_vectors(rows, most_faces)
        # Only the row space matters, which is small where there are fewer points than inputs.
        self.frame = np.linalg.qr(Xt.T)[0] if Xt.shape[1] > len(Xt) else np.eye(Xt.shape[1])
        self.Xt = Xt @ self.frame
        self.is_exact = signs is not None
        self.families = [] if signs is None else families_of_faces(self.Xt, rows, signs)

    def peaks(self, V: Multiplier) -> Peaks:
        """A proven bound of the maximum, and the neurons near it."""
        # At size one, where no square of V is lost; a power of two changes no digit.
        exponent = exponent_of(V)
        V = np.ldexp(V, -exponent)
        found = self._over_faces(V) if self.is_exact else self._searched(V)
        bound, heights = rounded_up(found.bound, exponent), np.ldexp(found.heights, exponent)
        return Peaks(bound, found.atoms @ self.frame.T, heights)

    @property
    def spanning(self) -> Float[np.ndarray, "k r"]:
        """Atoms whose outputs span those of all: generic ones, and those with the most kinks."""
        N = len(self.Xt)
        # Least-norm preimages of random outputs: with N independent inputs, of any sign pattern.
        wanted = np.random.default_rng(0).normal(size=(N, 4 * N))
        generic = (np.linalg.pinv(self.Xt) @ wanted).T
        # The first family has the smallest faces: rays, where most points are at their kink.
        rays = [family.bases[:, :, 0] for family in self.families[:1]]
        sides = [self.Xt, generic, *rays]
        return unit_rows(np.concatenate([*sides, *(-w for w in sides)])) @ self.frame.T

    def _over_faces(self, V: Multiplier) -> Peaks:
        rounding = self._rounding(V)
        found = [Tops.none(self.Xt.shape[1])]
        for family in self.families:
            # Below half of what has been found, a face holds nothing to add to a network.
            floor = np.sqrt(max(tops.square for tops in found)) / 2
            found.append(tops_of_faces(family, self.Xt, V, rounding, floor))
        square = max(tops.square for tops in found)
        ties = max(tops.ties for tops in found)
        bound = float(np.sqrt(square + ties)) * (1 + 8 * UNIT) + rounding
        atoms = np.concatenate([tops.atoms for tops in found])
        return _sorted_peaks(bound, atoms, np.concatenate([tops.heights for tops in found]))

    def _searched(self, V: Multiplier) -> Peaks:
        w = self._climbed(V)
        heights = np.linalg.norm(np.maximum(w @ self.Xt.T, 0.0) @ V, axis=1)
        heights = heights / np.linalg.norm(w, axis=1)
        size = np.linalg.norm(V, 2) * np.linalg.norm(self.Xt, 2)
        bound = float(np.linalg.norm(V.T @ self.Xt, 2) + size) / 2 + self._rounding(V)
        return _sorted_peaks(bound, unit_rows(w), heights)

    def _climbed(self, V: Multiplier) -> Float[np.ndarray, "k r"]:
        """Where power steps lead from the points and from random starts, each place once."""
        rng = np.random.default_rng(0)
        random = rng.normal(size=(_STARTS, self.Xt.shape[1]))
        w = unit_rows(np.concatenate([self.Xt, -self.Xt, random]))
        for _ in range(_STEPS):
            received = w @ self.Xt.T
            gradients = (received > 0) * (np.maximum(received, 0.0) @ V @ V.T)
            w = unit_rows(gradients @ self.Xt)
        return np.unique(w.round(8), axis=0)

    def _rounding(self, V: Multiplier) -> float:
        """More than the errors of the products and singular values here can amount to."""
        units = 2 * (len(V) + 10 * self.Xt.shape[1] + 10 * V.shape[1] + 100)
        return units * UNIT * float(np.linalg.norm(V) * np.linalg.norm(self.Xt))


def _sorted_peaks(
    bound: float, atoms: Float[np.ndarray, "k r"], heights: Float[np.ndarray, " k"]
) -> Peaks:
    order = np.argsort(-heights, kind="stable")
    return Peaks(bound, atoms[order], heights[order])
