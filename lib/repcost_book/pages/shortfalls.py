"""What falls short on the page on speed, with the times that the benchmarks measured."""

from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

from repcost_book.pages.benchmarks import told_time
from repcost_book.runner.files import read_json


@dataclass(frozen=True)
class Shortfall:
    """A row of the benchmarks by its group and some of its parameters, in words, and a reason."""

    group: str
    parameters: dict[str, Any]
    what: str
    why: str

    def told(self, rows: list[dict[str, Any]]) -> str:
        """Without a time where the row was not measured."""
        times = [told_time(row["seconds"]) for row in rows if self._is(row)]
        took = f" ({times[0]})" if times else ""
        return f"- *{self.what}*{took}. {self.why}"

    def _is(self, row: dict[str, Any]) -> bool:
        of_row = row["parameters"]
        asked = all(of_row.get(key) == value for key, value in self.parameters.items())
        return row["group"] == self.group and asked


def _faces(points: int) -> int:
    """About how many there are in space, where a bias is the fourth coordinate."""
    return comb(points, 3) << 4


SHORTFALLS = (
    Shortfall(
        "linear_regions, four variables",
        {"widths": [4, 4, 3, 3]},
        "Regions in four variables and more, of a network 4-4-3-3",
        "They are not exact, and slower than those of the plane and of space, cell by cell a "
        "hundred times: linear programmes look for them. What makes the plane and space exact and "
        "quick, floats with a bound and whole numbers where they are in doubt, has not been "
        "written for cells whose faces have faces of their own.",
    ),
    Shortfall(
        "shallow_optimum, the largest in a minute",
        {"N": 40, "d": 5, "m": 3},
        "Optima of networks with three outputs, of 40 points in five variables",
        "Eight hundred directions of the outputs are bounded one after the other, each by a search "
        "that begins anew; most of them lie near one of the neurons of the optimum, in every "
        "direction of which the bound is nearly attained. With one output 60 points in twenty "
        "variables take nearly a minute, half of it for the ranges that half-spaces leave, and 50 "
        f"points a tenth of that. In space 100 points are done by a list of {_faces(100):,} faces; "
        f"150 points have {_faces(150):,}, too many for the memory, and branch and bound does "
        "not come to an end in few dimensions: its ranges miss that most parts of the ball that "
        "half-spaces leave are empty.",
    ),
)


def shortfalls_page(results: Path) -> str:
    rows = read_json(results)["rows"] if results.is_file() else []
    return "\n".join(each.told(rows) for each in SHORTFALLS) + "\n"
