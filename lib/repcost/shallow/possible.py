"""Which targets a network with one hidden layer can take at given points, in whole numbers.

With biases, any at all. Without, f is L x + sum_k c_k |<w_k, x>| with any matrix L: of each pair of
units c relu(<w, x>) - c relu(-<w, x>) is linear, and c relu(<w, x>) + c relu(-<w, x>) is even. The
even parts take any values on distinct lines through zero. So f(c x) = c f(x) for c > 0, and
f(x) - f(-x) = 2 L x: these are the only conditions.
"""

from fractions import Fraction
from math import lcm

from repcost.integers import reduced
from repcost.shallow.arguments import Inputs, Targets
from repcost.shallow.arrangements import Normal, whole_rows

Row = list[Fraction]


def takes(X: Inputs, Y: Targets) -> bool:
    """Whether some network without biases takes these X to these Y, exactly.

    >>> import numpy as np
    >>> X = np.array([[1.0], [-1.0], [3.0]])
    >>> takes(X, np.array([[1.0], [5.0], [3.0]])), takes(X, np.array([[1.0], [5.0], [2.0]]))
    (True, False)
    """
    on_rays = _on_rays(X, Y)
    return on_rays is not None and _differences_are_linear(on_rays)


def _on_rays(X: Inputs, Y: Targets) -> dict[Normal, Row] | None:
    """The values at a primitive vector of each ray; None if two points of one disagree."""
    found: dict[Normal, Row] = {}
    for point, ray, values in zip(X.tolist(), whole_rows(X), Y.tolist(), strict=True):
        if not any(ray):
            if any(values):
                return None
            continue
        scale = next(Fraction(x) / r for x, r in zip(point, ray, strict=True) if r)
        at_ray = [Fraction(value) / scale for value in values]
        if found.setdefault(ray, at_ray) != at_ray:
            return None
    return found


def _differences_are_linear(on_rays: dict[Normal, Row]) -> bool:
    """Whether one matrix gives f(x) - f(-x) wherever both are known."""
    rows = []
    for ray, values in on_rays.items():
        opposite = on_rays.get(tuple(-r for r in ray))
        if opposite is not None:
            rows.append(
                [*map(Fraction, ray), *(a - b for a, b in zip(values, opposite, strict=True))]
            )
    if not rows:
        return True
    inputs = len(next(iter(on_rays)))
    whole = [_whole(row) for row in rows]
    # No further column is needed to span the values.
    return max(reduced(whole)[1]) < inputs


def _whole(row: Row) -> list[int]:
    common = lcm(*(x.denominator for x in row))
    return [int(x * common) for x in row]
