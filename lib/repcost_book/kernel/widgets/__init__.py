"""Widgets: drawings that answer at once. Live in a notebook, and the same drawing on a page without
a kernel.

Not imported by `repcost_book` itself: anywidget brings much with it, and most chapters have no
widget.
"""

from repcost_book.kernel.widgets.depth import DepthWidget, Knots
from repcost_book.kernel.widgets.forces import ForcesWidget, HiddenLayer
from repcost_book.kernel.widgets.line import LineWidget
from repcost_book.kernel.widgets.live import (
    Aligned,
    LiveFigure,
    Moved,
    PerLayer,
    Powers,
    Rescaling,
    Strengths,
)
from repcost_book.kernel.widgets.merging import Merging, MergingWidget
from repcost_book.kernel.widgets.prices import Priced, PricesWidget
from repcost_book.kernel.widgets.rays import RaysWidget, TwoRays

__all__ = [
    "Aligned",
    "DepthWidget",
    "ForcesWidget",
    "HiddenLayer",
    "Knots",
    "LineWidget",
    "LiveFigure",
    "Merging",
    "MergingWidget",
    "Moved",
    "PerLayer",
    "Powers",
    "Priced",
    "PricesWidget",
    "RaysWidget",
    "Rescaling",
    "Strengths",
    "TwoRays",
]
