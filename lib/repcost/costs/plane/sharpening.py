"""Units and prices to the last digits, once it is known which units they are (Fact 7)."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from repcost.costs.plane.directions import Points, Values
from repcost.costs.plane.patterns import Patterns
from repcost.costs.plane.units import ThresholdUnits

# Steps, and how little one more may change of the largest unknown.
_STEPS, _ARRIVED = 5, 1e-9


def sharpened(units: ThresholdUnits, points: Points, values: Values) -> ThresholdUnits | None:
    """The optimal units and prices of these patterns, to rounding; None if there are none."""
    patterns = Patterns.of(units, points).active(points).unsplit(points)
    equations = Equations.of(patterns, points, values)
    # Where the patterns are wrong Newton's method goes anywhere.
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            equations = equations.after_a_step()
        last = equations.after_a_step()
        found = last.units()
        moved = np.abs(last.unknown - equations.unknown)
        arrived = moved <= _ARRIVED * np.abs(last.unknown).max()
    return found if arrived.all() and (found.masses * last.signs > 0).all() else None


@dataclass(frozen=True, eq=False)
class Equations:
    """What holds at an optimum, to be solved by Newton's method.

    A unit that may turn is a vector v, and its earnings per length are largest along v. A held
    unit is a mass, and earns 1. Prices add up to zero, and the values are those at the points.

    start: the units, those that may turn (`turning` many) before those that are held.
    columns: what two coordinates of each v, each mass and the constant add to the values.
    unknown: these, and the prices at the end.
    """

    start: ThresholdUnits
    turning: int
    values: Values
    columns: Float[np.ndarray, "n m"]
    unknown: Float[np.ndarray, " both"]

    @classmethod
    def of(cls, patterns: Patterns, points: Points, values: Values) -> "Equations":
        order = np.argsort(patterns.held, kind="stable")
        patterns, turning = patterns.chosen(order), int((~patterns.held).sum())
        units, n = patterns.units, len(values)
        across = (points[:, None] - points[units.at]) * (patterns.sides.T > 0)[:, :, None]
        across = across * np.sign(units.masses)[:, None]
        heights = np.einsum("nkd,kd->nk", across[:, turning:], units.directions[turning:])
        turns = across[:, :turning].reshape(n, -1)
        vectors = units.directions * np.abs(units.masses)[:, None]
        unknown = [vectors[:turning].ravel(), np.abs(units.masses[turning:]), [units.constant]]
        columns = np.hstack([turns, heights, np.ones((n, 1))])
        return cls(units, turning, values, columns, np.concatenate([*unknown, units.alpha]))

    @property
    def signs(self) -> Float[np.ndarray, " k"]:
        return np.sign(self.start.masses)

    def after_a_step(self) -> "Equations":
        x, v, alpha = self._parts()
        m, n = self.columns.shape[::-1]
        lengths = np.linalg.norm(v, axis=1)
        along = v / lengths[:, None]
        # To be earned by a vector: its direction; by a mass: 1; by the constant: nothing.
        wanted = np.concatenate([along.ravel(), np.ones(m - v.size - 1), [0.0]])
        short = np.concatenate([wanted - alpha @ self.columns, self.values - self.columns @ x])
        # The derivative of v / |v|.
        turned = (np.eye(2) - along[:, :, None] * along[:, None, :]) / lengths[:, None, None]
        system = np.zeros((m + n, m + n))
        system[:m, m:], system[m:, :m] = self.columns.T, self.columns
        place = np.arange(v.size).reshape(-1, 2)
        system[place[:, :, None], place[:, None, :]] = -turned
        try:
            step = np.linalg.solve(system, short)
        except np.linalg.LinAlgError:
            step = np.full(m + n, np.nan)
        return replace(self, unknown=self.unknown + step)

    def units(self) -> ThresholdUnits:
        x, v, alpha = self._parts()
        masses = np.concatenate([np.linalg.norm(v, axis=1), x[v.size : -1]]) * self.signs
        directions = self.start.directions.copy()
        directions[: self.turning] = v / np.abs(masses[: self.turning, None])
        return replace(
            self.start, directions=directions, masses=masses, constant=float(x[-1]), alpha=alpha
        )

    def _parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What has columns, the vectors among it, and the prices."""
        m = self.columns.shape[1]
        x, alpha = self.unknown[:m], self.unknown[m:]
        return x, x[: 2 * self.turning].reshape(-1, 2), alpha
