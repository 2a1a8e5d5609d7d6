"""Pages on what goes beyond the papers: our own results, and what large sizes would cost."""

import json
from dataclasses import replace

import pytest

from repcost_book.kernel.ledger import Claim, Statement, statements
from repcost_book.pages.ours import ours_page
from repcost_book.pages.scaling import CARD, TRAININGS, Training, scaling_page

OURS = Statement(
    "beyond/x",
    "A title",
    "It is so.",
    "holds",
    "jacot-2022/cone",
    since="Nobody asked since.",
    claims=(Claim("one", "exact"), Claim("two", "exact"), Claim("three", "certified")),
)


def test_a_result_of_our_own_has_its_line():
    page = ours_page([OURS], {"beyond/x": "92% of faults noticed"})
    assert page.startswith("## Beside Jacot et al. (2022)")
    assert "\n[A title](#beyond/x)\n: It is so." in page and "\n  Nobody asked since." in page
    assert "Claims: 2 exact, 1 certified; 92% of faults noticed." in page
    assert "Open; Claims" in ours_page([replace(OURS, verdict="open")], {})


def test_every_result_of_our_own_is_there_and_nothing_else():
    own = [each for each in statements().values() if each.is_ours and each.chapter]
    page = ours_page(statements().values(), {})
    assert own and page.count("\n[") == len(own)
    assert all(f"](#{each.id})" in page for each in own)
    elsewhere = ours_page([replace(OURS, chapter="beyond/prices")], {})
    assert elsewhere.startswith("## Beside no paper")


def test_operations_and_memory_by_hand():
    """Two weights and a bias each way, three points: 7 weights, 6 x 7 x 3 operations a step."""
    one = Training("small", (1, 2, 1), points=3, steps=10, seeds=2)
    assert one.weights == 7 and one.operations == 6 * 7 * 3 * 10 * 2
    assert one.memory == 8 * (4 * 7 + 3 * 4)
    # Launches alone, however many cards there are.
    assert one.seconds() == one.seconds(8) == pytest.approx(10 * 5e-4)
    assert "launches" in one.breaks
    long = Training("long", (1, 10**5, 1), points=10**5, steps=10**4, seeds=16)
    assert long.seconds() == pytest.approx(8 * long.seconds(8))


def test_what_breaks_is_said():
    deep = TRAININGS[-1]
    assert deep.memory > CARD and deep.breaks.startswith("memory: one network fills")
    slow = Training("slow", (10, 10**4, 10**4, 10), points=10**5, steps=10**6, seeds=8)
    assert slow.memory < CARD and slow.breaks == "time"


def test_growth_is_drawn_on(tmp_path):
    growth = {"algorithm": "rebalance", "what": "units in each of four layers", "limit": "time"}
    growth |= {"sizes": [10, 100, 1000], "seconds": [0.01, 0.1, 1.0], "exponent": 2, "bytes": 10**6}
    path = tmp_path / "benchmarks.json"
    path.write_text(json.dumps({"rows": [{"growth": growth}, {"growth": None}]}))
    page = scaling_page(path)
    # Ten times the units: a hundred times the second, and of the megabyte.
    assert "| 1,000 | 1.0 s | $n^{2}$ | 10,000 | 1.7 min | 100 MB | time |" in page
    assert page.count("\n| ") == 4 + 1 + len(TRAININGS)
    assert "Nothing has been measured" in scaling_page(tmp_path / "absent.json")
