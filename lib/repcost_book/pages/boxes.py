"""The boxes of statements: the paper's own number, the verdict, and how much is checked."""

import json
from collections import Counter
from html import escape
from pathlib import Path
from typing import cast

from docutils import nodes
from docutils.nodes import Node
from sphinx.domains.std import StandardDomain
from sphinx.util import logging
from sphinx_proof.directive import ElementDirective

from repcost_book.kernel.checks import anchor
from repcost_book.kernel.ledger import PAPERS, Erratum, Statement, statements
from repcost_book.pages.doubt import NOTICED
from repcost_book.pages.ledger_pages import VERDICTS
from repcost_book.pages.papers import source_link
from repcost_book.pages.signs import letters
from repcost_book.pages.symbols import NOTATION

logger = logging.getLogger(__name__)


class Box(ElementDirective):
    """A `prf:` box; labelled with the id of a statement, it bears number, verdict and checks."""

    def run(self) -> list[Node]:
        statement = statements().get(self.options.get("label", ""))
        if statement is None:
            return super().run()
        if self.arguments != [statement.number]:
            said = "the box %s must be titled %r"
            logger.warning(said, statement.id, statement.number, location=self.get_location())
        return [self._box(statement)]

    def _box(self, statement: Statement) -> nodes.admonition:
        id = statement.id.replace("/", "-")
        classes = ["proof", self.name.partition(":")[2], "repcost-box"]
        box = nodes.admonition(classes=classes, ids=[id])
        # The title is the number alone: a search for "Theorem 3.1" then finds this box before any
        # text.
        box += nodes.title("", statement.number)
        badges = _badges(statement, self._noticed().get(statement.id))
        box += nodes.paragraph("", "", *badges, classes=["repcost-badges"])
        box += _needs(statement)
        # Another card of a symbol makes the pages again whose boxes have that symbol.
        self.env.note_dependency(self.env.doc2path(NOTATION))
        self.state.nested_parse(self.content, self.content_offset, box)
        standard = cast(StandardDomain, self.env.get_domain("std"))
        standard.note_hyperlink_target(statement.id, self.env.docname, id, statement.number)
        return box

    def _noticed(self) -> dict[str, str]:
        """What the checks of statements can tell, where that was measured."""
        path = Path(self.env.srcdir, NOTICED)
        # Another score makes the pages that show it again.
        self.env.note_dependency(str(path))
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


# What the second part of a statement's badges speaks of: the checks are of what is stated here.
CHECKED = {
    "holds": "checked",
    "holds-with-condition": "as stated here",
    "false-as-printed": "corrected",
    "open": "known",
    "context": "checked",
}


def _badges(statement: Statement, noticed: str | None) -> list[Node]:
    """The paper, the verdict, what kinds of checks there are, and how much they can tell."""
    ledger = f"../start/ledger.html#{statement.id.replace('/', '-')}"
    paper = f'<span class="repcost-paper">{source_link(statement)}</span>'
    found = [nodes.raw("", paper, format="html")]
    judged = "here" if statement.is_ours else "printed"
    verdict = (judged, VERDICTS[statement.verdict])
    found.append(_badge(verdict, statement.verdict, ledger, "in the ledger"))
    if statement.claims:
        found.append(_evidence(statement))
    if noticed:
        told = "faults put into the code that its checks noticed"
        found.append(_badge(("doubt", noticed), "doubt", "../start/doubt.html", told))
    legend = 'href="../start/ledger.html#verdicts" aria-label="What these badges say"'
    found.append(nodes.raw("", f'<a class="repcost-legend" {legend}>?</a>', format="html"))
    # Text between them, or a line of badges could not be broken.
    return [node for badge in found for node in (badge, nodes.Text(" "))]


def _evidence(statement: Statement) -> nodes.raw:
    kinds = Counter(claim.evidence for claim in statement.claims)
    told = [f"{kind} × {count}" if count > 1 else kind for kind, count in kinds.items()]
    best = next(kind for kind in ("exact", "certified", "experiment") if kind in kinds)
    first = f"#{anchor(statement.id, statement.claims[0].text)}"
    claims = "; ".join(letters(claim.text) for claim in statement.claims)
    return _badge((CHECKED[statement.verdict], ", ".join(told)), best, first, claims)


def _badge(text: tuple[str, str], kind: str, link: str, title: str) -> nodes.raw:
    attributes = f'class="repcost-badge repcost-{kind}" href="{link}" title="{escape(title)}"'
    parts = "".join(f"<span>{part}</span>" for part in text)
    return nodes.raw("", f"<a {attributes}>{parts}</a>", format="html")


def _needs(statement: Statement) -> list[Node]:
    """What the statement uses, each with the reason, what uses it, and what is wrong in print."""
    uses = [_link(statements()[id], why, statement) for id, why in statement.needs.items()]
    users = [other for other in statements().values() if statement.id in other.needs]
    used_by = [_link(other, other.needs[statement.id], statement) for other in users]
    errata = [_erratum(each) for each in statement.errata]
    rows = [("uses", uses), ("used by", used_by), ("errata", errata)]
    told = [f"<dt>{name}</dt><dd>{' '.join(links)}</dd>" for name, links in rows if links]
    if not told:
        return []
    return [nodes.raw("", f'<dl class="repcost-needs">{"".join(told)}</dl>', format="html")]


def _erratum(erratum: Erratum) -> str:
    link = f'href="../start/errata.html#{erratum.anchor}" title="{escape(erratum.where)}"'
    return f"<a {link}>{erratum.number} ({erratum.kind})</a>"


def _link(statement: Statement, why: str, beside: Statement) -> str:
    """A statement, for a row below another; where that is of another paper, with its paper."""
    folder, id = statement.paper, statement.id.replace("/", "-")
    there = (
        f"../{statement.chapter}.html#{id}" if statement.chapter else f"../start/ledger.html#{id}"
    )
    name = statement.number
    if folder in PAPERS and folder != beside.paper:
        name += f", {escape(PAPERS[folder])}"
    return f'<a class="thread-{folder}" href="{there}" title="{escape(why)}">{name}</a>'
