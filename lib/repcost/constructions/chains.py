"""Networks one behind the other, with layers between them that hand numbers on.

A ReLU does nothing to a number that is not negative. So numbers are shifted until they are not,
carried through identity layers at a price of one a number and layer, and shifted back.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, listed
from repcost.deep_networks import DeepNet, as_deep
from repcost.scalars import real_number, whole_number


def chained(
    outer: DeepNet, inner: DeepNet, shift: ArrayLike | None = None, identities: int = 0
) -> DeepNet:
    """x -> outer(inner(x)), layer behind layer, with so many identity layers in between.

    Item 2 of Theorem 4 and equation (1) of Jacot (2023). The values of `inner` plus `shift` must
    not be negative where the networks are to agree; the first layer of `outer` takes it back.

    >>> line = DeepNet([[[1.0]]], [[0.0]])
    >>> chain = chained(line, line, shift=[2.0], identities=3)
    >>> chain.depth, chain([[-2.0], [1.0]]).tolist()
    (5, [[-2.0], [1.0]])
    """
    outer, inner = as_deep(outer, "outer"), as_deep(inner, "inner")
    identities, width = whole_number(identities, "identities", 0), inner.widths[-1]
    if outer.widths[0] != width:
        raise ValueError(
            f"outer takes {outer.widths[0]} numbers, but inner has {width}; give networks that fit"
        )
    shift = np.zeros(width) if shift is None else finite_array(shift, "shift", 1)
    if len(shift) != width:
        raise ValueError(f"shift has {len(shift)} entries, but inner has {width} outputs")
    # Raised behind `inner`, lowered in front of `outer`; in between nothing is negative.
    carried = [np.eye(width)] * identities
    raised = inner.biases[-1] + shift
    lowered = outer.biases[0] - outer.weights[0] @ shift
    weights = [*inner.weights, *carried, *outer.weights]
    nothing = [np.zeros(width)] * identities
    return inner.with_layers(
        weights, [*inner.biases[:-1], raised, *nothing, lowered, *outer.biases[1:]]
    )


def longer(net: DeepNet, place: int) -> DeepNet:
    """One identity layer more, after `place` layers: what a layer more costs at least and at most.

    Theorem 1 of Jacot (2023). Behind a hidden layer of ReLUs the function stays as it is; in front
    (place 0) it does only for inputs that are not negative.

    >>> longer(DeepNet([[[1.0]], [[2.0]]], [[0.0], [1.0]]), 1).weights
    (array([[1.]]), array([[1.]]), array([[2.]]))
    """
    net = as_deep(net)
    place = whole_number(place, "place", 0, net.depth, of="layers")
    width = net.widths[place]
    return net.with_layers(
        [*net.weights[:place], np.eye(width), *net.weights[place:]],
        [*net.biases[:place], np.zeros(width), *net.biases[place:]],
    )


def padded(net: DeepNet, extra: int, bias: float = 0.0) -> DeepNet:
    """The same function with `extra` more units in each hidden layer, which nothing listens to.

    Proposition 6 of Jacot et al. (2022): a wider network can do what a narrow one does, at the same
    cost. With a `bias` the new units are paid for, and still do nothing.

    >>> wide = padded(DeepNet([[[2.0]], [[3.0]]], [[0.0], [1.0]]), 4)
    >>> wide.widths, wide([[1.0]]).tolist(), wide.squared_norm
    ((1, 5, 1), [[7.0]], 14.0)
    """
    net, extra = as_deep(net), whole_number(extra, "extra", 0)
    bias = real_number(bias, "bias")
    # Inputs and outputs stay as they are.
    net, extra = as_deep(net), whole_number(extra, "extra", 0, of="units")
    more = [0, *[extra] * (net.depth - 1), 0]
    layers = zip(net.weights, net.biases, more[1:], more, strict=False)
    weights, biases = [], []
    for W, b, out, into in layers:
        weights.append(np.pad(W, ((0, out), (0, into))))
        biases.append(np.pad(b, (0, out), constant_values=bias))
    return net.with_layers(weights, biases)


def rescaled_units(net: DeepNet, factors: Sequence[Float[np.ndarray, " _"]]) -> DeepNet:
    """The same function with every hidden unit scaled by a positive factor of its own.

    Remark 6 of Jacot (2023). factors: one array for each layer of values, inputs and outputs among
    them; those two are not scaled, whatever is given for them.

    >>> net = DeepNet([[[1.0]], [[6.0]]], [[1.0], [0.0]])
    >>> net = rescaled_units(net, [np.ones(1), np.array([2.0]), np.ones(1)])
    >>> net.weights, net.biases[0].tolist(), net([[1.0]]).item()
    ((array([[2.]]), array([[3.]])), [2.0], 12.0)
    """
    net = as_deep(net)
    parts = listed(factors, "factors", "arrays, one for each layer of values")
    factors = [finite_array(part, f"factors[{i}]", 1) for i, part in enumerate(parts)]
    if [len(part) for part in factors[1:-1]] != list(net.widths[1:-1]):
        raise ValueError(f"factors must have one entry per unit, layer by layer: {net.widths}")
    if any((part <= 0).any() for part in factors[1:-1]):
        raise ValueError("factors must be positive; a negative one would change the function")
    scales = [np.ones(net.widths[0]), *factors[1:-1], np.ones(net.widths[-1])]
    layers = zip(net.weights, scales, scales[1:], strict=False)
    # Positively homogeneous: what a unit passes on is scaled as what it receives.
    weights = [W * up[:, None] / down for W, down, up in layers]
    biases = [b * up for b, up in zip(net.biases, scales[1:], strict=True)]
    return net.with_layers(weights, biases)
