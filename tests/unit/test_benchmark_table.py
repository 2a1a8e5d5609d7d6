import json

import pytest

from repcost_book.pages.benchmarks import record, speed_page


def measurement(name, seconds, group: str | None = "a sum, 10 terms", params=None):
    info = {"ratio": 12.0, "of peak": 0.345} if group is None else {}
    return {
        "name": name,
        "group": group,
        "params": params,
        "stats": {"min": seconds},
        "extra_info": info,
    }


@pytest.fixture
def results(tmp_path):
    told = {
        "machine_info": {"cpu": {"brand_raw": "A Processor"}, "python_version": "3.11.2"},
        "datetime": "2026-01-02T23:30:00+00:00",
        "benchmarks": [
            measurement("test_ours[10]", 2e-3, params={"terms": 10}),
            measurement("test_theirs_by_hand[10]", 1.0, params={"terms": 10}),
            measurement("test_ours_deep[3]", 5e-6, group=None, params={"depth": 3}),
        ],
    }
    report = tmp_path / "report.json"
    report.write_text(json.dumps(told))
    record(report, tmp_path / "results" / "benchmarks.json")
    return tmp_path / "results" / "benchmarks.json"


def test_the_table_names_the_machine_and_shows_ratios(results):
    page = speed_page(results).replace("\N{NO-BREAK SPACE}", " ")
    assert "2026-01-02, one thread of A Processor, Python 3.11.2" in page
    assert "| a sum, 10 terms | ours | 2 ms |  |  |" in page
    assert "|  | theirs by hand | 1 s | 500 × |  |" in page
    assert "| ours deep | ours deep, depth 3 | 5 µs | 12 × | 34.5% |" in page


def test_before_anything_was_measured(tmp_path):
    assert "bench" in speed_page(tmp_path / "none.json")
