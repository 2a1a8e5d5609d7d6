"""The page of conversions: the table of conventions, and one function priced by every name.

Whatever is printed there is computed when the page is made, from the very code that it shows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from repcost import Bracket
from repcost.conventions import HALF_OF_WEIGHTS, Convention
from repcost_book.pages.prices import (
    BY_DEPTH,
    DEPTHS,
    MOVED,
    PRICES,
    SETTING,
    SHIFTED,
    SOURCES,
    Price,
)

TABLE = [
    "| Printed, and what counts | Two layers, beside the first | From | By |",
    "| --- | --- | --- | --- |",
]


def conversions_page() -> str:
    """In Markdown, from its first section on."""
    names = _run(SETTING)
    counted = {
        (price.name, price.options): _bracket(price.code, names).counts for price in _all_prices()
    }
    parts = ["## What counts", conventions_table(counted), "## One function, every name"]
    parts += [_transcript(SETTING.splitlines())]
    for title, prices in PRICES.items():
        parts += [f"### {title}", *(_priced(price, names) for price in prices)]
    moved = _run(SHIFTED, names)
    parts += ["## One step to the right", _transcript(SHIFTED.splitlines())]
    parts += [_priced(price, moved) for price in MOVED]
    return "\n\n".join([*parts, "## The same at several depths", _depths(names)]) + "\n"


# A function and its options.
_Call = tuple[str, str]


def conventions_table(counted: dict[_Call, Convention | None]) -> str:
    """A row for each convention, with the names whose Brackets carry it."""
    rows = [
        [
            f"{convention}<br>{_formula(convention)}",
            _against_half(convention),
            source,
            "<br>".join(_link(*call) for call in _counting(convention, counted)),
        ]
        for convention, source in SOURCES.items()
    ]
    return "\n".join([*TABLE, *(f"| {' | '.join(row)} |" for row in rows)])


def _all_prices() -> Iterator[Price]:
    return (price for prices in PRICES.values() for price in prices)


def _counting(convention: Convention, counted: dict[_Call, Convention | None]) -> list[_Call]:
    """The calls by this convention; a penalty counts as the cost that it is a multiple of."""
    return [call for call, each in counted.items() if each and _bare(each) == convention]


def _bare(convention: Convention) -> Convention:
    return replace(convention, penalty=False)


def _formula(convention: Convention) -> str:
    factor = {"half the squares": r"\tfrac12", "the squares over L": r"\tfrac1L"}
    weights = r"\sum_\ell\lVert W_\ell\rVert_F^2"
    if convention.biases == "biases paid":
        weights = r"\sum_\ell\big(\lVert W_\ell\rVert_F^2+\lVert b_\ell\rVert^2/\beta^2\big)"
    if convention.biases.startswith("hidden"):
        weights = r"\big(\sum_\ell\lVert W_\ell\rVert_F^2+\lVert b_1\rVert^2\big)"
    return f"${factor.get(convention.squares, '')}{weights}$"


def _against_half(convention: Convention) -> str:
    """What two layers pay by this convention, beside half the squares of their weights."""
    times = convention.factor(2) / HALF_OF_WEIGHTS.factor(2)
    told = {1.0: "the same", 2.0: "twice as much"}[times]
    if convention.biases.startswith("hidden"):
        return f"{told}, and the hidden biases"
    return f"{told}, and the biases" if convention.biases == "biases paid" else told


def _link(name: str, options: str) -> str:
    return f"[`{name}`](#api-{name})" + (f", `{options}`" if options else "")


def _run(code: str, names: dict[str, Any] | None = None) -> dict[str, Any]:
    found = dict(names or {})
    exec(code, found)
    return found


def _bracket(code: str, names: dict[str, Any]) -> Bracket:
    return eval(code, names)


def _priced(price: Price, names: dict[str, Any]) -> str:
    """The call as a reader would type it, what it prints, and why."""
    shown = [f"print({price.code})"]
    return f"{_transcript(shown, str(_bracket(price.code, names)))}\n\n{price.why}"


def _transcript(lines: Sequence[str], printed: str = "") -> str:
    told = [*(f">>> {line}" for line in lines), *([printed] if printed else [])]
    return "\n".join(["```pycon", *told, "```"])


def _depths(names: dict[str, Any]) -> str:
    head = ["| Call | " + " | ".join(f"$L={L}$" for L in DEPTHS) + " |", "| --- " * 5 + "|"]
    rows = [[f"`{call.split('(')[0]}`", *_at_depths(call, names)] for call in BY_DEPTH]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)])


def _at_depths(call: str, names: dict[str, Any]) -> Iterator[str]:
    return (_short(_bracket(call.format(L=L), names)) for L in DEPTHS)


def _short(bracket: Bracket) -> str:
    """Five digits, or both ends where they differ in these."""
    low, high = f"{bracket.lower:.5g}", f"{bracket.upper:.5g}"
    return high if low == high else f"{low} to {high}"
