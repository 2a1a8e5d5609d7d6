"""The metric of the linear layers in its parametrisations (Facts 9 to 14), and ways between them.

allotment T: positive definite, of trace 1; what the linear layers allot to each direction.
form P = T^(-(L-2)): the unit m costs sqrt(m^T P m). Here of trace 1, a point of the disc.
point map A = T^((L-2)/2) = P^(-1/2): as two layers see the points.
A common factor of P or A only scales all costs, so point maps have norm 1.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from repcost.costs.linear_layers.phi import optimal_shares
from repcost.costs.plane.directions import Direction, Symmetric
from repcost.networks import TwoLayer

_TURN = 2 * np.pi
# Of nearly parallel units Z is nearly singular: eigenvalues of Z, and of the map that must be
# inverted, are kept above these shares of the largest.
_FLATTEST = 1e-12, 1e-4


@dataclass(frozen=True)
class DiscForm:
    """The form P of trace 1 with eigenvalue edge/2 at half the angle, and 1 - edge/2 across.

    As a point of the disc it lies `edge` below the edge. Its direction at half the angle is the
    cheap one, so units turn towards it.
    """

    angle: float
    edge: float

    @property
    def key(self) -> tuple[float, float]:
        """Equal for equal forms: a turn changes nothing, and the centre has no angle."""
        return (self.angle % _TURN if self.edge < 1 else 0.0, self.edge)

    def unlike(self, other: "DiscForm") -> float:
        """How far the other one is, by its cheap direction and by the ratio of eigenvalues."""
        turned = math.sin((self.angle - other.angle) / 2)
        return abs(turned) + abs(math.log(self.edge / other.edge))

    @property
    def axes(self) -> Symmetric:
        """Eigenvectors as columns, the cheap direction first."""
        # Half the angle: a direction and its reverse are one axis, and the disc has one point.
        c, s = np.cos(self.angle / 2), np.sin(self.angle / 2)
        return np.array([[c, -s], [s, c]])

    @property
    def cheap_direction(self) -> Direction:
        return self.axes[:, 0]

    def point_map(self) -> Symmetric:
        """sqrt(edge/2) P^(-1/2), which has norm 1."""
        axes = self.axes
        return (axes * np.sqrt([1.0, self.edge / (2 - self.edge)])) @ axes.T

    def form_cost(self, two_layer_cost: float) -> float:
        """V(P) from the cost of two layers through the points moved by `point_map`."""
        # The factor sqrt(edge/2) in the point map made all units longer by its inverse.
        return two_layer_cost**2 * self.edge / 2


def form_size(edge: Any, depth: int) -> Any:
    """N(P) of the form with eigenvalues edge/2 and 1 - edge/2, for one edge or many (Fact 14).

    Concave in `edge`, rising, and at most edge/2.
    """
    # With edge/2 in front the rest lies between 2^(-1/s) and 1, however near the edge.
    s = 1 / (depth - 2)
    return edge / 2 * (1 + (edge / (2 - edge)) ** s) ** (-1 / s)


def form_size_slope(edge: Any, depth: int) -> Any:
    """The derivative of `form_size`; the eigenvalues change by 1/2 and -1/2."""
    s = 1 / (depth - 2)
    size = form_size(edge, depth)
    return ((2 * size / edge) ** (1 + s) - (size / (1 - edge / 2)) ** (1 + s)) / 2


def point_map_of_best_allotment(net: TwoLayer, depth: int) -> Symmetric:
    """T^((L-2)/2) of the T that makes the network cheapest, divided by its norm (Fact 11).

    T is Z^(1/(L-1)) up to a factor, with Z = sum_k m_k m_k^T / share_k.
    """
    rows = net.a[:, None] * net.W
    shares = optimal_shares(net, depth)
    sizes, axes = np.linalg.eigh((rows / shares[:, None]).T @ rows)
    smallest_of_Z, smallest_of_map = _FLATTEST
    powers = np.maximum(sizes / sizes[-1], smallest_of_Z) ** ((depth - 2) / (2 * (depth - 1)))
    return (axes * np.maximum(powers, smallest_of_map)) @ axes.T
