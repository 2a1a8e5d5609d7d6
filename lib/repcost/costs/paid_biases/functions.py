"""The cost of a given function: of its bends, where they are, and of what is left at the ends.

Bends are known up to a few roundings, each relative to itself, and what the conventions add up has
no signs, so the sums are too. The first page of this room has the formulas.
"""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.bounds import Bracket
from repcost.costs.hyperplanes import shared_hyperplanes
from repcost.costs.paid_biases.arguments import COUNTS, Output
from repcost.costs.paid_biases.output_bias import price_of_output
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear
from repcost.rounding import SMALLEST_PRODUCT, UNIT, exact_product, rounded_outward

__all__ = ["paid_cost_of"]

Floats = Float[np.ndarray, " bends"]

# Roundings of one bend, of its place and of its price, added up with room to spare.
_OF_ONE = 16 * UNIT
# Squares of products of places and bends below this are floats.
_LARGEST = 1e70


@dataclass(frozen=True, eq=False)
class Bends:
    """at, sizes: t_j and m_j, up to 3 roundings. first: the slope at -infinity; at_zero: f(0).

    free: what the function costs where biases are free. lost: more than units cost that were left
    out. doubt: how far `first` and `at_zero` together may be off.
    """

    at: Floats
    sizes: Floats
    first: float
    at_zero: float
    free: Bracket
    lost: float = 0.0
    doubt: float = 0.0

    @property
    def by_place(self) -> Floats:
        """rho(t_j) |m_j|."""
        return np.hypot(1.0, self.at) * np.abs(self.sizes)

    @property
    def surcharges(self) -> Floats:
        """(rho(t_j) - 1) |m_j|, without cancellation."""
        return self.at * (self.at / (1 + np.hypot(1.0, self.at))) * np.abs(self.sizes)


def cost_of_bends(bends: Bends, output: Output) -> Bracket:
    """What biases that are paid for make of the cost."""
    _check_range(bends)
    low, high = rounded_outward(bends.surcharges if output == "free" else bends.by_place)
    low, high = low * (1 - _OF_ONE), high * (1 + _OF_ONE)
    if output == "free":
        low, high = low + bends.free.lower, high + bends.free.upper
    if output == "paid":
        ends = _output(bends)
        low, high = low + ends[0], high + ends[1]
    low = max(0.0, low * (1 - 2 * UNIT) - bends.lost)
    high = high * (1 + 2 * UNIT) + bends.lost
    reason = "units too small for floats" if bends.lost > 1e-12 * high else ""
    return Bracket(low, high, "certified", counts=COUNTS[output], reason=reason)


def _output(bends: Bends) -> tuple[float, float]:
    from_left = float(bends.sizes @ np.maximum(-bends.at, 0.0))
    target = np.array([-bends.first, bends.at_zero - from_left])
    return price_of_output(bends.at, bends.sizes, target, bends.doubt)


def _check_range(bends: Bends) -> None:
    numbers = (bends.at, bends.sizes, np.array([bends.first, bends.at_zero]))
    if not all(np.all(np.abs(part) < _LARGEST) for part in numbers):
        raise ValueError(
            f"f has bends, places of bends or values beyond {_LARGEST:g}, whose prices are no "
            "floats; multiply f or x by a power of two first"
        )


def of_function(f: PiecewiseLinear, free: Bracket) -> Bends:
    """The bends of a function that is given by its slopes."""
    with np.errstate(over="ignore"):  # refused by the range
        sizes = np.diff(f.slopes)
    used = sizes != 0
    x0, y0 = f.anchor
    # What is added up on the way to f(0), all with one sign.
    rise = PiecewiseLinear(f.knots, np.abs(f.slopes), (x0, 0.0))([0.0])[0]
    doubt = (len(f.knots) + 8) * 2 * UNIT * (abs(rise) + abs(y0))
    at_zero = float(f([0.0])[0])
    return Bends(f.knots[used], sizes[used], float(f.slopes[0]), at_zero, free, doubt=doubt)


def of_network(net: TwoLayer, free: Bracket) -> Bends:
    """The bends of a network of one variable, those of its units that share a place added up."""
    w, a, b = net.W[:, 0], net.a, net.b
    with np.errstate(over="ignore", under="ignore"):
        tiny = (np.abs(a * w) < SMALLEST_PRODUCT) & (w != 0)
        # Left out, each changes the cost by what it pays at most.
        lost = 1.01 * float((np.abs(a) * np.hypot(w, b))[tiny].sum())
        size = float(np.abs(a) @ (np.abs(b) + np.abs(w)) + abs(net.c))
    bending = (w != 0) & ~tiny
    w, a, b = w[bending], a[bending], b[bending]
    high, low = exact_product(a, np.abs(w))
    sizes = _added_up(w, b, high, low)
    with np.errstate(over="ignore"):
        at = -b / w
    used = sizes != 0
    left = w < 0
    first = -math.fsum([*high[left], *low[left]])
    doubt = (net.width + 8) * 2 * UNIT * size
    at_zero = float(net([[0.0]])[0])
    return Bends(at[used], sizes[used], first, at_zero, free, lost, doubt)


def _added_up(w: Floats, b: Floats, high: Floats, low: Floats) -> Floats:
    """The bend at the place of each unit, at the first one of those that share it."""
    sizes = high.copy()
    for units in shared_hyperplanes([b], w):
        sizes[units] = 0.0
        sizes[units[0]] = math.fsum([*high[units], *low[units]])
    return sizes


def paid_cost_of(f: PiecewiseLinear | TwoLayer, free: Bracket, output: Output) -> Bracket:
    """The cost by this convention of a function of one variable whose `free` cost is known."""
    if isinstance(f, PiecewiseLinear):
        return cost_of_bends(of_function(f, free), output)
    if f.dimension != 1:
        raise ValueError(
            f'f must have one variable where biases="paid", not {f.dimension}; '
            "rebalance finds what a network itself must pay"
        )
    return cost_of_bends(of_network(f, free), output)
