"""Fits through one number: project the points to a line, carry their place, bend the line.

Proposition 2 of Jacot (2023): any data are fitted by a function of bottleneck rank one. What that
costs beyond one a layer depends on the direction of the line, so directions are searched here.
"""

import numpy as np
from jaxtyping import Float

from repcost.activations import Activation
from repcost.arrays import ArrayLike, finite_array, same_length
from repcost.balance import rebalance
from repcost.constructions.chains import chained
from repcost.deep_networks import DeepNet, leaky_network
from repcost.scalars import whole_depth, whole_number

Matrix = Float[np.ndarray, "n m"]
Slopes = Float[np.ndarray, "chords m"]
Vector = Float[np.ndarray, " n"]

# Directions that are tried by formula, and how many of them are then built and balanced.
DIRECTIONS, BUILT = 800, 5
SCALES = np.geomspace(1e-2, 1e4, 97)


def chords(t: ArrayLike, Y: ArrayLike) -> tuple[Vector, Matrix, Slopes]:
    """(t, Y, slopes) with the places in order, and how steep the lines are that join the values.

    >>> t, Y, slopes = chords([1.0, 0.0, 3.0], [[2.0], [0.0], [2.0]])
    >>> t.tolist(), slopes.ravel().tolist()
    ([0.0, 1.0, 3.0], [2.0, 0.0])
    """
    t, Y = finite_array(t, "t", 1), finite_array(Y, "Y", 2)
    same_length(t=t, Y=Y)
    if not len(t):
        raise ValueError("t is empty; give at least one place")
    order = np.argsort(t)
    t, Y = t[order], Y[order]
    if np.any(t[1:] == t[:-1]):
        raise ValueError("t holds a place twice; take a direction that tells the points apart")
    with np.errstate(over="ignore", invalid="ignore"):
        steps, slopes = np.diff(t), np.diff(Y, axis=0) / np.diff(t)[:, None]
    if not (np.isfinite(steps).all() and np.isfinite(slopes).all()):
        raise ValueError("t and Y have steps or slopes beyond the range of floats; scale them")
    return t, Y, slopes


def joined_dots(t: ArrayLike, Y: ArrayLike) -> DeepNet:
    """The network of depth two that joins the dots (t_i, y_i), for places t that differ.

    Flat to the left of the first place, one unit a chord: it turns on where its chord begins, and
    adds the change of the slope there.

    >>> joined_dots([0.0, 1.0, 3.0], [[0.0], [2.0], [2.0]])([[-1.0], [0.5], [2.0]]).ravel().tolist()
    [0.0, 1.0, 2.0]
    """
    t, Y, slopes = chords(t, Y)
    # Flat on the left: before the first place the slope is zero.
    bends = np.diff(slopes, axis=0, prepend=0 * slopes[:1])
    return DeepNet([np.ones((len(bends), 1)), bends.T], [-t[:-1], Y[0]])


def through_one_number(
    X: ArrayLike, Y: ArrayLike, direction: ArrayLike, depth: int = 2, negative_slope: float = 0.0
) -> DeepNet:
    """A network of this depth that takes the rows of X to those of Y, through x . direction alone.

    Proposition 2 of Jacot (2023). From depth three on the projections are shifted to begin at zero
    and carried through `depth` - 3 layers of one unit.

    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]])
    >>> net = through_one_number(X, X, [1.0, 0.5], depth=5)
    >>> net.widths, net(X).round(12).tolist()
    ((2, 1, 1, 1, 2, 2), [[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]])
    """
    X, direction = finite_array(X, "X", 2), finite_array(direction, "direction", 1)
    depth = whole_depth(depth, built=True)
    negative_slope = Activation.checked(negative_slope).negative_slope
    if len(direction) != X.shape[1]:
        raise ValueError(f"direction has {len(direction)} entries, but X {X.shape[1]} columns")
    if not len(X):
        raise ValueError("X is empty; give at least one point")
    t = X @ direction
    bent = joined_dots(t if depth == 2 else t - t.min(), Y)
    # Two leaky units for a ReLU; the chain before has no need of that, as nothing is negative.
    if negative_slope:
        bent = leaky_network(bent, negative_slope)
    if depth == 2:
        return bent.with_layers([bent.weights[0] * direction, bent.weights[1]], bent.biases)
    place = DeepNet([direction[None]], [[-t.min()]], negative_slope)
    return chained(bent, place, identities=depth - 3)


def cheapest_projection(
    X: Float[np.ndarray, "n 2"], Y: Matrix, depth: int, directions: int = DIRECTIONS
) -> Float[np.ndarray, " 2"]:
    """The unit vector along which a balanced fit through one number has the least squared norm.

    Of `directions` equally spaced ones, both ways, as a line may be walked from either end. The few
    that are best by formula are built. For points of the plane, and a depth of three or more.

    >>> X = np.array([[0.0, 0.0], [1.0, 0.1], [2.0, 0.0]])
    >>> bool(abs(cheapest_projection(X, X, 12)[0]) > 0.9)  # along the points
    True
    """
    X, Y = finite_array(X, "X", 2), finite_array(Y, "Y", 2)
    depth, directions = whole_depth(depth, 3, built=True), whole_number(directions, "directions", 1)
    if X.shape[1] != 2:
        raise ValueError(f"X has {X.shape[1]} columns; directions are searched in the plane, of 2")
    # Half steps, so that no direction is along an axis, where projections of grids coincide.
    angles = 2 * np.pi * (np.arange(directions) + 0.5) / directions
    units = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    likely = sorted(units, key=lambda unit: _balanced_norm(X @ unit, Y, depth))[:BUILT]
    return min(
        likely,
        key=lambda unit: rebalance(through_one_number(X, Y, unit, depth)).squared_norm,
    )


def _balanced_norm(t: Vector, Y: Matrix, depth: int) -> float:
    """The squared norm of the balanced fit, up to the grid of the one scale that is left open.

    If the carried number is scaled by s, the inequality of the means balances the layers that carry
    it, and each unit that receives t / s - z and sends a bend b costs 2 |b| root(1/s^2 + z^2).
    """
    bent = joined_dots(t - t.min(), Y)
    carrying = depth - 2
    carried = carrying * (SCALES * np.hypot(1.0, t.min())) ** (2 / carrying)
    received = np.hypot(1 / SCALES, bent.biases[0][:, None])
    units = 2 * np.linalg.norm(bent.weights[1], axis=0) @ received
    return float((carried + units).min() + np.sum(bent.biases[1] ** 2))
