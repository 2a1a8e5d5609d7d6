"""Letters of formulas, and the cards that explain them."""

import re
from collections import Counter

import pytest
from docutils import nodes

from repcost_book.kernel.ledger import PAPERS
from repcost_book.pages.symbols import Card, Letter, cards, explained, letters, lookup
from repcost_book.runner.chapters import chapters
from repcost_book.runner.project import Project

PROJECT = Project.here()


def card(tex: str, paper: str = "") -> Card:
    return Card(paper, (nodes.math("", tex),), (nodes.Text(tex),))


@pytest.mark.parametrize(
    "tex, found",
    [
        (r"\bar R(f)", [("bar", "R", ""), ("", "f", "")]),
        (r"\Phi_L\le\lambda_{k}", [("", r"\Phi", "L"), ("", r"\lambda", "k")]),
        (r"\operatorname{Rank}_J", [("", r"\operatorname{Rank}", "J")]),
        (r"\sum\lvert a_k\rvert", [("", "a", "k")]),
        (r"\text{for all } \mathbf W", [("mathbf", "W", "")]),
    ],
)
def test_letters_have_accents_and_indices_and_commands_are_none(tex, found):
    assert letters(tex) == [Letter(*each) for each in found]


def test_a_letter_with_its_index_comes_before_the_letter_alone():
    with_index, alone = card(r"\Phi_L(W,a)"), card(r"\Phi")
    known = lookup([alone, with_index], "")
    assert explained(r"\Phi_L", known) == [with_index] and explained(r"\Phi", known) == [alone]
    assert explained(r"\Phi_3", known) == [alone]


def test_the_own_paper_comes_before_what_all_say_and_others_say_nothing():
    general, own = card("R"), card("R", "jacot-2022")
    other = card("R", "jacot-2023")
    assert explained("R", lookup([general, own, other], "jacot-2022")) == [own]
    assert explained("R", lookup([general, other], "jacot-2022")) == [general]
    assert explained("R", lookup([other], "jacot-2022")) == []


def test_a_card_of_a_longer_formula_explains_no_letter_inside_it():
    least = card(r"\min_{f(x_i)=y_i}\bar R(f)")
    assert list(least.letters) == [] and explained("f", lookup([least], "")) == []


def test_a_tilde_marks_another_of_the_same_kind():
    weights = card("a")
    assert explained(r"\tilde a", lookup([weights], "")) == [weights]
    assert explained(r"\bar a", lookup([weights], "")) == []


def test_a_card_has_its_paper_and_says_what_it_means_without_links():
    row = [
        nodes.paragraph("", "", nodes.math("", "x")),
        nodes.paragraph(),
        nodes.paragraph("", "an input"),
    ]
    entries = [nodes.entry("", part) for part in row]
    section = nodes.section("", nodes.title("", "Jacot (2023)"), nodes.row("", *entries))
    (found,) = cards(section)  # pyright: ignore[reportArgumentType]
    assert found.paper == "jacot-2023" and found.meaning[0].astext() == "an input"
    assert list(found.letters) == [Letter("", "x")]


# How much of the boxes the notation page explains


def _rows() -> list[Card]:
    found, title = [], ""
    for line in (PROJECT.book / "start" / "notation.md").read_text(encoding="utf-8").splitlines():
        title = line.removeprefix("## ") if line.startswith("## ") else title
        paper = next((id for id, name in PAPERS.items() if name == title), "")
        formulas = re.findall(r"\$([^$]+)\$", line.split(" | ")[0]) if line.startswith("| ") else []
        if formulas:
            found.append(Card(paper, tuple(nodes.math("", tex) for tex in formulas), ()))
    return found


def _unexplained() -> tuple[Counter, int]:
    """How many boxes of a paper have a letter that no card explains; letters of all boxes."""
    found, count = Counter(), 0
    for chapter in chapters(PROJECT):
        known = lookup(_rows(), chapter.name.partition("/")[0])
        text = chapter.source.read_text(encoding="utf-8")
        for box in re.findall(r"```\{prf:\w+\}[^\n]*\n(.*?)```", text, flags=re.DOTALL):
            formulas = re.findall(r"\$\$(.*?)\$\$|\$([^$]+)\$", box, flags=re.DOTALL)
            used = {each.bare for pair in formulas for tex in pair for each in letters(tex)}
            count += len(used)
            here = [each for each in used if not explained(_tex(each), known)]
            found.update((chapter.name.partition("/")[0], each) for each in here)
    return found, count


def _tex(letter: Letter) -> str:
    return f"\\{letter.accent}{{{letter.letter}}}" if letter.accent else letter.letter


def test_the_letters_of_boxes_have_cards_but_for_those_that_a_box_introduces_itself():
    without, count = _unexplained()
    assert count > 1000
    assert [letter for letter, boxes in without.items() if boxes >= 3] == []
    assert sum(without.values()) <= 0.06 * count
