import json
import re

import pytest

from repcost_book.pages.benchmarks import record, speed_page
from repcost_book.pages.measured import method, problem
from repcost_book.pages.shortfalls import SHORTFALLS, shortfalls_page
from repcost_book.runner.files import read_json
from repcost_book.runner.project import Project


def measurement(name, seconds, group: str | None = "a sum, 10 terms", params=None):
    info = {"ratio": 12.0, "of peak": 0.345} if group is None else {}
    return {
        "name": name,
        "group": group,
        "params": params,
        "stats": {"min": seconds, "median": 1.25 * seconds, "rounds": 3},
        "extra_info": info,
    }


def in_turns(name, seconds):
    """Ten times in a round, against a rival that was made ready before."""
    rival = {"what": "a loop", "seconds": 3e-3, "spread": 0.5, "proved": False, "before": 9.0}
    told = measurement(name, 10 * seconds, "a product, 5 terms")
    told["extra_info"] = {"times": 10, "proved": True, "rivals": [rival]}
    return told


def growing():
    growth = {
        "algorithm": "a product",
        "what": "terms, of any size",
        "limit": "memory",
        "sizes": [10, 1000],
        "seconds": [1e-3, 0.1],
        "exponent": 1.0,
        "bytes": 2_000_000,
    }
    return measurement("test_growth[a product]", 1.0, "growth") | {"extra_info": {"growth": growth}}


@pytest.fixture
def results(tmp_path):
    told = {
        "machine_info": {"cpu": {"brand_raw": "A Processor"}, "python_version": "3.11.2"},
        "datetime": "2026-01-02T23:30:00+00:00",
        "benchmarks": [
            measurement("test_ours[10]", 2e-3, params={"terms": 10}),
            measurement("test_theirs_by_hand[10]", 1.0, params={"terms": 10}),
            measurement("test_ours_deep[3]", 5e-6, group=None, params={"depth": 3}),
            in_turns("test_ours_and_theirs", 1e-3),
            growing(),
        ],
    }
    report = tmp_path / "report.json"
    report.write_text(json.dumps(told))
    record(report, tmp_path / "results" / "benchmarks.json")
    return tmp_path / "results" / "benchmarks.json"


def test_the_table_names_the_machine_and_shows_ratios(results):
    page = speed_page(results).replace("\N{NO-BREAK SPACE}", " ")
    assert "2026-01-02, one thread of A Processor, Python 3.11.2" in page
    assert "| a sum, 10 terms | this library | 2 ms | +25% |  |  |  |  |" in page
    assert "|  | theirs by hand | 1 s | +25% | 500 × |  |  |  |" in page
    assert "| ours deep | this library, depth 3 | 5 µs | +25% | 12 × |  | 34.5% |  |" in page


def test_rivals_that_took_turns_stand_below_ours(results):
    page = speed_page(results).replace("\N{NO-BREAK SPACE}", " ")
    ours = "| a product, 5 terms | this library | 1 ms | +25% |  | yes |  | $n^{1}$ in terms |"
    theirs = "|  | a loop, after 9 s of preparation | 3 ms | +50% | 3 × | no |  |  |"
    assert f"{ours}\n{theirs}\n" in page


def test_growth_has_a_table_of_its_own(results):
    main, grown = speed_page(results).replace("\N{NO-BREAK SPACE}", " ").split("## How it grows")
    assert "growth" not in main
    assert (
        "| a product | terms, of any size: 10, 1,000 | 1 ms, 100 ms | $n^{1}$ | 2 MB | memory |"
        in grown
    )


def test_every_row_has_a_cell_for_each_column(results):
    tables = [line for line in speed_page(results).splitlines() if line.startswith("|")]
    assert {line.count("|") for line in tables} == {9, 7}


def test_the_record_of_an_older_version_is_still_a_table(results):
    told = json.loads(results.read_text())
    for row in told["rows"]:
        for new in ("spread", "proved", "rivals", "growth"):
            del row[new]
    results.write_text(json.dumps(told))
    assert "| a sum, 10 terms | this library | 2" in speed_page(results)


def test_before_anything_was_measured(tmp_path):
    assert "bench" in speed_page(tmp_path / "none.json")


@pytest.mark.parametrize("each", SHORTFALLS, ids=lambda each: each.what)
def test_what_falls_short_has_the_time_that_was_measured(each, results):
    row = {"group": each.group, "parameters": each.parameters, "seconds": 1.25}
    results.write_text(json.dumps({"rows": [row]}))
    told = shortfalls_page(results).replace("\N{NO-BREAK SPACE}", " ")
    assert f"- *{each.what}* (1.25 s). {each.why}\n" in told
    # Controls: another row's time is not shown, and without a row there is none.
    for other in ({"group": "another"}, {"parameters": {}}):
        results.write_text(json.dumps({"rows": [row | other]}))
        assert f"- *{each.what}*. {each.why}\n" in shortfalls_page(results)


def test_what_falls_short_says_where_the_time_goes(results):
    each = next(each for each in SHORTFALLS if each.group.startswith("training"))
    rival = {"what": "the same, compiled", "seconds": 3.0}
    row = {"group": each.group, "parameters": each.parameters, "seconds": 2.0, "rivals": [rival]}
    row["shares"] = {"products": 0.5, "Adam": 0.25}
    results.write_text(json.dumps({"rows": [row]}))
    told = shortfalls_page(results)
    # Three quarters of two seconds are common to both.
    assert "50% are these products and 25% Adam's" in told
    assert "2.0 times as fast as the same, compiled" in told


HERE = Project.here()
ROWS = [row for row in read_json(HERE.benchmarks)["rows"] if not row.get("growth")]
# Labels of tests, and their parameters, as nobody would say them.
LABEL = re.compile(r"\b(ours|theirs|test)\b|\b(rtol|[NdmkK]) \d|[\[\]_]")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['group']}, {row['method']}")
def test_a_row_says_in_words_whose_method_it_is(row):
    told = method(row["group"], row)
    assert LABEL.search(told) is None
    assert LABEL.search(row["method"]) or row["method"] != told, "the test must be able to fail"


@pytest.mark.parametrize(
    ("untold", "label"),
    [("ours regularised", "ours"), ("larger, N 8, d 1", "N 8"), ("a_b", "_")],
)
def test_labels_of_tests_are_found(untold, label):
    found = LABEL.search(untold)
    assert found and found[0] == label


def test_a_rival_without_words_is_seen():
    """One that is added has to be told in `measured.RIVALS`, or the test of its row fails."""
    assert method("a sum", {"method": "theirs anew", "parameters": {}}) == "theirs anew"


def test_widths_of_many_layers_are_counted():
    told = method("", {"method": "ours", "parameters": {"widths": [2, *[16] * 20, 2]}})
    assert told == "this library, widths 2, 20 times 16, 2"
    one = {"method": "ours", "parameters": {"d": 1, "N": 12_000}}
    assert method("", one) == "this library, 1 variable, 12,000 points"


def test_problems_have_numbers_as_readers_write_them():
    assert problem("function_cost, 1000000 units") == "function_cost, 1,000,000 units"
    assert problem("optimum, 12 points in 1 variables") == "optimum, 12 points in 1 variable"
    assert problem("to a certified gap of 0.1 %").startswith("training")
    rows = {"method": "cp rank", "parameters": {"N": 6}}
    assert method("cp_rank of the blocks", rows) == "this library, 6 rows"
