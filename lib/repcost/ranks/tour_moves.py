"""What all moves that shorten a tour share: found as columns, ranked as rows, made one by one.

A kind of move is a record whose first field is its gain and whose others are cities. Thousands are
found at once, as a structured array with the fields of the record.
"""

from typing import Any

import numpy as np
from jaxtyping import Float, Int, Shaped

from repcost.ranks.open_paths import Cities

Neighbours = Int[np.ndarray, "n m"]
Gains = Float[np.ndarray, "..."]
# Rows with the fields of a kind of move.
Moves = Shaped[np.ndarray, " moves"]

# For points whose coordinates have size one: less than this is rounding.
WORTHWHILE = 1e-12


def rows(kind: Any, gain: Gains, *cities: Cities) -> Moves:
    """Columns as rows with the fields of the kind, a NamedTuple."""
    formats = ["f8", *["i8"] * len(cities)]
    moves = np.empty(len(gain), dtype={"names": list(kind._fields), "formats": formats})
    for name, column in zip(kind._fields, (gain, *cities), strict=True):
        moves[name] = column
    return moves


def best_first(moves: Moves) -> list[tuple]:
    """The worthwhile ones, largest gain first; of equal gains as they were found."""
    worthwhile = np.flatnonzero(moves["gain"] > WORTHWHILE)
    ranked = worthwhile[np.argsort(-moves["gain"][worthwhile], kind="stable")]
    return moves[ranked].tolist()
