"""The formulas of claims as readers see them."""

import re

import pytest

from repcost_book.kernel.ledger import statements
from repcost_book.pages.signs import letters, line_of_a_check, signs


@pytest.mark.parametrize(
    "claim, html",
    [
        ("the sum of |alpha|^(2/L)", "the sum of |α|<sup>2/L</sup>"),
        ("it moves by 1/sqrt(pi r), not 4/sqrt(3)", "it moves by 1/√(π r), not 4/√3"),
        ("R_2 and C_3^(3/2)", "R<sub>2</sub> and C<sub>3</sub><sup>3/2</sup>"),
        ("O(r^-3) and -A (d-3)/12 on [-K, K]", "O(r<sup>−3</sup>) and −A (d−3)/12 on [−K, K]"),
        ("N - 1 units if T >= S", "N − 1 units if T ≥ S"),
        ("a < b, and N^(1 - 1/k)", "a &lt; b, and N<sup>1 − 1/k</sup>"),
        ("a two-layer network, piecewise", "a two-layer network, piecewise"),
        ("the m-cone of a so-called epsilon", "the m-cone of a so-called epsilon"),
    ],
)
def test_a_claim_with_signs(claim, html):
    assert signs(claim) == html


def test_no_claim_is_left_as_it_is_typed():
    claims = [claim.text for each in statements().values() for claim in each.claims]
    typed = r"\^|_|>=|<=|sqrt|\b(alpha|delta|eps|lambda|theta|pi)\b"
    shown = [re.sub(r"</?su[bp]>", "", signs(claim)) for claim in claims]
    assert [claim for claim in shown if re.search(typed, claim)] == []
    assert sum(claim != letters(claim) for claim in claims) > 30


def test_the_line_of_a_check_keeps_its_address_and_its_bound():
    line = (
        '<div id="check-n-2"><strong>exact</strong> it&#x27;s N^2 '
        '<span class="repcost-bound">(at most 1e-09; refuted: R_2)</span> <a href="#n_2">n_2</a>'
    )
    shown = line.replace("N^2 ", "N<sup>2</sup> ").replace("R_2", "R<sub>2</sub>")
    assert line_of_a_check(line) == shown


def test_no_line_of_the_ledger_has_a_formula_that_is_typed():
    """What is said of a statement, and since when, has its formulas in TeX."""
    told = [part for each in statements().values() for part in (each.says, each.since or "")]
    words = [re.sub(r"\$[^$]*\$|`[^`]*`", "", part) for part in told]
    typed = r"[\^|]|\w_\w|>=|<=|sqrt|\b(alpha|delta|eps|lambda|theta|Phi|pi)\b|\bl1\b| = \d"
    assert [part for part in words if re.search(typed, part)] == []
