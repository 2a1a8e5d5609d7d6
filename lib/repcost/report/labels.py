"""Labels of channels: which numbers of a network must be scaled alike for its function to stay.

Every entry of every value carries a label. To rescale is to choose a number u for each label, with
u = 0 for label 0, and to multiply every entry by e^u of its label. An operation that makes labels
alike ties them; one that is not positively homogeneous fixes them, which is a tie to label 0. A
weight is multiplied by e^(u[plus] - u[minus]): the label that it makes, and the one that it takes.
A parameter in several places must be multiplied by the same number in all of them, which are
linear equations between the labels.

To tie more than one must is never wrong, only dearer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Int
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

# Of values and weights of all shapes.
LabelArray = Int[np.ndarray, "..."]
Equation = Mapping[int, int]

FIXED = 0


@dataclass(frozen=True, eq=False)
class Term:
    """The squares of a constant and by which labels they change.

    plus, minus: labels that are broadcast to the shape of the constant.
    """

    constant: str
    plus: LabelArray
    minus: LabelArray


@dataclass
class Labels:
    """Labels and their ties, so far."""

    count: int = 1
    ties: list[Int[np.ndarray, "2 _"]] = field(default_factory=list)
    # Each is a sum of labels' numbers, with these coefficients, that must be zero.
    equations: list[Equation] = field(default_factory=list)

    def fresh(self, *shape: int) -> LabelArray:
        """New labels, one for each entry."""
        many = int(np.prod(shape))
        self.count += many
        return np.arange(self.count - many, self.count).reshape(shape)

    def tie(self, some: LabelArray | int, others: LabelArray | int) -> None:
        """The labels of both arrays are pairwise the same; they are broadcast."""
        pairs = np.stack([each.ravel() for each in np.broadcast_arrays(some, others)])
        pairs = np.unique(pairs[:, pairs[0] != pairs[1]], axis=1)
        if pairs.size:
            self.ties.append(pairs)

    def fix(self, labels: LabelArray) -> None:
        self.tie(labels, FIXED)

    def classes(self) -> Int[np.ndarray, " count"]:
        """The number of each label's class; 0 is that of what is fixed."""
        pairs = np.concatenate([np.zeros((2, 0), dtype=int), *self.ties], axis=1)
        graph = coo_array((np.ones(pairs.shape[1]), tuple(pairs)), shape=(self.count,) * 2)
        found = connected_components(graph, directed=False)[1]
        # Whatever number the class of label 0 has got, it changes places with 0.
        zero = found[FIXED]
        return np.where(found == zero, 0, np.where(found == 0, zero, found))

    def are_fixed(self, labels: LabelArray) -> bool:
        return not self.classes()[labels].any()


def free_numbers(labels: Labels) -> csr_array:
    """The matrix (labels, free numbers) by which the free numbers make those of all labels.

    Without equations each class but the fixed one has a number of its own.
    """
    classes = labels.classes()
    count = int(classes.max(initial=0)) + 1
    solved = _solved([_by_class(equation, classes) for equation in labels.equations])
    free = np.array([each for each in range(1, count) if each not in solved], dtype=int)
    place = np.full(count, -1)
    place[free] = np.arange(len(free))
    rows, columns, values = list(free), list(place[free]), [1.0] * len(free)
    for pivot, others in solved.items():
        for each, factor in others.items():
            rows, columns, values = [*rows, pivot], [*columns, place[each]], [*values, factor]
    whole = csr_array((values, (rows, columns)), shape=(count, len(free)))
    return csr_array(whole[classes])


def _by_class(equation: Equation, classes: Int[np.ndarray, " count"]) -> dict[int, float]:
    """The same sum over classes, without the fixed one, whose number is zero."""
    found: dict[int, float] = {}
    for label, factor in equation.items():
        found[int(classes[label])] = found.get(int(classes[label]), 0.0) + factor
    return {each: factor for each, factor in found.items() if each and factor}


def _solved(equations: list[dict[int, float]]) -> dict[int, dict[int, float]]:
    """Gauss and Jordan: some classes as sums of others, which are free."""
    solved: dict[int, dict[int, float]] = {}
    # In which sums a free class stands, so that it can be put in when it is solved for.
    stands: dict[int, set[int]] = {}
    for equation in equations:
        row = _put_in(equation, solved)
        if not row:
            continue
        pivot = max(row)
        factor = row.pop(pivot)
        solved[pivot] = {each: -value / factor for each, value in row.items()}
        changed = {pivot, *stands.pop(pivot, ())}
        for each in changed - {pivot}:
            solved[each] = _put_in(solved[each], {pivot: solved[pivot]})
        for each in changed:
            for other in solved[each]:
                stands.setdefault(other, set()).add(each)
    return solved


def _put_in(
    row: Mapping[int, float], solved: Mapping[int, Mapping[int, float]]
) -> dict[int, float]:
    """A sum with what is known of its parts."""
    found: dict[int, float] = {}
    for each, factor in row.items():
        for other, part in solved.get(each, {each: 1.0}).items():
            found[other] = found.get(other, 0.0) + factor * part
    return {each: factor for each, factor in found.items() if factor}
