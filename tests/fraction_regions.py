"""The linear regions of a network in the plane, by clipping polygons of fractions: slow, short, and
independent.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np


def area(polygon):
    """By the shoelace formula."""
    return sum(p[0] * q[1] - p[1] * q[0] for p, q in pairwise([*polygon, polygon[0]])) / 2


def clipped(polygon, row):
    """The part with row @ (x, y, 1) >= 0, by Sutherland and Hodgman on fractions."""
    values = [row[0] * x + row[1] * y + row[2] for x, y in polygon]
    part = []
    for (p, v), (q, w) in pairwise(zip([*polygon, polygon[0]], [*values, values[0]], strict=True)):
        if v >= 0:
            part.append(p)
        if v * w < 0:
            part.append(tuple(a + v / (v - w) * (b - a) for a, b in zip(p, q, strict=True)))
    return part if len(part) > 2 and area(part) else None


def by_fractions(net, domain, clip_where_zero=False):
    """(Jacobian and offset as fractions, area) of every cell: an independent subdivision, one layer
    after another.
    """
    (left, bottom), (right, top) = [[Fraction(x) for x in corner] for corner in domain]
    slope = Fraction(net.negative_slope)
    found = [
        (
            [(left, bottom), (right, bottom), (right, top), (left, top)],
            np.eye(3, dtype=int).astype(object)[:2],
        )
    ]
    for layer, (weight, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
        W = np.array([[Fraction(x) for x in row] for row in weight.tolist()], dtype=object)
        cut = []
        for polygon, map in found:
            received = W @ map
            received[:, 2] += [Fraction(x) for x in bias.tolist()]
            parts = [(polygon, [])]
            for row in received if layer < net.depth - 1 else []:
                if any(row[:2]) or clip_where_zero:
                    sides = [
                        (clipped(p, sign * row), [*signs, sign > 0])
                        for p, signs in parts
                        for sign in (1, -1)
                    ]
                    parts = [(p, signs) for p, signs in sides if p]
                else:
                    parts = [(p, [*signs, row[2] > 0]) for p, signs in parts]
            for part, signs in parts:
                slopes = [1 if on else slope for on in signs] or [1] * len(received)
                cut.append((part, received * np.array(slopes, dtype=object)[:, None]))
        found = cut
    return [(map, area(polygon)) for polygon, map in found]
