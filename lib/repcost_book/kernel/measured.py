"""What a check has measured, and whether that is enough to settle a claim."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from repcost_book.kernel.comparable import (
    ROUNDING,
    Number,
    above,
    as_float,
    in_words,
    is_exact,
    is_finite,
)
from repcost_book.kernel.ledger import Claim

# How far beyond a positive bound, in bounds, each wrong formula has to be.
APART = 9
# How much further than the nearest wrong formula the measurement may be from the bound.
TELLS = 10


@dataclass(frozen=True)
class Measured:
    """The right formula and the wrong ones, measured, beside the bound that lies between them.

    form: "formula" where one measurement was made of several formulas, else "numbers".
    apart: the distance by which each wrong formula has to exceed the bound.
    cases: how many cases are behind the measurement; None where the author does not say.
    because: why there is no formula to exchange.
    """

    id: str
    claim: Claim
    form: Literal["formula", "numbers"]
    worst: Number
    at_most: Number
    apart: Number
    wrong: Mapping[str, Number] = field(hash=False)
    cases: int | None = None
    because: str | None = None

    @property
    def failure(self) -> str:
        """Why this settles nothing, in a sentence; empty if it does."""
        others = (self._cannot_tell(name, value) for name, value in self.wrong.items())
        # Only if the claim holds may a wrong formula be looked at: before, there may be no number.
        why = self._does_not_hold() or next(filter(None, others), "")
        return why and f"{self.id}: {self.claim.text}: {why}"

    @property
    def usual(self) -> bool:
        """Whether the wrong formulas exceed a positive bound by nine times itself."""
        return self.apart == APART * Fraction(self.at_most)

    @property
    def mark(self) -> dict:
        """All of it as JSON, which knows neither Fractions nor infinities."""
        measured = (self.worst, *self.wrong.values())
        return {
            "statement": self.id,
            "claim": self.claim.text,
            "form": self.form,
            "worst": _for_json(self.worst),
            "at_most": _for_json(self.at_most),
            "apart": _for_json(self.apart),
            "wrong": {name: _for_json(value) for name, value in self.wrong.items()},
            "exact": is_exact(*measured),
            "cases": self.cases,
            "because": self.because,
        }

    def _does_not_hold(self) -> str:
        if self.cases is not None and self.cases <= 0:
            return f"measured on {self.cases} cases, which settles nothing"
        if self.worst == float("-inf"):
            return "measured -inf, as the largest of no numbers does; there is nothing to settle"
        # Written so that NaN, which is neither above nor below anything, fails too.
        if not self.worst <= self.at_most:
            return f"measured {in_words(self.worst)}, which is not at most {self._bound}"
        operands = max(abs(Fraction(self.worst)), abs(Fraction(self.at_most)))
        if not is_exact(self.worst) and self.apart <= Fraction(ROUNDING) * operands:
            return f"apart = {in_words(self.apart)} is within the rounding of what was measured"
        return ""

    def _cannot_tell(self, name: str, measured: Number) -> str:
        said = f"the wrong formula {name!r} measured {in_words(measured)}"
        distance = above(measured, self.at_most)
        if not distance >= self.apart:
            short = f"which does not exceed {self._bound} by {as_float(self.apart):g}"
            return f"{said}, {short}; this check cannot tell it from the right one"
        margin = above(self.at_most, self.worst)
        # Exact numbers have no margin to choose: two counts are as far apart as they are.
        exact = is_exact(self.worst, measured)
        if margin > TELLS * distance and not exact:
            far = f"more than {TELLS} times as far from the bound as the wrong one"
            remedy = "move the bound towards what is measured, or find a better wrong formula"
            return f"{said}, and the right one {in_words(self.worst)}, {far}; {remedy}"
        return ""

    @property
    def _bound(self) -> str:
        return in_words(self.at_most)


def _for_json(number: Number) -> float | str:
    value = as_float(number)
    return value if is_finite(value) else str(value)
