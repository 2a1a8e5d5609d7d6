"""What the benchmarks measured, as a small record and as tables in the book."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from repcost_book.pages.measured import method, problem
from repcost_book.runner.files import read_json, write

Row = dict[str, Any]
HEAD = [
    "| Problem | Method | CPU time | Spread | Ratio | Proved | Of peak | Growth |",
    "| --- | --- | ---: | ---: | ---: | --- | ---: | --- |",
]
GROWTH = [
    "| Algorithm | Size | CPU time at these sizes | Time grows like | Memory | First limit |",
    "| --- | --- | --- | ---: | ---: | --- |",
]
SPACE = "\N{NO-BREAK SPACE}"


def record(report: Path, results: Path) -> None:
    """Keep of pytest-benchmark's report what the tables need, with the machine and the versions."""
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
    """A row per method; a rival's says how many times the time of ours it took. Then growth."""
    if not results.is_file():
        return "Nothing has been measured yet: `python -m repcost_book bench`.\n"
    told = read_json(results)
    grown = [row["growth"] for row in told["rows"] if row.get("growth")]
    groups: dict[str, list[Row]] = {}
    for row in told["rows"]:
        if not row.get("growth"):
            groups.setdefault(row["group"], []).append(row)
    lines = [line for group, rows in groups.items() for line in _lines(group, rows, grown)]
    page = [_measured(told["about"]), "", *HEAD, *lines]
    if grown:
        page += ["", "## How it grows", "", *GROWTH, *map(_growth_line, grown)]
    return "\n".join(page) + "\n"


def _measured(about: dict[str, str]) -> str:
    where = f"one thread of {about['processor']}, Python {about['python']}"
    return f"Measured on {about['date']}, {where}."


def _row(benchmark: dict[str, Any]) -> Row:
    name = re.sub(r"^test_|\[.*\]$", "", benchmark["name"])
    stats, extra = benchmark["stats"], benchmark["extra_info"]
    # The least of the rounds is the one that other work on the machine disturbs least.
    least = stats["min"]
    return {
        "group": benchmark["group"] or name.replace("_", " "),
        "method": name.replace("_", " "),
        "parameters": benchmark["params"] or {},
        # Of those that take several steps or calls in a round.
        "seconds": least / extra.get("times", 1),
        "spread": stats["median"] / least - 1 if stats["rounds"] > 2 else None,
        "proved": extra.get("proved"),
        # Of those that time their rivals themselves, in turns.
        "ratio": extra.get("ratio"),
        "rivals": extra.get("rivals", []),
        # Of those that count their operations: the part of what the processor can do at all.
        "of_peak": extra.get("of peak"),
        # Of those that were profiled: which part of the time goes where.
        "shares": extra.get("shares"),
        "growth": extra.get("growth"),
    }


def _lines(group: str, rows: list[Row], grown: list[Row]) -> Iterator[str]:
    """The rows of one problem, which is named in the first of them."""
    ours = next((row["seconds"] for row in rows if row["method"].startswith("ours")), None)
    first, growth = problem(group), _growth_of(group, grown)
    for row in rows:
        cells = [method(group, row), *_measures(row, _ratio(row, ours)), _of_peak(row), growth]
        yield _line(first, *cells)
        first = growth = ""
        for rival in row.get("rivals", []):
            before = rival.get("before")
            ready = f", after {told_time(before)} of preparation" if before else ""
            times = _times(rival["seconds"] / row["seconds"])
            yield _line("", rival["what"] + ready, *_measures(rival, times), "", "")


def _measures(row: Row, ratio: str) -> list[str]:
    """Time, spread, ratio, and whether the answer is proved."""
    spread, proved = row.get("spread"), row.get("proved")
    words = {True: "yes", False: "no", None: ""}
    return [
        told_time(row["seconds"]),
        f"+{spread:.0%}" if spread is not None else "",
        ratio,
        words[proved],
    ]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _ratio(row: Row, ours: float | None) -> str:
    theirs = row["method"].startswith("theirs")
    times = row["seconds"] / ours if ours and theirs else row["ratio"]
    return _times(times) if times else ""


def _times(ratio: float) -> str:
    number = f"{ratio:.3g}" if ratio < 1000 else f"{ratio:,.0f}"
    return f"{number}{SPACE}×"


def _of_peak(row: Row) -> str:
    return f"{row['of_peak']:.1%}" if row.get("of_peak") else ""


def _growth_of(group: str, grown: list[Row]) -> str:
    """How the algorithm grows whose name the problem begins with; the longest such name."""
    fitting = [growth for growth in grown if group.startswith(growth["algorithm"])]
    longest = max((len(growth["algorithm"]) for growth in fitting), default=0)
    shown = [growth for growth in fitting if len(growth["algorithm"]) == longest]
    # The second table says it in full.
    counted = (growth["what"].partition(",")[0] for growth in shown)
    return "; ".join(
        f"{_power(growth)} in {what}" for growth, what in zip(shown, counted, strict=True)
    )


def _growth_line(growth: Row) -> str:
    times = ", ".join(map(told_time, growth["seconds"]))
    sizes = ", ".join(f"{size:,}" for size in growth["sizes"])
    size = f"{growth['what']}: {sizes}"
    return _line(growth["algorithm"], size, times, _power(growth), _memory(growth), growth["limit"])


def _power(growth: Row) -> str:
    return f"$n^{{{growth['exponent']:.2g}}}$"


def _memory(growth: Row) -> str:
    """At the largest size."""
    return f"{growth['bytes'] / 1e6:.3g}{SPACE}MB" if growth["bytes"] is not None else ""


def told_time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g}{SPACE}{unit}"
    return f"{seconds * 1e6:.3g}{SPACE}µs"
