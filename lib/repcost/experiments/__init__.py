"""The papers' figures as experiments: one module a figure, what is trained and what is kept of it.

Each module has its settings as constants, and one function `compute` that trains at the papers' own
sizes and returns named arrays; a chapter records these, and draws and checks what was recorded. The
arguments of `compute` are the seeds and the sizes, so that the same code can be tried in a second.
"""

from repcost.experiments import (
    aligned_rays,
    class_partitions,
    curve_autoencoders,
    deep_spectra,
    digit_autoencoders,
    digit_forces,
    digit_widths,
    late_plateau,
    linear_paths,
    taught_students,
)

__all__ = [
    "aligned_rays",
    "class_partitions",
    "curve_autoencoders",
    "deep_spectra",
    "digit_autoencoders",
    "digit_forces",
    "digit_widths",
    "late_plateau",
    "linear_paths",
    "taught_students",
]
