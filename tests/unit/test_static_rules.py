"""The censuses of weak forms, each on a chapter that has the form and on one that has not."""

import pytest
import yaml

from repcost_book.runner.chapters import chapters
from repcost_book.runner.project import Project
from repcost_book.runner.written_checks import cells_of
from repcost_book.trials.doubt.static_rules import Source, methods_of

IMPORTS = """\
import numpy as np
from scipy.optimize import linprog
from repcost import Network, cost, depth_cost
from repcost.datasets import examples
from repcost_book import Run, check
run = Run(profile)
rng = run.rng()
"""


def source(*cells, methods=()):
    return Source([IMPORTS, *cells], frozenset(methods))


def one(*cells):
    (check,) = source(*cells).checks
    return check


def test_the_forms():
    numbers = one('check("a/b", "c", worst, at_most=1, wrong=slip)')
    assert not numbers.by_formulas and numbers.without_reason and numbers.claim == "c"
    told = one('check("a/b", "c", worst, at_most=1, wrong=slip, because="other data")')
    assert not told.by_formulas and not told.without_reason
    formulas = one('claim = "d"', 'check("a/b", claim, off, lambda x: x, at_most=1, wrong=slip)')
    assert formulas.by_formulas and not formulas.without_reason
    assert (formulas.claim, formulas.cell, formulas.line) == ("d", 2, 1)


CHECK = "check(id, claim, worst, at_most=0, wrong=slip)"
LITERAL = {
    "arithmetic": "worst = abs(2 + 2 - 4)",
    "a function of its own": "def off(x):\n    return x**2\nworst = off(3) - 9",
    "data that no function of the library saw": "worst = examples()[0] - 1",
    "what was measured before has another name": "worst = cost(net)\nworst = 0",
    "only the wrong formula asks": "worst = 0\nslip = {'a': cost(net)}",
}
FED = {
    "the library": "worst = cost(net) - 1",
    "a function that asks it": "off = lambda f: cost(f) - 1\nworst = off(3)",
    "a name that it gets later": "off = lambda f: price(f)\nprice = cost\nworst = off(3)",
    "a draw": "x = rng.normal(size=9)\nworst = x.max()",
    "what was recorded": "worst = run.recorded('a', compute)['gap'].max()",
    "a search": "worst = linprog(c).fun",
    "a value changed in place": "worst = [0]\nworst[0] = cost(net)",
    "a list that grew": "worst = []\nworst.append(cost(net))",
    "a loop": "worst = 0\nfor f in nets:\n    worst = max(worst, cost(f))",
    "a name of a tuple": "worst, other = cost(net), 1",
}


@pytest.mark.parametrize("name", LITERAL)
def test_what_is_literal(name):
    assert len(source(LITERAL[name], CHECK).literal) == 1


@pytest.mark.parametrize("name", FED)
def test_what_is_not(name):
    assert source(FED[name], CHECK).literal == []


def test_one_check_of_two_is_literal():
    text = f"worst = cost(net)\n{CHECK}\nclaim = 'second'\nworst = 1 - 1\n{CHECK}"
    (check,) = source(text).literal
    assert check.claim == "second"


SHARED = {
    "itself": "worst = abs(cost(f) - cost(f))",
    "through names": "one = cost(f)\nother = cost(f)\nworst = abs(one - other)",
    "through a function": "price = lambda f: cost(f)\nworst = np.max(cost(f) - price(f))",
    "a quotient minus one": "worst = abs(cost(f) / cost(g) - 1)",
    "decisions": "worst = np.sum((cost(f) > 1) != (cost(g) > 1))",
    "one side does more": "worst = depth_cost(cost(f)) - cost(f)",
    "in a comprehension": "worst = max(off for off in [cost(f) - cost(g)])",
    "a method": "worst = net.weight_cost - other.weight_cost",
}
OWN_WAYS = {
    "two functions": "worst = cost(f) - depth_cost(f)",
    "written out": "worst = cost(f) - abs(f.slopes).sum()",
    "the same data": "f = cost(g)\nworst = np.sum(f) - np.max(f)",
    "an object is data": "worst = Network(1).a - Network(2).a",
}


@pytest.mark.parametrize("name", SHARED)
def test_sides_that_share_their_functions(name):
    found = source(SHARED[name], CHECK, methods=["weight_cost"]).shared
    assert found and found[0].functions <= {"cost", "weight_cost"}


@pytest.mark.parametrize("name", OWN_WAYS)
def test_sides_with_a_way_of_their_own(name):
    assert source(OWN_WAYS[name], CHECK, methods=["weight_cost"]).shared == []


FORMULA = "check(id, claim, measure, formula, at_most=0, wrong=slip)"
BORROWED = {
    "the measurement asks it, too": (
        "measure = lambda g: cost(f) - g(f)\nformula = lambda f: cost(f)",
        {"cost"},
    ),
    "through a function of both": (
        "price = lambda f: cost(f)\nmeasure = lambda g: price(f) - g(f)\nformula = price",
        {"cost"},
    ),
    "it is written out": ("measure = lambda g: cost(f) - g(f)\nformula = lambda f: abs(f)", set()),
    "another function": (
        "measure = lambda g: cost(f) - g(f)\nformula = lambda f: depth_cost(f)",
        set(),
    ),
    "data of both": ("f = cost(g)\nmeasure = lambda g: f - g(f)\nformula = lambda x: x", set()),
}


@pytest.mark.parametrize("name", BORROWED)
def test_a_formula_that_borrows_all_from_the_measurement(name):
    text, functions = BORROWED[name]
    found = source(text, FORMULA).borrowed
    assert {each for one in found for each in one.functions} == functions


def test_twins_measure_the_same_for_one_statement():
    twice = f"{FORMULA}\n{FORMULA.replace('claim', 'other')}"
    data = "measure = lambda g: abs(g(f))\nformula = cost"
    assert len(source(data, twice).twins) == 1
    assert source(data, twice.replace("formula", "slower", 1), "slower = 1").twins == []
    # The same words about other data.
    again = f"{FORMULA}\nf = 2\n{FORMULA}"
    assert source("f = 1", data, again).twins == []


def test_names_that_are_given_two_at_once():
    found = one('id, claim = "a/b", "a claim"', CHECK)
    assert (found.statement, found.claim) == ("a/b", "a claim")


def test_the_digest_is_of_the_code_and_of_what_it_depends_on():
    def digest(*cells):
        return one(*cells, CHECK).digest

    data = "worst = cost(net) - 1"
    assert digest(data) == digest("worst  =  cost( net ) - 1  # why", "other = 3")
    assert digest(data) != digest("worst = cost(net) - 2")
    assert digest("net = 1", data) != digest("net = 2", data)


def test_public_methods_are_found_and_others_not():
    text = "class A:\n    x: int\n    def cost(self): pass\n    def _own(self): pass\ndef f(): pass"
    assert methods_of([text]) == {"cost"}


@pytest.fixture(scope="module")
def book():
    return {chapter.name: cells_of(chapter) for chapter in chapters(Project.here())}


def test_each_check_of_the_book_is_read(book):
    lines = {name: "\n".join(cells).splitlines() for name, cells in book.items()}
    calls = {name: sum("check(" in line for line in each) for name, each in lines.items()}
    assert {name: len(Source(cells).checks) for name, cells in book.items()} == calls
    assert min(calls.values()) > 0
    for name in ("savarese-2019/cost", "jacot-2022/cone"):
        read = Source(book[name])
        assert len(read.literal) < len(read.checks) and isinstance(read.shared, list)


def test_forms_only_get_better(book):
    """Numbers in place of formulas, and those of them without a reason, chapter by chapter."""
    path = Project.here().root / "tests/reference/forms.yml"
    committed = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, cells in book.items():
        checks = Source(cells).checks
        numbers = sum(not each.by_formulas for each in checks)
        now = {"numbers": numbers, "without_reason": sum(each.without_reason for each in checks)}
        # A new chapter has none.
        most = committed.get(name, {"numbers": 0, "without_reason": 0})
        worse = [form for form in now if now[form] > most[form]]
        assert not worse, f"{name}: measure formulas, or say `because`; {most} became {now}"
        assert now == most, f"{name} is better than {path.name} says; write {now} there"
    assert set(committed) <= set(book)
