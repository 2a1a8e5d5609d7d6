"""The least sum of squares over all rescalings that keep the function: a convex problem.

By the labels of a network the squared norm of all rescaled networks is

    sum over weights of w^2 exp(2 (u[plus] - u[minus])),    u = M z,

with one free number in z for each class of channels that may be scaled alike. That is a sum of
exponentials of linear functions, as in `repcost.rescaling`; here the squares stand in the blocks
that layers are, so that gradient and curvature are products of matrices with vectors and the
exponentials of two vectors, not one for each weight.

A channel that only makes, or only takes, squares is worth nothing in the infimum: nothing reaches
it, or nobody sees it. Those are taken out first.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import LinearOperator, cg

from repcost.report.blocks import Block, Numbers, Squares, block_of
from repcost.report.labels import Labels, Term, free_numbers

# Steps of all numbers at once, half the way to their own minimum, before Newton's.
_ROUNDS = 40
# Rounds end when they gain less than this part.
_ENOUGH = 0.02
_MOST_STEPS = 200
# A step that promises less than this part of the norm is the last; it is taken.
_PRECISION = 1e-14
# With more free numbers than this, steps are found by products with the curvature alone.
_DENSE = 400
# No number changes by more at once, lest exponentials leave the floats.
_FARTHEST = 2.0


@dataclass(frozen=True, eq=False)
class Orbit:
    """All rescalings of a network. free: (classes, free numbers), 0 being what is fixed."""

    blocks: tuple[Block, ...]
    free: csr_array

    @property
    def groups(self) -> int:
        """How many numbers can be chosen freely."""
        # Each stands at least in the row of a class of its own.
        return int(self.free.indices.max(initial=-1)) + 1

    @property
    def classes(self) -> int:
        return len(self.free.indptr) - 1

    def squares(self) -> Mapping[str, float]:
        """The sum of squares of each term."""
        return {block.term: float(block.squares.sum()) for block in self.blocks}

    def size(self) -> float:
        return sum(float(block.squares.sum()) for block in self.blocks)

    def total(self, u: Numbers) -> float:
        return sum(block.total(u) for block in self.blocks)

    def scaled(self, u: Numbers) -> "Orbit":
        return replace(self, blocks=tuple(block.scaled(u) for block in self.blocks))

    def received_and_sent(self) -> tuple[Numbers, Numbers]:
        """The squares that each class makes and takes."""
        return self._summed((each.received(), each.sent()) for each in self.blocks)

    def _summed(self, parts: Iterable[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
        n = self.classes
        made, taken = np.zeros(n), np.zeros(n)
        for block, (at_plus, at_minus) in zip(self.blocks, parts, strict=True):
            made += np.bincount(block.plus, at_plus, n)
            taken += np.bincount(block.minus, at_minus, n)
        return made, taken

    def curvature_times(self, z: Numbers) -> Numbers:
        parts = self._summed(block.turned(self.free @ z) for block in self.blocks)
        return 4 * (self.free.T @ sum(parts))

    def curvature(self) -> Float[np.ndarray, "n n"]:
        made, taken = self.received_and_sent()
        whole = np.diag(made + taken)
        for block in self.blocks:
            where = np.ix_(block.plus, block.minus) if block.is_table else (block.plus, block.minus)
            # Pairs of classes stand once in a block.
            whole[where] -= block.squares
            whole.T[where] -= block.squares
        return 4 * (self.free.T @ (self.free.T @ whole).T)

    def without_lonely(self) -> "Orbit":
        """Without the squares of classes that only make, or only take, some."""
        orbit = self
        # Classes that stand in equations are scaled with others, and stay: those have several
        # numbers, or one that is not theirs alone.
        once = np.bincount(self.free.indices, minlength=self.groups) == 1
        alone = (np.diff(self.free.indptr) == 1) & (self.free @ once.astype(float) != 0)
        while True:
            made, taken = orbit.received_and_sent()
            lonely = alone & ((made > 0) != (taken > 0))
            if not lonely.any():
                return orbit
            orbit = replace(orbit, blocks=tuple(each.without(lonely) for each in orbit.blocks))


def orbit_of(labels: Labels, terms: Iterable[Term], squares_of: Callable[[str], Squares]) -> Orbit:
    """The orbit of these terms; squares_of: the squared entries of a constant."""
    free = free_numbers(labels)
    classes = labels.classes()
    # One row for each class is enough.
    first = np.unique(classes, return_index=True)[1]
    blocks = tuple(block_of(term, squares_of(term.constant), classes) for term in terms)
    return Orbit(blocks, csr_array(free[first]))


def cheapest(orbit: Orbit) -> tuple[Numbers, Orbit]:
    """The cheapest rescaling u of each class, and the orbit as it is there."""
    u, now = _started(orbit)
    if not orbit.groups:
        return u, now
    for _ in range(_MOST_STEPS):
        made, taken = now.received_and_sent()
        gradient = 2 * (now.free.T @ (made - taken))
        total = float(made.sum())
        step = _newton(now, gradient, made + taken)
        fall = -float(gradient @ step)
        move = np.asarray(now.free @ step)
        length = _length(now, move, total, fall)
        u, now = u + length * move, now.scaled(length * move)
        if fall <= _PRECISION * total or not length:
            break
    return u, orbit.scaled(u)


def _started(orbit: Orbit) -> tuple[Numbers, Orbit]:
    """Rounds in which every free number goes half the way to its own minimum."""
    u, now = np.zeros(orbit.classes), orbit
    many = np.asarray(orbit.free.sum(axis=0)).ravel()
    for _ in range(_ROUNDS if orbit.groups else 0):
        made, taken = (orbit.free.T @ each for each in now.received_and_sent())
        # Numbers of classes that are tied by equations wait for Newton's steps.
        both = (made > 0) & (taken > 0) & (many > 0)
        ratio = np.divide(taken, made, where=both, out=np.ones_like(made))
        move = orbit.free @ np.clip(np.log(ratio) / 8, -_FARTHEST, _FARTHEST)
        u, after = u + move, now.scaled(move)
        enough = after.size() > (1 - _ENOUGH) * now.size()
        now = after
        if enough:
            break
    return u, now


def _newton(orbit: Orbit, gradient: Numbers, diagonal: Numbers) -> Numbers:
    """The step to the minimum of the quadratic model."""
    if orbit.groups <= _DENSE:
        whole = orbit.curvature()
        # Free numbers that no square depends on stay where they are.
        unseen = whole.diagonal() <= 1e-250
        whole[unseen, unseen] = 1.0
        whole[np.diag_indices_from(whole)] *= 1 + 1e-14
        try:
            return -cho_solve(cho_factor(whole, overwrite_a=True, check_finite=False), gradient)
        except LinAlgError:
            return -gradient / np.abs(whole.diagonal())
    size = 4 * (abs(orbit.free).T @ diagonal)
    size = np.where(size > 0, size, 1.0)
    shape = (orbit.groups, orbit.groups)
    curvature = LinearOperator(shape, matvec=orbit.curvature_times, dtype=float)  # pyright: ignore
    step, _ = cg(curvature, gradient, rtol=1e-2, maxiter=300, M=diags_array(1 / size))
    return -step


def _length(orbit: Orbit, move: Numbers, total: float, fall: float) -> float:
    """How much of a step to take: all of it near the minimum."""
    farthest = float(np.abs(move).max(initial=0.0))
    length = min(1.0, _FARTHEST / farthest) if farthest else 1.0
    # Below this the quadratic model is right by far, and rounding would hide what is gained.
    while length * farthest > 0.05 and orbit.total(length * move) > total - 0.1 * length * fall:
        length /= 2
    return length
