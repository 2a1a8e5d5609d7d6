"""Rules of one value: numbers that are changed alone, moved, or put together."""

from typing import Any

import numpy as np

from repcost.report.graphs import Ref, Step
from repcost.report.labelling import Labelled, Labelling, fixed, unknown
from repcost.report.labels import FIXED
from repcost.report.rule_table import RULES, mixed, rule, spread

# One number in, one out: s(c t) = c s(t) for c > 0.


@rule("relu", "leaky_relu", "rrelu", "prelu", "abs", "neg", "clone", "alias", "detach")
@rule("contiguous", "lift_fresh_copy", "dropout", "feature_dropout", "alpha_dropout")
def same(here: Labelling, step: Step, value: Any) -> Labelled:
    return here.one(step.args[0].name)


@rule("_to_copy", "to")
def converted(here: Labelling, step: Step, value: Any) -> Labelled:
    """Another precision is the same number, a whole number is not."""
    return (same if value.is_floating_point() else unknown)(here, step, value)


@rule("clamp", "clamp_min", "clamp_max", "hardtanh", "threshold")
def clamped(here: Labelling, step: Step, value: Any) -> Labelled:
    """At zero only, on one side; a hardtanh of which nothing is said ends at -1 and 1."""
    ends = [each for each in (*step.args[1:], *step.kwargs.values()) if each is not None]
    at_zero = all(not isinstance(each, Ref) and each in (0, np.inf, -np.inf) for each in ends)
    at_zero = at_zero and (len(ends) == 2 or step.kind != "hardtanh")
    return (same if at_zero else unknown)(here, step, value)


@rule("gt", "ge", "lt", "le", "eq", "ne", "sign", "sgn")
def compared(here: Labelling, step: Step, value: Any) -> Labelled:
    """On which side of zero: no positive factor changes that."""
    with_zero = len(step.args) == 1 or step.args[1] == 0
    return (fixed if with_zero else unknown)(here, step, value)


# The same numbers in other places: the operation itself is run on labels.


@rule("view", "_unsafe_view", "reshape", "flatten", "unflatten", "permute", "transpose", "t")
@rule("squeeze", "unsqueeze", "slice", "select", "narrow", "cat", "stack", "expand", "repeat")
@rule("chunk", "split", "split_with_sizes", "unbind", "flip", "roll", "movedim", "swapaxes")
@rule("pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "slice_scatter", "select_scatter")
@rule("index_select", "upsample_nearest1d", "upsample_nearest2d", "reflection_pad1d")
@rule("reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d")
def moved(here: Labelling, step: Step, value: Any) -> Labelled:
    import torch

    def find(argument: Any) -> Any:
        if not isinstance(argument, Ref):
            return torch.float64
        if argument.name in here.numbers:
            return here.numbers[argument.name]
        labels = here.value(argument)
        if labels is None:
            labels = _brought_along(here, argument)
        # As floats, which all operations take; labels are small whole numbers.
        return labels if torch.is_tensor(labels) else torch.tensor(labels, dtype=torch.float64)

    args, kwargs = step.filled(find)
    # A view of labels need not be one.
    made = (torch.reshape if "view" in step.kind else step.call)(*args, **kwargs)
    if isinstance(made, tuple | list):
        return [each.long().numpy() for each in made]
    return made.long().numpy()


def _brought_along(here: Labelling, argument: Ref) -> Any:
    """The labels of a constant among values: a parameter is scaled like any value."""
    constant = here.constant(argument)
    if constant is None or not constant.is_floating_point():
        return constant
    shape = tuple(constant.shape)
    if here.is_parameter(argument):
        labels = here.labels.fresh(*shape)
        here.use(argument, labels, np.array(FIXED))
        return labels
    # Zeros are zeros at any scale, and whatever else a model brings along stays as it is.
    return np.full(shape, FIXED) if constant.any() else here.labels.fresh(*shape)


@rule("getitem")
def one_result(here: Labelling, step: Step, value: Any) -> Labelled:
    return here.of[step.args[0].name][step.args[1]]


@rule("constant_pad_nd", "pad")
def padded(here: Labelling, step: Step, value: Any) -> Labelled:
    """Zeros may have any label, so those that are added have labels of their own."""
    import torch

    how = step.argument(2, "mode", "constant") if step.kind == "pad" else "constant"
    added = step.argument(3 if step.kind == "pad" else 2, "value") or 0
    if how != "constant" or added != 0:
        return moved(here, step, value) if how != "constant" else unknown(here, step, value)
    given, by = step.args[0], step.args[1]
    labels = torch.from_numpy(np.ascontiguousarray(here.one(given.name)))
    made = torch.constant_pad_nd(labels, by, -1).numpy().copy()
    # The same for all points.
    new = made[0] < 0
    made[:, new] = here.labels.fresh(int(new.sum()))
    return made


# Several numbers of one label: sums, means, and the largest.


@rule("max_pool1d", "max_pool2d", "max_pool3d", "max_pool2d_with_indices", "avg_pool1d")
@rule("avg_pool2d", "avg_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d")
@rule("adaptive_avg_pool3d", "_adaptive_avg_pool2d", "adaptive_max_pool1d")
@rule("adaptive_max_pool2d", "upsample_bilinear2d", "upsample_linear1d")
def pooled(here: Labelling, step: Step, value: Any) -> Labelled:
    """Within each channel; where pooling gives places too, these have no label."""
    first = value[0] if isinstance(value, tuple | list) else value
    axis = first.ndim - _SPATIAL[step.kind[-2:] if step.kind[-1] == "d" else "2d"] - 1
    labels = here.one(step.args[0].name)
    made = spread(here.along(labels, axis), tuple(first.shape), axis)
    return [made, *fixed(here, step, value[1:])] if first is not value else made


_SPATIAL = {"1d": 1, "2d": 2, "3d": 3}


@rule("mean", "sum", "amax", "amin", "linalg_vector_norm")
def reduced(here: Labelling, step: Step, value: Any) -> Labelled:
    labels = here.one(step.args[0].name)
    # A norm has its order in between; that of order zero counts, and is not homogeneous.
    place = 2 if step.kind == "linalg_vector_norm" else 1
    if place == 2 and step.argument(1, "ord") == 0:
        return unknown(here, step, value)
    given = step.argument(place, "dim")
    axes = range(labels.ndim) if given is None or given == [] else np.atleast_1d(given)
    lowest = mixed(here, labels, tuple(int(axis) for axis in axes))
    return lowest.reshape(tuple(value.shape))


@rule("max", "min")
def largest(here: Labelling, step: Step, value: Any) -> Labelled:
    if not isinstance(value, tuple | list):
        # Of all, or of two, which is a rule of pairs.
        return (reduced if len(step.args) == 1 else RULES["maximum"])(here, step, value)
    lowest = mixed(here, here.one(step.args[0].name), step.args[1])
    return [lowest.reshape(tuple(value[0].shape)), *fixed(here, step, value[1:])]
