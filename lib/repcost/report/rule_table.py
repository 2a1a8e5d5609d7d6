"""What each operation does to labels: one rule for each kind, entered in a table.

Let every entry of what goes in be multiplied by e^u of its label. A rule is right if what comes
out is then multiplied, entry by entry, by e^u of the labels that the rule gives. The rules stand in
`rules_of_moves` (one value), `rules_of_pairs` (two, or a value and a constant) and
`rules_of_layers` (weights, which make new labels).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from repcost.report.labelling import Labelling, Rule
from repcost.report.labels import LabelArray

RULES: dict[str, Rule] = {}


def rule(*kinds: str) -> Callable[[Rule], Rule]:
    """Enters a rule for these operations."""

    def enter(made: Rule) -> Rule:
        RULES.update(dict.fromkeys(kinds, made))
        return made

    return enter


def spread(labels: LabelArray, shape: tuple[int, ...], axis: int) -> LabelArray:
    """One label for each place on an axis, at all others."""
    by_axis = [1] * len(shape)
    by_axis[axis] = -1
    return np.broadcast_to(labels.reshape(by_axis), shape)


def mixed(here: Labelling, labels: LabelArray, axis: int | tuple[int, ...]) -> LabelArray:
    """One label for all places on these axes, which stay, with length one."""
    lowest = labels.min(axis=axis, keepdims=True)
    here.labels.tie(labels, lowest)
    return lowest


def places(constant: Any, shape: tuple[int, ...]) -> LabelArray:
    """Which entry of the constant meets each entry of a value of this shape."""
    entries = np.arange(constant.numel()).reshape(tuple(constant.shape))
    return np.broadcast_to(entries, shape)


def by_entry(here: Labelling, labels: LabelArray, constant: Any) -> LabelArray:
    """The one label that each entry of a constant meets, in the constant's own shape."""
    entries = places(constant, labels.shape).ravel()
    first = np.unique(entries, return_index=True)[1]
    met = labels.ravel()[first]
    here.labels.tie(labels.ravel(), met[entries])
    return met.reshape(tuple(constant.shape))
