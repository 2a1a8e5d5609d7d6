"""Where the tests' time goes, and to which process they do."""

from types import SimpleNamespace

import pytest

from repcost import function_cost, linear_layers_cost, rebalance
from repcost_book.kernel.checks import check
from tests.distribution import scope
from tests.times import GROUP, group_of, lines, most_used


def _report(nodeid: str, seconds: float, group: str) -> SimpleNamespace:
    return SimpleNamespace(nodeid=nodeid, duration=seconds, user_properties=[(GROUP, group)])


def test_seconds_are_added_by_group_by_file_and_by_test():
    reports = [_report(f"a::{n}", n, "unit: costs") for n in range(12)]
    reports += [_report("b::0", 30.0, "browser")]
    shown = [line.split(maxsplit=1) for line in lines(reports)]
    assert shown[:3] == [["66.0", "unit: costs"], ["30.0", "browser"], []]
    assert shown[3:6] == [["66.0", "a"], ["30.0", "b"], []]
    assert shown[6:] == [["30.0", "b::0"]] + [[f"{n}.0", f"a::{n}"] for n in range(11, 2, -1)]


def test_a_test_belongs_to_the_room_of_most_of_its_names(request):
    assert most_used({"a": function_cost, "b": linear_layers_cost, "c": rebalance}) == "costs"
    assert most_used({"a": check, "b": pytest, "c": 1}) == "book's kernel"
    assert most_used({"a": pytest, "b": "costs"}) == "others"
    assert group_of(request.node) == "unit: costs"
    assert dict(request.node.user_properties)[GROUP] == "unit: costs"


@pytest.mark.parametrize(
    "nodeid, shared",
    [
        ("tests/unit/test_a.py::test_b[c]", "tests/unit/test_a.py"),
        ("tests/browser/test_pages.py::test_it[book/start/welcome]", "welcome"),
        ("tests/browser/test_pages.py::test_other[book/start/welcome]", "welcome"),
        ("tests/browser/test_pages.py::test_it", "tests/browser/test_pages.py"),
        ("tests/reference/a.ipynb::Cell 0", "tests/reference/a.ipynb"),
    ],
)
def test_a_file_stays_together_and_a_page_does(nodeid, shared):
    page = "tests/browser/test_pages.py[book/start/welcome]"
    assert scope(nodeid) == {"welcome": page}.get(shared, shared)
