"""Costs with paid biases by other means: a cone programme over units, and cutting planes."""

from typing import Any

import cvxpy as cp
import numpy as np
from scipy.optimize import linprog

from repcost.costs.paid_biases.arguments import Output

# What each word leaves free, and what it has paid for.
OUTPUTS: tuple[Output, ...] = ("free", "paid", "linear")


def ramps(at, places, facing):
    return np.maximum(facing * (np.asarray(at)[:, None] - places), 0.0)


def by_cones(x, y, output) -> float:
    """Units anywhere in each interval, on both sides and of both signs: (m, m t) in a cone.

    No dual, and no angle: a unit right of a and left of b has a m <= m t <= b m.
    """
    edges = np.concatenate([[-1e4], x, [1e4]])
    price, fit, rows = 0, 0, []
    for sign in (1, -1):
        for facing in (1, -1):
            m, mt = cp.Variable(len(x) + 1), cp.Variable(len(x) + 1)
            rows += [m >= 0, mt >= cp.multiply(edges[:-1], m), mt <= cp.multiply(edges[1:], m)]
            price += cp.sum(cp.norm(cp.vstack([m, mt]), 2, axis=0))
            # Of the units in an interval all or none see a point.
            sees = (
                facing * (x[:, None] - edges[:-1]) > 0 if facing > 0 else x[:, None] <= edges[:-1]
            )
            fit = fit + sign * facing * (cp.multiply(x[:, None], sees) @ m - sees @ mt)
    constant, line, height = cp.Variable(), cp.Variable(), cp.Variable()
    if output == "paid":
        price, fit = price + cp.abs(constant) + cp.square(height) / 2, fit + height
    rows.append(fit + constant + (line * x if output == "linear" else 0) == y)
    problem = cp.Problem(cp.Minimize(price), rows)
    least: Any = problem.solve(solver=cp.CLARABEL)
    return float(least)


def by_cuts(x, y, output, rounds=40) -> tuple[float, float]:
    """Two ends by a linear programme over units at given places, with new places by a fine search.

    From above: these units. From below: the prices of the points, over what they exceed rho by.
    """
    places = np.unique(np.concatenate([x, np.linspace(x[0] - 3, x[-1] + 3, 60), [0.0]]))
    heights = np.linspace(-1, 1, 201) if output == "paid" else np.zeros(0)
    best = -np.inf, np.inf
    for _ in range(rounds):
        units = np.hstack([ramps(x, places, 1), ramps(x, places, -1)])
        rho = np.tile(np.hypot(1.0, places), 2)
        free = [np.ones((len(x), 1))] + ([x[:, None]] if output == "linear" else [])
        A = np.hstack([units, -units, *free, *(-part for part in free)])
        price = np.concatenate([rho, rho, np.zeros(2 * len(free))])
        if output == "paid":
            price[-2:] = 1.0
        # c^2 / 2 is the largest of its tangents.
        tangents = np.zeros((len(heights), A.shape[1] + 2))
        tangents[:, -2], tangents[:, -1] = heights, -1.0
        A = np.hstack([A, np.ones((len(x), 1)), np.zeros((len(x), 1))])
        price = np.append(price, [0.0, 1.0])
        bounds = [(0, None)] * (len(price) - 2) + [(None, None) if output == "paid" else (0, 0)] * 2
        found = linprog(price, tangents, heights**2 / 2, A, y, bounds, method="highs")
        beta = np.array(found.eqlin.marginals)
        far = np.tan(np.linspace(-1.5707, 1.5707, 20001))
        far = np.unique(np.concatenate([far, x, places]))
        tops = [np.abs(beta @ ramps(x, far, side)) / np.hypot(1.0, far) for side in (1, -1)]
        over = max(1.0, max(top.max() for top in tops))
        total = beta.sum() / over if output == "paid" else 0.0
        best = max(best[0], beta @ y / over - total**2 / 2), min(best[1], found.fun)
        new = np.concatenate([far[top > 1 + 1e-10] for top in tops])
        if not len(new):
            break
        tallest = [far[1:-1][(top[1:-1] > 1 + 1e-10) & _peaks(top)] for top in tops]
        places = np.unique(np.concatenate([places, *tallest]))
    return best


def _peaks(top):
    return (top[1:-1] >= top[:-2]) & (top[1:-1] >= top[2:])


def proof(x, y, beta, output) -> tuple[float, float]:
    """What the weights of the points prove, and by how much they exceed rho on a fine grid."""
    t = np.concatenate([np.tan(np.linspace(-1.57079, 1.57079, 40001)), x])
    tops = [np.abs(beta @ ramps(x, t, side)) / np.hypot(1.0, t) for side in (1, -1)]
    # Far out only the sum counts.
    excess = max(1.0, abs(beta.sum()), *(top.max() for top in tops)) - 1
    return float(beta @ y) - beta.sum() ** 2 / 2 * (output == "paid"), excess
