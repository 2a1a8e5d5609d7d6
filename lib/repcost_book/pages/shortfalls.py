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
        found = [row for row in rows if self._is(row)]
        took = f" ({told_time(found[0]['seconds'])})" if found else ""
        where = [_where_it_goes(row) for row in found[:1] if row.get("shares")]
        return " ".join([f"- *{self.what}*{took}. {self.why}", *where])

    def _is(self, row: dict[str, Any]) -> bool:
        of_row = row["parameters"]
        asked = all(of_row.get(key) == value for key, value in self.parameters.items())
        return row["group"] == self.group and asked


def _where_it_goes(row: dict[str, Any]) -> str:
    """The parts of a profile, and how far ahead of the last rival they leave us to be at most."""
    shares = row["shares"]
    common = sum(shares.values())
    rival = row["rivals"][-1]
    most = rival["seconds"] / row["seconds"] / common
    return (
        f"Of our time {shares['products']:.0%} are these products and {shares['Adam']:.0%} Adam's, "
        f"which rivals spend too, by the same routines: with nothing else to do we should be "
        f"{most:.1f} times as fast as {rival['what']}."
    )


def _faces(points: int) -> int:
    """About how many there are in space, where a bias is the fourth coordinate."""
    return comb(points, 3) << 4


SHORTFALLS = (
    Shortfall(
        "training steps, 64 nets of 100 units, 10 points",
        {"name": "64 nets of 100 units, 10 points"},
        "Training steps of 64 networks of 100 units against all of them in stacks by PyTorch",
        "We hoped for four times their speed, and for three times that of what the compiler makes "
        "of them. A step passes some ten times over 64,000 numbers, which fit into a fast cache, "
        "and multiplies thin matrices.",
    ),
    Shortfall(
        "training steps, 64 nets of 4 x 100 units",
        {"name": "64 nets of 4 x 100 units"},
        "Training steps of 64 deep networks of 100 units against the same",
        "We hoped for twice their speed, and for half as much again as the compiler's. Most of a "
        "step are products of ten points with matrices of weights, each of which is read for "
        "twenty operations a number.",
    ),
    Shortfall(
        "linear_regions, larger networks in the plane, without maps",
        {"widths": [2, 64, 64, 2]},
        "Regions of a network 2-64-64-2",
        "We hoped for ten milliseconds. All cells of a layer are cut at once, each by the line "
        "nearest its middle, in some thirty rounds of fifty calls to numpy; no function takes "
        "more than a twelfth of the time, and small networks are slowed by the calls alone.",
    ),
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
        {"N": 40, "d": 10, "m": 3},
        "Optima of networks with three outputs, of 40 points in ten variables",
        "We hoped for a minute. Hundreds of directions of the outputs are bounded, each by a "
        "search that begins anew; most of them lie near one of the neurons of the optimum, in "
        "every direction of which the bound is nearly attained. With one output 60 points in "
        "twenty variables take most of a minute, half of it for the ranges that half-spaces "
        "leave, and 50 "
        f"points a tenth of that. In space 100 points are done by a list of {_faces(100):,} faces; "
        f"150 points have {_faces(150):,}, too many for the memory, and branch and bound does "
        "not come to an end in few dimensions: its ranges miss that most parts of the ball that "
        "half-spaces leave are empty.",
    ),
)


def shortfalls_page(results: Path) -> str:
    rows = read_json(results)["rows"] if results.is_file() else []
    return "\n".join(each.told(rows) for each in SHORTFALLS) + "\n"
