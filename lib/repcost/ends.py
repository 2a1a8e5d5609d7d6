"""How far a bracket is from a number that is claimed for it."""

from repcost.bounds import Bracket

__all__ = ["farther_end"]


def farther_end(number: float, *brackets: Bracket) -> float:
    """The largest distance of an end of the brackets from the number: zero if all are that number.

    What a check measures where both ends of a Bracket should be one value.

    >>> farther_end(2, Bracket(1.5, 2, "exact"), Bracket(2, 2.25, "exact"))
    0.5
    """
    return max(max(abs(each.lower - number), abs(each.upper - number)) for each in brackets)
