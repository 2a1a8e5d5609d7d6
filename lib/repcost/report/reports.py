"""The Report that `measure` makes: numbers of each layer and of the whole, and how they show."""

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float, Int

from repcost.conventions import ALL_OF_WEIGHTS_AND_BIASES, Convention
from repcost.report.layers import Layer
from repcost.report.measurements import rank_above
from repcost.report.proofs import NOTHING_PROVED, Proofs
from repcost.report.sayings import SAYINGS
from repcost.report.tables import as_html, as_text, layer_table
from repcost.report.views import Axes, Lines, as_plain, draw_spectra, known, row

if TYPE_CHECKING:
    from pandas import DataFrame  # pyright: ignore[reportMissingImports]
else:  # only those who ask for it have pandas
    DataFrame = Any

# What the norms of a report count; rescaling whole layers looks at weights alone.
WITH_BIASES, WITHOUT_BIASES = ALL_OF_WEIGHTS_AND_BIASES, Convention("the squares", "biases free")
# So many reasons are printed; `.reasons` has all.
_NAMED = 3


@dataclass(frozen=True, eq=False)
class Report:
    """What `measure` found; print it, show it in a notebook, `.plot()` it, or take `.to_dict()`.

    layers: what was found of each `Layer`, in the order in which they are called.
    other_norm: squares of parameters that are in no layer's weights or biases, as of a PReLU.
    stored_norm: sum of squares of all parameters as they are stored, which is what weight decay
        acts on: with batch normalisation or weight norm these are not the weights of the function.
    rebalanced_norm: squared_norm after the rescaling of units and channels that makes it least.
    groups: over so many classes of channels, which can be scaled freely; reasons: why others
        cannot be.
    layerwise_norm: the least that rescaling whole layers can reach in the weights; in a chain of L
        layers L (product of the layers' squared weights)^{1/L}.
    path_norm: sum over outputs and paths of |weights|, first-layer units by their Euclidean length.
    jacobian_spectra: (points, k) singular values of the derivative at some of the points; if
        sketched, lower bounds of the largest of them, by random directions.
    proofs: what of all this is proved; ranks, idle units and Jacobians are experiments.
    mismatch: by which part of the largest output the model's own outputs differ from those of what
        was read of it.

    What is not known is not a number (`nan`): `missing` says why.
    """

    layers: tuple[Layer, ...]
    widths: tuple[int, ...]
    points: int
    tolerance: float
    ignored: tuple[str, ...]
    other_norm: float
    stored_norm: float
    rebalanced_norm: float
    groups: int
    reasons: tuple[str, ...]
    layerwise_norm: float
    path_norm: float
    jacobian_spectra: Float[np.ndarray, "points k"]
    sketched: bool = False
    mismatch: float = 0.0
    missing: tuple[str, ...] = ()
    proofs: Proofs = NOTHING_PROVED

    @property
    def weight_norms(self) -> Float[np.ndarray, " L"]:
        """Layer by layer the sum of squared weights."""
        return np.array([layer.weight_norm for layer in self.layers])

    @property
    def bias_norms(self) -> Float[np.ndarray, " L"]:
        return np.array([layer.bias_norm for layer in self.layers])

    @property
    def squared_norm(self) -> float:
        """The sum of squares of all weights and biases that the function is made of."""
        return float(self.weight_norms.sum() + self.bias_norms.sum() + self.other_norm)

    @property
    def slack(self) -> float:
        """The share of squared_norm that goes away when channels are rescaled."""
        if not self.squared_norm:
            return 0.0  # a network of zeros has nothing to lose

        spared = 1 - self.rebalanced_norm / self.squared_norm
        # What is below zero is rounding. A norm that is not known (nan) leaves nan, as
        # it would not in max(0.0, spared).
        return 0.0 if spared < 0 else spared

    @property
    def spectra(self) -> tuple[Float[np.ndarray, " _"], ...]:
        """Singular values of each layer's centred values, Z_1 to Z_L, over root N."""
        return tuple(layer.spectrum for layer in self.layers)

    @property
    def ranks(self) -> tuple[int, ...]:
        """Directions in which each layer's values vary, up to the tolerance."""
        return tuple(layer.rank(self.tolerance) for layer in self.layers)

    @property
    def bottleneck(self) -> tuple[int, int]:
        """The first hidden layer, from 1, whose values vary in the fewest directions; how many.

        Outputs are no bottleneck; they count only where there is no hidden layer.
        """
        hidden = [place for place, layer in enumerate(self.layers) if layer.hidden]
        ranks = self.ranks
        layer = min(hidden or range(len(ranks)), key=lambda place: ranks[place])
        return layer + 1, ranks[layer]

    @property
    def prunable(self) -> tuple[int, ...]:
        """Per hidden layer, units that are zero at all points, or could be merged with another."""
        return tuple(layer.dead + layer.mergeable for layer in self.layers if layer.hidden)

    @property
    def jacobian_ranks(self) -> Int[np.ndarray, " points"]:
        """At each point, the singular values above the tolerance times the largest there."""
        found = [rank_above(each, self.tolerance) for each in self.jacobian_spectra]
        return np.array(found, dtype=int)

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain numbers, lists and strings, ready for JSON; None is not known."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        own["proofs"] = asdict(self.proofs)
        own["layers"] = [layer.told(self.tolerance) for layer in self.layers]
        return as_plain(own | {name: getattr(self, name) for name in _DERIVED})

    def to_frame(self) -> DataFrame:
        """A row for each layer, in pandas."""
        try:
            import pandas as pd  # pyright: ignore[reportMissingImports]
        except ModuleNotFoundError:
            raise ValueError("to_frame needs pandas; install it, or take .to_dict()") from None
        rows = [layer.told(self.tolerance) for layer in self.layers]
        plain = [{k: v for k, v in each.items() if not k.endswith("spectrum")} for each in rows]
        return pd.DataFrame(plain).set_index("name")

    def explain(self) -> str:
        """What papers say about these numbers, with links."""
        return "\n".join(SAYINGS)

    def __str__(self) -> str:
        return as_text(layer_table(self.layers, self.tolerance), self.lines())

    def _repr_html_(self) -> str:
        return as_html(layer_table(self.layers, self.tolerance), self.spectra, self.lines())

    def plot(self, ax: Axes | None = None) -> Axes:
        """In how many directions does each layer vary? Its singular values, and the tolerance."""
        return draw_spectra(self.spectra, self.tolerance, ax)

    def lines(self) -> Lines:
        """What is said of the whole: a name and its value in words."""
        widths = (
            " - ".join(map(str, self.widths))
            if len(self.widths) < 12
            else (f"{len(self.layers)} layers")
        )
        more = len(self.reasons) - _NAMED
        reasons = [*self.reasons[:_NAMED], *([f"and {more} more like these"] if more > 0 else [])]
        return [
            ("network", f"{widths}, {self.points} points"),
            *self._norms(),
            *self._ranks(),
            ("prunable neurons", " ".join(map(str, self.prunable)) or "none: no hidden layer"),
            *(("not rescaled", reason) for reason in reasons),
            *(("missing", reason) for reason in self.missing),
            *self.proofs.lines(),
            *([("ignored", ", ".join(self.ignored))] if self.ignored else []),
        ]

    def _norms(self) -> Lines:
        slack = f"{100 * self.slack:.3g} % was slack, over {self.groups} groups"
        biases = f"{self.bias_norms.sum():.3g} of it by biases"
        stored = not np.isclose(self.stored_norm, self.squared_norm, rtol=1e-6)
        return [
            ("squared norm", f"{self.squared_norm:.6g} ({WITH_BIASES}: {biases})"),
            *([("  as stored", f"{self.stored_norm:.6g}, which decay acts on")] if stored else []),
            # "Balanced" to the reader: channel by channel, biases counted.
            ("  balanced", known(self.rebalanced_norm, f" ({WITH_BIASES}): {slack}")),
            ("  whole layers rescaled", known(self.layerwise_norm, f" ({WITHOUT_BIASES})")),
            ("path norm", known(self.path_norm, " (products along paths, biases free)")),
        ]

    def _ranks(self) -> Lines:
        ranks = f"{' '.join(map(str, self.ranks))} (above {self.tolerance:g} of the largest)"
        # The table has them, too.
        ranks = [("rank of each layer", ranks)] if len(self.layers) < 20 else []
        lines = [*ranks, ("bottleneck", self._bottleneck())]
        seen = self.jacobian_ranks
        if not self.jacobian_spectra.size:
            return lines
        between = f"{seen.min()} to {seen.max()}, median {np.median(seen):g}, at {len(seen)} points"
        # Eight tell the story; a spectrum may have hundreds.
        spectrum = row(np.median(self.jacobian_spectra, axis=0)[:8])
        sketch = ", of a sketch by random directions" if self.sketched else ""
        return [
            *lines,
            ("Jacobian rank", between + sketch),
            ("Jacobian spectrum", f"{spectrum} (medians{sketch})"),
        ]

    def _bottleneck(self) -> str:
        if not self.layers:
            return "none: no layer"
        place, rank = self.bottleneck
        layer = self.layers[place - 1]
        full = ", which is all it has" if rank == layer.units else f" of {layer.units}"
        name = "" if layer.name == str(place) else f" ({layer.name})"
        return f"layer {place}{name}, {rank} direction{'s' * (rank != 1)}{full}"


_DERIVED = (
    "weight_norms",
    "bias_norms",
    "squared_norm",
    "slack",
    "spectra",
    "ranks",
    "bottleneck",
    "prunable",
    "jacobian_ranks",
)
