"""The map of statements: a drawing of what depends on what, and the same as a list.

Shape is the kind of a statement, border its verdict, fill the evidence of its checks, and a line at
the foot of a node the share of faults put into the code that these checks noticed.
"""

import json
from collections.abc import Mapping
from html import escape

from repcost_book.kernel.ledger import PARTS, Statement
from repcost_book.pages.inline import inline
from repcost_book.pages.ledger_pages import VERDICTS
from repcost_book.pages.map_labels import LINE, height, label, width
from repcost_book.pages.map_layout import WIDEST, Layout, edges, group
from repcost_book.pages.papers import FOUR

Ledger = Mapping[str, Statement]
KINDS = {
    "theorem": "theorem",
    "lemma": "lemma, proposition, corollary",
    "definition": "definition, equation",
    "figure": "figure",
    "remark": "remark, section",
    "ours": "not in the paper",
}
OF_NUMBER = {
    "Theorem": "theorem",
    "Lemma": "lemma",
    "Proposition": "lemma",
    "Corollary": "lemma",
    "Claim": "lemma",
    "Definition": "definition",
    "Equation": "definition",
    "Figure": "figure",
}
# How dark a node is, in hundredths.
FILL = {"exact": 42, "certified": 42, "experiment": 20}


def map_page(ledger: Ledger, layout: Layout, noticed: Mapping[str, str]) -> str:
    """What the page includes; `noticed` says of statements what their checks can tell."""
    count = f"{len(ledger)} statements, {len(edges(ledger))} dependencies."
    how = (
        "What is needed stands left of what needs it. Point at a statement, or reach it with the "
        "arrow keys, to see all that it stands on and all that it carries; a click leads to its "
        "box. The same stands below as a list."
    )
    said = f"{count} Each says what it uses, and why.\n\n{{.repcost-map-how}}\n{how}"
    parts = [_filters(), _legend(), _drawing(ledger, layout, noticed), _data(ledger, noticed)]
    parts.append(_list(ledger))
    return f"{said}\n\n````{{raw}} html\n" + "\n".join(parts) + "\n````\n"


def kind(statement: Statement) -> str:
    if statement.is_ours:
        return "ours"
    return next((of for word, of in OF_NUMBER.items() if word in statement.number), "remark")


def address(statement: Statement) -> str:
    """Where its box is, or its row where it has none."""
    return f"../{statement.chapter or 'start/ledger'}.html#{statement.id.replace('/', '-')}"


def _filters() -> str:
    buttons = "".join(
        f'<button class="repcost-tool thread-{id}" type="button" data-paper="{id}" '
        f'aria-pressed="false">{escape(name)}</button>'
        for id, name in PARTS.items()
    )
    return f'<div class="repcost-map-filters" role="group" aria-label="Papers">{buttons}</div>'


def _legend() -> str:
    shapes = [(kind, "", 0, said) for kind, said in KINDS.items()]
    verdicts = ["holds", "holds-with-condition", "false-as-printed", "open"]
    borders = [("lemma", each, 0, f"border: {VERDICTS[each]}") for each in verdicts]
    fills = [("definition", "", FILL["exact"], "fill: exact or certified")]
    fills.append(("definition", "", FILL["experiment"], "fill: experiment"))
    items = "".join(_sample(*each) for each in [*shapes, *borders, *fills])
    foot = _sample("definition", "", 0, "foot: faults its checks noticed", _foot("60%", 34, 17))
    return f'<ul class="repcost-map-legend">{items}{foot}</ul>'


def _sample(kind: str, verdict: str, fill: int, said: str, foot: str = "") -> str:
    shape = _shape(kind, 34, 17) + foot
    inside = f'<g class="repcost-{verdict}" style="--fill: {fill}">{shape}</g>'
    return f'<li><svg viewBox="-19 -10 38 20" aria-hidden="true">{inside}</svg>{said}</li>'


def _foot(noticed: str, wide: float, high: float) -> str:
    """A line as long as the share of noticed faults, from the left; nothing if none were tried."""
    long = (wide - 20) * float(noticed.partition("%")[0] or 0) / 100
    return f'<path class="repcost-told" d="M{10 - wide / 2:g},{high / 2 - 3:g}h{long:g}"/>'


def _shape(kind: str, wide: float, high: float) -> str:
    a, b = wide / 2, high / 2
    rectangle = f'class="repcost-shape" x="{-a:g}" y="{-b:g}" width="{wide:g}" height="{high:g}"'
    inner = f'x="{3 - a:g}" y="{3 - b:g}" width="{wide - 6:g}" height="{high - 6:g}"'
    path = '<path class="repcost-shape" d="{}"/>'
    return {
        "theorem": f'<rect {rectangle}/><rect class="repcost-inner" {inner}/>',
        "lemma": f'<rect {rectangle} rx="{b:g}"/>',
        "definition": f"<rect {rectangle}/>",
        "figure": path.format(f"M{7 - a:g},{-b:g}H{a:g}L{a - 7:g},{b:g}H{-a:g}Z"),
        "ours": path.format(
            f"M{-a:g},0L{10 - a:g},{-b:g}H{a - 10:g}L{a:g},0L{a - 10:g},{b:g}H{10 - a:g}Z"
        ),
        "remark": path.format(f"M{-a:g},{-b:g}H{a - 7:g}L{a:g},{7 - b:g}V{b:g}H{-a:g}Z"),
    }[kind]


def _drawing(ledger: Ledger, layout: Layout, noticed: Mapping[str, str]) -> str:
    grounds = "".join(_ground(id, *ends) for id, ends in layout.papers.items())
    lines = "".join(_edge(ledger, *route) for route in layout.routes if {*route[:2]} <= {*ledger})
    known = [id for id in ledger if id in layout.places]
    nodes = "".join(
        _node(ledger[id], layout.places[id], noticed.get(id, ""), n == 0)
        for n, id in enumerate(known)
    )
    wide = 18 + max([WIDEST, *(layout.places[id][0] + width(ledger[id]) / 2 for id in known)])
    high = max(low for _, low in layout.papers.values())
    name = "Map of statements: left and right follow a dependency, up and down go through all"
    box = f'viewBox="0 0 {wide:.0f} {high:.0f}" role="group" aria-label="{name}"'
    return f'<div class="repcost-map"><svg {box}>{grounds}{lines}{nodes}</svg></div>'


def _ground(paper: str, top: float, low: float) -> str:
    title = f"{PARTS[paper]}: {FOUR[paper].question}" if paper in FOUR else PARTS[paper]
    return (
        f'<g class="thread-{paper}"><rect class="repcost-ground" y="{top:g}" width="100%" '
        f'height="{low - top:g}" rx="6"/><text x="14" y="{top + 21:g}">{escape(title)}</text></g>'
    )


def _edge(ledger: Ledger, one: str, other: str, corners: list) -> str:
    start, *rest = (f"{x},{y}" for x, y in corners)
    far = " repcost-far" if group(ledger[one]) != group(ledger[other]) else ""
    look = f'class="repcost-edge thread-{group(ledger[other])}{far}"'
    return f'<path {look} data-from="{one}" data-to="{other}" d="M{start}C{" ".join(rest)}"/>'


def _node(statement: Statement, place: list[float], noticed: str, is_first: bool) -> str:
    verdict = VERDICTS[statement.verdict]
    name = escape(f"{statement.number}, {statement.source}: {verdict}")
    fill = max([FILL[claim.evidence] for claim in statement.claims], default=0)
    paper = statement.paper if statement.is_ours else group(statement)
    look = f'class="repcost-node thread-{paper} repcost-{statement.verdict}"'
    at = f'transform="translate({place[0]} {place[1]})" style="--fill: {fill}"'
    link = f'href="{address(statement)}" data-id="{statement.id}" tabindex="{-(not is_first)}"'
    size = width(statement), height(statement)
    shape = _shape(kind(statement), *size) + (_foot(noticed, *size) if noticed else "")
    return f'<a {link} aria-label="{name}" {look} {at}>{shape}{_lines(label(statement))}</a>'


def _lines(text: list[str]) -> str:
    top = 4 - LINE * (len(text) - 1) / 2
    spans = "".join(
        f'<tspan x="0" y="{top + LINE * n:g}">{escape(line)}</tspan>' for n, line in enumerate(text)
    )
    return f"<text>{spans}</text>"


def _data(ledger: Ledger, noticed: Mapping[str, str]) -> str:
    """What the cards of the drawing say beside what the list says."""
    told = {id: _card(statement, noticed.get(id)) for id, statement in ledger.items()}
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return f'<script type="application/json" id="repcost-map-data">{text}</script>'


def _card(statement: Statement, noticed: str | None) -> dict:
    kinds = ", ".join(dict.fromkeys(claim.evidence for claim in statement.claims))
    evidence = f"{kinds or 'nothing is checked'}{f', {noticed}' if noticed else ''}"
    return {
        "number": statement.number,
        "source": statement.source,
        "verdict": VERDICTS[statement.verdict],
        "evidence": evidence,
        "needs": dict(statement.needs),
    }


def _list(ledger: Ledger) -> str:
    items = "".join(_item(ledger, statement) for statement in ledger.values())
    return f'<ol class="repcost-map-list">{items}</ol>'


def _item(ledger: Ledger, statement: Statement) -> str:
    users = [other for other in ledger.values() if statement.id in other.needs]
    uses = [(ledger[id], why) for id, why in statement.needs.items()]
    used_by = [(other, other.needs[statement.id]) for other in users]
    told = "".join(_relation(name, links) for name, links in (("uses", uses), ("used by", used_by)))
    head = f'<a href="{address(statement)}">{escape(statement.number)}</a>'
    about = f"{escape(statement.source)}, {VERDICTS[statement.verdict]}"
    return (
        f'<li class="thread-{statement.paper}" data-paper="{group(statement)}">'
        f"<b>{head}</b> <small>{about}</small><br>"
        f"<span>{inline(statement.says)}</span>{told}</li>"
    )


def _relation(name: str, links: list[tuple[Statement, str]]) -> str:
    found = "; ".join(
        f'<a href="{address(other)}">{escape(other.number)}</a>, {escape(why)}'
        for other, why in links
    )
    return f"<br><small>{name} {found}</small>" if links else ""
