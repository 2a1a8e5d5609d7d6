"""The page that prices one function by every name: what it shows is what the library says."""

import re

import pytest

from repcost_book.pages.conversions import conversions_page
from repcost_book.pages.prices import BY_DEPTH, MOVED, PRICES, SETTING, SHIFTED, SOURCES
from tests.cost_problems import COSTS

FIGURES = {price.code: price for prices in PRICES.values() for price in prices}
ROOT = 2**0.5
# Known by hand.
TRUE = {
    "function_cost": 2,
    "interpolate_line": 2,
    "interpolate_line, depth 3": 2 ** (2 / 3),
    "interpolate_plane, depth 3": 2 ** (2 / 3),
    "cost_along, depth 3": 2 ** (2 / 3),
    "shallow_cost": 4,
    "rebalanced_norm": 4,
    "linear_layers_cost, depth 3": 2 ** (2 / 3),
    "linear_layers_costs, depth 3": 2 ** (2 / 3),
    "linear_layers_bound, depth 3": 2 ** (2 / 3),
    "parallel_cost, depth 3": 2,
    "diagonal_cost, depth 3": 6,
    "linear_map_cost, depth 3": 3 * ROOT ** (2 / 3),
    # The objective of an exact fit, less half the square of the pull, 0.01 (1, -2, 1).
    "regularised_fit": 0.02 - 0.01**2 * 6 / 2,
}
UNKNOWN = {"cost_per_layer", "shallow_optimum", "certify_shallow"}


@pytest.fixture(scope="module")
def page():
    return conversions_page()


@pytest.fixture(scope="module")
def names():
    found = {}
    exec(SETTING + SHIFTED, found)
    return found


@pytest.mark.parametrize("price", FIGURES.values(), ids=lambda price: price.code)
def test_prices_are_what_they_are_known_to_be(price, names):
    bracket = eval(price.code, names)
    # What is called known here is a float itself.
    if price.name not in UNKNOWN:
        true = TRUE[price.name + ", depth 3" * ("depth=3" in price.code)]
        assert bracket.lower - 1e-15 <= true <= bracket.upper + 1e-15


@pytest.mark.parametrize("price", MOVED, ids=lambda price: price.code)
def test_a_step_to_the_right_costs_where_biases_pay(price, names):
    bracket = eval(price.code, names)
    half = bracket.counts.squares == "half the squares"
    true = 2 if bracket.counts.biases == "biases free" else (2 if half else 4) * ROOT
    assert bracket.lower - 1e-14 <= true <= bracket.upper + 1e-14


def test_every_cost_of_the_library_has_its_price(page):
    costs = {name for name in COSTS if "." not in name}
    assert costs == {price.name for price in FIGURES.values()}
    assert all(f"(#api-{name})" in page.split("## One function")[0] for name in costs)


def test_what_is_shown_is_what_runs(page, names):
    """Every line behind a prompt, one after the other, and the text below it."""
    for block in re.findall(r"```pycon\n(.*?)\n```", page, re.S):
        lines = block.splitlines()
        code = [line.removeprefix(">>> ") for line in lines if line.startswith(">>> ")]
        if code[0].startswith("print("):
            shown = eval(code[0].removeprefix("print"), names)
            assert lines[1:] == [str(shown)]
        else:
            assert "\n".join([*code, ""]) in (SETTING, SHIFTED)


def rows(page: str) -> dict[str, str]:
    """The rows of the first table by what is printed."""
    head = page.split("## One function")[0]
    return dict(re.findall(r"^\| (.* biases|.* free|.* paid)<br>(.*) \|$", head, re.M))


def test_the_table_has_each_convention_with_those_who_keep_it(page):
    table = rows(page)
    assert set(table) == {str(convention) for convention in SOURCES}
    for name, (make, *_) in COSTS.items():
        if "." not in name:
            said = str(make().counts).removeprefix("penalty: ")
            assert f"`{name}`" in table[said]


def test_two_layers_pay_the_factor_that_the_table_says(page):
    weights, table = [[[3.0]], [[4.0]]], rows(page)
    for convention in SOURCES:
        told = table[str(convention)].split(" | ")[1]
        assert convention.paid_by(weights) == (2 if "twice" in told else 1) * 12.5


def test_every_depth_has_a_column(page):
    lines = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(lines) == len(BY_DEPTH) and {line.count(" | ") for line in lines} == {4}
    assert "| `diagonal_cost` | 4 | 6 | 8 | 20 |" in lines
