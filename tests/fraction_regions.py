"""The regions of a network in the plane, by clipping polygons of fractions: an independent way."""

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


def divided(polygon, received, clip_where_zero):
    """The parts of the polygon where each row keeps its sign, with these signs."""
    parts = [(polygon, [])]
    for row in received:
        if any(row[:2]) or clip_where_zero:
            sides = [
                (clipped(part, sign * row), [*signs, sign > 0])
                for part, signs in parts
                for sign in (1, -1)
            ]
            parts = [(side, signs) for side, signs in sides if side]
        else:
            parts = [(part, [*signs, row[2] > 0]) for part, signs in parts]
    return parts


def in_fractions(array):
    flat = [Fraction(x) for x in array.ravel().tolist()]
    return np.array(flat, dtype=object).reshape(array.shape)


def by_fractions(net, domain, clip_where_zero=False):
    """(Jacobian and offset as fractions, area) of every cell, one layer after another."""
    (left, bottom), (right, top) = [[Fraction(x) for x in corner] for corner in domain]
    box = [(left, bottom), (right, bottom), (right, top), (left, top)]
    slope = Fraction(net.negative_slope)
    found = [(box, np.eye(3, dtype=int).astype(object)[:2])]
    for layer, (weight, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
        cut, is_last = [], layer == net.depth - 1
        for polygon, map in found:
            received = in_fractions(weight) @ map
            received[:, 2] += in_fractions(bias)
            if is_last:
                cut.append((polygon, received))
                continue
            for part, signs in divided(polygon, received, clip_where_zero):
                slopes = np.array([1 if on else slope for on in signs], dtype=object)
                cut.append((part, received * slopes[:, None]))
        found = cut
    return [(map, area(polygon)) for polygon, map in found]
