"""What a search looks through, and how it ranks, without a browser."""

import json
from pathlib import Path

import pytest
from docutils import nodes
from py_mini_racer import MiniRacer

from repcost_book.pages.plain import letters, line
from repcost_book.pages.search_index import address, by_address, terms, text_of
from repcost_book.runner.project import Project

BOOK = Project.here().book
TERMS = terms(BOOK / "terms.yml")


def test_a_place_of_a_statement_is_where_its_box_is():
    theorem = address("#savarese-2019/theorem-3.1")
    assert theorem == "savarese-2019/cost#savarese-2019-theorem-3.1"
    assert address("start/welcome#run-it") == "start/welcome#run-it"
    with pytest.raises(ValueError, match=r"terms\.yml: #savarese-2019/lemma-9 is no statement"):
        address("#savarese-2019/lemma-9")


def test_each_place_knows_its_terms_and_which_of_several_it_is():
    found = by_address({"line": ["a/b", "start/c"], "rank": ["a/b"]})
    assert found == {"a/b": [["line", 0], ["rank", 0]], "start/c": [["line", 1]]}


def test_a_book_without_terms_has_none(tmp_path):
    assert terms(tmp_path / "terms.yml") == {}


def test_every_page_that_is_named_is_there():
    pages = {address(at).partition("#")[0] for places in TERMS.values() for at in places}
    assert [page for page in pages if not Path(BOOK, f"{page}.md").is_file()] == []


def test_terms_stand_in_the_order_of_the_alphabet():
    lines = (BOOK / "terms.yml").read_text(encoding="utf-8").splitlines()
    named = [line.partition(": ")[0] for line in lines if line and not line.startswith("#")]
    assert named == list(TERMS), "a term twice"
    assert [name[0].lower() for name in named] == sorted(name[0].lower() for name in named)


@pytest.mark.parametrize(
    "tex, told",
    [
        (r"\bar R(f)", "R(f)"),
        (r"N\to\infty", "N→∞"),
        (r"\operatorname{Rank}_J", "Rank_J"),
        (r"\lambda_1(\ell)\le\tfrac12\|W_\ell\|_F^2", "λ₁(ℓ)≤1/2‖W_ℓ‖_F²"),
        (r"\lvert\hat f(\omega)\rvert\,d\omega", "|f(ω)|dω"),
        (r"\frac{a_k}{b^{2/L}}", "aₖ/b^(2/L)"),
        (r"x^{n+1}W^\top", "xⁿ⁺¹Wᵀ"),
        (r"\sqrt{1+t^2}-1", "√(1+t²)-1"),
    ],
)
def test_a_formula_in_plain_letters(tex, told):
    assert letters(tex) == told


def test_a_line_of_the_ledger_in_plain_letters():
    assert line(r"*At most* $N^2$ by `rank`") == "At most N² by rank"


def test_the_text_of_a_paragraph_has_its_formulas_and_no_code():
    inside = [nodes.Text("For "), nodes.math("", r"\lambda"), nodes.Text(", see\n below.")]
    section = nodes.section("", nodes.paragraph("", "", *inside), nodes.literal_block("", "x = 1"))
    assert text_of(section).strip() == "For λ, see below."


# The ranking


def place(at: str, title: str, kind: str = "page", **others) -> dict:
    given = {"at": at, "title": title, "kind": kind, "page": "", "paper": "", "says": ""}
    return {**given, "words": "", "terms": [], **others}


PLACES = [
    place("a", "What is counted?", terms=[["bottleneck rank", 0]]),
    place("b", "Ranks of the bottleneck, and more of it"),
    place("c", "Theorem 3.1", kind="box", paper="Savarese et al. (2019)"),
    place("d", "Theorem 3.1", kind="box", paper="Ongie & Willett (2022)"),
    place("e", "A page that has the words in its text", words="bottleneck rank neurons"),
    place("f", "How many units?", kind="section"),
]


@pytest.fixture(scope="module")
def find():
    engine = MiniRacer()
    engine.eval((BOOK / "_static" / "search.js").read_text(encoding="utf-8"))
    engine.eval(f"const KNOWN = Places.read({json.dumps(PLACES)})")

    def find(words: str) -> list[str]:
        found = f"Places.find(KNOWN, {json.dumps(words)}).map(({{ place }}) => place.at).join(' ')"
        return str(engine.eval(found)).split()

    yield find
    engine.close()


def test_what_a_place_is_about_counts_more_than_its_words(find):
    assert find("bottleneck rank") == ["a", "b", "e"]
    assert find("the bottleneck ranks") == ["a", "b", "e"]


def test_a_number_and_the_name_of_its_paper(find):
    assert find("Theorem 3.1 Savarese")[0] == "c"
    assert find("ongie theorem 3.1")[0] == "d"


def test_a_reader_may_say_neurons_for_units(find):
    assert find("how many neurons")[0] == "f"


def test_nothing_is_found_for_words_that_stand_nowhere(find):
    assert find("quaternion") == [] and find("") == []
