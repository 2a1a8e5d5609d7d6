"""Rules of two values, or of a value and a constant."""

from typing import Any

import numpy as np

from repcost.report.graphs import Step
from repcost.report.labelling import Labelled, Labelling, fixed, unknown
from repcost.report.labels import FIXED, LabelArray
from repcost.report.rule_table import by_entry, places, rule

# Two values, or a value and a constant.


@rule("add", "sub", "rsub", "maximum", "minimum")
def added(here: Labelling, step: Step, value: Any) -> Labelled:
    """What is added is scaled alike; a constant that is none of the weights fixes it."""
    first, second = (here.value(each) for each in step.args[:2])
    shape = tuple(value.shape)
    if first is not None and second is not None:
        here.labels.tie(np.broadcast_to(first, shape), np.broadcast_to(second, shape))
        return np.broadcast_to(first, shape)
    own, other = step.args[:2] if second is None else step.args[1::-1]
    labels = np.broadcast_to(here.one(own.name), shape)
    constant = here.constant(other)
    if constant is None:
        return labels if other == 0 else unknown(here, step, value)
    if not here.is_parameter(other) or step.kind in ("maximum", "minimum"):
        nonzero = np.broadcast_to(constant.numpy() != 0, shape)
        return labels if not nonzero.any() else unknown(here, step, value)
    here.use(other, by_entry(here, labels, constant), np.array(FIXED))
    return labels


@rule("mul", "div", "multiply", "divide")
def multiplied(here: Labelling, step: Step, value: Any) -> Labelled:
    """By a number, by a diagonal of weights, or by a value that stays as it is."""
    if step.kwargs.get("rounding_mode"):
        return unknown(here, step, value)
    shape, by_division = tuple(value.shape), step.kind in ("div", "divide")
    first, second = (here.value(each) for each in step.args[:2])
    if first is not None and second is not None:
        return _of_two_values(here, step, value, first, second)
    if first is None and by_division:
        return unknown(here, step, value)
    own, other = step.args[:2] if second is None else step.args[1::-1]
    labels, constant = np.broadcast_to(here.one(own.name), shape), here.constant(other)
    if constant is None or by_division or not here.is_parameter(other):
        return labels
    below = by_entry(here, labels, constant)
    plus = here.labels.fresh(*below.shape)
    here.use(other, plus, below)
    return plus.ravel()[places(constant, shape)]


def _of_two_values(
    here: Labelling, step: Step, value: Any, first: LabelArray, second: LabelArray
) -> Labelled:
    shape = tuple(value.shape)
    if here.labels.are_fixed(second):
        return np.broadcast_to(first, shape)
    if here.labels.are_fixed(first) and step.kind not in ("div", "divide"):
        return np.broadcast_to(second, shape)
    here.fix(step, "a product or quotient of two values")
    return fixed(here, step, value)


@rule("where")
def chosen(here: Labelling, step: Step, value: Any) -> Labelled:
    """Between two values, by a condition that stays as it is."""
    condition = here.value(step.args[0])
    if any(here.value(each) is None for each in step.args[1:]):
        return _or_zero(here, step, value)
    if condition is not None:
        here.labels.fix(condition)
    shape = tuple(value.shape)
    first, second = (np.broadcast_to(here.one(each.name), shape) for each in step.args[1:])
    here.labels.tie(first, second)
    return first


def _or_zero(here: Labelling, step: Step, value: Any) -> Labelled:
    """Between a value and a constant of zeros, which has any label."""
    for taken, other in (step.args[1:3], step.args[2:0:-1]):
        constant, labels = here.constant(other), here.value(taken)
        zero = other == 0 if constant is None else not constant.any()
        if labels is not None and zero:
            if (condition := here.value(step.args[0])) is not None:
                here.labels.fix(condition)
            return np.broadcast_to(labels, tuple(value.shape))
    return unknown(here, step, value)
