"""Covariances of layers and the forces on them, against layers that are known and fractions."""

from fractions import Fraction

import numpy as np

from repcost import covariance_rank, cp_rank
from repcost.covariances import covariance_cost
from repcost.representations import forces
from repcost.scales import at_size_one
from repcost_book.trials.attacks.exact import Rows, exact
from repcost_book.trials.fuzz import RIGHT, WIDE, Attack, WrongError
from repcost_book.trials.hostile import hostile_floats


def _layer(rng: np.random.Generator) -> dict:
    N, k = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    Z = hostile_floats(rng, (N, k), float(rng.choice([0.01, 0.03])))
    # A power of two on top, whose square is a float too: it is exact, and changes no rank.
    return {"Z": Z, "exponent": int(rng.integers(-400, 400))}


def _at_most_one(Z: np.ndarray) -> np.ndarray:
    return Z / (np.abs(Z).max(initial=0.0) or 1.0)


def _completely_positive(Z: np.ndarray, exponent: int) -> str:
    B = np.ldexp(np.abs(_at_most_one(Z)), exponent)
    return _judged(cp_rank(B @ B.T, starts=3), Z.shape[1])


def _pair(Z: np.ndarray, exponent: int) -> str:
    B = np.ldexp(_at_most_one(Z), exponent)
    A = np.maximum(B, 0)
    return _judged(covariance_rank(B @ B.T, A @ A.T, 0.0, starts=3), Z.shape[1])


def _judged(found, width: int) -> str:
    """So many units are enough, as they made the matrices."""
    if found.lower > width:
        raise WrongError(f"{found}, but a layer has {width} units")
    if found.upper == np.inf and not found.reason:
        raise WrongError(f"{found} does not say why")
    return RIGHT if found.upper <= width else WIDE


def _covariances(rng: np.random.Generator) -> dict:
    N = int(rng.integers(1, 4))
    reach = float(rng.choice([0.01, 0.4, 1.0]))
    return {"Z": hostile_floats(rng, (N, 2), reach), "S": hostile_floats(rng, (N, N + 1), reach)}


def product(A: Rows, B: Rows) -> Rows:
    columns = transpose(B)
    return [[_inner(row, column) for column in columns] for row in A]


def _inner(one: list[Fraction], other: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def transpose(A: Rows) -> Rows:
    return [list(column) for column in zip(*A, strict=True)]


def solved(A: Rows, B: Rows) -> Rows | None:
    """A^-1 B by elimination; None if A is singular."""
    rows, n = [[*a, *b] for a, b in zip(A, B, strict=True)], len(A)
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        if not rows[pivot][i]:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[n:] for row in rows]


def _is_plain(S: np.ndarray, least: float) -> bool:
    """Whether the rows are far from dependent, in the sense of the library's limits."""
    if S.shape[1] < len(S):
        return False
    # A common power of two is taken out, which is exact and avoids overflow.
    s = np.linalg.svd(np.ldexp(S, -np.frexp(np.abs(S).max())[1]), compute_uv=False)
    return bool(s[-1] > least * s[0])


def _largest(rows: Rows) -> Fraction:
    return max(abs(x) for row in rows for x in row)


def _differ(found: np.ndarray, truth: Rows, size: Fraction) -> bool:
    """By more than rounding in numbers of this size, which may cancel to less."""
    wrong = Fraction(1, 10**8) * size + Fraction(1, 2**1000)
    return any(
        abs(Fraction(a) - b) > wrong
        for row, other in zip(found.tolist(), truth, strict=True)
        for a, b in zip(row, other, strict=True)
    )


def _priced(Z: np.ndarray, S: np.ndarray) -> str:
    with np.errstate(over="ignore", under="ignore"):
        K, K_sigma = Z @ Z.T, S @ S.T
    if not (np.isfinite(K).all() and np.isfinite(K_sigma).all() and K_sigma.any()):
        return WIDE
    try:
        found = covariance_cost([K], [K_sigma])
    except ValueError as error:
        raise ValueError(f"{error}, for the K of Z") from error
    # Rounded among the denormals, a product S S^T need be no covariance any more.
    if not _is_plain(K_sigma, 1e-4) or np.linalg.eigvalsh(at_size_one(K_sigma)[0])[0] <= 0:
        return WIDE
    # Of the matrices that the library was given: that Z @ Z.T rounds is not its fault.
    inverse = solved(exact(K_sigma), exact(K))
    assert inverse is not None
    truth = sum(inverse[i][i] for i in range(len(K)))
    # Terms of both signs may cancel in the trace, so that rounding is judged by all entries.
    size = sum(abs(x) for row in inverse for x in row)
    if abs(Fraction(found) - truth) > Fraction(1, 10**9) * size + Fraction(1, 2**1000):
        raise WrongError(f"{found}, but it is {float(truth)}")
    return RIGHT


def _between(rng: np.random.Generator) -> dict:
    N = int(rng.integers(1, 3))
    reach = float(rng.choice([0.01, 0.15, 0.5]))
    drawn = {name: hostile_floats(rng, (N, N), reach) for name in ("Z", "S_previous", "Z_next")}
    return {**drawn, "bias": float(rng.choice([0.0, 1.0]))}


def _forces(Z: np.ndarray, S_previous: np.ndarray, Z_next: np.ndarray, bias: float) -> str:
    attraction, repulsion = forces(Z, S_previous, Z_next, bias)
    S = np.column_stack([np.maximum(Z, 0), np.full(len(Z), bias)])
    if not (S_previous.any() and S.any() and _is_plain(S_previous, 1e-3) and _is_plain(S, 1e-3)):
        return WIDE
    below, sent, active = exact(S_previous), exact(S), exact(np.maximum(Z, 0))
    identity = exact(np.eye(len(Z)))
    divided = [solved(product(rows, transpose(rows)), identity) for rows in (below, sent)]
    assert divided[0] is not None and divided[1] is not None
    first, G = product(divided[0], exact(Z)), product(divided[1], exact(Z_next))
    pushed = product(G, product(transpose(G), active))
    away = [
        [-2 * x if z > 0 else Fraction(0) for x, z in zip(*both, strict=True)]
        for both in zip(pushed, Z.tolist(), strict=True)
    ]
    toward = [[2 * x for x in row] for row in first]
    if _differ(attraction, toward, _largest(divided[0]) * _largest(exact(Z))):
        raise WrongError(f"attraction is {attraction.tolist()}")
    pull = _largest(divided[1]) * _largest(exact(Z_next))
    if _differ(repulsion, away, pull**2 * _largest(active)):
        raise WrongError(f"repulsion is {repulsion.tolist()}")
    return RIGHT


LAYERS = (
    Attack(
        "cp_rank",
        _layer,
        _completely_positive,
        "B = np.ldexp(np.abs(Z), exponent); cp_rank(A=B @ B.T)",
    ),
    Attack(
        "covariance_rank",
        _layer,
        _pair,
        "B = np.ldexp(Z, exponent); S = np.maximum(B, 0); "
        "covariance_rank(K=B @ B.T, K_sigma=S @ S.T, bias=0)",
    ),
    Attack("covariance_cost", _covariances, _priced, "covariance_cost([Z @ Z.T], [S @ S.T])"),
    Attack("forces", _between, _forces, "forces(Z, S_previous, Z_next, bias)"),
)
