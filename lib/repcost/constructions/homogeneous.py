"""Activations that bend once, at zero, written as leaky ReLUs."""

from fractions import Fraction

from repcost.scalars import real_number


def as_leaky(right: float, left: float) -> tuple[int, Fraction, Fraction]:
    """Numbers (c, a, b) with c s_a(b t) = right t for t >= 0, and left t below; c is 1 or -1.

    Remark 1 of Jacot (2023), where s_a is t above zero and a t below, with -1 < a < 1. Exact. Lines
    and multiples of |t| are no such activations.

    >>> as_leaky(3, -5)
    (1, Fraction(-3, 5), Fraction(-5, 1))
    """
    p, q = Fraction(real_number(right, "right")), Fraction(real_number(left, "left"))
    if abs(p) == abs(q):
        raise ValueError(
            f"right and left must differ in size, not be {right:g} and {left:g}; such an activation"
            " is linear or a multiple of |t|"
        )
    # The larger slope goes to the right; if it is the left one, the input is turned round.
    if abs(p) > abs(q):
        return (1 if p > 0 else -1), q / p, abs(p)
    return (-1 if q > 0 else 1), p / q, -abs(q)
