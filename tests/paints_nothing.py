"""Figures of kernels that have run this leave the files as they are."""

from typing import Any

from matplotlib.backend_bases import FigureCanvasBase


def print_figure(self: FigureCanvasBase, *where: Any, **how: Any) -> None:
    """Leave the file as it is."""


FigureCanvasBase.print_figure = print_figure
