"""The steepest neuron: max |V^T relu(Xt w)| over |w| = 1, which decides whether a net is optimal.

`Xt` (N, r) holds the inputs with their bias column, `V` (N, m) is the multiplier of the dual,
for a network its residual over rho. Section 3.2 of Jacot et al. (2022) asks for the cone of
covariances that a layer can reach; this maximum describes its dual cone.

The hyperplanes <xt_i, w> = 0 cut the sphere into faces, on each of which the same points are
active. There relu(Xt w) is linear in w, so the function is |B w| with a fixed matrix B. A
maximiser over the whole sphere lies inside some face, where it maximises |B w| on the span of
the face as well. So it is a leading right singular vector of B on that span. That leaves one
candidate for each face, whatever the number of outputs (`tops`).

With too many faces to list, neurons come from a search (`branching.ascent`), and proofs in two
steps. At once there is a coarse bound by spectral norms (`coarse`). With time there is branch and
bound (`branching`): it proves that nothing much steeper exists than what was found, or finds it.
"""

from functools import cached_property

import numpy as np
from jaxtyping import Float

from repcost.rounding import UNIT
from repcost.scales import exponent_of, rounded_up
from repcost.shallow.arrangements import are_too_many, sign_vectors, whole_rows
from repcost.shallow.faces import families_of_faces, unit_rows
from repcost.shallow.peaks import Peaks, sorted_peaks
from repcost.shallow.tops import Tops, tops_of_faces
from repcost.shallow.unlisted import Unlisted

# Beyond so many faces their list costs more than it is worth at each step. Where four times as many
# are to be expected of points in general position, none is listed either.
MOST_FACES = 50_000
# In few dimensions, the bias being one, floats list most faces (`simple_rays`), and many more are
# worth it for a proof: as long as their signs have so many entries. Branch and bound has so many
# nodes before.
_FEW, _MOST_SIGNS, _FIRST_NODES = 4, 300_000_000, 5_000
# Outputs beyond which their directions are too many for proofs.
MOST_OUTPUTS = 3

Multiplier = Float[np.ndarray, "N m"]
Inputs = Float[np.ndarray, "N r"]
Near = Float[np.ndarray, "n d"]


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

    def __init__(self, Xt: Inputs, most_faces: int | None = None):
        # For a proof, more faces are listed where nobody has said how many.
        self._many = 0 if most_faces is not None or Xt.shape[1] > _FEW else _MOST_SIGNS // len(Xt)
        most_faces = MOST_FACES if most_faces is None else most_faces
        rows = [] if are_too_many(Xt, most_faces) else whole_rows(Xt)
        signs = sign_vectors(rows, most_faces) if rows else None
        # Only the row space matters, which is small where there are fewer points than inputs.
        self.frame = np.linalg.qr(Xt.T)[0] if Xt.shape[1] > len(Xt) else np.eye(Xt.shape[1])
        # What is proved is proved of the points as they were given.
        self._given, self.Xt = Xt, Xt @ self.frame
        self.families = [] if signs is None else families_of_faces(self.Xt, rows, signs)
        self._unlisted = Unlisted(Xt) if signs is None else None

    @property
    def is_exact(self) -> bool:
        return self._unlisted is None

    def peaks(self, V: Multiplier, near: Near | None = None, thoroughly: bool = False) -> Peaks:
        """A bound of the maximum that is proved at once, and the neurons near the maximum.

        Where faces are not listed the bound is coarse, and the neurons come from a search that
        begins at those that are `near`, among others, and at many others if it is thorough.
        """
        # At size one, where no square of V is lost; a power of two changes no digit.
        exponent = exponent_of(V)
        V = np.ldexp(V, -exponent)
        found = (
            self._over_faces(V) if self._unlisted is None else self._searched(V, near, thoroughly)
        )
        return _scaled(found, exponent)

    def bound(self, V: Multiplier) -> float:
        """The same bound without a search."""
        if self._unlisted is None:
            return self.peaks(V).bound
        exponent = exponent_of(V)
        V = np.ldexp(V, -exponent)
        return rounded_up(self._unlisted.coarse.of(V) + self._rounding(V), exponent)

    def proved(self, V: Multiplier, enough: float, nodes: int, near: Near | None = None) -> Peaks:
        """The same with a bound of at most `enough`, if the maximum and so many nodes allow it.

        With listed faces the bound is exact in any case.
        """
        if self._unlisted is None or V.shape[1] > MOST_OUTPUTS:
            return self.peaks(V, near)
        exponent = exponent_of(V)
        V = np.ldexp(V, -exponent)
        found = self._searched(V, near, thoroughly=True)
        enough = float(np.ldexp(enough, -exponent))
        first = min(nodes, _FIRST_NODES) if self._many else nodes
        found = self._unlisted.proved(V, enough, first, found)
        if first < nodes and found.height <= enough < found.bound:
            found = self._later(V, enough, nodes - first, found)
        return _scaled(found, exponent)

    def _later(self, V: Multiplier, enough: float, nodes: int, found: Peaks) -> Peaks:
        """The same by a list of faces after all, or by more nodes where there are too many."""
        assert self._unlisted is not None
        if self._listed.is_exact:
            return self._listed.peaks(V)
        return self._unlisted.proved(V, enough, nodes, found)

    @cached_property
    def _listed(self) -> "Oracle":
        return Oracle(self._given, self._many)

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
        atoms = atoms @ self.frame.T
        return sorted_peaks(bound, atoms, np.concatenate([tops.heights for tops in found]))

    def _searched(self, V: Multiplier, near: Near | None, thoroughly: bool) -> Peaks:
        assert self._unlisted is not None
        nothing = np.zeros((0, len(self.frame)))
        near = nothing if near is None else near
        atoms, heights = self._unlisted.searched(V, near, thoroughly)
        return sorted_peaks(self._unlisted.coarse.of(V) + self._rounding(V), atoms, heights)

    def _rounding(self, V: Multiplier) -> float:
        """More than the errors of the products and singular values here can amount to."""
        units = 2 * (len(V) + 10 * self.Xt.shape[1] + 10 * V.shape[1] + 100)
        return units * UNIT * float(np.linalg.norm(V) * np.linalg.norm(self.Xt))


def _scaled(found: Peaks, exponent: int) -> Peaks:
    bound, heights = rounded_up(found.bound, exponent), np.ldexp(found.heights, exponent)
    return Peaks(bound, found.atoms, heights)
