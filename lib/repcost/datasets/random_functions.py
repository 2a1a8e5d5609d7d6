"""Random networks and splines of named kinds, for checks over many cases.

Each takes a generator, so that whoever draws decides what is repeatable; the draws come in the
order in which the arguments stand in the constructors.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int

from repcost.activations import Activation
from repcost.arrays import ArrayLike, points_on_line
from repcost.deep_networks import DeepNet
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear
from repcost.scalars import (
    flag,
    generator,
    nonnegative_number,
    one_of,
    real_number,
    whole_number,
    whole_numbers,
)

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]

# What an entry of a weight matrix (out, in) or of a vector of biases (out,) is.
KINDS: Mapping[str, Draw] = {
    # Independent, of variance one.
    "normal": lambda rng, shape: rng.normal(size=shape),
    # Weights of variance 1/inputs: what a layer sends on is as large as what it received.
    "scaled": lambda rng, shape: rng.normal(size=shape) / np.sqrt(shape[1] if shape[1:] else 1.0),
    # -2, ..., 2: many lines meet in one point, coincide, or follow the border of the domain.
    "whole": lambda rng, shape: rng.integers(-2, 3, size=shape),
}


def random_network(
    *widths: int,
    rng: np.random.Generator,
    kind: str = "normal",
    biases: float = 1.0,
    negative_slope: float | Activation = 0.0,
) -> DeepNet:
    """A DeepNet with these widths, inputs first and outputs last.

    kind: "normal", "scaled" (weights of variance 1/inputs) or "whole" (entries -2, ..., 2).
    biases: what they are multiplied by; they have variance one otherwise.

    >>> net = random_network(3, 5, 2, rng=np.random.default_rng(0))
    >>> net.widths, net.negative_slope
    ((3, 5, 2), 0.0)
    """
    widths, rng = whole_numbers(widths, "widths", 0, least_count=2), generator(rng)
    draw, biases = KINDS[one_of(kind, "kind", KINDS)], real_number(biases, "biases")
    weights = [draw(rng, (out, into)) for into, out in pairwise(widths)]
    return DeepNet(weights, [biases * draw(rng, (out,)) for out in widths[1:]], negative_slope)


def random_two_layer(
    units: int,
    variables: int,
    *,
    rng: np.random.Generator,
    unit_directions: bool = False,
    decades: float = 0.0,
    output_bias: bool = True,
) -> TwoLayer:
    """A TwoLayer with normal weights and biases, or with directions of length one.

    decades: directions and outer weights, each of a unit, are multiplied by powers of ten, whose
    exponents are uniform up to this in size; they are drawn first.

    >>> net = random_two_layer(4, 3, rng=np.random.default_rng(0), unit_directions=True)
    >>> net.width, net.dimension, np.linalg.norm(net.W, axis=1).round(12).tolist()
    (4, 3, [1.0, 1.0, 1.0, 1.0])
    """
    units, variables = whole_number(units, "units", 0), whole_number(variables, "variables", 0)
    rng, decades = generator(rng), nonnegative_number(decades, "decades")
    unit_directions = flag(unit_directions, "unit_directions")
    output_bias = flag(output_bias, "output_bias")
    scales = 10 ** rng.uniform(-decades, decades, (2, units)) if decades else np.ones((2, units))
    W = rng.normal(size=(units, variables))
    if unit_directions:
        W = W / np.linalg.norm(W, axis=1, keepdims=True)
    a, b = rng.normal(size=(2, units))
    c = rng.normal() if output_bias else 0.0
    return TwoLayer(W * scales[0][:, None], a * scales[1], b, c)


@dataclass(frozen=True, eq=False)
class Groups:
    """Units along orthonormal directions: the network, the group of each unit, and the basis.

    net: K units; member: (K,), from 0 on; basis: (d, m), a column for each group.
    """

    net: TwoLayer
    member: Int[np.ndarray, " K"]
    basis: Float[np.ndarray, "d m"]


def random_groups(
    sizes: Sequence[int], variables: int, *, rng: np.random.Generator, turned: bool = True
) -> Groups:
    """Units of length one along orthonormal directions, sizes[j] of them along the j-th, both ways.

    The networks of Proposition 3.5 of Ongie & Willett (2022); outer weights are normal, biases
    zero. Directions are random, or those of the axes if not `turned`, where nothing is rounded.

    >>> groups = random_groups([2, 1], 3, rng=np.random.default_rng(0), turned=False)
    >>> np.abs(groups.net.W).tolist(), groups.member.tolist()
    ([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [0, 0, 1])
    """
    sizes, variables = whole_numbers(sizes, "sizes", 1), whole_number(variables, "variables", 1)
    rng, turned = generator(rng), flag(turned, "turned")
    if len(sizes) > variables:
        raise ValueError(f"{variables} variables have no {len(sizes)} orthonormal directions")
    member = np.repeat(np.arange(len(sizes)), sizes)
    normal = rng.normal(size=(variables, variables)) if turned else np.eye(variables)
    basis = (np.linalg.qr(normal)[0] if turned else normal)[:, : len(sizes)]
    W = rng.choice([-1.0, 1.0], (len(member), 1)) * basis.T[member]
    return Groups(TwoLayer(W, rng.normal(size=len(W))), member, basis)


def random_spline(
    rng: np.random.Generator,
    knots: range = range(9),
    anchor: tuple[float, float] = (0.0, 0.0),
) -> PiecewiseLinear:
    """A PiecewiseLinear whose number of knots is one of `knots`, with whole numbers in it.

    Knots lie among 0, ..., 59 and slopes among -9, ..., 9, so that sums of them are exact; it goes
    through `anchor`.

    >>> f = random_spline(np.random.default_rng(3), range(2, 3))
    >>> len(f.knots), len(f.slopes), bool(np.all(f.slopes % 1 == 0))
    (2, 3, True)
    """
    rng = generator(rng)
    if not isinstance(knots, range) or not knots or not 0 <= knots.start < knots.stop <= 61:
        raise ValueError(f"knots must be a range of numbers from 0 to 60, not {knots!r}")
    number = rng.integers(knots.start, knots.stop)
    places = np.sort(rng.choice(60, number, replace=False))
    return PiecewiseLinear(places, rng.integers(-9, 10, number + 1), anchor)


def random_interpolant(rng: np.random.Generator, y: ArrayLike) -> PiecewiseLinear:
    """A PiecewiseLinear through (0, y_0), (1, y_1), ..., now and then the linear spline.

    Its knots are -1, -1/2, 0, ..., N for N points; at those between whole numbers it leaves the
    spline by a multiple of 1/4, if at all, and so at the outer two. Many of its bends are zero.

    >>> f = random_interpolant(np.random.default_rng(0), [0.0, 2.0, 1.0])
    >>> f.knots.tolist(), f([0, 1, 2]).tolist()
    ([-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0], [0.0, 2.0, 1.0])
    """
    rng, y = generator(rng), points_on_line(y, "y")
    spline = PiecewiseLinear.through(np.arange(len(y)), y)
    at = np.arange(-1, len(y) + 0.5, 0.5)
    moves = rng.choice([0, 0, -0.25, 0.25, -0.5, 0.5], len(at)) * (at % 1 != 0)
    moves[[0, -1]] = rng.choice([0, 0, 0.5, -0.5, 1, -1], 2)
    between = np.diff(spline(at) + moves * rng.integers(0, 2)) * 2
    outer = between[[0, -1]] + rng.choice([0, 0, 0.5, -0.5, 1, -1], 2)
    return PiecewiseLinear(at, np.concatenate([outer[:1], between, outer[1:]]), (0, y[0]))
