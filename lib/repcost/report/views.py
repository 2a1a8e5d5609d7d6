"""A report as text, as a table, as a drawing, and as plain numbers."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

if TYPE_CHECKING:
    from matplotlib.axes import Axes
else:  # only those who draw have matplotlib
    Axes = Any

# What is measured, and the value in words.
Lines = Sequence[tuple[str, str]]


def as_text(lines: Lines) -> str:
    width = max(len(label) for label, _ in lines)
    return "\n".join(f"{label:<{width}}  {value}".rstrip() for label, value in lines)


def as_table(lines: Lines) -> str:
    """In HTML, for notebooks."""
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(label)}</th>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for label, value in lines
    )
    return f"<table>{rows}</table>"


def as_plain(value: Any) -> Any:
    """Dictionaries, lists, numbers and strings, for JSON."""
    if isinstance(value, dict):
        return {name: as_plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def draw_spectra(
    spectra: Sequence[Float[np.ndarray, " _"]], tolerance: float, ax: Axes | None
) -> Axes:
    """The singular values of each layer as parts of its largest, and the tolerance as a line."""
    import matplotlib.pyplot as plt

    # Zeros have no place on a logarithmic scale, and are left out.
    if ax is None:
        ax = plt.subplots()[1]
    for layer, spectrum in enumerate(spectra, 1):
        shares = spectrum[spectrum > 0] / spectrum[:1]
        ax.plot([layer] * len(shares), shares, "_", ms=12, color="C0")
    ax.axhline(tolerance, color="0.5", ls=":", lw=1)
    ax.set(yscale="log", xlabel="layer", ylabel="singular value / largest")
    ax.set_xticks(range(1, len(spectra) + 1))
    return ax


def row(numbers: Float[np.ndarray, " n"]) -> str:
    return " ".join(f"{number:.4g}" for number in numbers)
