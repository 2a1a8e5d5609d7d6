"""Both ends of Phi_L at any positive c: facts 1, 2 and 7 of the room's page put together.

Nothing about convergence is assumed. A c that is far from the fixed point gives a wide bracket,
and one at which the columns cannot be told apart gives none: [0, infinity].
"""

import numpy as np

from repcost.costs.linear_layers.contraction import FixedPoint
from repcost.costs.linear_layers.coordinates import Coordinates
from repcost.costs.linear_layers.frames import LARGEST_DEFECT, Frame, measured
from repcost.costs.linear_layers.power_sums import CertifiedEnds, power_sum, powers_are_rounded
from repcost.costs.linear_layers.scaled_rows import Alive, Each, Floats
from repcost.rounding import UNIT


def certified(
    space: Coordinates, alive: Alive, point: FixedPoint, depth: int, graded: bool
) -> CertifiedEnds:
    """Ends for the rows that `space` holds in coordinates, scaled down as they are there."""
    c, alpha = point.c, (depth - 2) / (depth - 1)
    seen = _frame_at(space, point, graded)
    total = power_sum(space, seen, c, 1 / (depth - 1))
    mass = (c * alive).sum(-1)
    cost = every_c_costs_enough(total.value, mass, depth)
    image, blur = image_is_known(seen, c, alive, alpha)
    decrease = minimum_is_near(c, image, alive, alpha, blur)
    allowance = powers_are_rounded(seen, c.shape[-1], np.log(total.value), np.log(mass))
    root = (depth - 1) / depth
    lower = cost * (total.below**root * np.exp(-2 / depth * decrease) - allowance)
    upper = cost * (total.above**root + 1.01 * allowance * total.above)
    # log and exp were linearised for small departures; beyond those nothing is claimed.
    sound = seen.sound & (blur < LARGEST_DEFECT)
    return CertifiedEnds(
        np.where(sound, np.maximum(lower, 0.0), 0.0),
        np.where(sound, upper, np.inf),
        space.rank_known,
    )


def _frame_at(space: Coordinates, point: FixedPoint, graded: bool) -> Frame:
    """The columns of X V for X = D_c^(-1/2) M."""
    # A root and a division: two roundings and a bit.
    root = np.sqrt(point.c)[..., None]
    X = space.Y / root
    return measured(X, 2.1 * UNIT * np.abs(X) + 1.01 * space.error / root, point.V, graded)


def every_c_costs_enough(value: Each, mass: Each, depth: int) -> Each:
    """Fact 1: what c costs, from value = tr G^(1-alpha) and mass = sum(c)."""
    return value ** ((depth - 1) / depth) * mass ** (1 / depth)


def minimum_is_near(c: Floats, image: Floats, alive: Alive, alpha: float, blur: Each) -> Each:
    """Fact 2: how far above the minimum of g this c may be, with `image` for c' up to `blur`."""
    share, held = _shares(image**2 / c, alive), _shares(c, alive)
    # Only the rows that are alive have a ratio; a batch without dead ones is spared the NaNs.
    ratio = image / c if alive.all() else np.where(alive, image / c, np.nan)
    spread = np.log(np.fmax.reduce(ratio, axis=-1) / np.fmin.reduce(ratio, axis=-1)) + 2.2 * blur
    # 4 = 2 * 2: half the oscillation of the way, and t is half of log c.
    return (np.abs(share - held).sum(-1) + 5 * blur) * spread / (4 * (1 - alpha / 2))


def image_is_known(seen: Frame, c: Floats, alive: Alive, alpha: float) -> tuple[Floats, Each]:
    """Fact 7: c', and by how much that of the exact rows M V may differ, relatively."""
    weights = seen.positive_sizes**-alpha
    square = np.einsum("...kr,...r->...k", seen.Z**2, weights)
    lost = np.einsum("...kr,...r->...k", seen.error**2, weights)
    blur = np.sqrt(lost / np.where(alive & (square > 0), square, 1.0))
    largest = np.where(alive, blur, 0.0).max(-1, initial=0.0)
    blur = 1.1 * (seen.defect + largest) + powers_are_rounded(seen, c.shape[-1])
    return np.sqrt(square * c), blur


def _shares(masses: Floats, alive: Alive) -> Floats:
    masses = np.where(alive, masses, 0.0)
    return masses / masses.sum(-1, keepdims=True)
