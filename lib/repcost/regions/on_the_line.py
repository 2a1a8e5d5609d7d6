"""A network of one variable as the piecewise linear function that it is, on the whole line.

A box would do where nobody asks what happens outside, but a unit whose weight is small bends far
away, and the outer slopes count in every cost. So it is the whole line that is cut, at rational
places, into pieces on which the network is affine; the first and the last have one end only.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from repcost.deep_networks import DeepNet, as_deep
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear
from repcost.regions.intervals import Interval
from repcost.regions.maps import AffineMap, whole_layers
from repcost.regions.subdivision import Cell, cut_by_layers

Piece = Cell[Interval]


def as_piecewise_linear(net: DeepNet | TwoLayer) -> PiecewiseLinear:
    """A network of one variable and one output as a PiecewiseLinear, with all its knots.

    Every float counts as the rational that it is. Knots are the places where the slope changes,
    and none is missing, however far away; knots, slopes and the value at zero are rounded once
    each. Where two knots round to the same float, what lies between them is left out.

    >>> f = as_piecewise_linear(DeepNet([[[1.0], [-2.0]], [[1.0, 1.0]]], [[0.0, 1.0], [3.0]]))
    >>> f.knots.tolist(), f.slopes.tolist(), f([0.0]).tolist()
    ([0.0, 0.5], [-2.0, -1.0, 1.0], [4.0])
    """
    net = as_deep(net)
    if (net.widths[0], net.widths[-1]) != (1, 1):
        raise ValueError(
            f"net takes {net.widths[0]} variables and has {net.widths[-1]} outputs; "
            "a piecewise linear function has one of each"
        )
    pieces = _distinct(pieces_on_the_line(net))
    try:
        return _rounded(pieces)
    except OverflowError:
        raise ValueError(
            "net bends or rises beyond the range of floats; rescale its variable or its output"
        ) from None


def pieces_on_the_line(net: DeepNet) -> list[Piece]:
    """Intervals that cover the line, from left to right, each with the affine map there."""
    layers = whole_layers(net)
    line = Cell(Interval(), AffineMap.identity(1).through(layers[0]))
    # They stay in order, as the halves of an interval do.
    return cut_by_layers(net, layers, [line])


def _distinct(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbours with the same slope as one piece: on a line they have the same map."""
    merged = [pieces[0]]
    for before, piece in pairwise(pieces):
        # All maps have one exponent, so equal functions have equal rows.
        if (before.map.rows == piece.map.rows).all():
            merged[-1] = Cell(Interval(merged[-1].shape.low, piece.shape.high), piece.map)
        else:
            merged.append(piece)
    return merged


def _rounded(pieces: Sequence[Piece]) -> PiecewiseLinear:
    knots, slopes = [], [_slope(pieces[0])]
    for piece in pieces[1:]:
        assert piece.shape.low is not None
        # Fractions are rounded correctly, so knots keep their order.
        knot = float(piece.shape.low)
        if knots and knot == knots[-1]:
            slopes[-1] = _slope(piece)
        else:
            knots.append(knot)
            slopes.append(_slope(piece))
    return PiecewiseLinear(knots, slopes, (0.0, _value_at_zero(pieces)))


def _slope(piece: Piece) -> float:
    return float(Fraction(piece.map.rows[0, 0], 1 << piece.map.exponent))


def _value_at_zero(pieces: Sequence[Piece]) -> float:
    """By continuity either neighbour will do where zero is a knot."""
    here = next(piece for piece in pieces if piece.shape.high is None or piece.shape.high >= 0)
    return float(Fraction(here.map.rows[0, 1], 1 << here.map.exponent))
