"""Linear layers and maps without kinks, against fixed points and powers in hundreds of digits."""

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from repcost import (
    Bracket,
    TwoLayer,
    diagonal_cost,
    linear_layers_bound,
    linear_layers_cost,
    linear_layers_network,
    linear_map_cost,
    parallel_cost,
    schatten_power,
)
from repcost_book.trials.attacks.truths import all_rows, exact_rank, exact_rows, phi, schatten
from repcost_book.trials.fuzz import RIGHT, WIDE, Attack, WrongError, as_narrow_as_said
from repcost_book.trials.hostile import hostile_floats

# No loop over layers ends at the last of these: costs must come without one.
_DEPTHS = (2, 3, 4, 7, 20, 50, 1000, 10**12)
# What the truths themselves may be off, relatively.
_DOUBT = mpmath.mpf(10) ** -18
# Costs below it are as good as none.
_LOST = 2.0**-1000


def _matrix(rng: np.random.Generator, most: int) -> np.ndarray:
    """Of any mood; or of a lower rank, up to rounding or to more."""
    shape = tuple(rng.integers(1, most + 1, size=2).tolist())
    if rng.random() < 0.7:
        return hostile_floats(rng, shape, rng.choice([0.03, 0.1, 0.3, 1.0], p=[0.4, 0.3, 0.2, 0.1]))
    outer = np.outer(rng.normal(size=shape[0]), rng.normal(size=shape[1]))
    off = rng.normal(size=shape) * 10.0 ** rng.uniform(-17, 0)
    # A power of two for each row, which is exact and leaves the rank as it is.
    return (outer + off * (rng.random() < 0.7)) * 2.0 ** rng.integers(-40, 41, (shape[0], 1))


def _units(rng: np.random.Generator) -> dict[str, Any]:
    W = _matrix(rng, 3)
    a = hostile_floats(rng, (len(W),), rng.choice([0.03, 0.2, 1.0]))
    return {"W": W, "a": a, "depth": int(rng.choice(_DEPTHS))}


def _cost(W: np.ndarray, a: np.ndarray, depth: int) -> str:
    return judged(linear_layers_cost(TwoLayer(W, a), depth), phi(exact_rows(W, a), depth), 1e-10)


def _bound(W: np.ndarray, a: np.ndarray, depth: int) -> str:
    found, truth = linear_layers_bound(TwoLayer(W, a), depth), phi(exact_rows(W, a), depth)
    if found.upper < truth * (1 - _DOUBT):
        raise WrongError(f"{found} is no bound of {mpmath.nstr(truth, 17)}")
    # Along the axes the bound is a sum of powers of sums of entries.
    axes = linear_layers_bound(TwoLayer(W, a), depth, basis=np.eye(W.shape[1]))
    judged(axes, _along_axes(W, a, depth), 1e-10)
    return as_narrow_as_said(found, 1e-10, _LOST)


def _along_axes(W: np.ndarray, a: np.ndarray, depth: int) -> Any:
    columns = zip(*exact_rows(W, a), strict=True)
    sums = [sum(map(abs, column), Fraction(0)) for column in columns]
    with mpmath.workdps(40):
        power = mpmath.mpf(2) / depth
        return sum(
            (mpmath.power(mpmath.mpf(s.numerator) / s.denominator, power) for s in sums),
            mpmath.mpf(0),
        )


def _network(W: np.ndarray, a: np.ndarray, depth: int) -> str:
    """The product of the matrices is what was given, and costs what it should."""
    net = linear_layers_network(TwoLayer(W, a), depth)
    rows = exact_rows(W, a)
    # Units of no weight are gone, and those that are left are in their order.
    sizes = [max(map(abs, row)) for row in rows]
    least = max(sizes, default=0) / 2**900 + Fraction(1, 2**1000)
    with np.errstate(over="ignore"):
        product = net.collapsed().W
    # The product may overflow where its factors do not; then there is nothing to compare.
    if not np.isfinite(product).all():
        return WIDE
    made = all_rows(product, net.a)
    for row, other, size in zip(rows, made, sizes, strict=True):
        allowed = size / 10**5 + least
        if any(abs(x - y) > allowed for x, y in zip(row, other, strict=True)):
            raise WrongError("the product is another one")
    if depth > 10**6:
        raise WrongError("so many matrices were made")
    cost = linear_layers_cost(TwoLayer(W, a), depth)
    # Where directions are hardly there, or sizes hardly comparable, it need not be the least.
    hard = cost.reason or max(sizes, default=0) > 2**250 * min(sizes, default=0) or _flat(W, a)
    slack = 1.0 if hard else 1e-6
    if not cost.lower / (1 + slack) <= net.weight_cost <= cost.upper * (1 + slack) + 2.0**-900:
        raise WrongError(f"weighs {net.weight_cost!r}, and the cost is {cost}")
    return RIGHT


def _flat(W: np.ndarray, a: np.ndarray) -> bool:
    """Whether the largest rows, be they few or all, are dependent in direction up to eight digits.

    A faint row may have a direction of its own, and yet leave those of large ones nearly dependent.
    """
    alive = (a != 0) & W.any(1)
    W, a = W[alive], a[alive]
    # Scaled by powers of two, which is exact, rows count by their directions only.
    sizes = np.frexp(np.abs(W).max(1, initial=0.0))[1]
    unit = np.ldexp(W, -sizes[:, None])
    falling = unit[np.argsort(-(sizes + np.frexp(a)[1]), kind="stable")]
    return any(_has_faint_direction(falling[: k + 1]) for k in range(len(falling)))


def _has_faint_direction(rows: np.ndarray) -> bool:
    """Whether more directions are there than eight digits show; zeros and rounding are none."""
    sizes = np.linalg.svd(rows, compute_uv=False)
    shown = int((sizes >= 1e-8 * sizes.max()).sum())
    return exact_rank(all_rows(rows, np.ones(len(rows)))) > shown


def _map(rng: np.random.Generator) -> dict[str, Any]:
    return {"A": _matrix(rng, 4), "depth": int(rng.choice((1, *_DEPTHS)))}


def _mapped(A: np.ndarray, depth: int) -> str:
    rows = exact_rows(A, np.ones(len(A)))
    with mpmath.workdps(400):
        # The truth is told by squares of singular values: their power 1 / L is 2 / L of the values.
        power = mpmath.mpf(1) / depth
    return judged(linear_map_cost(A, depth), depth * schatten(rows, power), 1e-10)


def _power(rng: np.random.Generator) -> dict[str, Any]:
    return {"A": _matrix(rng, 4), "p": float(rng.choice([0.1, 0.5, 1.0, 2.0, 7.0]))}


def _schatten(A: np.ndarray, p: float) -> str:
    """A plain float: singular values that are rounding may be missing, and no others."""
    found, rows = schatten_power(A, p), exact_rows(A, np.ones(len(A)))
    truth = schatten(rows, mpmath.mpf(p) / 2)
    size = schatten(rows, mpmath.mpf(1))
    # At most four values, and each may be lost below 2^-48 of the Frobenius norm.
    missing = 4 * mpmath.power(mpmath.sqrt(size) * 2.0**-48, p) + 2.0**-1000
    if not truth * (1 - 1e-10) - missing <= found <= truth * (1 + 1e-10) + 2.0**-1000 + missing:
        raise WrongError(f"{found!r} is not {mpmath.nstr(truth, 17)}")
    return RIGHT


def _vector(name: str) -> Any:
    def draw(rng: np.random.Generator) -> dict[str, Any]:
        n = int(rng.integers(0, 7))
        return {name: hostile_floats(rng, (n,)), "depth": int(rng.choice((1, *_DEPTHS)))}

    return draw


def _powers(x: np.ndarray, depth: int) -> Any:
    with mpmath.workdps(50):
        power = mpmath.mpf(2) / depth
        return sum((mpmath.power(abs(mpmath.mpf(v)), power) for v in x.tolist()), mpmath.mpf(0))


def _diagonal(w: np.ndarray, depth: int) -> str:
    return judged(diagonal_cost(w, depth), depth * _powers(w, depth), 1e-11)


def _parallel(alpha: np.ndarray, depth: int) -> str:
    return judged(parallel_cost(alpha, depth), _powers(alpha, depth), 1e-11)


def judged(found: Bracket, truth: Any, rtol: float) -> str:
    """The truth must lie in the bracket; and where that is wide, it must have a reason."""
    with mpmath.workdps(40):
        if not found.lower * (1 - _DOUBT) <= truth <= found.upper * (1 + _DOUBT):
            raise WrongError(f"{found!r} does not hold {mpmath.nstr(truth, 17)}")
    return as_narrow_as_said(found, rtol, _LOST)


LINEAR_LAYERS = (
    Attack(
        "linear_layers_cost", _units, _cost, "net = TwoLayer(W, a); linear_layers_cost(net, depth)"
    ),
    Attack(
        "linear_layers_bound",
        _units,
        _bound,
        "net = TwoLayer(W, a); linear_layers_bound(net, depth)",
    ),
    Attack(
        "linear_layers_network",
        _units,
        _network,
        "net = TwoLayer(W, a); linear_layers_network(net, depth)",
    ),
    Attack("linear_map_cost", _map, _mapped, "linear_map_cost(A, depth)"),
    Attack("schatten_power", _power, _schatten, "schatten_power(A, p)"),
    Attack("diagonal_cost", _vector("w"), _diagonal, "diagonal_cost(w, depth)"),
    Attack("parallel_cost", _vector("alpha"), _parallel, "parallel_cost(alpha, depth)"),
)
