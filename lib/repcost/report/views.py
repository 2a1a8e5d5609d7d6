"""Parts of a report as words, as a drawing, and as plain numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

if TYPE_CHECKING:
    from matplotlib.axes import Axes
else:  # only those who draw have matplotlib
    Axes = Any

# What is measured, and the value in words.
Lines = Sequence[tuple[str, str]]


def as_plain(value: Any) -> Any:
    """Dictionaries, lists, numbers and strings, for JSON; None for what is not known."""
    if isinstance(value, dict):
        return {name: as_plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(part) for part in value]
    plain = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return None if isinstance(plain, float) and np.isnan(plain) else plain


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


def short(number: float) -> str:
    """Three digits, or nothing where it is not known."""
    return "" if np.isnan(number) else f"{number:.3g}"


def known(number: float, words: str) -> str:
    return "not known" if np.isnan(number) else f"{number:.6g}{words}"
