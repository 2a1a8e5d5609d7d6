"""What the widgets take: points, whole numbers and parts of a range; refused with the remedy."""

import numpy as np

from repcost.arrays import ArrayLike


def checked_points(
    points: ArrayLike, fewest: int, most: int, *, gap: float = 0.0
) -> list[list[float]]:
    """The points as [x, y] of floats, by increasing x; ValueError if they cannot be drawn."""
    try:
        array = np.array(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"points must be pairs of numbers, [[x, y], ...]: {error}") from None
    if array.ndim != 2 or array.shape[1:] != (2,) or not len(array):
        raise ValueError(
            f"points must be at least one pair, [[x, y], ...], but its shape is {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError("points holds NaN or infinity; remove those entries first")
    if not fewest <= len(array) <= most:
        raise ValueError(
            f"points must be {fewest} to {most} pairs, but holds {len(array)}; more would be too "
            "crowded to be grasped"
        )
    array = array[np.argsort(array[:, 0], kind="stable")]
    steps = np.diff(array[:, 0])
    if not np.all(steps > 0):
        raise ValueError(
            "two points have the same x; a function has one value there, so move or remove one"
        )
    # Steps of the drawing are powers of two and exact; those of others may be off by a rounding.
    if steps.min(initial=np.inf) < gap - 1e-12:
        raise ValueError(f"two points are nearer than {gap} in x; move one")
    return array.tolist()


def whole_number(name: str, value: object, low: int, high: int, remedy: str = "") -> int:
    """The number; ValueError unless it is a whole one between the two ends."""
    # To Python True is a whole number, but nobody means a number of steps by it.
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    if not low <= value <= high:
        told = f"{name} must be between {low} and {high}, but is {value}"
        raise ValueError(f"{told}: {remedy}" if remedy else told)
    return int(value)


def inside(name: str, value: float, low: float, high: float, reason: str) -> float:
    """The number; ValueError unless it lies strictly between the two ends."""
    # Written so that NaN is refused, too.
    if not low < value < high:
        raise ValueError(f"{name} must be between {low:g} and {high:g}, but is {value:g}: {reason}")
    return float(value)


def listed(points: list[list[float]]) -> str:
    """The points in words."""
    return ", ".join(f"({x:.4g}, {y:.4g})" for x, y in points)
