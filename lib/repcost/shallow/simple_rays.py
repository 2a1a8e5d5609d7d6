"""Rays where no more planes meet than must, by floats whose errors are too small to matter.

In r dimensions the planes <a_i, w> = 0 of any r - 1 rows meet in a line, whose direction has the
minors of these rows as its entries. So its product with a row a_k is the determinant of r rows: a
sum of r! products of r entries each. With entries of size one at most, rounded once, no product is
off by more than 4 r units, which is less than `_SURE` in all. A line is sure if all others of its
determinants are larger: then the signs are known, and so is that no further plane meets it. What
is not sure is left to whole numbers.
"""

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
from jaxtyping import Float, Int, Int8

Signs = Int8[np.ndarray, "_ n"]
# Rows of a plane that was chosen for a line.
Chosen = Int[np.ndarray, "_ k"]

# Far above 4! times 16 units.
_SURE = 1e-12
# Above so many dimensions minors are too many, and so are faces.
_MOST_DIMENSIONS = 4
# Numbers in the arrays of a step.
_BATCH = 2_000_000


def simple_lines(
    normals: Sequence[tuple[int, ...]], rank: int
) -> tuple[Signs, Chosen, list[tuple[int, ...]]]:
    """The signs on one half of each sure line, the rows it was chosen by; and the other lines."""
    lines = list(combinations(range(len(normals)), rank - 1))
    chosen = np.array(lines).reshape(len(lines), rank - 1)
    if rank > _MOST_DIMENSIONS or rank < 2 or not lines:
        return np.zeros((0, len(normals)), dtype=np.int8), chosen[:0], lines
    # Each quotient of whole numbers is rounded once.
    units = np.array([[x / max(map(abs, row)) for x in row] for row in normals])
    step = max(1, _BATCH // len(units))
    parts = [_signs(units, chosen[at : at + step]) for at in range(0, len(chosen), step)]
    signs, is_sure = (np.concatenate(each) for each in zip(*parts, strict=True))
    others = [tuple(row) for row in chosen[~is_sure].tolist()]
    return signs[is_sure], chosen[is_sure], others


def _signs(units: Float[np.ndarray, "n r"], chosen: Chosen) -> tuple[Signs, np.ndarray]:
    """The signs of all planes on one half of each line, and whether they are sure."""
    values = _minors(units[chosen]) @ units.T
    np.put_along_axis(values, chosen, np.inf, axis=1)
    is_sure = np.all(np.abs(values) > _SURE, axis=1)
    signs = np.sign(values).astype(np.int8)
    np.put_along_axis(signs, chosen, 0, axis=1)
    return signs, is_sure


def simple_faces(rays: Signs, chosen: Chosen) -> list[Signs]:
    """The faces that touch these rays, each once.

    Near a ray the planes through it, which are independent, have any signs. Faces in as many planes
    are listed together, as those in another number are others.
    """
    found = []
    every = list(product((-1, 0, 1), repeat=chosen.shape[1]))
    for zeros in range(chosen.shape[1] + 1):
        near = [_near(rays, chosen, signs) for signs in every if signs.count(0) == zeros]
        found.append(distinct_signs(np.concatenate([*near, *(-each for each in near)])))
    return found


def _near(rays: Signs, chosen: Chosen, signs: tuple[int, ...]) -> Signs:
    near = rays.copy()
    np.put_along_axis(near, chosen, np.array([signs], dtype=np.int8), axis=1)
    return near


def distinct_signs(faces: Signs) -> Signs:
    """The different rows in their order, by four signs in a byte."""
    padded = np.pad(faces + 1, [(0, 0), (0, -faces.shape[1] % 4)]).astype(np.uint8)
    letters = np.zeros((len(faces), padded.shape[1] // 4), dtype=np.uint8)
    for k in range(4):
        letters |= padded[:, k::4] << (6 - 2 * k)
    if not letters.size:
        return faces[:1]
    return faces[np.unique(letters.view(f"V{letters.shape[1]}").ravel(), return_index=True)[1]]


def _minors(rows: Float[np.ndarray, "lines k r"]) -> Float[np.ndarray, "lines r"]:
    """What is orthogonal to the k = r - 1 rows of each."""
    columns = range(rows.shape[2])
    minors = [(-1) ** j * _determinants(np.delete(rows, j, axis=2)) for j in columns]
    return np.stack(minors, axis=1)


def _determinants(squares: Float[np.ndarray, "lines k k"]) -> Float[np.ndarray, " lines"]:
    """By Laplace's expansion, for the bound on the rounding."""
    if squares.shape[1] == 1:
        return squares[:, 0, 0]
    below = squares[:, 1:]
    terms = [
        (-1) ** j * squares[:, 0, j] * _determinants(np.delete(below, j, axis=2))
        for j in range(squares.shape[2])
    ]
    return np.sum(terms, axis=0)
