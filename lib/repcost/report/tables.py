"""The layers of a report as a table: in text within 100 columns, and in HTML with small plots."""

from collections.abc import Sequence
from html import escape

import numpy as np
from jaxtyping import Float

from repcost.report.layers import Layer
from repcost.report.views import Lines, short

# A head and its cells, and how wide the column may get.
Table = Sequence[tuple[str, Sequence[str], int]]

# Of layers of different widths.
Spectrum = Float[np.ndarray, " _"]

WIDEST = 100
# The plot of a spectrum, in pixels, and how many powers of ten it shows.
_WIDTH, _HEIGHT, _DECADES, _BARS = 80, 18, 4, 40


def layer_table(layers: Sequence[Layer], tolerance: float) -> Table:
    """The columns of the table; what has nothing to say in any layer is left out."""
    flat = [layer.flat_rank(tolerance) for layer in layers]
    columns = [
        ("layer", [layer.name for layer in layers], 20),
        ("weights", ["x".join(map(str, layer.shape)) for layer in layers], 14),
        ("squares", [short(layer.squared_norm) for layer in layers], 8),
        ("least", [short(layer.least) for layer in layers], 8),
        ("spectral", [short(layer.spectral_norm) for layer in layers], 8),
        ("stable", [short(layer.stable_rank) for layer in layers], 6),
        ("rank", [f"{layer.rank(tolerance)}/{layer.units}" for layer in layers], 9),
        ("eff", [short(layer.effective_dimension) for layer in layers], 5),
        ("flat", ["" if each is None else str(each) for each in flat], 4),
        ("dead", [str(layer.dead or "") for layer in layers], 4),
        ("same", [str(layer.mergeable or "") for layer in layers], 4),
    ]
    return [column for column in columns if any(column[1])]


def as_text(table: Table, lines: Lines) -> str:
    parts = [text_table(table)] if table else []
    width = max(len(label) for label, _ in lines)
    told = [_wrapped(label, width, value) for label, value in lines]
    return "\n".join([*parts, *told])


def text_table(table: Table) -> str:
    """Names from the left and numbers from the right, under their heads."""
    columns = [[head, *(_cut(cell, most) for cell in cells)] for head, cells, most in table]
    widths = [max(map(len, column)) for column in columns]
    made = ["<", *">" * (len(widths) - 1)]
    lines = [
        "  ".join(f"{cell:{side}{n}}" for cell, side, n in zip(cells, made, widths, strict=True))
        for cells in zip(*columns, strict=True)
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:], "-" * len(lines[0])])


def _cut(cell: str, most: int) -> str:
    """The end of a name tells layers apart."""
    return cell if len(cell) <= most else ".." + cell[2 - most :]


def _wrapped(label: str, width: int, value: str) -> str:
    """A label and its value, which goes on below itself where it is too long."""
    from textwrap import wrap

    lines = wrap(value, WIDEST - width - 2) or [""]
    return f"\n{'':<{width}}  ".join([f"{label:<{width}}  {lines[0]}", *lines[1:]]).rstrip()


def as_html(table: Table, spectra: Sequence[Spectrum], lines: Lines) -> str:
    """For notebooks."""
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(label)}</th>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for label, value in lines
    )
    layers = html_table(table, [_plot(each) for each in spectra]) if table else ""
    return f"{layers}<table>{rows}</table>"


def html_table(table: Table, plots: Sequence[str] = ()) -> str:
    """With a plot at the end of each row, if there are any."""
    columns = [(head, list(map(escape, cells))) for head, cells, _ in table]
    columns += [("spectrum", list(plots))] if plots else []
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head, _ in columns)
    rows = zip(*(cells for _, cells in columns), strict=True)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{heads}</tr>{body}</table>"


def _plot(spectrum: Spectrum) -> str:
    """The singular values as bars, over four powers of ten."""
    positive = spectrum[spectrum > 0][:_BARS]
    if not len(positive):
        return ""
    heights = np.clip(1 + np.log10(positive / positive[0]) / _DECADES, 0.0, 1.0) * _HEIGHT
    step = _WIDTH / _BARS
    bars = "".join(
        f'<rect x="{place * step:g}" y="{_HEIGHT - height:.3g}" width="{0.8 * step:g}" '
        f'height="{height:.3g}"/>'
        for place, height in enumerate(heights)
    )
    label = f"{len(spectrum)} singular values, the largest {short(float(spectrum[0]))}"
    return (
        f'<svg role="img" aria-label="{label}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'fill="currentColor">{bars}</svg>'
    )
