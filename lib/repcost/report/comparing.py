"""Reports beside each other: of networks trained in different ways, or of one along a training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from repcost.report.reports import Report
from repcost.report.tables import Table, html_table, text_table
from repcost.report.views import Axes, short

# What is compared: a head, and the number in words.
_COLUMNS = {
    "squares": lambda report: short(report.squared_norm),
    "stored": lambda report: short(report.stored_norm),
    "least": lambda report: short(report.rebalanced_norm),
    "slack %": lambda report: short(100 * report.slack),
    "path norm": lambda report: short(report.path_norm),
    "bottleneck": lambda report: _bottleneck(report),
    "Jacobian": lambda report: _jacobian(report),
    "prunable": lambda report: str(sum(report.prunable)),
    "points": lambda report: str(report.points),
}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Reports by name; print it, show it in a notebook, `.plot()` it, or take `.to_dict()`."""

    reports: Mapping[str, Report]

    def __str__(self) -> str:
        return text_table(self._table())

    def _repr_html_(self) -> str:
        return html_table(self._table())

    def to_dict(self) -> dict[str, Any]:
        """All reports in plain numbers, lists and strings, ready for JSON."""
        return {name: report.to_dict() for name, report in self.reports.items()}

    def plot(self, ax: Axes | None = None) -> Axes:
        """In how many directions do the layers vary? A line for each report."""
        import matplotlib.pyplot as plt

        if ax is None:
            ax = plt.subplots()[1]
        for name, report in self.reports.items():
            ax.plot(range(1, len(report.ranks) + 1), report.ranks, "o-", label=name)
        ax.set(yscale="log", xlabel="layer", ylabel="rank of its values")
        ax.legend()
        return ax

    def _table(self) -> Table:
        columns = [
            (head, [say(report) for report in self.reports.values()], 11)
            for head, say in _COLUMNS.items()
        ]
        return [("", list(self.reports), 16), *columns]


def compare(reports: Mapping[str, Report]) -> Comparison:
    """Reports of `measure` in one table: norms, slack, the bottleneck, and the Jacobian's rank.

    reports: by names of yours, such as {"no decay": ..., "decay 1e-4": ...}.

    >>> from repcost import DeepNet, measure
    >>> steep = DeepNet([[[4.0]], [[0.25]]], [[0.0], [0.0]])
    >>> even = DeepNet([[[1.0]], [[1.0]]], [[0.0], [0.0]])
    >>> found = compare({"steep": measure(steep, [[1.0]]), "even": measure(even, [[1.0]])})
    >>> [round(report.slack, 3) for report in found.reports.values()]
    [0.875, 0.0]
    """
    right = isinstance(reports, Mapping) and len(reports) > 0
    if not right or not all(isinstance(each, Report) for each in reports.values()):
        raise ValueError(
            'reports must be a dictionary of what measure gives, such as {"a": measure(model, X)}, '
            f"not {type(reports).__name__}"
        )
    return Comparison({str(name): report for name, report in reports.items()})


def draw_along(steps: Sequence[float], reports: Sequence[Report], axes: Sequence[Axes]) -> None:
    """Norms, slack and the bottleneck of one network against the steps of its training."""
    norms, slack, ranks = axes
    norms.plot(steps, [report.squared_norm for report in reports], "o-", label="squares")
    norms.plot(steps, [report.rebalanced_norm for report in reports], "o-", label="least")
    norms.set(yscale="log", xlabel="step", ylabel="norm")
    norms.legend()
    slack.plot(steps, [100 * report.slack for report in reports], "o-")
    slack.set(xlabel="step", ylabel="slack in %")
    ranks.plot(steps, [report.bottleneck[1] for report in reports], "o-")
    ranks.set(xlabel="step", ylabel="directions in the bottleneck")


def _bottleneck(report: Report) -> str:
    if not report.layers:
        return ""
    layer, rank = report.bottleneck
    return f"{rank}/{report.layers[layer - 1].units} in {layer}"


def _jacobian(report: Report) -> str:
    return f"{np.median(report.jacobian_ranks):g}" if report.jacobian_spectra.size else ""
