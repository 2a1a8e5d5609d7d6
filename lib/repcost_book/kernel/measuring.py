"""One measurement of several formulas: the right one, and plausible wrong ones.

A check is worth what it can refuse. So the author gives the measurement as a function of the
formula, and it is made here, of each formula on the same data. Numbers are taken only where there
is no formula to exchange.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import wraps
from inspect import signature
from itertools import combinations
from operator import index
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any

from repcost_book.kernel.comparable import Number, above, finite_number, in_words, one_number
from repcost_book.kernel.ledger import Claim
from repcost_book.kernel.measured import APART, Measured

Formula = Callable[..., Any]


def measured(
    id: str,
    claim: Claim,
    measure: Any,
    formula: Formula | None,
    *,
    at_most: Number,
    wrong: Mapping[str, Any],
    apart: Number | None = None,
    cases: int | None = None,
    because: str | None = None,
) -> Measured:
    """Measure all formulas, or take their numbers; ValueError where that is no check at all."""
    what = f"{id}: {claim.text}"
    _named_well(wrong, what)
    if because is not None and len(str(because).split()) < 3:
        raise ValueError(f"{what}: because={because!r} is no reason; write a few words")
    if cases is not None and (isinstance(cases, bool) or not hasattr(cases, "__index__")):
        raise ValueError(f"{what}: cases must be a whole number, not {cases!r}")
    bound = finite_number(at_most, f"{what}: at_most")
    apart = _apart(apart, bound, f"{what}: apart")
    if formula is None:
        form, (worst, others) = "numbers", _as_told(measure, wrong, what)
    else:
        if because is not None:
            raise ValueError(f"{what}: there is a formula to exchange, so leave out because=")
        form, (worst, others) = "formula", _by_formulas(measure, formula, wrong, apart, what)
    counted = None if cases is None else index(cases)
    return Measured(id, claim, form, worst, bound, apart, others, counted, because)


def _named_well(wrong: Any, what: str) -> None:
    if not isinstance(wrong, Mapping) or not wrong:
        raise ValueError(f"{what}: name at least one wrong formula, wrong={{name: formula}}")
    unnamed = [name for name in wrong if not isinstance(name, str) or not name.strip()]
    if unnamed:
        raise ValueError(f"{what}: a wrong formula is named in words, not {unnamed[0]!r}")
    if len({" ".join(name.lower().split()) for name in wrong}) < len(wrong):
        raise ValueError(f"{what}: two wrong formulas have the same name; give each its own")


def _apart(apart: Any, bound: Number, what: str) -> Number:
    if apart is None and bound <= 0:
        remedy = "state the distance by which each wrong formula exceeds the bound"
        raise ValueError(f"{what} is needed where the bound is {in_words(bound)}; {remedy}")
    if apart is None:
        return APART * Fraction(bound)
    distance = finite_number(apart, what)
    if distance <= 0:
        raise ValueError(f"{what} is {in_words(distance)}; give a distance above zero")
    return distance


def _as_told(worst: Any, wrong: Mapping[str, Any], what: str) -> tuple[Number, dict[str, Number]]:
    functions = [name for name, told in {"worst": worst, **wrong}.items() if callable(told)]
    if functions:
        remedy = "give measure and formula, or numbers alone"
        raise ValueError(
            f"{what}: {functions[0]!r} is a function, and there is no formula; {remedy}"
        )
    others = {name: one_number(told, f"{what}: {name!r}") for name, told in wrong.items()}
    return one_number(worst, f"{what}: worst"), others


def _by_formulas(
    measure: Any, formula: Any, wrong: Mapping[str, Any], apart: Number, what: str
) -> tuple[Number, dict[str, Number]]:
    if not callable(measure):
        remedy = "beside a formula it is a function of formulas"
        raise ValueError(f"{what}: measure is {measure!r:.40}; {remedy}")
    _exchangeable([("the formula", formula), *wrong.items()], what)
    worst = _measure(measure, formula, "the formula", what)
    others = {name: _measure(measure, other, name, what) for name, other in wrong.items()}
    # Once more, at the end: a measurement that draws anew, or a formula that changes what is
    # measured, has compared two formulas on different data.
    again = _measure(measure, formula, "the formula", what)
    if in_words(again) != in_words(worst) and not abs(above(again, worst)) <= apart / 100:
        remedy = "draw before, and let no formula change what it is given"
        raise ValueError(f"{what}: measured twice, the formula differs from itself; {remedy}")
    return worst, others


def _exchangeable(named: list[tuple[str, Any]], what: str) -> None:
    """ValueError unless these are different functions, each of something."""
    for name, formula in named:
        if not callable(formula):
            raise ValueError(f"{what}: {name!r} is {formula!r:.40}; a formula is a function")
        if isinstance(formula, FunctionType) and not signature(formula).parameters:
            remedy = "a formula is a function of what it is measured on"
            raise ValueError(f"{what}: {name!r} takes nothing, so it is a constant; {remedy}")
    for (first, formula), (name, other) in combinations(named, 2):
        if _same(formula, other):
            raise ValueError(f"{what}: {name!r} is the same function as {first!r}")


def _same(one: Formula, other: Formula) -> bool:
    # A method is another object whenever it is looked up.
    method = isinstance(one, MethodType | BuiltinMethodType)
    return one is other or (method and one == other)


def _measure(measure: Formula, formula: Formula, name: str, what: str) -> Number:
    """measure(formula), if that asks the formula anything."""
    asked = False

    def noted(*arguments: Any, **others: Any) -> Any:
        nonlocal asked
        asked = True
        return formula(*arguments, **others)

    # Other callables may have parts of their own that a measurement looks at.
    plain = isinstance(formula, FunctionType)
    number = one_number(measure(wraps(formula)(noted) if plain else formula), f"{what}: {name!r}")
    if plain and not asked:
        raise ValueError(f"{what}: the measurement never calls {name!r}, so it says nothing of it")
    return number
