"""The radial bump of Claim 5.2 of Savarese et al. (2019): ridges in all directions at once.

(38) is the integral over all unit w of [1 - |<w, x>|]_+ dw, written with ramps: three for
each w. It is a function h(|x|) of finite cost whose tail falls only like 1 / |x|, and whose
curvature, averaged over large balls, tends to zero in two dimensions and more.
"""

import numpy as np
from jaxtyping import Float
from scipy.integrate import quad
from scipy.special import beta, betainc

from repcost.arrays import finite_array
from repcost.constructions.spheres import sphere_area
from repcost.conversions import as_floats
from repcost.networks import TwoLayer
from repcost.scalars import real_number, whole_number

Radii = float | Float[np.ndarray, "..."]


def radial_bump(r: Radii, d: int) -> Radii:
    """h at distance r >= 0 from the centre, in d dimensions.

    Claim 5.2 of Savarese et al. (2019), with the integral that Appendix D loses kept. With A the
    area of the sphere in d - 1 dimensions and c = min(1, 1/r^2), h is 2 A times
    r ((1 - c)^((d-1)/2) - 1) / (d - 1) + int from 0 to sqrt(c) of (1 - t^2)^((d-3)/2) dt.

    >>> float(radial_bump(0.5, 1)), round(float(radial_bump(2.0, 3) / np.pi), 12)
    (1.0, 1.0)
    """
    d, given = whole_number(d, "d", 1), as_floats(r, "r")
    if not np.all(given >= 0) or not np.isfinite(given).all():
        raise ValueError("r must be zero or positive, and finite: it is a distance")
    # A float where one was given.
    r = given if given.ndim else float(given)
    if d == 1:
        return 2 * np.maximum(1 - r, 0)
    # c is 1 everywhere inside, so r may as well be 1e-9 at the centre, where it would overflow.
    cut = np.minimum(1, np.maximum(r, 1e-9) ** -2.0)
    first = r * ((1 - cut) ** ((d - 1) / 2) - 1) / (d - 1)
    second = beta(0.5, (d - 1) / 2) / 2 * betainc(0.5, (d - 1) / 2, cut)
    return 2 * sphere_area(d - 1) * (first + second)


def bump_network(directions: Float[np.ndarray, "n d"]) -> TwoLayer:
    """The sum in place of the integral (38): three ramps for each of these unit vectors and for -w.

    Its cost is four times the area of the sphere, however many there are: each pair w, -w
    bends at three places, and units that face both ways leave no linear part.

    >>> net = bump_network(np.array([[1.0]]))
    >>> net([0.0, 0.5, 2.0]).tolist()
    [2.0, 1.0, 0.0]
    """
    # [t + 1]_+ - 2 [t]_+ + [t - 1]_+ is the hat [1 - |t|]_+, here for t = <w, x> and for -t.
    directions = finite_array(directions, "directions", 2)
    pairs, d = directions.shape
    if not directions.size:
        raise ValueError(f"directions has shape {directions.shape}; give at least one")
    W = np.tile(np.vstack([directions, -directions]), (3, 1))
    a = np.repeat([1, -2, 1], 2 * pairs) * sphere_area(d) / (2 * pairs)
    return TwoLayer(W, a, np.repeat([1, 0, -1], 2 * pairs))


def average_curvature(r: float, d: int) -> float:
    """The nuclear norm of the bump's second derivatives over the ball of radius r >= 1, / r^(d-1).

    What Claim 5.2 of Savarese et al. (2019) sends to zero: like 1/r for d = 2, log r / r^2
    for d = 3, and 1/r^2 above. In one dimension it is 8. By quadrature with u = cosh(s).

    >>> average_curvature(10.0, 1), average_curvature(100.0, 3) < average_curvature(10.0, 3)
    (8.0, True)
    """
    d, r = whole_number(d, "d", 1), real_number(r, "r")
    if not 1 <= r <= 1e100 or (d - 1) * np.log10(r) > 300:
        raise ValueError(f"r must be at least 1 and its powers floats, not {r:g}")
    if d == 1:
        return 8.0

    def outwards(s: float) -> float:
        return np.sinh(s) ** (d - 2) / np.cosh(s)

    def around(s: float) -> float:
        # 1 - tanh(s)^(d-1) without cancellation.
        lost = -np.expm1((d - 1) * np.log(np.tanh(s)))
        return np.cosh(s) ** (d - 2) * np.sinh(s) * lost

    top = np.arccosh(r)
    parts = [quad(part, 1e-300, top, limit=500)[0] for part in (outwards, around)]
    return float(
        sphere_area(d) * 2 * sphere_area(d - 1) * (1 / (d - 1) + sum(parts)) / r ** (d - 1)
    )
