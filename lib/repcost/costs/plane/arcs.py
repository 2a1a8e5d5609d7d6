"""What units in the plane can see of given points, exactly: every direction and threshold in
finitely many arcs.

A price alpha with sum 0 proves that interpolating y costs alpha . y at least if no unit earns more than it costs:
|sum_i alpha_i [<v, x_i> + b]_+| <= |v| for all v and b. In b the left side is largest at a threshold through a point,
b = -<v, x_j>. Around x_j the circle of directions falls into arcs on which the active points stay the same, and there
the sum is <v, g>, g = sum over active points of alpha_i (x_i - x_j): largest at g if the arc holds it, or at an end.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.rounding import UNIT

Points = Float[np.ndarray, "n 2"]
Values = Float[np.ndarray, " n"]
Directions = Float[np.ndarray, "g 2"]

# Cones must be well below a half turn, to be the sums of their ends.
_WIDEST = 2.1


@dataclass(frozen=True, eq=False)
class Arcs:
    """Units with threshold at point `at`, directions from `first` to `last` (unit vectors):
    `active` points count.

    distortion, size: the condition number of the matrix that moved the points here, and its norm
    times the largest point before; rounding is measured by them.
    """

    points: Points
    at: Int[np.ndarray, " g"]
    active: Bool[np.ndarray, "g n"]
    first: Directions
    last: Directions
    distortion: float
    size: float

    @classmethod
    def around(cls, points: Points) -> "Arcs":
        """All arcs on which some point is active; the points are distinct."""
        angles = _critical_angles(points)
        at, place = np.nonzero(np.diff(angles, axis=1) > 0)
        first, last = angles[at, place], angles[at, place + 1]
        wide = last - first > _WIDEST
        middle = (first + last) / 2
        at = np.concatenate([at, at[wide]])
        first = np.concatenate([first, middle[wide]])
        last = np.concatenate([np.where(wide, middle, last), last[wide]])
        across = points - points[at][:, None]
        active = np.einsum("gnd,gd->gn", across, unit_vectors((first + last) / 2)) > 0
        active[np.arange(len(at)), at] = False
        seen = active.any(1)
        size = float(np.linalg.norm(points, axis=1).max())
        at, active, first, last = (
            at[seen],
            active[seen],
            unit_vectors(first[seen]),
            unit_vectors(last[seen]),
        )
        return cls(points, at, active, first, last, 1.0, size)

    def moved(self, A: Float[np.ndarray, "2 2"]) -> "Arcs":
        """The arcs of the points A x, for a symmetric positive definite A: the same points stay
        active.
        """
        back = np.linalg.inv(A)
        norm = float(np.linalg.norm(A, 2))
        first, last = _unit(self.first @ back), _unit(self.last @ back)
        distortion = self.distortion * norm * float(np.linalg.norm(back, 2))
        return replace(
            self,
            points=self.points @ A,
            first=first,
            last=last,
            distortion=distortion,
            size=self.size * norm,
        )

    def without_slivers(self) -> "Arcs":
        """Only the arcs wide enough for a solver; for proposals, never for proofs."""
        wide = cross(self.first, self.last) > 1e-9
        parts = {name: getattr(self, name)[wide] for name in ("at", "active", "first", "last")}
        return replace(self, **parts)

    def differences(self) -> Float[np.ndarray, "g n 2"]:
        """x_i - x_j for the points active on each arc, zero for others."""
        return (self.points - self.points[self.at][:, None]) * self.active[:, :, None]

    def earnings(self, alpha: Values) -> tuple[Float[np.ndarray, " g"], Directions]:
        """The largest |sum_i alpha_i [<v, x_i - x_j>]_+| over unit v in each arc, and a v that
        attains it.
        """
        g = (self.active * alpha) @ self.points - (self.active @ alpha)[:, None] * self.points[
            self.at
        ]
        length = np.linalg.norm(g, axis=1)
        at_first, at_last = (
            np.einsum("gd,gd->g", g, self.first),
            np.einsum("gd,gd->g", g, self.last),
        )
        side = cross(self.first, g)
        inside = side * cross(g, self.last) > 0  # g, or else -g, as arcs are below a half turn
        nearer_first = np.abs(at_first) >= np.abs(at_last)
        value = np.where(inside, length, np.where(nearer_first, np.abs(at_first), np.abs(at_last)))
        towards = np.sign(side)[:, None] * g / np.where(length > 0, length, 1.0)[:, None]
        ends = np.where(nearer_first[:, None], self.first, self.last)
        return value, np.where(inside[:, None], towards, ends)

    def most_earned(self, alpha: Values) -> float:
        """The largest earnings of any unit of norm 1, from above.

        The sums round n products; ends of arcs are angles known to about 8 units of rounding, of
        which the sums are Lipschitz functions (so points that are active on the wrong side of an
        end do no more harm); a matrix multiplies both by its condition number. 4 (n + 64) |alpha|_1
        size covers all of this, and points that were rounded.
        """
        rounding = 4 * (len(alpha) + 64) * UNIT * self.distortion
        largest = float(self.earnings(alpha)[0].max(initial=0.0))
        return (largest + rounding * float(np.abs(alpha).sum()) * self.size) * (1 + rounding)

    def feasible(self, alpha: Values) -> Values:
        """alpha scaled to earn 1 at most, with entries that add up to 0 exactly in any order."""
        alpha = balanced(alpha)
        for margin in (2.0**-42, 2.0**-32, 2.0**-22):
            most = self.most_earned(alpha)
            if not 0 < most < np.inf:
                break
            scaled = balanced(alpha * ((1 - margin) / most))
            if self.most_earned(scaled) <= 1:
                return scaled
        return np.zeros_like(alpha)

    def proven(self, alpha: Values, y: Values) -> float:
        """The cost of interpolating y is at least this, whatever alpha is; each y_i is known to one
        rounding.
        """
        alpha = self.feasible(alpha)
        return max(0.0, float(alpha @ y) - (len(y) + 4) * UNIT * float(np.abs(alpha) @ np.abs(y)))


def balanced(alpha: Values) -> Values:
    """alpha rounded to whole multiples of a power of two that float64 adds exactly, with sum 0."""
    largest = float(np.abs(alpha).max())
    if not 0 < largest < np.inf:
        return np.zeros_like(alpha)
    exponent = np.frexp(largest)[1] + int(np.ceil(np.log2(len(alpha)))) + 1 - 53
    whole = np.round(np.ldexp(alpha - alpha.mean(), -exponent))
    whole[np.argmax(np.abs(whole))] -= whole.sum()
    return np.ldexp(whole, exponent)


def unit_vectors(angle: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape 2"]:
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def cross(v: Directions, w: Directions) -> Float[np.ndarray, " g"]:
    return v[:, 0] * w[:, 1] - v[:, 1] * w[:, 0]


def _unit(v: Directions) -> Directions:
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def _critical_angles(points: Points) -> Float[np.ndarray, "n angles"]:
    """For each x_j the directions at right angles to some x_i - x_j, in order, and the first once
    more a turn later.
    """
    n = len(points)
    apart = (points - points[:, None])[~np.eye(n, dtype=bool)].reshape(n, n - 1, 2)
    angle = np.arctan2(apart[..., 0], -apart[..., 1])
    angles = np.sort(np.concatenate([angle, angle + np.pi], axis=1) % (2 * np.pi), axis=1)
    return np.concatenate([angles, angles[:, :1] + 2 * np.pi], axis=1)
