"""What falls short on the page on speed, with the times that the benchmarks measured."""

from dataclasses import dataclass
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


SHORTFALLS = (
    Shortfall(
        "linear_regions, three variables",
        {"widths": [3, 8, 8, 3]},
        "Regions of space, of a network 3-8-8-3",
        "They are not exact, and slower than those of the plane: three quarters of the time go "
        "into linear programmes, three for every two cells, and nine tenths of that into handing "
        "them over to the solver. What makes the plane exact and quick, floats with a bound and "
        "whole numbers where they are in doubt, has not been written for corners of three planes.",
    ),
    Shortfall(
        "shallow_optimum, the largest in a minute",
        {"N": 20, "d": 5, "m": 3},
        "Optima of networks with three outputs, of 20 points in five variables",
        "Of 30 points the ends stay 1.7e-4 apart, with time to spare: five hundred directions of "
        "the outputs are bounded one after the other, each by a search that begins anew, and two "
        "of these bounds end too high to be any help, which we have not explained. With one output "
        "60 points in twenty variables take nearly a minute, half of it for the ranges that "
        "half-spaces leave, and 50 points a tenth of that.",
    ),
)


def shortfalls_page(results: Path) -> str:
    rows = read_json(results)["rows"] if results.is_file() else []
    return "\n".join(each.told(rows) for each in SHORTFALLS) + "\n"
