"""What a cost counts: the papers count alike up to factors, and readers mix these up first of all.

A `Convention` stands on every Bracket that is a cost and is printed with it. To compare two costs,
bring them to one convention: docs and `book/start/conversions` have the table.
"""

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "ALL_OF_WEIGHTS",
    "ALL_OF_WEIGHTS_AND_BIASES",
    "HALF_OF_WEIGHTS",
    "PER_LAYER",
    "WEIGHTS_OVER_DEPTH",
    "Convention",
]


@dataclass(frozen=True)
class Convention:
    """squares: which multiple of the sum of squares counts; biases: whether theirs are in it.

    >>> print(HALF_OF_WEIGHTS)
    half the squares, biases free
    """

    squares: Literal["half the squares", "the squares", "the squares over L"]
    biases: Literal["biases free", "biases paid", "no biases"]

    def __str__(self) -> str:
        return f"{self.squares}, {self.biases}"


# function_cost, regularised_fit: Savarese et al. (2019), equation (3).
HALF_OF_WEIGHTS = Convention("half the squares", "biases free")
# interpolate_line, interpolate_plane, linear layers, parallel_cost: Ongie & Willett (2022), (4).
WEIGHTS_OVER_DEPTH = Convention("the squares over L", "biases free")
# linear_map_cost, diagonal_cost: maps without kinks and without biases.
ALL_OF_WEIGHTS = Convention("the squares", "no biases")
# shallow_cost, shallow_optimum: Jacot et al. (2022); R(f; L) of Jacot (2023).
ALL_OF_WEIGHTS_AND_BIASES = Convention("the squares", "biases paid")
# cost_per_layer: R(f; L) / L of Jacot (2023).
PER_LAYER = Convention("the squares over L", "biases paid")
