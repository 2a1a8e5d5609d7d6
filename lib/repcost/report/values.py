"""What a layer gives over all points, a batch at a time: its spectrum, and units that do nothing.

Values are kept as long as there are few of them, and then measured by singular values and by their
angles. Where there are many, only sums are: products of the centred values, whose roots of
eigenvalues are singular values down to a part of 1e-7 of the largest; and for each unit sums with
random signs, which are proportional where the units are.
"""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float
from scipy.linalg.blas import dsyrk  # pyright: ignore[reportAttributeAccessIssue]

from repcost.report.measurements import SAME_RAY, Spectrum, Values, centred_spectrum, idle_units

# More numbers than this are summed up; and so are fewer, if singular values would take long.
_KEPT, _WORK = 2e6, 2e9
# What sums of products cannot tell from zero, as a part of the largest singular value.
_UNSEEN = 1e-7
# Directions in which units are compared. Two that are not proportional agree in all of them with
# the chance that so many random signs do.
_SIGNS = 48
# Numbers that are turned into float64 at once.
_CHUNK = 4_000_000


@dataclass
class Kept:
    """Blocks of rows (positions, units), until there are too many."""

    units: int
    blocks: list[Values] | None = field(default_factory=list)
    rows: int = 0

    def add(self, block: Values) -> None:
        self.rows += len(block)
        if self.blocks is None:
            self.sum_up(block)
            return
        self.blocks.append(block)
        numbers = self.rows * self.units
        if numbers > _KEPT or numbers * min(self.rows, self.units) > _WORK:
            before, self.blocks = self.blocks, None
            for each in before:
                self.sum_up(each)

    def sum_up(self, block: Values) -> None:
        """What is left of a block when it goes."""
        raise NotImplementedError

    def all(self) -> Values:
        return np.concatenate([np.zeros((0, self.units)), *(self.blocks or [])])


@dataclass
class Variation(Kept):
    """In how many directions values vary."""

    shift: np.ndarray = field(default_factory=lambda: np.zeros(0))
    sums: np.ndarray = field(default_factory=lambda: np.zeros(0))
    products: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    def sum_up(self, block: Values) -> None:
        if len(self.shift) < self.units:
            # Near the mean, so that little is lost when it is taken off.
            self.shift = block.mean(axis=0, dtype=np.float64)
            self.sums = np.zeros(self.units)
            self.products = np.zeros((self.units, self.units), order="F")
        for part in chunks(block):
            centred = part.astype(np.float64) - self.shift
            self.sums += centred.sum(axis=0)
            self.products = dsyrk(1.0, centred.T, 1.0, self.products, overwrite_c=True)

    def spectrum(self) -> Spectrum:
        """Singular values of the centred values over the root of the number of positions."""
        if self.blocks is not None:
            return centred_spectrum(self.all())
        mean = self.sums / self.rows
        whole = self.products / self.rows - np.outer(mean, mean)
        # Only the upper triangle was summed.
        squares = np.linalg.eigvalsh(whole, UPLO="U")[::-1][: self.rows]
        values = np.sqrt(np.maximum(squares, 0.0))
        return np.where(values > _UNSEEN * values[0], values, 0.0)


@dataclass
class Idle(Kept):
    """Units that are zero at all positions, and units proportional to another."""

    largest: np.ndarray = field(default_factory=lambda: np.zeros(0))
    signed: np.ndarray = field(default_factory=lambda: np.zeros((0, _SIGNS)))
    chance: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def sum_up(self, block: Values) -> None:
        if len(self.largest) < self.units:
            self.largest, self.signed = np.zeros(self.units), np.zeros((self.units, _SIGNS))
        self.largest = np.maximum(self.largest, np.abs(block).max(axis=0, initial=0.0))
        for part in chunks(block):
            signs = self.chance.integers(0, 2, (len(part), _SIGNS)) * 2.0 - 1.0
            self.signed += part.T.astype(np.float64) @ signs

    def counts(self) -> tuple[int, int]:
        """How many units are dead, and how many could be merged with another that is kept."""
        if self.blocks is not None:
            return idle_units(self.all())
        rays = self.signed[self.largest > 0]
        rays = rays / np.linalg.norm(rays, axis=1, keepdims=True)
        alike = rays @ rays.T >= SAME_RAY
        # The first of those alike is kept, and the others go with it.
        merged = np.zeros(len(rays), dtype=bool)
        for unit in range(len(rays)):
            if not merged[unit]:
                merged[unit + 1 :] |= alike[unit, unit + 1 :]
        return self.units - len(rays), int(merged.sum())


def chunks(block: Values) -> list[Values]:
    """Parts small enough to be turned into float64."""
    return np.array_split(block, max(1, block.size // _CHUNK))


def spectrum_of_points(values: Float[np.ndarray, "points d"]) -> Spectrum:
    """The spectrum of `Variation`, by products of points: for few that have many numbers each."""
    if values.size * min(values.shape) <= _WORK / 4:
        return centred_spectrum(values.astype(np.float64))
    products = np.zeros((len(values),) * 2, order="F")
    width = max(1, _CHUNK // len(values))
    for start in range(0, values.shape[1], width):
        part = values[:, start : start + width].astype(np.float64)
        centred = part - part.mean(axis=0)
        products = dsyrk(1.0, centred, 1.0, products, overwrite_c=True)
    squares = np.linalg.eigvalsh(products / len(values), UPLO="U")[::-1]
    found = np.sqrt(np.maximum(squares, 0.0))
    return np.where(found > _UNSEEN * found[0], found, 0.0)
