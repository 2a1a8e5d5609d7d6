"""Which signs a linear map can take: the faces of an arrangement of hyperplanes, in whole numbers.

The hyperplanes <a_i, w> = 0 cut space into cones, and these have faces down to rays and to
zero. A row of signs of A w stands for each. A face that is more than a linear space has a ray
on its border, and near a ray r the signs are those of r where <a_i, r> is not zero, and any
signs of the smaller arrangement of the hyperplanes through r where it is. So the rays, one
for each set of hyperplanes that meet in a line, lead to all faces by recursion.

Every float is a whole number over a power of two, so nothing here is rounded: points on a common
hyperplane are recognised as such, however close the others are. Rays that are clearly simple in
floats are not asked about in whole numbers (`simple_rays`).
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import comb, gcd

import numpy as np
from jaxtyping import Float, Int8

from repcost.integers import reduced, whole_numbers
from repcost.shallow.simple_rays import distinct_signs, simple_faces, simple_lines

# Python's whole numbers, without a common divisor: the normal of an oriented hyperplane.
Normal = tuple[int, ...]
Signs = Int8[np.ndarray, "faces n"]

# Whole numbers take no time for fewer.
_MANY_NUMBERS = 500
# Faces, if they were in general position, beyond which whole numbers take a minute.
_MOST_IN_WHOLE_NUMBERS = 200_000


def whole_rows(A: Float[np.ndarray, "n r"]) -> list[Normal]:
    """The rows of A, each times the positive number that makes it whole and primitive.

    >>> whole_rows(np.array([[0.5, -1.5], [0.0, 0.0]]))
    [(1, -3), (0, 0)]
    """
    (numbers,), _ = whole_numbers(A)
    return [tuple(x // (gcd(*row) or 1) for x in row) for row in numbers.tolist()]


def are_too_many(A: Float[np.ndarray, "n r"], most: int) -> bool:
    """Whether there are clearly more faces than `most`: by floats, before whole numbers begin."""
    if A.size < _MANY_NUMBERS:
        return False
    rows = A[A.any(axis=1)]
    units = rows / np.abs(rows).max(axis=1, keepdims=True)
    # Opposite normals have one hyperplane, and those that agree in nine digits may have one.
    upward = units * np.sign(units[np.arange(len(units)), np.abs(units).argmax(axis=1)])[:, None]
    planes = len(np.unique(upward.round(9), axis=0))
    return _expected(planes, int(np.linalg.matrix_rank(units, rtol=1e-6))) > 4 * most


def sign_vectors(rows: Sequence[Normal], most: int) -> Signs | None:
    """All values of sign(A w), A w not zero, for the A with these rows; None if over `most`.

    Entries are -1, 0 or 1, a row per face of the arrangement of the hyperplanes <a_i, w> = 0.

    >>> sign_vectors([(1, 0), (1, 1)], 100).tolist()
    [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]]
    """
    # Opposite normals have one hyperplane; it is listed once, and the signs turned at the end.
    upward = [max(row, tuple(-x for x in row)) for row in rows]
    planes = sorted({row for row in upward if any(row)})
    normals, rank = _in_full_rank(planes)
    if _expected(len(planes), rank) > 4 * most:
        return None
    try:
        faces = _faces(normals, rank, most)
    except _TooManyError:
        return None
    # A zero row takes the last column, which is zero.
    faces = np.column_stack([faces, np.zeros(len(faces), dtype=np.int8)])
    place = {plane: i for i, plane in enumerate(planes)}
    signs = faces[:, [place.get(row, -1) for row in upward]]
    signs[:, [row != up for row, up in zip(rows, upward, strict=True)]] *= -1
    return signs[signs.any(axis=1)]


def _expected(planes: int, rank: int) -> int:
    """About how many faces there are in general position."""
    return comb(planes, max(rank - 1, 0)) << rank


class _TooManyError(Exception):
    pass


def _faces(normals: Sequence[Normal], rank: int, most: int) -> Signs:
    """The signs, zero included, for distinct planes in as many columns as their rank."""
    if len(normals) == rank:
        return _all_signs(rank, most)
    rays, chosen, others = simple_lines(normals, rank)
    # Lines in general position have so many faces.
    if len(rays) << rank > most or len(others) << rank > _MOST_IN_WHOLE_NUMBERS:
        raise _TooManyError
    found = [np.zeros((1, len(normals)), dtype=np.int8), *simple_faces(rays, chosen)]
    for ray in _rays(normals, rank, others):
        near = _near(ray, normals, most)
        found += [near, -near]
        # Each face is found from all of its rays: now and then, before memory is short.
        if sum(map(len, found)) > 4 * most:
            found = [_distinct(found, most)]
    return _distinct(found, most)


def _all_signs(rank: int, most: int) -> Signs:
    """Those of independent planes."""
    if 3**rank > most:
        raise _TooManyError
    signs = np.array(list(product((-1, 0, 1), repeat=rank)), dtype=np.int8)
    return signs.reshape(3**rank, rank)


def _near(ray: Int8[np.ndarray, " n"], normals: Sequence[Normal], most: int) -> Signs:
    """The signs of the faces that touch a ray: only the planes through it matter."""
    through = np.flatnonzero(ray == 0).tolist()
    local = _faces(*_in_full_rank([normals[i] for i in through]), most)
    near = np.tile(ray, (len(local), 1))
    near[:, through] = local
    return near


def _distinct(found: list[np.ndarray], most: int) -> Signs:
    faces = distinct_signs(np.concatenate(found))
    if len(faces) > most:
        raise _TooManyError
    return faces


def _rays(
    normals: Sequence[Normal], rank: int, lines: Sequence[tuple[int, ...]]
) -> Iterator[Int8[np.ndarray, " n"]]:
    """The signs of one of the two directions on each of these lines, where planes meet."""
    matrix, seen = np.array(normals, dtype=object), set()
    for chosen in lines:
        direction = _null_vector([normals[i] for i in chosen], rank)
        if direction is None:
            continue
        values = matrix @ direction
        signs = (values > 0).astype(np.int8) - (values < 0).astype(np.int8)
        key = max(signs.tobytes(), (-signs).tobytes())
        if key not in seen:
            seen.add(key)
            yield signs


def _null_vector(normals: Sequence[Normal], columns: int) -> np.ndarray | None:
    """The whole direction orthogonal to `columns - 1` normals; None if they are dependent."""
    rows, pivots = reduced(normals)
    if len(pivots) < columns - 1:
        return None
    free = next(c for c in range(columns) if c not in pivots)
    direction = np.zeros(columns, dtype=object)
    # All pivots are equal after this elimination.
    direction[free] = rows[0][pivots[0]] if rows else 1
    direction[pivots] = [-row[free] for row in rows]
    return direction


def _in_full_rank(rows: Sequence[Normal]) -> tuple[list[Normal], int]:
    """The rows in as many columns as their rank, with the same linear relations; and the rank."""
    pivots = reduced(rows)[1]
    return [tuple(row[c] for c in pivots) for row in rows], len(pivots)
