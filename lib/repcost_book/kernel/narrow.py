"""The same figure for a narrow screen: its panels below each other, its letters as large as before.

A screen of 390 pixels shows a figure of two panels at half its size, and the numbers on its axes in
6 pixels. So the panels are arranged anew, `WIDE` inches wide: columns that no longer fit beside
each other follow one another, each with its rows, so that what stands under one title stays so.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# In inches: a screen of 390 pixels shows letters of 10 points in 12 pixels then.
WIDE = 4.0
# How much taller rows may become where panels become wider.
TALLER = 1.2

Panels = list[list["Axes"]]


def make_narrow(fig: "Figure") -> bool:
    """Give a figure the width of a narrow screen; whether panels left each other's side.

    Only panels that fill one grid are arranged anew; others stay where they are, in less room.
    """
    panels, (width, height) = _panels(fig), fig.get_size_inches()
    columns = len(panels[0]) if panels else 1
    beside = _that_fit(panels, width / columns)
    blocks = [range(first, min(first + beside, columns)) for first in range(0, columns, beside)]
    if len(blocks) > 1:
        _arrange(fig, panels, blocks)
        _lay_scales_down(fig)
    above = sum(_move_legend(ax) for ax in fig.axes)
    grown = float(np.clip(WIDE / beside / (width / columns), 1, TALLER))
    fig.set_size_inches(WIDE, height * grown * len(blocks) + above)
    return len(blocks) > 1


def smallest_letters(fig: "Figure") -> float | None:
    """The size of the smallest number or name on an axis, in points; None if there is none."""
    shown = [label for ax in fig.axes for label in _tick_labels(ax)]
    return min((label.get_fontsize() for label in shown), default=None)


def _panels(fig: "Figure") -> Panels:
    """Row by row, if they stand in one grid that they fill; empty otherwise."""
    specs = {ax: ax.get_subplotspec() for ax in fig.axes if not hasattr(ax, "_colorbar")}
    grids = {spec.get_gridspec() for spec in specs.values() if spec}
    if None in specs.values() or len(grids) != 1:
        return []
    rows, columns = grids.pop().get_geometry()
    at = {(spec.rowspan.start, spec.colspan.start): ax for ax, spec in specs.items() if spec}
    if len(at) != rows * columns:
        return []
    return [[at[row, column] for column in range(columns)] for row in range(rows)]


def _that_fit(panels: Panels, width: float) -> int:
    """How many columns stand beside each other; where nothing has to be read, all of them."""
    if not any(_tick_labels(ax) for row in panels for ax in row):
        return len(panels[0]) if panels else 1
    return int(np.clip(WIDE / width, 1, len(panels[0])))


def _arrange(fig: "Figure", panels: Panels, blocks: list[range]) -> None:
    """Columns of one block stand beside each other, blocks below each other."""
    before = panels[0][0].get_gridspec()
    heights = np.tile(before.get_height_ratios() if before else 1, len(blocks))
    grid = fig.add_gridspec(len(heights), len(blocks[0]), height_ratios=heights)
    for number, block in enumerate(blocks):
        for row, across in enumerate(panels):
            _label_again(across[block[0]], across[0])
            for place, column in enumerate(block):
                across[column].set_subplotspec(grid[number * len(panels) + row, place])


def _lay_scales_down(fig: "Figure") -> None:
    """A scale of colours beside panels would take a third of their width: it lies below them."""
    for ax in [ax for ax in fig.axes if hasattr(ax, "_colorbar")]:
        # Matplotlib keeps both beside the axes, under names of its own.
        bar, info = (vars(ax)[name] for name in ("_colorbar", "_colorbar_info"))
        if bar.orientation == "horizontal":
            continue
        told = {"ticks": bar.get_ticks(), "label": ax.get_ylabel() or ax.get_title()}
        bar.remove()
        fig.colorbar(bar.mappable, ax=info["parents"], location="bottom", aspect=30, **told)


def _label_again(ax: "Axes", first: "Axes") -> None:
    """What axes that share a scale said on the first of the row alone."""
    if ax is not first and first in ax.get_shared_y_axes().get_siblings(ax):
        ax.tick_params(labelleft=True)
        ax.set_ylabel(ax.get_ylabel() or first.get_ylabel())


def _tick_labels(ax: "Axes") -> list:
    both = [*ax.get_xticklabels(), *ax.get_yticklabels()] if ax.axison else []
    return [label for label in both if label.get_visible() and label.get_text()]


def _move_legend(ax: "Axes") -> float:
    """What stood beside the panel stands above it and its title; how much room it takes there."""
    legend = ax.get_legend()
    # A thousandth of the panel, since places are floats.
    if legend is None or legend.get_bbox_to_anchor().x0 < ax.bbox.x1 - ax.bbox.width / 1000:
        return 0
    above = 1.14 if ax.get_title() else 1.02
    legend.set_loc("lower left")
    legend.set_bbox_to_anchor((0, above), transform=ax.transAxes)
    return legend.get_window_extent().height / ax.figure.dpi
