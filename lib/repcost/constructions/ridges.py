"""Functions of one number <u, x>: laid into space as they are, or made by joining the dots.

Any data can be interpolated through one number, as long as no two points have the same: sort
the points by it, and join the values by straight lines. That needs one unit a line, and the
rank of the Jacobian is one. Jacot (2023) asks when weight decay prefers such networks; with
linear layers (Ongie & Willett 2022) they are the cheap ones.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.costs.attained import cheapest_network
from repcost.deep_networks import DeepNet, leaky_network
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear

# Outer weights, and slopes on the left, below this are what rounding leaves of zero.
_NOTHING = 1e-9


def ridge(g: PiecewiseLinear, u: ArrayLike) -> TwoLayer:
    """x -> g(<u, x>) at the least path norm, with rows of length one and no idle units; |u| = 1.

    The minimiser of (20) in Savarese et al. (2019), laid along u (d,). Where g is flat on the
    left its units all face right, one for each bend.

    >>> net = ridge(PiecewiseLinear([0.0, 1.0], [0.0, 2.0, 0.0]), [0.0, 1.0])
    >>> net.width, net([[9.0, 0.5], [9.0, 3.0]]).tolist()
    (2, [1.0, 2.0])
    """
    u = finite_array(u, "u", 1)
    if len(g.knots) and abs(g.slopes[0]) < _NOTHING:
        # g stays at its value up to the first knot, so the output bias is that value.
        bends, value = np.diff(g.slopes), float(g(g.knots[:1])[0])
        used = np.abs(bends) > _NOTHING
        return TwoLayer(np.tile(u, (int(used.sum()), 1)), bends[used], -g.knots[used], value)
    net = cheapest_network(g)
    used = np.abs(net.a) > _NOTHING
    return TwoLayer(net.W[used] * u, net.a[used], net.b[used], net.c)


class Dots(NamedTuple):
    """places: (n,), increasing; values: (n, m); slopes: (n - 1, m), of the lines that join them."""

    places: Float[np.ndarray, " n"]
    values: Float[np.ndarray, "n m"]
    slopes: Float[np.ndarray, "pieces m"]


def dots_along(X: Float[np.ndarray, "n d"], Y: Float[np.ndarray, "n m"], u: ArrayLike) -> Dots:
    """The rows of Y where the numbers <u, x_n> are, in the order of these numbers.

    ValueError if two points have the same number. u: (d,).

    >>> dots_along(np.array([[2.0], [0.0]]), np.array([[6.0], [0.0]]), [1.0]).slopes.tolist()
    [[3.0]]
    """
    numbers = X @ finite_array(u, "u", 1)
    order = np.argsort(numbers)
    places, values = numbers[order], Y[order]
    if np.any(np.diff(places) == 0):
        raise ValueError("u must tell the points apart: two of them have the same <u, x>")
    return Dots(places, values, np.diff(values, axis=0) / np.diff(places)[:, None])


def rank_one_interpolant(
    X: Float[np.ndarray, "n d"], Y: Float[np.ndarray, "n m"], u: ArrayLike
) -> DeepNet:
    """A network of depth two through all points (x_n, y_n) that joins the dots along u (d,).

    Constant before the first point and straight after the last: n - 1 units, Jacobians of rank
    at most one everywhere. Proposition 10 of Jacot (2023) is about how steep it must be.

    >>> X, Y = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 5.0]]), np.array([[1.0], [4.0], [0.0]])
    >>> net = rank_one_interpolant(X, Y, [1.0, 0.0])
    >>> net.widths, net(X).tolist()
    ((2, 2, 1), [[1.0], [4.0], [0.0]])
    """
    dots = dots_along(X, Y, u)
    bends = _bends(dots)
    W = np.tile(finite_array(u, "u", 1), (len(bends), 1))
    return DeepNet([W, bends.T], [-dots.places[:-1], dots.values[0]])


def carried_interpolant(
    X: Float[np.ndarray, "n d"],
    Y: Float[np.ndarray, "n m"],
    u: ArrayLike,
    depth: int,
    negative_slope: float = 0.0,
) -> DeepNet:
    """The same function on the points, at depth 3 or more: <u, x> is carried, then its line bent.

    The number is shifted so that it is never negative at the points, and one unit a layer hands
    it on; the bends come last. Each layer on the way costs little once rebalanced, which is why
    the norm per layer tends to the rank, one: Theorem 1 of Jacot (2023).

    >>> X, Y = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 5.0]]), np.array([[1.0], [4.0], [0.0]])
    >>> net = carried_interpolant(X, Y, [1.0, 0.0], 5)
    >>> net.widths, net(X).tolist()
    ((2, 1, 1, 1, 2, 1), [[1.0], [4.0], [0.0]])
    """
    if depth < 3:
        raise ValueError(f"depth must be at least 3, not {depth}; rank_one_interpolant has depth 2")
    u = finite_array(u, "u", 1)
    dots = dots_along(X, Y, u)
    bends, lowest = _bends(dots), dots.places[0]
    line = DeepNet(
        [np.ones((len(bends), 1)), bends.T], [-(dots.places - lowest)[:-1], dots.values[0]]
    )
    if negative_slope:
        line = leaky_network(line, negative_slope)
    # Every layer in between has one unit, which multiplies by one.
    ones = [np.ones((1, 1))] * (depth - 3)
    nothing = [np.zeros(1)] * (depth - 3)
    weights, biases = [u[None], *ones, *line.weights], [np.array([-lowest]), *nothing, *line.biases]
    return DeepNet(weights, biases, negative_slope)


def _bends(dots: Dots) -> Float[np.ndarray, "pieces m"]:
    """How the joined lines turn at each point but the last; before the first they are flat."""
    return np.diff(dots.slopes, axis=0, prepend=np.zeros((1, dots.slopes.shape[1])))
