"""What a row of the benchmarks measured, in plain words: whose method, and on what.

A row has the name of the test that measured it, which is for those who read tests.
"""

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any

OURS = "this library"
# Rivals that have rows of their own: their test, how the problem begins, and what they are.
RIVALS = [
    (
        "theirs dictionary",
        "interpolate_plane",
        "a linear programme with 400 directions, by HiGHS: from above only",
    ),
    ("theirs", "shallow_optimum", "all patterns of signs in one cone programme, by Clarabel"),
    ("theirs helsgaun", "shortest_open_tour", "LKH, by elkai: no proof"),
    (
        "theirs",
        "shortest_open_tour",
        "a mixed-integer programme (Miller, Tucker and Zemlin 1960), by HiGHS",
    ),
    ("theirs cyclic sweeps", "rebalance", "ENorm (Stock et al. 2019), until it rests"),
]
# Rows of ours of which neither the problem nor a parameter says what was measured, or against what.
SAID = {
    "time to target": f"{OURS}, 16 networks; the rival: twelve lines of PyTorch, net by net",
    "collapsed linear layers": f"{OURS}, linear layers 2 wide; the rival: {OURS}, 100 wide",
    "rank of a map onto a cross": f"{OURS}, a map onto a cross",
    "rank of a random network": f"{OURS}, a random network",
    "neighbours": "",
}
# Problems that would not say what was done.
PROBLEMS = {
    "to a certified gap of 0.1 %": "training, to a certified gap of 0.1 %",
    "linear layers to 1 % of the best": "training linear layers, to 1 % of the best",
}
# Parameters of tests, as the reader calls them, some of one function alone.
NAMES = {
    "cp_rank N": "{} rows",
    "N": "{} points",
    "n": "{} points",
    "points": "{} points",
    "count": "{} points",
    "d": "{} variables",
    "dimension": "{} variables",
    "m": "{} outputs",
    "k": "{} coordinates",
    "K": "{} units",
    "kept": "{} of the entries",
    "rtol": "to a gap of {}",
    "name": "{}",
    "tool": "by {}",
}


def problem(group: str) -> str:
    """What was computed, with numbers as readers write them."""
    told = re.sub(r"\d{4,}", lambda found: f"{int(found[0]):,}", PROBLEMS.get(group, group))
    return re.sub(r"\b1 (\w+)s\b", r"1 \1", told)


def method(group: str, row: Mapping[str, Any]) -> str:
    """Whose method it is, with the parameters that the name of the problem does not tell."""
    if row.get("rivals"):
        return OURS
    function = re.split(r"[, ]", group)[0]
    parameters = row["parameters"].items()
    untold = [_told(function, *each) for each in parameters if str(each[1]) not in group]
    return ", ".join(filter(None, [_whose(group, row["method"]), *untold]))


def _whose(group: str, test: str) -> str:
    for name, begins, what in RIVALS:
        if test == name and group.startswith(begins):
            return what
    return SAID.get(test, test if test.startswith("theirs") else OURS)


def _told(function: str, name: str, value: Any) -> str:
    if name == "widths":
        return f"widths {_widths(value)}"
    said = f"{value:,}" if isinstance(value, int) else f"{value}"
    form = NAMES.get(f"{function} {name}") or NAMES.get(name, f"{name} {{}}")
    told = form.format(said)
    # One point has no plural.
    return told.removesuffix("s") if value == 1 else told


def _widths(widths: list[int]) -> str:
    """With 2-8-8-8-2 told as 2, three times 8, 2."""
    runs = [(width, len([*same])) for width, same in groupby(widths)]
    if len(widths) < 6:
        return "-".join(map(str, widths))
    return ", ".join(f"{count} times {width}" if count > 1 else f"{width}" for width, count in runs)
