"""Two rays of points, and what three networks through them cost."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from repcost import Bracket, TwoLayer, linear_layers_cost
from repcost.constructions import (
    cheapest_direction,
    direction_between,
    ray_directions,
    turned_to,
)
from repcost_book.kernel.widgets.allowed import inside
from repcost_book.kernel.widgets.base import Checked, Drawing, script, style

# As in the script: the sum of all outer weights, and the distance at which each ray bends. With
# these Figure 2 of Ongie & Willett (2022) is a share of 3/4 and angles of 0.55 and 0.52.
WEIGHT, BEND = 1.5, 0.6
NAMES = ("along the rays", "along w_0", "best direction")


def allowed_angle(angle: float) -> float:
    """The angle in units of pi; ValueError where there are no such rays."""
    return inside("angle", angle, 0.5, 1, "it is counted in units of pi, more than a right angle")


def allowed_share(share: float) -> float:
    """The share of the first ray; ValueError if one ray has it all."""
    return inside("share", share, 0, 1, "both rays have some of the weight")


@dataclass(frozen=True)
class TwoRays:
    """Two rays of points, and three networks with the same values on them.

    The rays are `angle` pi apart, and the first has `share` of the weights: the setting of
    Proposition 5.2 of Ongie & Willett (2022), with one unit on each ray.

    >>> [round(cost.value, 4) for cost in TwoRays(angle=0.52, share=0.75).costs(3)]
    [1.6012, 1.6178, 1.5717]
    """

    angle: float
    share: float

    def __post_init__(self) -> None:
        allowed_angle(self.angle)
        allowed_share(self.share)

    @property
    def tilt(self) -> float:
        """The best direction, as the angle from the first ray; w_0 is at pi (1 - angle) / 2."""
        return cheapest_direction(np.pi * (1 - self.angle), self.share, 1 - self.share).angle

    @property
    def networks(self) -> tuple[TwoLayer, TwoLayer, TwoLayer]:
        """Along the rays, along w_0, in the best direction."""
        weights = WEIGHT * np.array([self.share, self.share - 1])
        f = TwoLayer(ray_directions(np.pi * self.angle), weights, [-BEND, -BEND])
        half_way = np.pi * (1 - self.angle) / 2
        middle, best = (turned_to(f, direction_between(at)) for at in (half_way, self.tilt))
        return f, middle, best

    def costs(self, depth: int) -> list[Bracket]:
        """R_L of the three networks."""
        return [linear_layers_cost(f, depth) for f in self.networks]


class RaysWidget(Drawing):
    """Two rays whose angle and balance the reader changes, with R_2 and R_3 of three networks.

    Proposition 5.2 of Ongie & Willett (2022) and what the book adds to it. On a page there is no
    kernel: there the script computes by closed forms what `TwoRays` computes by the library, to
    1e-9 (tests/browser/test_rays_widget.py).
    """

    kind, names = "rays", ("angle", "share")
    _esm, _css = script("rays"), style("rays")
    angle = Checked(allowed_angle, 0.55).tag(sync=True)
    share = Checked(allowed_share, 0.75).tag(sync=True)

    def __init__(self, angle: float = 0.55, share: float = 0.75, **others: Any):
        super().__init__(angle=float(angle), share=float(share), **others)

    @property
    def rays(self) -> TwoRays:
        """What is drawn, with its networks and their costs by the library."""
        return TwoRays(self.angle, self.share)

    def _in_words(self) -> str:
        pairs = {depth: zip(NAMES, self.rays.costs(depth), strict=True) for depth in (2, 3)}
        lists = {
            depth: ", ".join(f"{name} {cost.value:.4f}" for name, cost in pairs[depth])
            for depth in pairs
        }
        return (
            "Needs JavaScript: a map on which the angle of two rays and their weights can be "
            f"changed, now {self.angle:.4g} pi and {100 * self.share:.4g} % on the first ray, and "
            f"pictures of three networks with what they cost. R_2: {lists[2]}. R_3: {lists[3]}."
        )
