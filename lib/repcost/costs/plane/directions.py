"""Directions of the plane: unit vectors, angles, and one in which no two points come close."""

import numpy as np
from jaxtyping import Float, Int

Points = Float[np.ndarray, "n 2"]
Values = Float[np.ndarray, " n"]
Direction = Float[np.ndarray, " 2"]
Directions = Float[np.ndarray, "g 2"]
# Which point each unit has its threshold at.
Thresholds = Int[np.ndarray, " g"]
Symmetric = Float[np.ndarray, "2 2"]

# Of so many gaps between critical directions the widest are looked at.
_MOST_GAPS = 64


def unit_vectors(angle: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape 2"]:
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def normalised(v: Directions) -> Directions:
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def cross(v: Directions, w: Directions) -> Float[np.ndarray, " g"]:
    """|v| |w| times the sine of the angle from v to w: positive if w lies to the left of v."""
    return v[:, 0] * w[:, 1] - v[:, 1] * w[:, 0]


def angle_across(difference: Float[np.ndarray, "*shape 2"]) -> Float[np.ndarray, "*shape"]:
    """The angle of a direction at right angles to the difference: (-y, x) for (x, y)."""
    return np.arctan2(difference[..., 0], -difference[..., 1])


def spread_direction(points: Points) -> Direction:
    """A direction in which no two points come close: units along it interpolate anything."""
    differences = (points - points[:, None])[np.triu_indices(len(points), 1)]
    middles = _widest_gaps(np.sort(angle_across(differences) % np.pi))
    return middles[np.argmax(np.abs(differences @ middles.T).min(axis=0))]


def _widest_gaps(angles: Float[np.ndarray, " pairs"]) -> Directions:
    """Directions in the middle of the widest gaps between angles, a half turn being a turn."""
    # Directions are counted up to sign, so the last angle has the first one as its neighbour.
    following = np.append(angles[1:], angles[:1] + np.pi)
    widest = np.argsort(angles - following, kind="stable")[:_MOST_GAPS]
    return unit_vectors((angles[widest] + following[widest]) / 2)
