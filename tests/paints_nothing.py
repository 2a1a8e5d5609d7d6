"""Figures of kernels whose server has run this as a programme leave the files as they are."""

from typing import Any

from matplotlib.backend_bases import FigureCanvasBase


def print_figure(self: FigureCanvasBase, *where: Any, **how: Any) -> None:
    """Leave the file as it is."""


# To import it, as pytest does with whatever may have examples, changes nothing.
if __name__ == "__main__":
    FigureCanvasBase.print_figure = print_figure
