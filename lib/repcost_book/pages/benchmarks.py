"""What the benchmarks measured, as a small record and as a table of ratios in the book."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

from repcost_book.runner.files import read_json, write

HEAD = ["| Problem | Method | CPU time | Ratio | Of peak |", "| --- | --- | ---: | ---: | ---: |"]
SPACE = "\N{NO-BREAK SPACE}"


def record(report: Path, results: Path) -> None:
    """Keep of pytest-benchmark's report what the table needs, with the machine and the versions."""
    told = json.loads(report.read_text())
    date = datetime.fromisoformat(told["datetime"]).astimezone(UTC).date()
    about = {
        "processor": told["machine_info"]["cpu"]["brand_raw"],
        "python": told["machine_info"]["python_version"],
        "date": date.isoformat(),
    }
    rows = [_row(benchmark) for benchmark in told["benchmarks"]]
    write(results, json.dumps({"about": about, "rows": rows}, indent=1) + "\n")


def speed_page(results: Path) -> str:
    """A row per measurement; a rival's says how many times the time of ours it took."""
    if not results.is_file():
        return "Nothing has been measured yet: `python -m repcost_book bench`.\n"
    told = read_json(results)
    groups: dict[str, list[dict]] = {}
    for row in told["rows"]:
        groups.setdefault(row["group"], []).append(row)
    lines = [line for group, rows in groups.items() for line in _lines(group, rows)]
    return "\n".join([_measured(told["about"]), "", *HEAD, *lines]) + "\n"


def _measured(about: dict) -> str:
    where = f"one thread of {about['processor']}, Python {about['python']}"
    return f"Measured on {about['date']}, {where}."


def _row(benchmark: dict) -> dict:
    name = re.sub(r"^test_|\[.*\]$", "", benchmark["name"])
    return {
        "group": benchmark["group"] or name.replace("_", " "),
        "method": name.replace("_", " "),
        "parameters": benchmark["params"] or {},
        # The least of the rounds is the one that other work on the machine disturbs least.
        "seconds": benchmark["stats"]["min"],
        # Of those that time their rival themselves, step by step in turns.
        "ratio": benchmark["extra_info"].get("ratio"),
        # Of those that count their operations: the part of what the processor can do at all.
        "of_peak": benchmark["extra_info"].get("of peak"),
    }


def _lines(group: str, rows: list[dict]) -> list[str]:
    """The rows of one problem, which is named in the first of them."""
    ours = next((row["seconds"] for row in rows if row["method"].startswith("ours")), None)
    cells = [
        [_method(group, row), _time(row["seconds"]), _ratio(row, ours), _of_peak(row)]
        for row in rows
    ]
    problems = [group] + [""] * (len(rows) - 1)
    return [f"| {' | '.join([name, *each])} |" for name, each in zip(problems, cells, strict=True)]


def _method(group: str, row: dict) -> str:
    """The method, with the parameters that the name of the problem does not tell already."""
    parameters = row["parameters"].items()
    untold = [f"{key} {value}" for key, value in parameters if str(value) not in group]
    return ", ".join([row["method"], *untold])


def _ratio(row: dict, ours: float | None) -> str:
    theirs = row["method"].startswith("theirs")
    times = row["seconds"] / ours if ours and theirs else row["ratio"]
    return f"{times:.3g}{SPACE}×" if times else ""


def _of_peak(row: dict) -> str:
    return f"{row['of_peak']:.1%}" if row.get("of_peak") else ""


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g}{SPACE}{unit}"
    return f"{seconds * 1e6:.3g}{SPACE}µs"
