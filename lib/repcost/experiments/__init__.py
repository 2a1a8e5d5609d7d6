"""The papers' figures as experiments: one module a figure, what is trained and what is kept of it.

Each module has its settings as constants, and one function `compute` that trains at the papers' own
sizes and returns named arrays; a chapter records these, and draws and checks what was recorded. The
arguments of `compute` are the seeds and the sizes, so that the same code can be tried in a second.

`decayed_linear` and `decayed_paths` are of no figure, and small: they train when they are called.
`few_rays` draws networks that are wider than they need be.
`scoring` is for open questions: what a network that somebody found pays for a given function.
"""

from repcost.experiments import (
    aligned_rays,
    class_partitions,
    curve_autoencoders,
    decayed_linear,
    decayed_paths,
    deep_spectra,
    descended_weights,
    digit_autoencoders,
    digit_forces,
    digit_prices,
    digit_widths,
    drawn_forces,
    few_rays,
    late_plateau,
    layer_forces,
    line_depths,
    linear_paths,
    paid_biases,
    plateaus,
    priced_units,
    recorded_spectra,
    refitted_units,
    scoring,
    taught_students,
)

__all__ = [
    "aligned_rays",
    "class_partitions",
    "curve_autoencoders",
    "decayed_linear",
    "decayed_paths",
    "deep_spectra",
    "descended_weights",
    "digit_autoencoders",
    "digit_forces",
    "digit_prices",
    "digit_widths",
    "drawn_forces",
    "few_rays",
    "late_plateau",
    "layer_forces",
    "line_depths",
    "linear_paths",
    "paid_biases",
    "plateaus",
    "priced_units",
    "recorded_spectra",
    "refitted_units",
    "scoring",
    "taught_students",
]
