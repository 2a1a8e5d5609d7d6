"""Directions of units, cut into arcs on which the same points are active (Fact 3)."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

Points = Float[np.ndarray, "n 2"]
Values = Float[np.ndarray, " n"]
Angles = Float[np.ndarray, " g"]
Direction = Float[np.ndarray, " 2"]
Directions = Float[np.ndarray, "g 2"]
NarrowAngles = Float[np.ndarray, " narrow"]
# Which point each unit has its threshold at.
Thresholds = Int[np.ndarray, " g"]
Symmetric = Float[np.ndarray, "2 2"]

# Arcs must stay well below a half turn: their vectors are then the sums of their two ends.
_WIDEST = 2.1
# Sines of narrower arcs are too near to rounding for a solver.
_SLIVER = 1e-9


@dataclass(frozen=True, eq=False)
class Arcs:
    """Units with threshold at point `at`, directions from `first` to `last` (unit vectors).

    active: the points in front of the threshold, where the units are linear.
    distortion, size: the condition number of the matrix that moved the points here, and its norm
        times the largest point before; rounding is measured by them.
    """

    points: Points
    at: Thresholds
    active: Bool[np.ndarray, "g n"]
    first: Directions
    last: Directions
    distortion: float
    size: float

    @classmethod
    def around(cls, points: Points) -> "Arcs":
        """All arcs on which some point is active; the points are distinct."""
        at, first, last = _without_wide(*_between_critical_angles(points))
        active = _active(points, at, (first + last) / 2)
        seen = active.any(1)
        ends = unit_vectors(first[seen]), unit_vectors(last[seen])
        size = float(np.linalg.norm(points, axis=1).max())
        return cls(points, at[seen], active[seen], *ends, 1.0, size)

    def moved(self, point_map: Symmetric) -> "Arcs":
        """The arcs of the points A x, for a positive definite A: the same points stay active."""
        # <v, A x> = <A v, x>, so what was the direction u = A v is now A^(-1) u.
        back = np.linalg.inv(point_map)
        norm = float(np.linalg.norm(point_map, 2))
        return replace(
            self,
            points=self.points @ point_map,
            first=_normalised(self.first @ back),
            last=_normalised(self.last @ back),
            distortion=self.distortion * norm * float(np.linalg.norm(back, 2)),
            size=self.size * norm,
        )

    def without_slivers(self) -> "Arcs":
        """Only the arcs wide enough for a solver; for proposals, never for proofs."""
        wide = cross(self.first, self.last) > _SLIVER
        parts = {name: getattr(self, name)[wide] for name in ("at", "active", "first", "last")}
        return replace(self, **parts)

    def differences(self) -> Float[np.ndarray, "g n 2"]:
        """x_i - x_j for the points active on each arc, zero for others."""
        return (self.points - self.points[self.at][:, None]) * self.active[:, :, None]


def spread_direction(points: Points) -> Direction:
    """A direction in which no two points come close: units along it interpolate anything."""
    differences = (points - points[:, None])[np.triu_indices(len(points), 1)]
    angles = np.sort(_angle_across(differences) % np.pi)
    # Directions are counted up to sign, so the last angle has the first one as its neighbour.
    middles = unit_vectors((angles + np.append(angles[1:], angles[:1] + np.pi)) / 2)
    return middles[np.argmax(np.abs(differences @ middles.T).min(axis=0))]


def unit_vectors(angle: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape 2"]:
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def cross(v: Directions, w: Directions) -> Float[np.ndarray, " g"]:
    """|v| |w| times the sine of the angle from v to w: positive if w lies to the left of v."""
    return v[:, 0] * w[:, 1] - v[:, 1] * w[:, 0]


def _normalised(v: Directions) -> Directions:
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def _angle_across(difference: Float[np.ndarray, "*shape 2"]) -> Float[np.ndarray, "*shape"]:
    """The angle of a direction at right angles to the difference: (-y, x) for (x, y)."""
    return np.arctan2(difference[..., 0], -difference[..., 1])


def _between_critical_angles(points: Points) -> tuple[Thresholds, Angles, Angles]:
    """Around each x_j the arcs between directions at right angles to some x_i - x_j."""
    n = len(points)
    differences = (points - points[:, None])[~np.eye(n, dtype=bool)].reshape(n, n - 1, 2)
    angle = _angle_across(differences)
    angles = np.sort(np.concatenate([angle, angle + np.pi], axis=1) % (2 * np.pi), axis=1)
    # The first once more, a turn later, closes the circle.
    angles = np.concatenate([angles, angles[:, :1] + 2 * np.pi], axis=1)
    at, place = np.nonzero(np.diff(angles, axis=1) > 0)
    return at, angles[at, place], angles[at, place + 1]


def _without_wide(
    at: Thresholds, first: Angles, last: Angles
) -> tuple[Int[np.ndarray, " narrow"], NarrowAngles, NarrowAngles]:
    """Wide arcs halved: their first halves stay in place, the second halves follow at the end."""
    wide = last - first > _WIDEST
    middle = (first + last) / 2
    return (
        np.concatenate([at, at[wide]]),
        np.concatenate([first, middle[wide]]),
        np.concatenate([np.where(wide, middle, last), last[wide]]),
    )


def _active(points: Points, at: Thresholds, middle: Angles) -> Bool[np.ndarray, "g n"]:
    """The points in front of x_j, seen in the middle of the arc, where no sign is in doubt."""
    across = points - points[at][:, None]
    active = np.einsum("gnd,gd->gn", across, unit_vectors(middle)) > 0
    active[np.arange(len(at)), at] = False
    return active
