"""The regions of a network in space, by half-spaces and fractions: an independent way.

A cell is a list of half-spaces, and its corners are all points on three of their planes that lie in
all of them. It has no faces, no order and no floats.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np

from tests.fraction_regions import in_fractions


def value(row, point):
    return sum(a * x for a, x in zip(row, point, strict=False)) + row[-1]


def determinant(one, two, three):
    (a, b, c), (d, e, f), (g, h, i) = one, two, three
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def common_point(planes):
    """By Cramer's rule; None where the planes have no single one in common."""
    columns = list(zip(*planes, strict=True))
    below = determinant(*columns[:3])
    if not below:
        return None
    right = [-x for x in columns[3]]
    replaced = [[right if k == j else columns[k] for k in range(3)] for j in range(3)]
    return tuple(Fraction(determinant(*each)) / below for each in replaced)


def corners_of(halfspaces):
    found = {common_point(three) for three in combinations(halfspaces, 3)} - {None}
    return {point for point in found if all(value(row, point) >= 0 for row in halfspaces)}


class Cell:
    """Where all of the half-spaces are; those that touch it in fewer than three corners go."""

    def __init__(self, halfspaces):
        self.corners = corners_of(halfspaces)
        self.halfspaces = [
            row for row in halfspaces if sum(value(row, x) == 0 for x in self.corners) > 2
        ]

    def halves(self, row):
        """Those with an inside, the positive one first."""
        values = [value(row, point) for point in self.corners]
        signs = [sign for sign in (1, -1) if any(sign * x > 0 for x in values)]
        for sign in signs:
            yield (
                sign > 0,
                self if len(signs) == 1 else Cell([*self.halfspaces, [sign * x for x in row]]),
            )


def by_fractions(net, low, high):
    """(Who is active, cell, Jacobian and offset as fractions) of each, in the library's order."""
    one = np.eye(3, dtype=int).tolist()
    box = [[*one[k], -Fraction(low[k])] for k in range(3)]
    box += [[*(-x for x in one[k]), Fraction(high[k])] for k in range(3)]
    slope = Fraction(net.negative_slope)
    found = [((), Cell(box), np.eye(4, dtype=int).astype(object)[:3])]
    for layer, (weight, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
        cut = []
        for before, cell, map in found:
            received = (
                in_fractions(weight) @ map if len(map) else np.full((len(weight), 4), Fraction())
            )
            received[:, 3] += in_fractions(bias)
            if layer == net.depth - 1:
                cut.append((before, cell, received))
                continue
            for part, signs in divided(cell, received):
                slopes = np.array([1 if on else slope for on in signs], dtype=object)
                cut.append(((*before, signs), part, received * slopes[:, None]))
        found = cut
    return found


def divided(cell, received):
    parts = [(cell, ())]
    for row in received:
        if any(row[:3]):
            parts = [(half, (*signs, on)) for part, signs in parts for on, half in part.halves(row)]
        else:
            parts = [(part, (*signs, bool(row[3] > 0))) for part, signs in parts]
    return parts
