"""Shapes of networks to train: widths, linear layers, activation, biases, networks side by side."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from repcost.activations import Activation
from repcost.scalars import whole_depth, whole_number


@dataclass(frozen=True)
class Architecture:
    """What a network looks like before it has weights; it is hashable and compares by value.

    widths: inputs, hidden layers, outputs.
    linear: how many of the first hidden layers have no activation and no bias.
    negative_slope: of the activation, 0 for ReLU; or an Activation.
    biases: whether the layers with an activation, and the last one, have biases.
    branches: networks of these widths side by side, outputs added up.

    >>> Architecture.two_layer(100).widths, Architecture.linear_layers(2, 100, depth=4).widths
    ((1, 100, 1), (2, 2, 2, 100, 1))
    """

    widths: tuple[int, ...]
    linear: int = 0
    negative_slope: float | Activation = 0.0
    biases: bool = True
    branches: int = 1

    def __post_init__(self):
        # Frozen means that only the constructor may do this.
        object.__setattr__(self, "widths", _whole_widths(self.widths))
        is_relu = self.activation.is_relu  # refuses what is no slope of an activation
        # A layer with an activation is left.
        linear = whole_number(self.linear, "linear", 0, self.depth - 2, of="layers")
        object.__setattr__(self, "linear", linear)
        # Such networks are handed out as a LinearLayersNetwork, which holds no more than that.
        one_nonlinear = self.linear == self.depth - 2 and self.widths[-1] == 1 and is_relu
        if self.linear and not one_nonlinear:
            only = "linear layers come before one single ReLU layer and one output"
            raise ValueError(f"{only}; set negative_slope to 0")
        # Appendix C has none, and the last ones would be one bias that is paid for in shares.
        object.__setattr__(self, "branches", whole_number(self.branches, "branches", 1))
        if self.branches > 1 and self.biases:
            raise ValueError("branches, networks side by side, have no biases; set biases=False")

    @classmethod
    def two_layer(cls, width: int, inputs: int = 1, outputs: int = 1) -> "Architecture":
        """One hidden ReLU layer: Savarese et al. (2019), eq. (1)."""
        return cls((inputs, width, outputs))

    @classmethod
    def deep(
        cls, widths: Sequence[int], *, negative_slope: float | Activation = 0.0, biases: bool = True
    ) -> "Architecture":
        """Every hidden layer with the activation, as in autoencoders and classifiers."""
        return cls(_whole_widths(widths), negative_slope=negative_slope, biases=biases)

    @classmethod
    def linear_layers(
        cls, inputs: int, width: int, depth: int, *, linear_width: int | None = None
    ) -> "Architecture":
        """Linear layers, then one ReLU layer of `width` units: Ongie & Willett (2022), eq. (3).

        `depth` counts all layers. Linear layers need no more units than inputs (see
        `linear_layers_network`), so that is the default.
        """
        depth = whole_depth(depth)
        inputs, width = whole_number(inputs, "inputs", 1), whole_number(width, "width", 1)
        inner = min(inputs, width) if linear_width is None else linear_width
        return cls((inputs, *[inner] * (depth - 2), width, 1), linear=max(depth - 2, 0))

    @classmethod
    def parallel(cls, branches: int, widths: Sequence[int]) -> "Architecture":
        """Networks side by side without biases, outputs added up: Savarese et al., appendix C."""
        return cls(_whole_widths(widths), biases=False, branches=branches)

    @cached_property
    def activation(self) -> Activation:
        """What the units pass on of what they receive."""
        return Activation.checked(self.negative_slope)

    @property
    def depth(self) -> int:
        """The number of weight matrices, L."""
        return len(self.widths) - 1

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """(in, out) of every layer."""
        return tuple(pairwise(self.widths))

    def has_bias(self, layer: int) -> bool:
        # A bias of a linear layer would move into that of the ReLU layer.
        return self.biases and layer >= self.linear

    def is_linear(self, layer: int) -> bool:
        """Whether no activation follows this layer."""
        return layer < self.linear or layer == self.depth - 1

    def same_kind(self, other: "Architecture") -> bool:
        """Whether they differ in hidden widths only, so that one ensemble can hold both."""
        ends = (self.widths[0], self.widths[-1]) == (other.widths[0], other.widths[-1])
        return ends and self.depth == other.depth and replace(self, widths=other.widths) == other


def _whole_widths(widths: Sequence[int]) -> tuple[int, ...]:
    """At least three positive whole numbers; ValueError otherwise."""
    if not isinstance(widths, Iterable) or isinstance(widths, str) or len(tuple(widths)) < 3:
        wanted = "at least three positive whole numbers (in, hidden, out)"
        raise ValueError(f"widths must be {wanted}, not {widths!r}")
    return tuple(whole_number(each, f"widths[{i}]", 1) for i, each in enumerate(widths))
