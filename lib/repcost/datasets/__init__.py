"""The data of the papers' figures as named functions: seeded where random, shipped where small.

Three kinds of things are here. Points and values (`samples`): the papers rarely print the data of
their figures, so these functions make data with the properties that the text states, and say which
figure they stand for. Handwritten digits (`digits`): a part of MNIST comes with the package, and
the whole is fetched on request. Networks and splines: named ones whose ranks are known by hand
(`examples`), and random ones of named kinds for checks over many cases (`random_functions`).

Whatever is random takes a seed or a generator, so that whoever calls decides what is repeatable.
"""

from repcost.datasets.curves import (
    nearest_on_sine_curve,
    off_sine_curve,
    on_sine_curve,
    sine_curve_tangents,
)
from repcost.datasets.digits import Digits, mnist, mnist_subset
from repcost.datasets.examples import Example, cross_network, example_networks
from repcost.datasets.random_functions import (
    Groups,
    random_groups,
    random_interpolant,
    random_network,
    random_spline,
    random_two_layer,
)
from repcost.datasets.samples import (
    s_shapes,
    sine_curve,
    taught,
    taught_rank_five,
    ten_points,
    two_rays,
)

__all__ = [
    "Digits",
    "Example",
    "Groups",
    "cross_network",
    "example_networks",
    "mnist",
    "mnist_subset",
    "nearest_on_sine_curve",
    "off_sine_curve",
    "on_sine_curve",
    "random_groups",
    "random_interpolant",
    "random_network",
    "random_spline",
    "random_two_layer",
    "s_shapes",
    "sine_curve",
    "sine_curve_tangents",
    "taught",
    "taught_rank_five",
    "ten_points",
    "two_rays",
]
