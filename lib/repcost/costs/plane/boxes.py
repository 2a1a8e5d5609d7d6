"""Boxes of metrics, sectors of annuli in the disc, and what holds on all of one (Fact 15)."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from repcost.costs.plane.metrics import DiscForm, form_size, form_size_slope
from repcost.rounding import UNIT

_SECTORS = 8
# Where the tangents of N touch, as shares of the way from the near to the far chord.
_TANGENTS = np.linspace(0.0, 1.0, 9)
# And those of the depth of a chord, as shares of the way from its middle to its ends.
_ALONG = np.linspace(-1.0, 1.0, 17)
# Roundings in a bound: few on the way to the edge, more between chords.
_TO_THE_EDGE, _BETWEEN = 64 * UNIT, 2**10 * UNIT


# Of the two ends of a chord.
Ends = tuple[float, float]


@dataclass(frozen=True, order=True)
class MetricBox:
    """Forms at angles `first` to `last`, `near` to `far` below the edge of the disc.

    bound: V / N is at least this on the box. Boxes are ordered by it, the least first.
    """

    bound: float
    first: float
    last: float
    near: float
    far: float

    @property
    def half_angle(self) -> float:
        return (self.last - self.first) / 2

    def corners(self, edge: float) -> tuple[DiscForm, DiscForm]:
        """The two at this distance from the edge of the disc."""
        return DiscForm(self.first, edge), DiscForm(self.last, edge)

    def halves(self) -> list["MetricBox"]:
        """By angle or by depth, whichever weakens the bound more: the arc's bulge, or N's curve."""
        bulge = self.half_angle**2
        curve = 0.2 * self.near * (1 - self.near / self.far) ** 2
        # A box at the edge stays about as wide as it is deep.
        may_narrow = self.near > 0 or self.half_angle > self.far / 2
        if bulge > curve and may_narrow:
            middle = (self.first + self.last) / 2
            return [replace(self, last=middle), replace(self, first=middle)]
        middle = (self.near + self.far) / 2
        return [replace(self, far=middle), replace(self, near=middle)]


def whole_disc() -> list[MetricBox]:
    """Boxes that hold every form, about which nothing is known yet."""
    corners = np.linspace(0, 2 * np.pi, _SECTORS + 1).tolist()
    return [MetricBox(0.0, first, last, 0.0, 1.0) for first, last in pairwise(corners)]


def box_bound(box: MetricBox, near: Ends, far: Ends, depth: int) -> float:
    """V / N on the box is at least this, if V is at least these at the ends of its two chords."""
    from_far = _bound_towards_edge(box, box.far, far, depth)
    if not box.near:
        return from_far * (1 - _TO_THE_EDGE / box.far)
    from_near = _bound_towards_edge(box, box.near, near, depth)
    between = _bound_between_chords(box, min(near), min(far), depth)
    return max(from_far, min(from_near, between)) * (1 - _BETWEEN / box.near)


def _bound_towards_edge(box: MetricBox, chord: float, ends: Ends, depth: int) -> float:
    """From the chord to the edge V is at least linear, down to 0; along the chord as well.

    At the share s of the way from the middle of the chord to an end its depth is
    1 - (1 - chord) cos h sqrt(1 + s^2 tan^2 h), which is concave in s, below each of its tangents.
    """
    flat, steep = (1 - chord) * np.cos(box.half_angle), np.tan(box.half_angle)
    root = np.sqrt(1 + (_ALONG * steep) ** 2)
    slope = -flat * _ALONG * steep**2 / root
    depths = 1 - flat * root + slope * (np.array([[-1.0], [1.0]]) - _ALONG)
    shallowest = (np.array(ends)[:, None] / depths).min(axis=0).max()
    # N / edge falls with the distance, from 1/2 at the edge itself.
    steepest = box.near / form_size(box.near, depth) if box.near else 2.0
    return float(shallowest) * steepest


def _bound_between_chords(box: MetricBox, least_near: float, least_far: float, depth: int) -> float:
    """Linear V over a tangent of N: the ratio is least at an end, and each tangent proves one."""
    shrink = float(np.cos(box.half_angle))
    # N pulled towards the centre with the middles of the chords, where it is largest.
    edge = 1 - (1 - box.near - _TANGENTS * (box.far - box.near)) * shrink
    height = form_size(edge, depth)
    slope = form_size_slope(edge, depth) * shrink * (box.far - box.near)
    tangents = np.stack([height - slope * _TANGENTS, height + slope * (1 - _TANGENTS)])
    ratios = np.array([[least_near], [least_far]]) / tangents
    return float(np.min(ratios, axis=0).max())
