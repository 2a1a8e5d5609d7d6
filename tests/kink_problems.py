"""Networks with kinks along hyperplanes whose cost is known by hand or by another way."""

from collections import defaultdict
from fractions import Fraction
from typing import Any

import cvxpy as cp
import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linprog

from repcost import TwoLayer


def units(*rows, c=0.0) -> TwoLayer:
    """A network from rows (a, b, *w)."""
    table = np.array(rows, dtype=float)
    return TwoLayer(table[:, 2:], table[:, 0], table[:, 1], c)


def linear(*v) -> list[tuple[float, ...]]:
    """Two units that add <v, x>."""
    return [(1, 0, *v), (-1, 0, *(-x for x in v))]


def joined(*nets: TwoLayer) -> TwoLayer:
    W, a, b = (np.concatenate([getattr(net, name) for net in nets]) for name in "Wab")
    return TwoLayer(W, a, b, sum(net.c for net in nets))


def fractions(row) -> list[Fraction]:
    return [Fraction(float(x)) for x in row]


def kinks(net: TwoLayer) -> tuple[dict[tuple, Fraction], Any]:
    """In fractions: sums of a |pivot| by (w, b) / pivot, and g = sum a w.

    The pivot is the first entry of w that is not 0.
    """
    masses, g = defaultdict(Fraction), np.array([Fraction(0)] * net.dimension)
    for w, a, b in zip(map(fractions, net.W), fractions(net.a), fractions(net.b), strict=True):
        pivot = next((x for x in w if x), None)
        if pivot is not None:
            masses[tuple(x / pivot for x in (*w, b))] += a * abs(pivot)
            g = g + a * np.array(w)
    return masses, g


def generators(net: TwoLayer) -> tuple[np.ndarray, np.ndarray]:
    masses, g = kinks(net)
    rows = [[float(c * x) for x in key[:-1]] for key, c in masses.items() if c]
    return np.array(rows).reshape(-1, net.dimension), g.astype(float)


def by_cone_programme(net: TwoLayer) -> float:
    """sum |c_j| + min |g - sum t_j u_j| as cvxpy puts it, from masses merged in fractions."""
    M, g = generators(net)
    if not len(M):
        return float(np.linalg.norm(g))
    s = cp.Variable(len(M))
    problem = cp.Problem(cp.Minimize(cp.norm(g - M.T @ s)), [cp.abs(s) <= 1])
    problem.solve(solver=cp.CLARABEL)
    return np.linalg.norm(M, axis=1).sum() + problem.value


def by_dictionary(net: TwoLayer, directions: int) -> float:
    """The least sum |a_k| of dictionary units that equal the network: no formula is used.

    Units: those of the network and their mirror images, and one through 0 in each of some
    directions. Equality holds at more points than there are units, spread so that it holds
    everywhere.
    """
    angles = 2 * np.pi * np.arange(directions) / directions
    grid = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    own = np.column_stack([net.W, net.b]) / np.linalg.norm(net.W, axis=1)[:, None]
    rows = np.unique(np.vstack([own, -own, grid]).round(14), axis=0)
    X = np.random.default_rng(0).normal(size=(3 * len(rows), 2)) * 4
    values = np.maximum(X @ rows[:, :2].T + rows[:, 2], 0)
    one = np.ones((len(X), 1))
    price = np.append(np.ones(2 * len(rows)), [0, 0])
    found = linprog(
        price, A_eq=np.hstack([values, -values, one, -one]), b_eq=net(X), bounds=(0, None)
    )
    assert found.success
    return found.fun


def assert_is(cost, true, rtol=1e-13):
    assert cost.how == "certified"
    assert cost.lower <= true * (1 + 1e-15)
    assert cost.upper >= true * (1 - 1e-15)
    assert cost.gap <= rtol * true


CROSS = [(1, 0, 1, 0), (1, 0, -1, 0), (1, 0, 0, 1), (1, 0, 0, -1)]  # |x| + |y|


CROSS_IN_SPACE = [(1, 0, *(sign * axis)) for axis in np.eye(3) for sign in (1, -1)]


BY_HAND = {
    "one unit": (units((2, 1, 3, 4)), 10),
    "one unit, downwards": (units((-2, 1, 3, 4)), 10),
    "constant": (units((1, 3, 0, 0), c=5), 0),
    "linear": (units(*linear(3, 4)), 10),
    "linear in space": (units(*linear(1, 2, 2)), 6),
    "linear, at two hyperplanes": (units((1, 2, 3, 4), (-1, -2, -3, -4), *linear(3, 4)), 20),
    "linear, and its opposite elsewhere": (
        units((1, 2, 3, 4), (-1, -2, -3, -4), *linear(-3, -4)),
        0,
    ),
    "absolute value": (units((1, 1, 3, 4), (1, -1, -3, -4)), 10),
    "a unit and its opposite": (units((1, 1, 3, 4), (-2, 0.5, 1.5, 2)), 0),
    "cross": (units(*CROSS), 4),
    "cross, slope inside": (units(*CROSS, *linear(0.9, -0.9)), 4),
    "cross, slope at a corner": (units(*CROSS, *linear(1, -1)), 4),
    "cross, slope beyond a side": (units(*CROSS, *linear(3, 0.5)), 8),
    "cross, slope beyond a corner": (units(*CROSS, *linear(2.5, 3)), 9),
    "cross in space, beyond a corner": (units(*CROSS_IN_SPACE, *linear(1.5, -2, 2)), 9),
    "slope across a bend": (units(*linear(1, 0), (1, 0, 0, 1)), 3),
    "slope along a bend": (units(*linear(0, 2), (1, 0, 0, 1)), 5),
    "slope against a bend": (units(*linear(0, -2), (1, 0, 0, 1)), 3),
}


lattice = st.lists(
    st.tuples(
        st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 3.0]),
        st.integers(-1, 1),
        st.integers(-2, 2),
        st.integers(-2, 2),
    ),
    min_size=1,
    max_size=8,
).map(lambda rows: units(*rows))
