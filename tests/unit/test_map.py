"""The map of statements: it is that of the ledger, and its layout can be read."""

from dataclasses import replace

import pytest

from repcost_book.kernel.ledger import statements
from repcost_book.pages.map_labels import LETTER, LONGEST, SHORT, height, label, width
from repcost_book.pages.map_layout import WIDEST, Layout, crossings, digest, edges, group
from repcost_book.pages.map_page import map_page

LEDGER = statements()


@pytest.fixture(scope="module")
def layout():
    return Layout.kept()


def test_it_is_of_this_ledger(layout):
    assert layout.digest == digest(LEDGER), "make map, and commit map_layout.json"
    assert layout.places.keys() == LEDGER.keys()
    assert {tuple(route[:2]) for route in layout.routes} == {*edges(LEDGER)}


def test_another_need_is_another_digest():
    one = list(LEDGER.values())[5]
    other = next(each for each in LEDGER.values() if each is not one and each.id not in one.needs)
    more = replace(one, needs={**one.needs, other.id: "for a test"})
    assert digest({**LEDGER, one.id: more}) != digest(LEDGER)


def test_no_two_nodes_overlap(layout):
    boxes = [(*layout.places[id], width(each), height(each)) for id, each in LEDGER.items()]
    for n, (x, y, wide, high) in enumerate(boxes):
        for u, v, other, tall in boxes[:n]:
            apart = abs(x - u) >= (wide + other) / 2 - 1 or abs(y - v) >= (high + tall) / 2 - 1
            assert apart, (x, y, u, v)


def test_it_is_read_without_panning(layout):
    """In a window of 1366 nothing is made smaller by more than two hundredths."""
    right = max(layout.places[id][0] + width(each) / 2 for id, each in LEDGER.items())
    assert max(right, WIDEST) + 18 <= (1366 - 48) * 1.02


def test_labels_have_all_words_of_a_number_and_fit_their_nodes():
    long = {short: full for full, short in SHORT.items()}
    for each in LEDGER.values():
        words = " ".join(label(each)).replace("–", " to ").split()
        told = " ".join(long.get(word, word) for word in words)
        assert told.replace("Proof of ", "Proof ") == each.number.replace("Proof of ", "Proof ")
        assert max(map(len, label(each))) <= max(LONGEST, *map(len, words))


def test_no_line_of_a_label_leaves_its_node():
    assert all(LETTER * max(map(len, label(each))) < width(each) - 12 for each in LEDGER.values())


def test_what_is_needed_stands_left_of_what_needs_it(layout):
    for one, other in edges(LEDGER):
        if group(LEDGER[one]) == group(LEDGER[other]):
            assert layout.places[one][0] < layout.places[other][0]


def test_crossings_are_counted():
    square = {"a": (0, 0), "b": (1, 1), "c": (0, 1), "d": (1, 0)}
    assert crossings(square, [("a", "b"), ("c", "d")]) == 1
    assert crossings(square, [("a", "c"), ("b", "d")]) == 0


def test_the_page_has_every_statement_and_every_reason(layout):
    page = map_page(LEDGER, layout, {"savarese-2019/lemma-1": "75% of faults noticed"})
    assert page.count('class="repcost-node') == len(LEDGER)
    assert "exact" in page and "75% of faults noticed" in page
    # A line at the foot of that node, and one that explains it.
    assert page.count('class="repcost-told"') == 2
    assert all(why in page for each in LEDGER.values() for why in each.needs.values())
