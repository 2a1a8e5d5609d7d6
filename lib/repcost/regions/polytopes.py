"""Convex polytopes in more than three variables: linear programmes decide which have an inside."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from repcost.integers import nearest_floats
from repcost.scales import exponent_if_far

# Parts without room for a ball of this radius are dropped, where the box is the cube [-1, 1]^d.
SMALLEST_RADIUS = 1e-8

# The least that HiGHS takes; its default would be larger than the radius above.
_PRECISION = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True, eq=False)
class Polytope:
    """Points middle + half * u with halfspaces @ (u, 1) >= 0, rows of unit normal.

    ball: centre and radius of the largest ball of u's.
    """

    middle: Float[np.ndarray, " d"]
    half: Float[np.ndarray, " d"]
    halfspaces: Float[np.ndarray, "k columns"]
    ball: Float[np.ndarray, " columns"]

    @classmethod
    def box(cls, low: Float[np.ndarray, " d"], high: Float[np.ndarray, " d"]) -> "Polytope":
        d = len(low)
        sides = np.hstack([np.vstack([np.eye(d), -np.eye(d)]), np.ones((2 * d, 1))])
        # Halves first where sums are no floats.
        half = max(np.abs(low).max(), np.abs(high).max()) < 1e300
        middle, reach = (
            ((low + high) / 2, (high - low) / 2)
            if half
            else (low / 2 + high / 2, high / 2 - low / 2)
        )
        if not reach.all():
            raise ValueError("domain is thinner than floats can halve; multiply it by 2.0**60")
        return cls(middle, reach, sides, np.eye(d + 1)[d])

    @property
    def centre(self) -> Float[np.ndarray, " d"]:
        """The centre of the largest ball in the coordinates of the cube."""
        return self.middle + self.half * self.ball[:-1]

    def halves(self, line: Sequence[int]) -> Iterator[tuple[bool, "Polytope"]]:
        """(True, where line @ (x, 1) >= 0) and (False, where <= 0), those with room for a ball."""
        side = self._side(line)
        # No zero in the whole cube.
        if abs(side[-1]) >= np.abs(side[:-1]).sum():
            yield bool(side[-1] > 0), self
            return
        side = side / np.linalg.norm(side[:-1])
        for on, inner in ((True, side), (False, -side)):
            part = replace(self, halfspaces=np.vstack([self.halfspaces, inner]))
            # A ball that the cut misses is still the largest.
            missed = inner @ np.append(self.ball[:-1], 1.0) >= self.ball[-1]
            ball = self.ball if missed else part.largest_ball()
            if ball is not None:
                yield on, replace(part, ball=ball)

    def _side(self, line: Sequence[int]) -> Float[np.ndarray, " columns"]:
        """The line, divided by a power of two, in the coordinates of the cube."""
        digits = max(map(abs, line)).bit_length()
        *normal, offset = nearest_floats(np.array(line, dtype=object), digits)
        # Far and tiny boxes, too, by a power of two, lest products or squares leave the floats.
        shift = exponent_if_far(np.abs(self.middle) / 2 + self.half / 2)
        half, middle = np.ldexp(self.half, -shift), np.ldexp(self.middle, -shift)
        with np.errstate(over="ignore"):  # an infinite offset has no zero in the cube
            side = np.append(normal * half, np.ldexp(offset, -shift) + normal @ middle)
            return np.ldexp(side, -exponent_if_far(np.abs(side[:-1])))

    def largest_ball(self) -> Float[np.ndarray, " columns"] | None:
        """The Chebyshev centre and radius; None where the radius is not above SMALLEST_RADIUS."""
        A = np.hstack([-self.halfspaces[:, :-1], np.ones((len(self.halfspaces), 1))])
        least = np.append(np.zeros(len(self.half)), -1.0)
        limits, free = self.halfspaces[:, -1], (None, None)
        found = linprog(least, A, limits, bounds=free, method="highs", options=_PRECISION)
        return found.x if found.x is not None and found.x[-1] > SMALLEST_RADIUS else None

    @cached_property
    def vertices(self) -> Float[np.ndarray, "v d"]:
        """In no order, by qhull."""
        corners = HalfspaceIntersection(-self.halfspaces, self.ball[:-1]).intersections
        return self.middle + self.half * np.unique(corners, axis=0)

    @cached_property
    def volume(self) -> float:
        """By qhull, in the coordinates of the cube; infinite beyond the range of floats."""
        try:
            return float(ConvexHull(self.vertices).volume)
        except QhullError:
            # Too thin, too small or too far for qhull as it is.
            inside = (self.vertices - self.middle) / self.half
            with np.errstate(over="ignore"):
                return float(ConvexHull(inside).volume * np.prod(self.half))
