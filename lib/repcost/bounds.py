"""The answer of everything that computes a cost or a rank: two ends, and how sure they are."""

from collections.abc import Iterator
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, Literal, SupportsIndex, get_args, overload

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.conventions import Convention
from repcost.conversions import as_floats
from repcost.scalars import one_of

__all__ = ["Bracket", "Brackets"]

How = Literal["exact", "certified", "experiment"]
End = Literal["upper", "lower"]
# As looking them up takes longer than comparing them.
_HOWS, _ENDS = get_args(How), get_args(End)
Ends = Float[np.ndarray, " n"]
# Which of many: positions, or for each whether it is wanted.
Some = slice | list[int] | Int[np.ndarray, " k"] | Bool[np.ndarray, " n"]


@dataclass(frozen=True, eq=False)
class Bracket:
    """A number known from two sides: `lower <= true value <= upper`, both floats.

    how: "exact" (rational arithmetic or whole numbers), "certified" (a proof, and float64 with
        its rounding added outward) or "experiment" (everything else).
    attained: the end that a known object attains ("upper" when an explicit network has that
        cost).
    counts: of a cost, which squares it counts (`repcost.conventions`); None for ranks and errors.
    reason: why the ends are further apart than was asked for; empty where they are not.

    >>> cost = Bracket(1.9, 2.0, "certified")
    >>> cost.value, 1.95 in cost
    (2.0, True)
    """

    lower: float
    upper: float
    how: How
    attained: End = "upper"
    counts: Convention | None = None
    reason: str = ""

    def __post_init__(self):
        _check_words(self.how, self.attained, self.counts, self.reason)
        for name, end in (("lower", self.lower), ("upper", self.upper)):
            # Frozen means that only the constructor may do this.
            object.__setattr__(self, name, _one_end(end, name))
        # The usual case needs no arrays; NaN is not in order with anything.
        if not self.lower <= self.upper:
            _check_order(np.asarray(self.lower), np.asarray(self.upper))

    @property
    def value(self) -> float:
        """The attained end: the one to quote when a single number is wanted."""
        return self.upper if self.attained == "upper" else self.lower

    @property
    def gap(self) -> float:
        """upper - lower; zero where both ends are the same infinity."""
        return 0.0 if self.lower == self.upper else self.upper - self.lower

    @property
    def relative_gap(self) -> float:
        """gap / |value|; zero where the gap is zero, infinite where only the value is."""
        return float(_relative(np.asarray(self.gap), np.asarray(self.value)))

    def __contains__(self, number: Any) -> bool:
        """Whether `number` (a float, or a Fraction, compared exactly) lies between the ends."""
        return bool(self.lower <= number) and bool(number <= self.upper)

    def __str__(self) -> str:
        # Ten digits are shown, so one number is enough where both ends have the same ones.
        if self.relative_gap < 1e-10:
            value = f"{self.value:.10g}"
        else:
            value = f"between {self.lower:.10g} and {self.upper:.10g}"
        return f"{value} ({self.how}, gap {self.gap:.2g}{_told(self.counts, self.reason)})"


@dataclass(frozen=True, eq=False)
class Brackets:
    """Many numbers of one kind, each known from two sides: arrays of lower and of upper ends.

    `len`, iteration and indexing give their members, each a `Bracket`; a slice, an array of
    positions or one of truth values gives some of them, as Brackets again. What stands beside the
    ends, as in a `Bracket`, is said of all of them; a `reason`, of those that are wide.

    >>> costs = Brackets([1.0, 4.0], [1.5, 4.0], "certified")
    >>> costs.value.tolist(), [cost.gap for cost in costs]
    ([1.5, 4.0], [0.5, 0.0])
    """

    lower: Ends
    upper: Ends
    how: How
    attained: End = "upper"
    counts: Convention | None = None
    reason: str = ""

    def __init__(
        self,
        lower: Any,
        upper: Any,
        how: How,
        attained: End = "upper",
        counts: Convention | None = None,
        reason: str = "",
    ):
        _check_words(how, attained, counts, reason)
        ends = {"lower": _many_ends(lower, "lower"), "upper": _many_ends(upper, "upper")}
        if len(ends["lower"]) != len(ends["upper"]):
            raise ValueError(
                f"lower has {len(ends['lower'])} entries, upper {len(ends['upper'])}; "
                "give each bracket both"
            )
        _check_order(**ends)
        rest = {"how": how, "attained": attained, "counts": counts, "reason": reason}
        for name, value in (ends | rest).items():
            object.__setattr__(self, name, value)

    @property
    def value(self) -> Ends:
        """The attained ends: the ones to quote when single numbers are wanted."""
        return self.upper if self.attained == "upper" else self.lower

    @property
    def gap(self) -> Ends:
        """upper - lower; zero where both ends are the same infinity."""
        with np.errstate(invalid="ignore"):  # inf - inf, where the ends are equal
            return np.where(self.lower == self.upper, 0.0, self.upper - self.lower)

    @property
    def relative_gap(self) -> Ends:
        """gap / |value|; zero where the gap is zero, infinite where only the value is."""
        return _relative(self.gap, self.value)

    def contain(self, numbers: Any) -> Bool[np.ndarray, " n"]:
        """Of each number, or of one for all, whether it lies between the ends of its bracket."""
        return np.less_equal(self.lower, numbers) & np.less_equal(numbers, self.upper)

    def __contains__(self, number: Any) -> bool:
        """Whether each bracket contains this number, or its own out of as many."""
        return bool(np.all(self.contain(number)))

    def __len__(self) -> int:
        return len(self.lower)

    def __iter__(self) -> Iterator[Bracket]:
        return (self[i] for i in range(len(self)))

    # Arrays come first, as those of whole numbers pass for a number with type checkers.
    @overload
    def __getitem__(self, which: Some) -> "Brackets": ...
    @overload
    def __getitem__(self, which: SupportsIndex) -> Bracket: ...
    def __getitem__(self, which: SupportsIndex | Some) -> "Bracket | Brackets":
        lower, upper = self.lower[which], self.upper[which]
        rest = self.how, self.attained, self.counts, self.reason
        if np.ndim(lower):
            return Brackets(lower, upper, *rest)
        return Bracket(float(lower), float(upper), *rest)

    def __str__(self) -> str:
        gap = f"largest gap {self.gap.max():.2g}" if len(self) else "no gap"
        counted = f"{len(self)} bracket{'s' * (len(self) != 1)}"
        return f"{counted} ({self.how}, {gap}{_told(self.counts, self.reason)})"


def _check_words(how: str, attained: str, counts: Any, reason: Any) -> None:
    one_of(how, "how", _HOWS)
    one_of(attained, "attained", _ENDS)
    if not (counts is None or isinstance(counts, Convention)):
        kinds = "a Convention of repcost.conventions, or None"
        raise ValueError(f"counts must be {kinds}, not {short(counts)}")
    if not isinstance(reason, str):
        raise ValueError(f"reason must be a sentence, not {short(reason)}")


def _one_end(value: Any, name: str) -> float:
    # Most ends are floats already, and many brackets are made.
    end = value if type(value) is float else as_floats(value, name, "a real number")
    if np.ndim(end):
        raise ValueError(
            f"{name} must be one number, but its shape is {np.shape(end)}; Brackets are for many"
        )
    return float(end)


def _many_ends(value: Any, name: str) -> Ends:
    ends = as_floats(value, name)
    if ends.ndim != 1:
        raise ValueError(
            f"{name} must have 1 axis, but its shape is {ends.shape}; a Bracket is for one number"
        )
    # A copy that nobody can write to, so that what was certified stays so.
    ends.setflags(write=False)
    return ends


def _check_order(lower: np.ndarray, upper: np.ndarray) -> None:
    if np.isnan(lower).any() or np.isnan(upper).any():
        raise ValueError("lower or upper is NaN; a bracket needs two numbers")
    wrong = np.flatnonzero(lower > upper)
    if wrong.size:
        low, high = lower.flat[wrong[0]], upper.flat[wrong[0]]
        raise ValueError(f"lower must not exceed upper, but {low} > {high}")


def _relative(gap: np.ndarray, value: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # inf / inf would be NaN; an infinite gap tells nothing, whatever the value.
        return np.where(gap == 0, 0.0, np.where(np.isinf(gap), np.inf, gap / np.abs(value)))


def _told(*parts: Convention | str | None) -> str:
    return "".join(f"; {part}" for part in parts if part)
