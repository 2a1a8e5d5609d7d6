"""What the benchmarks measured, as a small record and as a table of ratios in the book."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

from repcost_book.runner.files import write


def record(report: Path, results: Path) -> None:
    """Keep of pytest-benchmark's report what the table needs, with the machine and the versions it
    ran on.
    """
    told = json.loads(report.read_text())
    rows = [_row(benchmark) for benchmark in told["benchmarks"]]
    about = {
        "processor": told["machine_info"]["cpu"]["brand_raw"],
        "python": told["machine_info"]["python_version"],
        "date": datetime.fromisoformat(told["datetime"]).astimezone(UTC).date().isoformat(),
    }
    write(results, json.dumps({"about": about, "rows": rows}, indent=1) + "\n")


def speed_page(results: Path) -> str:
    """A table with a row per measurement; a rival's row says how many times the time of ours it
    took.
    """
    if not results.is_file():
        return "Nothing has been measured yet: `python -m repcost_book bench`.\n"
    told = json.loads(results.read_text())
    groups: dict[str, list[dict]] = {}
    for row in told["rows"]:
        groups.setdefault(row["group"], []).append(row)
    lines = [
        "| Problem | Method | CPU time | Ratio | Of peak |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for group, rows in groups.items():
        lines += _lines(group, rows)
    about = told["about"]
    measured = f"Measured on {about['date']}, one thread of {about['processor']}, Python {about['python']}."
    return "\n".join([measured, "", *lines]) + "\n"


def _row(benchmark: dict) -> dict:
    """The least time over the rounds, which is the one that other work on the machine disturbs
    least.
    """
    name = re.sub(r"^test_|\[.*\]$", "", benchmark["name"])
    return {
        "group": benchmark["group"] or name.replace("_", " "),
        "method": name.replace("_", " "),
        "parameters": benchmark["params"] or {},
        "seconds": benchmark["stats"]["min"],
        # Of those that time their rival themselves, step by step in turns.
        "ratio": benchmark["extra_info"].get("ratio"),
        # Of those that count their operations: the part of what the processor can do at all.
        "of_peak": benchmark["extra_info"].get("of peak"),
    }


def _lines(group: str, rows: list[dict]) -> list[str]:
    ours = next((row["seconds"] for row in rows if row["method"].startswith("ours")), None)
    lines = []
    for number, row in enumerate(rows):
        # Parameters that the name of the group does not tell already.
        told = [
            f"{key} {value}" for key, value in row["parameters"].items() if str(value) not in group
        ]
        method = ", ".join([row["method"], *told])
        times = (
            row["seconds"] / ours if ours and row["method"].startswith("theirs") else row["ratio"]
        )
        ratio = f"{times:.3g}\N{NO-BREAK SPACE}×" if times else ""
        of_peak = f"{row['of_peak']:.1%}" if row.get("of_peak") else ""
        lines.append(
            f"| {'' if number else group} | {method} | {_time(row['seconds'])} | {ratio} | {of_peak} |"
        )
    return lines


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g}\N{NO-BREAK SPACE}{unit}"
    return f"{seconds * 1e6:.3g}\N{NO-BREAK SPACE}µs"
