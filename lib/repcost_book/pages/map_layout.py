"""Where each statement stands on the map of what depends on what: laid out by Graphviz, and kept.

`make map` writes `map_layout.json`, which is committed: the pages are made without Graphviz. Each
paper is laid out by itself, from left to right, and the papers stand one below the other, so that
the map fits a window of 1366. Edges between papers are drawn over that.
"""

import hashlib
import json
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from repcost_book.kernel.ledger import PAPERS, PARTS, Statement
from repcost_book.pages.map_labels import height, label, width

KEPT = Path(__file__).with_name("map_layout.json")
WIDEST, GAP = 1250, 12
# What Graphviz is asked for, and the one with the fewest crossings is taken: effort, and order.
TRIES = [(1, False), (8, False), (1, True), (8, True)]

Place = tuple[float, float]
Edge = tuple[str, str]


@dataclass(frozen=True)
class Layout:
    """Middles of nodes and corners of edges by ids, the height of each paper, and of what it is."""

    digest: str
    places: dict[str, list[float]]
    routes: list[list]
    papers: dict[str, list[float]]

    @classmethod
    def kept(cls) -> "Layout":
        return cls(**json.loads(KEPT.read_text(encoding="utf-8")))

    def text(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":")).replace('],"', '],\n"') + "\n"


def group(statement: Statement) -> str:
    """The paper beside which a statement stands: our own stand where they are shown.

    Those of the first pages stand beside the paper of the first thing that they need.
    """
    folder = (statement.chapter or "").partition("/")[0]
    if folder in PARTS:
        return statement.paper if statement.paper in PAPERS else folder
    near = [statement.paper, *(each.partition("/")[0] for each in statement.needs)]
    return next((each for each in near if each in PAPERS), folder)


def edges(ledger: Mapping[str, Statement]) -> list[Edge]:
    """From what is needed to what needs it."""
    return [(needed, id) for id, statement in ledger.items() for needed in statement.needs]


def digest(ledger: Mapping[str, Statement]) -> str:
    """Of all that the layout depends on: another one needs `make map`."""
    nodes = [(id, label(statement), group(statement)) for id, statement in ledger.items()]
    told = json.dumps([sorted(nodes), sorted(edges(ledger))])
    return hashlib.sha256(told.encode()).hexdigest()


def laid_out(ledger: Mapping[str, Statement]) -> Layout:
    """All papers below each other; needs Graphviz."""
    places: dict[str, list[float]] = {}
    routes: list[list] = []
    papers: dict[str, list[float]] = {}
    top = 0.0
    for paper in PARTS:
        own = {id: each for id, each in ledger.items() if group(each) == paper}
        found, drawn = _paper(own, [edge for edge in edges(ledger) if {*edge} <= own.keys()])
        low = max(0.0, _low(own, found))
        places |= {id: [round(x), round(top + 40 + y)] for id, (x, y) in found.items()}
        for (one, other), corners in drawn.items():
            routes.append([one, other, [[round(x), round(top + 40 + y)] for x, y in corners]])
        papers[paper] = [top, top + 40 + low + 16]
        top = papers[paper][1] + 18
    far = [edge for edge in edges(ledger) if group(ledger[edge[0]]) != group(ledger[edge[1]])]
    routes += [[*edge, _across(ledger, places, edge)] for edge in far]
    return Layout(digest(ledger), places, routes, papers)


def _across(ledger: Mapping[str, Statement], places: dict, edge: Edge) -> list[list[float]]:
    """From the right side of one node to the left side of the other, in a bow."""
    (x, y), (u, v) = (places[id] for id in edge)
    x, u = x + width(ledger[edge[0]]) / 2, u - width(ledger[edge[1]]) / 2
    bow = 60 + abs(u - x) / 4
    right, left = min(x + bow, WIDEST + 15), max(u - bow, 3)
    return [[round(part) for part in at] for at in ((x, y), (right, y), (left, v), (u, v))]


def _paper(own: Mapping[str, Statement], inside: list[Edge]) -> tuple[dict[str, Place], dict]:
    """What hangs together by Graphviz, and below it what stands alone, in rows."""
    joined = {id for edge in inside for id in edge}
    graph = {id: each for id, each in own.items() if id in joined}
    tries = [_dot(graph, inside, *how) for how in TRIES] if graph else [({}, {})]
    places, routes = min(tries, key=lambda found: crossings(found[0], inside))
    alone = [statement for id, statement in own.items() if id not in joined]
    return places | _rows(alone, _low(graph, places)), routes


def _low(nodes: Mapping[str, Statement], places: Mapping[str, Place]) -> float:
    """Where the lowest of the nodes ends."""
    return max([y + height(nodes[id]) / 2 for id, (_, y) in places.items()], default=-2.0 * GAP)


def _rows(alone: Iterable[Statement], top: float) -> dict[str, Place]:
    """Nodes beside each other, as many as fit in a row."""
    rows: list[list[Statement]] = [[]]
    for statement in alone:
        if sum(width(each) + GAP for each in [*rows[-1], statement]) > WIDEST:
            rows.append([])
        rows[-1].append(statement)
    places = {}
    for row in filter(None, rows):
        top, left = top + 2 * GAP, 18.0
        high = max(map(height, row))
        for statement in row:
            places[statement.id] = (left + width(statement) / 2, top + high / 2)
            left += width(statement) + GAP
        top += high - GAP
    return places


def crossings(places: Mapping[str, Place], lines: Iterable[Edge]) -> int:
    """How many pairs of straight edges cross."""

    def side(p: Place, q: Place, r: Place) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    def cross(one: Edge, other: Edge) -> bool:
        if {*one} & {*other}:
            return False
        p, q, r, s = (places[id] for id in (*one, *other))
        return side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0

    return sum(cross(*pair) for pair in combinations(lines, 2))


def _dot(
    graph: Mapping[str, Statement], lines: list[Edge], effort: int, is_reversed: bool
) -> tuple[dict[str, Place], dict[Edge, list[Place]]]:
    """One layout; y downwards, from the upper left corner."""
    names = sorted(graph, reverse=True) if is_reversed else list(graph)
    nodes = [f'"{id}" [{_size(graph[id])}];' for id in names]
    arrows = [f'"{one}" -> "{other}";' for one, other in lines]
    head = f"rankdir=LR; nodesep=.12; ranksep=.36; splines=true; mclimit={effort};"
    head += 'node [shape=box fixedsize=true label=""]; edge [arrowhead=none];'
    source = "\n".join(["digraph {", head, *nodes, *arrows, "}"])
    said = subprocess.run(
        ["dot", "-Tjson"], input=source, capture_output=True, text=True, check=True
    )
    return _read(json.loads(said.stdout))


def _size(statement: Statement) -> str:
    return f"width={width(statement) / 72:.3f} height={height(statement) / 72:.3f}"


def _read(drawn: dict[str, Any]) -> tuple[dict[str, Place], dict[Edge, list[Place]]]:
    high = float(drawn["bb"].split(",")[3])

    def place(text: str) -> Place:
        x, y = text.split(",")
        return float(x) + 18, high - float(y)

    names = {each["_gvid"]: each["name"] for each in drawn["objects"]}
    places = {each["name"]: place(each["pos"]) for each in drawn["objects"]}
    routes = {
        (names[each["tail"]], names[each["head"]]): [place(at) for at in each["pos"].split()]
        for each in drawn.get("edges", [])
    }
    return places, routes
