"""Which papers a card of the notation names for the same letter."""

from docutils import nodes

from repcost_book.pages.same_letter import elsewhere
from repcost_book.pages.symbols import Card


def _row(title: str, id: str) -> nodes.row:
    row = nodes.row(ids=[id])
    nodes.section("", nodes.title("", title), row)
    return row


def _card(tex: str, paper: str) -> Card:
    return Card(paper, (nodes.math("", tex),), ())


def test_each_other_paper_is_named_once_and_its_first_card_is_where_to_go():
    own = _card(r"\Phi", "ongie-willett-2022")
    found = [
        (_row("In all papers", "card-1"), _card("x", "")),
        (_row("Ongie & Willett (2022)", "card-2"), own),
        (_row("Ongie & Willett (2022)", "card-3"), _card(r"\Phi(W)", "ongie-willett-2022")),
        (_row("Jacot (2023)", "card-4"), _card(r"\Phi_1", "jacot-2023")),
        (_row("Jacot (2023)", "card-5"), _card(r"\Phi_2", "jacot-2023")),
        (_row("Jacot (2023)", "card-6"), _card(r"\Psi", "jacot-2023")),
    ]
    assert elsewhere(own, found) == {"Jacot (2023)": "card-4"}
    assert elsewhere(_card("x", "jacot-2023"), found) == {"all papers": "card-1"}
