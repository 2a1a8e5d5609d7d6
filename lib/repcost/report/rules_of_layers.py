"""Rules of layers: what has weights makes new labels."""

from typing import Any

import numpy as np

from repcost.report.graphs import Ref, Step
from repcost.report.kinds import CONVOLUTIONS, DIAGONAL, groups_of, is_transposed
from repcost.report.labelling import Labelled, Labelling, fixed, unknown
from repcost.report.labels import FIXED, LabelArray
from repcost.report.rule_table import mixed, rule, spread
from repcost.report.rules_of_pairs import added

# Layers: new labels come out.


@rule("linear", *CONVOLUTIONS)
def affine(here: Labelling, step: Step, value: Any) -> Labelled:
    weight, bias = step.argument(1, "weight"), step.argument(2, "bias")
    labels, constant = here.value(step.args[0]), here.constant(weight)
    if labels is None or constant is None or here.value(bias) is not None:
        return unknown(here, step, value)
    axis = value.ndim - 1 if step.kind == "linear" else value.ndim - constant.ndim + 1
    below, out = here.along(labels, axis), here.labels.fresh(value.shape[axis])
    here.use(weight, *_of_weight(step, constant.ndim, below, out))
    if bias is not None:
        here.use(bias, out, np.array(FIXED))
    return spread(out, tuple(value.shape), axis)


def _of_weight(
    step: Step, ndim: int, below: LabelArray, out: LabelArray
) -> tuple[LabelArray, LabelArray]:
    """The labels of the weight's entries: (out, in, ...), or for transposed ones (in, out, ...)."""
    groups = groups_of(step) if step.kind in CONVOLUTIONS else 1
    rows, columns = (below, out) if is_transposed(step) else (out, below)
    if groups == 1:
        tables = rows[:, None], columns[None, :]
    else:
        # Each group of rows has columns of its own.
        parts = columns.reshape(groups, -1).repeat(len(rows) // groups, axis=0)
        tables = rows[:, None], parts
    row_labels, column_labels = (each.reshape(*each.shape, *[1] * (ndim - 2)) for each in tables)
    return (column_labels, row_labels) if is_transposed(step) else (row_labels, column_labels)


@rule("matmul", "mm", "bmm")
def product(here: Labelling, step: Step, value: Any) -> Labelled:
    """A matrix of weights, or a value that stays as it is, times a value."""
    first, second = (here.value(each) for each in step.args[:2])
    if first is not None and second is not None:
        return _product_of_values(here, step, value, first, second)
    labels, matrix = (first, step.args[1]) if second is None else (second, step.args[0])
    constant = here.constant(matrix)
    if labels is None or constant is None or constant.ndim != 2 or labels.ndim < 2:
        return unknown(here, step, value)
    # x M makes new last axes, M x new ones before the last.
    axis = labels.ndim - (1 if second is None else 2)
    below, out = here.along(labels, axis), here.labels.fresh(value.shape[axis])
    tables = (out[None, :], below[:, None]) if second is None else (out[:, None], below[None, :])
    here.use(matrix, *tables)
    return spread(out, tuple(value.shape), axis)


def _product_of_values(
    here: Labelling, step: Step, value: Any, first: LabelArray, second: LabelArray
) -> Labelled:
    shape = tuple(value.shape)
    for labels, other, axis in ((second, first, -2), (first, second, -1)):
        if here.labels.are_fixed(other) and labels.ndim >= 2:
            return np.broadcast_to(mixed(here, labels, axis), shape)
    here.fix(step, "a product of two values")
    return fixed(here, step, value)


@rule("scaled_dot_product_attention")
def attended(here: Labelling, step: Step, value: Any) -> Labelled:
    """Queries and keys go into a softmax; of the values means are taken."""
    if any(here.value(each) is None for each in step.args[:3]):
        return unknown(here, step, value)
    only = Step(step.name, step.kind, step.call, step.args[:2], {}, step.layer)
    here.fix(only, "queries and keys go into a softmax")
    return np.broadcast_to(mixed(here, here.one(step.args[2].name), -2), tuple(value.shape))


@rule(DIAGONAL)
def diagonal(here: Labelling, step: Step, value: Any) -> Labelled:
    """Batch normalisation that was not folded: a scale and a shift of each channel."""
    labels = here.one(step.args[0].name)
    below, out = here.along(labels, 1), here.labels.fresh(labels.shape[1])
    here.use(step.args[1], out, below)
    here.use(step.args[2], out, np.array(FIXED))
    return spread(out, tuple(value.shape), 1)


@rule("addmm", "baddbmm")
def added_product(here: Labelling, step: Step, value: Any) -> Labelled:
    """A bias and x M, as they come in one call."""
    bias, x, matrix = step.args[:3]
    if len(step.args) > 3 or step.kwargs or here.constant(bias) is None:
        return unknown(here, step, value)
    alone = Step(step.name, "mm", step.call, (x, matrix), {}, step.layer)
    here.of[step.name] = product(here, alone, value)
    return added(here, Step(step.name, "add", step.call, (Ref(step.name), bias), {}, ""), value)
