"""Points of the plane, against problems of one variable, dictionaries and distances."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from repcost import interpolate_line, interpolate_plane, linear_layers_cost
from repcost_book.trials.fuzz import Attack, WrongError, as_narrow_as_said
from repcost_book.trials.hostile import hostile_floats


def _points(rng: np.random.Generator) -> dict[str, Any]:
    n, reach = int(rng.integers(1, 6)), rng.choice([0.01, 0.1, 0.3])
    kind = rng.integers(4)
    if kind == 0:  # on one line, where one variable knows the cost
        t = hostile_floats(rng, (n,), reach)
        X = np.column_stack([t, np.zeros(n)] if rng.random() < 0.5 else [t, t])
    elif kind == 1:
        X = rng.normal(size=(n, 2))
        X[0] = X[-1] + 10.0 ** rng.uniform(-15, 0) * rng.normal(size=2)
    else:
        X = hostile_floats(rng, (n, 2), reach)
    return {"X": X, "y": hostile_floats(rng, (n,), reach), "depth": int(rng.choice([2, 2, 3]))}


def _interpolated(X: np.ndarray, y: np.ndarray, depth: int) -> str:
    fit = interpolate_plane(X, y, depth, max_cells=30)
    low, high = fit.cost.lower, fit.cost.upper
    if _collinear(X):
        _check_line(X, y, depth, low, high)
    _check_pairs(X, y, depth, high)
    _check_certificate(X, y, fit.certificate)
    if linear_layers_cost(fit.function, depth).lower > high * (1 + 1e-6):
        raise WrongError(f"the network costs more than {fit.cost}")
    asked = 1e-9 if depth == 2 else 4e-3 / depth
    return as_narrow_as_said(fit.cost, 1.001 * asked)


def _check_line(X: np.ndarray, y: np.ndarray, depth: int, low: float, high: float) -> None:
    """Points (t, 0) or (t, t): what one variable costs, divided by the length of (1, 1)."""
    # A step of t on the diagonal is longer by sqrt(2): slopes shrink by that, R_L by its power.
    length = np.sqrt(2.0) if X[:, 1].any() else 1.0
    line = interpolate_line(X[:, 0], y, depth).cost
    scale = length ** (-2 / depth)
    if low > line.upper * scale * (1 + 1e-12) or high < line.lower * scale * (1 - 1e-12):
        raise WrongError(f"[{low!r}, {high!r}], and on the line it is {line} times {scale}")


def _check_pairs(X: np.ndarray, y: np.ndarray, depth: int, high: float) -> None:
    """Between two points no network is less steep: R_2 is at least the slope, and R_L its power."""
    for i, j in combinations(range(len(y)), 2):
        # Halves keep differences of the largest floats finite, and cancel in the ratio.
        distance = float(np.hypot(X[i, 0] / 2 - X[j, 0] / 2, X[i, 1] / 2 - X[j, 1] / 2))
        slope = abs(y[i] / 2 - y[j] / 2) / distance if distance else 0.0
        if slope ** (2 / depth) > high * (1 + 1e-10):
            raise WrongError(f"the upper end {high!r} is below a slope, {slope!r}")


def _check_certificate(X: np.ndarray, y: np.ndarray, prices: np.ndarray) -> None:
    """Prices add up to 0, and no unit with its threshold on a point earns more than it pays."""
    if sum(map(Fraction, prices.tolist())) != 0:
        raise WrongError("the prices do not add up to 0")
    # 64 directions can refute a certificate; they cannot show that it holds in all.
    angles = np.linspace(0.0, 2 * np.pi, 64, endpoint=False) + 0.01
    v = np.stack([np.cos(angles), np.sin(angles)])
    heights = (X[:, None] - X) @ v
    earned = np.abs(np.einsum("i,ijg->jg", prices, np.maximum(heights, 0.0))).max(initial=0.0)
    if earned > 1 + 1e-9:
        raise WrongError(f"a unit earns {earned!r}")


def _collinear(X: np.ndarray) -> bool:
    return bool((X[:, 1] == 0).all() or (X[:, 0] == X[:, 1]).all())


PLANE = (Attack("interpolate_plane", _points, _interpolated, "interpolate_plane(X, y, depth)"),)
