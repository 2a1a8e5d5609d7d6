"""`measure`, and the Report that it makes."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from repcost.arrays import ArrayLike
from repcost.balance import rebalance
from repcost.conventions import ALL_OF_WEIGHTS_AND_BIASES, Convention
from repcost.devices import Device, place
from repcost.report.measurements import (
    Points,
    Received,
    centred_spectrum,
    derivatives_within_floats,
    layerwise_norm,
    path_norm,
    points_of,
    prunable_units,
    rank_above,
    values_within_floats,
)
from repcost.report.models import Model, ReadModel, read_model
from repcost.report.outputs import must_agree
from repcost.report.views import Axes, Lines, as_plain, as_table, as_text, draw_spectra, row
from repcost.scalars import real_number

# What the norms of a report count; rescaling whole layers looks at weights alone.
WITH_BIASES, WITHOUT_BIASES = ALL_OF_WEIGHTS_AND_BIASES, Convention("the squares", "biases free")


@dataclass(frozen=True, eq=False)
class Report:
    """What `measure` found; print it, show it in a notebook, `.plot()` it, or take `.to_dict()`.

    squared_norm: sum of squares of all weights and biases, and layer by layer weight_norms,
        bias_norms.
    rebalanced_norm: squared_norm after `rebalance`, the least that rescaling single neurons can
        reach.
    layerwise_norm: L (product of the layers' squared weights)^{1/L}, the least that rescaling
        whole layers can reach in the weights.
    path_norm: sum over outputs and paths of |weights|, first-layer units by their Euclidean length.
    spectra: singular values of each layer's centred values, Z_1 to Z_L, over root N.
    ranks: how many of them exceed `tolerance` times the largest.
    jacobian_spectra: (points, k) singular values of the derivative at all points, or at as many as
        a few seconds allow.
    prunable: per hidden layer, units that are zero on all points, or that could be merged with
        another since the two are proportional on all points.
    """

    widths: tuple[int, ...]
    points: int
    tolerance: float
    ignored: tuple[str, ...]
    weight_norms: Float[np.ndarray, " L"]
    bias_norms: Float[np.ndarray, " L"]
    rebalanced_norm: float
    layerwise_norm: float
    path_norm: float
    spectra: tuple[Float[np.ndarray, " _"], ...]
    jacobian_spectra: Float[np.ndarray, "points k"]
    prunable: tuple[int, ...]

    @property
    def squared_norm(self) -> float:
        return float(self.weight_norms.sum() + self.bias_norms.sum())

    @property
    def slack(self) -> float:
        """The share of squared_norm that goes away when single neurons are rescaled."""
        # A network of zeros has nothing to lose.
        return 1 - self.rebalanced_norm / self.squared_norm if self.squared_norm else 0.0

    @property
    def ranks(self) -> tuple[int, ...]:
        """Directions in which each layer's values vary, up to the tolerance."""
        return tuple(rank_above(spectrum, self.tolerance) for spectrum in self.spectra)

    @property
    def bottleneck(self) -> tuple[int, int]:
        """The first layer, from 1, whose values vary in the fewest directions, and in how many."""
        layer = int(np.argmin(self.ranks))
        return layer + 1, self.ranks[layer]

    @property
    def jacobian_ranks(self) -> Int[np.ndarray, " points"]:
        """At each point, the singular values above the tolerance times the largest there."""
        return np.array([rank_above(each, self.tolerance) for each in self.jacobian_spectra])

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain numbers, lists and strings, ready for JSON."""
        # Properties are no fields, but readers of the file cannot compute them.
        derived = ("squared_norm", "slack", "ranks", "bottleneck", "jacobian_ranks")
        return as_plain(asdict(self) | {name: getattr(self, name) for name in derived})

    def __str__(self) -> str:
        return as_text(self._lines())

    def _repr_html_(self) -> str:
        return as_table(self._lines())

    def plot(self, ax: Axes | None = None) -> Axes:
        """In how many directions does each layer vary? Its singular values, and the tolerance."""
        return draw_spectra(self.spectra, self.tolerance, ax)

    def _lines(self) -> Lines:
        widths = " - ".join(map(str, self.widths))
        return [
            ("network", f"{widths}, {self.points} points"),
            *self._norms(),
            *self._ranks(),
            ("prunable neurons", " ".join(map(str, self.prunable)) or "none: no hidden layer"),
            *([("ignored", ", ".join(self.ignored))] if self.ignored else []),
        ]

    def _norms(self) -> Lines:
        slack = f"{100 * self.slack:.3g} % was slack"
        biases = f"{self.bias_norms.sum():.3g} of it by biases"
        return [
            ("squared norm", f"{self.squared_norm:.6g} ({WITH_BIASES}: {biases})"),
            ("  per layer", row(self.weight_norms + self.bias_norms)),
            # "Balanced" to the reader: neuron by neuron, biases counted.
            ("  balanced", f"{self.rebalanced_norm:.6g} ({WITH_BIASES}): {slack}"),
            ("  whole layers rescaled", f"{self.layerwise_norm:.6g} ({WITHOUT_BIASES})"),
            ("path norm", f"{self.path_norm:.6g} (products along paths, biases free)"),
        ]

    def _ranks(self) -> Lines:
        layer, rank = self.bottleneck
        ranks = f"{' '.join(map(str, self.ranks))} (above {self.tolerance:g} of the largest)"
        seen = self.jacobian_ranks
        between = f"{seen.min()} to {seen.max()}, median {np.median(seen):g}"
        # Eight tell the story; a spectrum may have hundreds.
        spectrum = row(np.median(self.jacobian_spectra, axis=0)[:8])
        return [
            ("rank of each layer", ranks),
            ("bottleneck", f"layer {layer}, {rank} direction{'s' * (rank != 1)}"),
            ("Jacobian rank", f"{between}, at {len(seen)} points"),
            ("Jacobian spectrum", f"{spectrum} (medians)"),
        ]


def measure(
    model: Model, X: ArrayLike, *, tolerance: float = 1e-3, device: str | Device | None = None
) -> Report:
    """What a network pays, how much of it is slack, and the ranks of what it learned, at rows of X.

    model: a torch.nn.Sequential in which Linear layers and one kind of activation, ReLU or
        LeakyReLU, take turns, a DeepNet or a TwoLayer. A Sequential may lie on any device and is
        measured as it evaluates (dropout does nothing); a layer that is called twice counts as two,
        and so does a weight that two layers share. It is never changed, and its own outputs at some
        rows of X are compared with those of what was read; what may compute something else, by a
        class, a hook or a tensor of its own, is refused.
    X: (N, d), or images if the model begins with a Flatten.
    tolerance: ranks are counts of singular values above this part of the largest: an experiment,
        as is everything at points.
    device: where the derivatives are multiplied, as in `jacobian_spectra`; that of the model if
        None.

    Norms are sums of squares, biases included, as in Jacot (2023), and not halved. Weights up to
    1e150 are taken, as long as values and derivatives at X are floats.

    >>> from repcost import DeepNet
    >>> net = DeepNet([[[4.0], [-4.0]], [[0.25, 0.25]]], [[0.0, 0.0], [0.0]])
    >>> report = measure(net, [[-1.0], [0.5], [2.0]])
    >>> report.squared_norm, round(report.rebalanced_norm, 9), report.bottleneck
    (32.125, 4.0, (1, 1))
    """
    tolerance = real_number(tolerance, "tolerance")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance must lie between 0 and 1, not {tolerance:g}; 0.001 is usual")
    read = read_model(model)
    where = read.device if device is None else device
    # Refused now if it is not here, and not after all the rest.
    place(where, 0.0)
    X, shape = points_of(X, read.flattens)
    # One pass for all that is measured on values.
    values = values_within_floats(read.net, X)
    if read.like is not None:
        must_agree(model, read, X, shape)
    return _report(read, X, values, tolerance, where)


def _report(
    read: ReadModel, X: Points, values: Received, tolerance: float, device: str | Device
) -> Report:
    net = read.net
    return Report(
        widths=net.widths,
        points=len(X),
        tolerance=tolerance,
        ignored=read.ignored,
        weight_norms=np.array([np.sum(weight**2) for weight in net.weights]),
        bias_norms=np.array([np.sum(bias**2) for bias in net.biases]),
        rebalanced_norm=rebalance(net).squared_norm,
        layerwise_norm=layerwise_norm(net),
        path_norm=path_norm(net),
        spectra=tuple(centred_spectrum(layer) for layer in values),
        jacobian_spectra=derivatives_within_floats(net, X, device),
        prunable=tuple(prunable_units(net.activation(layer)) for layer in values[:-1]),
    )
