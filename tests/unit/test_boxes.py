"""What stands below the box of a statement."""

import re

from repcost_book.kernel.ledger import PAPERS, statements
from repcost_book.pages.boxes import _needs


def test_two_theorems_of_one_number_are_told_apart_by_their_papers():
    told = _needs(statements()["savarese-2019/theorem-3.1"])[0].astext()
    names = re.findall(r">([^<]+)</a>", told)
    assert "Theorem 3.1, Ongie &amp; Willett (2022)" in names and "Theorem 3.1" not in names
    # Of its own paper, and of no paper at all, the number is enough.
    assert "Lemma 1" in names and len(names) == len(set(names))


def test_what_is_of_the_same_paper_has_no_name():
    for statement in statements().values():
        for node in _needs(statement):
            for folder, name in re.findall(
                r'class="thread-([^"]+)"[^>]*>([^<]+)</a>', node.astext()
            ):
                is_told = any(
                    name.endswith(f", {paper}".replace("&", "&amp;")) for paper in PAPERS.values()
                )
                assert is_told == (folder in PAPERS and folder != statement.paper)
