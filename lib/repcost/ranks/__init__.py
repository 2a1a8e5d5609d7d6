"""Ranks of networks, each a Bracket of whole numbers."""

from repcost.ranks.one_number import (
    Crossing,
    identity_cheaper_until,
    one_number_cheaper_from,
    unavoidable_slope,
)

__all__ = ["Crossing", "identity_cheaper_until", "one_number_cheaper_from", "unavoidable_slope"]
