"""`measure`: what it takes, and the two ways of measuring it."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from repcost.arrays import ArrayLike
from repcost.balance import rebalance
from repcost.deep_networks import DeepNet, as_deep
from repcost.devices import Device, place
from repcost.networks import TwoLayer
from repcost.report.layers import Layer
from repcost.report.measurements import (
    Points,
    centred_spectrum,
    derivatives_within_floats,
    idle_units,
    layerwise_norm,
    path_norm,
    points_of,
    spectral_norm,
    stable_rank,
    values_within_floats,
)
from repcost.report.modules import report_of_module
from repcost.report.proofs import data_of_loss, proofs_of_network
from repcost.report.reports import Report
from repcost.scalars import real_number, whole_number

if TYPE_CHECKING:
    from torch import nn

    Model = DeepNet | TwoLayer | nn.Module
else:  # torch is only there for those who have a model of theirs
    Model = Any


def measure(
    model: Model,
    X: ArrayLike,
    *,
    tolerance: float = 1e-3,
    jacobian_points: int = 1000,
    device: str | Device | None = None,
    targets: ArrayLike | None = None,
    strength: float | None = None,
) -> Report:
    """What a network pays, how much of it is slack, and the ranks of what it learned, at rows of X.

    model: any torch.nn.Module that takes one tensor of points and gives one tensor, a DeepNet or a
        TwoLayer. A module is measured as it evaluates (dropout does nothing, batch normalisation is
        folded into the weights), may lie on any device, and is never changed: it is read by
        torch.export, and its own outputs at some rows of X are compared with those of what was
        read. Parameters that several layers share count once. What rescaling can save is found for
        whatever is positively homogeneous; the report says what is not. What may compute something
        else, by hooks or by tensors of a class of its own, is refused.
    X: (N, ...), points of the shape that the model takes.
    tolerance: ranks are counts of singular values above this part of the largest: an experiment,
        as is everything at points.
    jacobian_points: at so many evenly spread points the derivative is taken, or at all; for a
        DeepNet at fewer, if these would take more than a few seconds.
    device: where the derivatives of a DeepNet are multiplied, as in `jacobian_spectra`.

    targets, strength: what the network was trained to say at X by the mean squared error, and the
        decay beside it, as in `shallow_optimum`; so that of two layers it can be proved how far
        they are from the least loss.

    Norms are sums of squares, biases included, as in Jacot (2023), and not halved. Weights up to
    1e150 are taken, as long as values and derivatives at X are floats.

    >>> from repcost import DeepNet
    >>> net = DeepNet([[[4.0], [-4.0]], [[0.25, 0.25]]], [[0.0, 0.0], [0.0]])
    >>> report = measure(net, [[-1.0], [0.5], [2.0]])
    >>> report.squared_norm, round(report.rebalanced_norm, 9), report.bottleneck
    (32.125, 4.0, (1, 1))
    """
    tolerance, points = checked_options(tolerance, jacobian_points)
    # Refused now if it is not here, and not after all the rest.
    where = "cpu" if device is None else device
    place(where, 0.0)
    if isinstance(model, DeepNet | TwoLayer):
        rows = points_of(X)
        report = _report_of_network(as_deep(model), rows, tolerance, points, where)
        data = data_of_loss(rows, targets, strength)
        return replace(report, proofs=proofs_of_network(as_deep(model), rows, data))
    return report_of_module(model, X, tolerance, points, targets, strength)


def checked_options(tolerance: float, jacobian_points: int) -> tuple[float, int]:
    """Both as numbers in their range; ValueError that names the one that is not."""
    tolerance = real_number(tolerance, "tolerance")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance must lie between 0 and 1, not {tolerance:g}; 0.001 is usual")
    return tolerance, whole_number(jacobian_points, "jacobian_points", 1)


def _report_of_network(
    net: DeepNet, X: Points, tolerance: float, jacobian_points: int, device: str | Device
) -> Report:
    # One pass for all that is measured on values.
    values, balanced = values_within_floats(net, X), rebalance(net)
    layers = tuple(_layer(net, number, each, balanced) for number, each in enumerate(values, 1))
    squares = sum(float(np.sum(part**2)) for part in (*net.weights, *net.biases))
    return Report(
        layers=layers,
        widths=net.widths,
        points=len(X),
        tolerance=tolerance,
        ignored=(),
        other_norm=0.0,
        stored_norm=squares,
        rebalanced_norm=balanced.squared_norm,
        groups=sum(balanced.widths[1:-1]),
        reasons=(),
        layerwise_norm=layerwise_norm(net),
        path_norm=path_norm(net),
        jacobian_spectra=derivatives_within_floats(net, X, jacobian_points, device),
    )


def _layer(net: DeepNet, number: int, received: Any, balanced: DeepNet) -> Layer:
    weight, bias = net.weights[number - 1], net.biases[number - 1]
    cheap = balanced.weights[number - 1], balanced.biases[number - 1]
    hidden = number < net.depth
    dead, mergeable = idle_units(net.activation(received)) if hidden else (0, 0)
    squares, largest = float(np.sum(weight**2)), spectral_norm(weight)
    return Layer(
        name=str(number),
        kind="linear",
        shape=weight.shape,
        parameters=weight.size + bias.size,
        weight_norm=squares,
        bias_norm=float(np.sum(bias**2)),
        least=sum(float(np.sum(part**2)) for part in cheap),
        spectral_norm=largest,
        stable_rank=stable_rank(weight, largest),
        units=len(weight),
        spectrum=centred_spectrum(received),
        dead=dead,
        mergeable=mergeable,
        hidden=hidden,
    )
