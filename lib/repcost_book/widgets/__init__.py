"""Widgets: drawings that answer at once. Live in a notebook, and the same drawing on a page without a kernel.

Not imported by `repcost_book` itself: anywidget brings much with it, and most chapters have no widget.
"""

from repcost_book.widgets.line import LineWidget

__all__ = ["LineWidget"]
