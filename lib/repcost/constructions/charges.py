"""What the weights of a network of one variable say about its second derivative.

Each unit a [w x + b]_+ is a point charge a |w| at -b/w, and all of them together are the second
derivative: (29) of Savarese et al. (2019), with the sign of the place corrected. To see a curve in
them they are blurred: by smooth bumps, which err by at most 0.968 eps / width^2 where the network
errs by eps, or by boxes, which also need that the charges are dense in them.
"""

import numpy as np
from jaxtyping import Float
from scipy.stats import norm

from repcost.arrays import ArrayLike, points_on_line
from repcost.deep_networks import as_two_layer
from repcost.networks import TwoLayer
from repcost.scalars import positive_number

Numbers = Float[np.ndarray, " K"]


def point_charges(net: TwoLayer) -> tuple[Numbers, Numbers]:
    """Where the units of a network of one variable bend, and by how much, from left to right.

    Units with the weight zero do not bend, and are left out.

    >>> places, sizes = point_charges(TwoLayer([[2.0], [-1.0]], [3.0, 1.0], [2.0, -4.0]))
    >>> places.tolist(), sizes.tolist()
    ([-4.0, -1.0], [1.0, 6.0])
    """
    net = as_two_layer(net)
    if net.dimension != 1:
        raise ValueError(f"net has {net.dimension} variables; charges are points for one only")
    w, used = net.W[:, 0], net.W[:, 0] != 0
    places, sizes = -net.b[used] / w[used], net.a[used] * np.abs(w[used])
    order = np.argsort(places, kind="stable")
    return places[order], sizes[order]


def curvature_by_bumps(net: TwoLayer, x: ArrayLike, width: float) -> Float[np.ndarray, " n"]:
    """The second derivative at x, read with a normal density of this deviation for each charge.

    >>> round(float(curvature_by_bumps(TwoLayer([[1.0]], [1.0], [0.0]), [0.0], 0.5)[0]), 6)
    0.797885
    """
    places, sizes = point_charges(net)
    width = positive_number(width, "width")
    return norm.pdf(points_on_line(x)[:, None], places, width) @ sizes


def curvature_by_boxes(net: TwoLayer, x: ArrayLike, width: float) -> Float[np.ndarray, " n"]:
    """The second derivative at x, read as the charges within half a width, over the width.

    >>> curvature_by_boxes(TwoLayer([[1.0]], [1.0], [0.0]), [0.0, 2.0], 0.5).tolist()
    [2.0, 0.0]
    """
    places, sizes = point_charges(net)
    x, width = points_on_line(x), positive_number(width, "width")
    up_to = np.append(0.0, np.cumsum(sizes))
    first, last = np.searchsorted(places, [x - width / 2, x + width / 2])
    return (up_to[last] - up_to[first]) / width
