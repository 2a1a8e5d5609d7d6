"""Computed numbers for the prose: a chapter glues a value, and the text names it."""

import numpy as np


def glue(name: str, value) -> None:
    """Keep `value` for the prose, where {glue:text}`name:.2f` shows it; nothing is displayed.

    Scalars of numpy become Python's own, whose text can be formatted.
    """
    from myst_nb import glue as keep

    # The text of np.float64(0.5) is no number; that of 0.5 is.
    keep(name, value.item() if isinstance(value, np.generic) else value, display=False)
