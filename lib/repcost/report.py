"""What a given network pays and what it has learned, measured on given inputs: for a model of the
reader's own.
"""

from dataclasses import asdict, dataclass
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.balance import rebalance
from repcost.deep_networks import DeepNet
from repcost.models import Model, as_deep_net, device_of
from repcost.ranks.jacobian import jacobian_spectra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
else:
    Axes = Any

# Two units whose values on the data have a cosine this close to one are one unit in two places.
SAME_RAY = 1 - 1e-9
# Products of matrices and singular values that Jacobians may cost, in multiplications: a few
# seconds.
JACOBIAN_WORK = 2e10


@dataclass(frozen=True, eq=False)
class Report:
    """What `measure` found; print it, show it in a notebook, `.plot()` it, or take `.to_dict()`.

    squared_norm: sum of squares of all weights and biases, and layer by layer weight_norms,
    bias_norms.
    balanced_norm: squared_norm after `rebalance`, the least that rescaling single neurons can
    reach.
    layerwise_norm: L (product of the layers' squared weights)^{1/L}, the least that rescaling whole
    layers can reach in the weights. path_norm: sum over outputs and paths of |weights|, first-layer
    units by their Euclidean length.
    spectra: singular values of each layer's centred values, Z_1 to Z_L, over root N. ranks: how
    many exceed `tolerance` times the largest. jacobian_spectra: (points, k) singular values of the
    derivative at all points, or at as many as a few seconds allow. prunable: per hidden layer,
    units that are zero on all points, or that could be merged with another since the two are
    proportional on all points.
    """

    widths: tuple[int, ...]
    points: int
    tolerance: float
    ignored: tuple[str, ...]
    weight_norms: Float[np.ndarray, " L"]
    bias_norms: Float[np.ndarray, " L"]
    balanced_norm: float
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
        """The share of squared_norm that rescaling single neurons takes away without changing the
        function.
        """
        return 1 - self.balanced_norm / self.squared_norm if self.squared_norm else 0.0

    @property
    def ranks(self) -> tuple[int, ...]:
        """Directions in which each layer's values vary, up to the tolerance."""
        return tuple(_rank(spectrum, self.tolerance) for spectrum in self.spectra)

    @property
    def bottleneck(self) -> tuple[int, int]:
        """The layer whose values vary in the fewest directions (the first of them, from 1), and in
        how many.
        """
        layer = int(np.argmin(self.ranks))
        return layer + 1, self.ranks[layer]

    @property
    def jacobian_ranks(self) -> np.ndarray:
        """At each point, the singular values above the tolerance times the largest at that point."""
        return np.array([_rank(spectrum, self.tolerance) for spectrum in self.jacobian_spectra])

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain numbers, lists and strings, ready for JSON."""
        derived = ("squared_norm", "slack", "ranks", "bottleneck", "jacobian_ranks")
        return _plain(asdict(self) | {name: getattr(self, name) for name in derived})

    def __str__(self) -> str:
        width = max(len(label) for label, _ in self._lines())
        return "\n".join(f"{label:<{width}}  {value}".rstrip() for label, value in self._lines())

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th scope="row" style="text-align:left">{escape(label)}</th>'
            f'<td style="text-align:left">{escape(value)}</td></tr>'
            for label, value in self._lines()
        )
        return f"<table>{rows}</table>"

    def plot(self, ax: Axes | None = None) -> Axes:
        """In how many directions does each layer vary? Its singular values, layer by layer, and the
        tolerance.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            ax = plt.subplots()[1]
        for layer, spectrum in enumerate(self.spectra, 1):
            shares = spectrum[spectrum > 0] / spectrum[0] if spectrum[0] > 0 else []
            ax.plot([layer] * len(shares), shares, "_", ms=12, color="C0")
        ax.axhline(self.tolerance, color="0.5", ls=":", lw=1)
        ax.set(yscale="log", xlabel="layer", ylabel="singular value / largest")
        ax.set_xticks(range(1, len(self.spectra) + 1))
        return ax

    def _lines(self) -> list[tuple[str, str]]:
        layer, rank = self.bottleneck
        found = self.jacobian_ranks
        lines = [
            ("network", " - ".join(map(str, self.widths)) + f", {self.points} points"),
            ("squared norm", f"{self.squared_norm:.6g} (biases {self.bias_norms.sum():.3g})"),
            ("  per layer", _row(self.weight_norms + self.bias_norms)),
            ("  balanced", f"{self.balanced_norm:.6g}: {100 * self.slack:.3g} % was slack"),
            ("  whole layers rescaled", f"{self.layerwise_norm:.6g} (weights only)"),
            ("path norm", f"{self.path_norm:.6g}"),
            (
                "rank of each layer",
                f"{' '.join(map(str, self.ranks))} (above {self.tolerance:g} of the largest)",
            ),
            ("bottleneck", f"layer {layer}, {rank} direction{'s' * (rank != 1)}"),
            (
                "Jacobian rank",
                f"{found.min()} to {found.max()}, median {np.median(found):g}, at {len(found)} points",
            ),
            (
                "Jacobian spectrum",
                f"{_row(np.median(self.jacobian_spectra, axis=0)[:8])} (medians)",
            ),
            ("prunable neurons", " ".join(map(str, self.prunable)) or "none: no hidden layer"),
        ]
        return [*lines, *([("ignored", ", ".join(self.ignored))] if self.ignored else [])]


def measure(model: Model, X: ArrayLike, *, tolerance: float = 1e-3) -> Report:
    """What a network pays, how much of it is slack, and the ranks of what it has learned, at the
    rows of X.

    model: a torch.nn.Sequential of Linear, ReLU and LeakyReLU layers (on any device; it is read,
    never changed), a DeepNet or a TwoLayer. X: (N, d). Norms are sums of squares, biases included,
    as in Jacot (2023), and not halved. Ranks are counts of singular values above `tolerance` times
    the largest: an experiment, as is everything at points.

    >>> report = measure(DeepNet([[[4.0], [-4.0]], [[0.25, 0.25]]], [[0.0, 0.0], [0.0]]), [[-1.0], [0.5], [2.0]])
    >>> report.squared_norm, round(report.balanced_norm, 9), report.bottleneck
    (32.125, 4.0, (1, 1))
    """
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance must lie between 0 and 1, not {tolerance}")
    net, ignored = as_deep_net(model)
    X = _points(X, any("Flatten" in name for name in ignored))
    values = net.preactivations(X)
    weights = np.array([np.sum(weight**2) for weight in net.weights])
    return Report(
        widths=net.widths,
        points=len(X),
        tolerance=tolerance,
        ignored=ignored,
        weight_norms=weights,
        bias_norms=np.array([np.sum(bias**2) for bias in net.biases]),
        balanced_norm=rebalance(net).squared_norm,
        layerwise_norm=float(net.depth * np.prod(weights ** (1 / net.depth))),
        path_norm=_path_norm(net),
        spectra=tuple(_spectrum(layer) for layer in values),
        jacobian_spectra=jacobian_spectra(net, _some(X, net), device=device_of(model)),
        prunable=tuple(_prunable(net.activation(layer)) for layer in values[:-1]),
    )


def _points(X: ArrayLike, flatten: bool) -> Float[np.ndarray, "N d"]:
    """X as rows of float64, also from a torch tensor on any device; images are flattened where the
    model does so.
    """
    if detach := getattr(X, "detach", None):
        X = detach().to("cpu").double().numpy()
    X = np.asarray(X)
    if flatten and X.ndim > 2:
        X = X.reshape(len(X), -1)
    X = finite_array(X, "X", 2)
    if not len(X):
        raise ValueError("X holds no points; give at least one row")
    return X


def _path_norm(net: DeepNet) -> float:
    reached = np.linalg.norm(net.weights[0], axis=1)
    for weight in net.weights[1:]:
        reached = np.abs(weight) @ reached
    return float(reached.sum())


def _spectrum(values: Float[np.ndarray, "N n"]) -> Float[np.ndarray, " k"]:
    return np.linalg.svd((values - values.mean(axis=0)) / np.sqrt(len(values)), compute_uv=False)


def _rank(spectrum: Float[np.ndarray, " k"], tolerance: float) -> int:
    return int(np.sum(spectrum > tolerance * spectrum[0])) if len(spectrum) else 0


def _some(X: Float[np.ndarray, "N d"], net: DeepNet) -> Float[np.ndarray, "n d"]:
    """As many evenly spread rows as Jacobians can be had of in a few seconds, at least 16."""
    n = net.widths
    products = n[0] * sum(into * out for into, out in pairwise(n[1:]))
    work = products + 10 * min(n[0], n[-1]) ** 2 * max(n[0], n[-1])
    count = min(len(X), max(16, int(JACOBIAN_WORK / work)))
    return X[np.linspace(0, len(X) - 1, count).astype(int)]


def _prunable(values: Float[np.ndarray, "N n"]) -> int:
    """Units that are zero on all points, and those proportional to one that is kept."""
    sizes = np.linalg.norm(values, axis=0)
    rays = (values[:, sizes > 0] / sizes[sizes > 0]).T
    kept = 0
    while len(rays):
        kept, rays = kept + 1, rays[rays @ rays[0] < SAME_RAY]
    return values.shape[1] - kept


def _row(numbers: Float[np.ndarray, " n"]) -> str:
    return " ".join(f"{number:.4g}" for number in numbers)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
