"""The boxes of statements: the paper's own number, the verdict, and how much is checked."""

import json
from html import escape
from pathlib import Path
from typing import cast

from docutils import nodes
from docutils.nodes import Node
from sphinx.domains.std import StandardDomain
from sphinx.util import logging
from sphinx_proof.directive import ElementDirective

from repcost_book.kernel.checks import anchor
from repcost_book.kernel.ledger import Statement, statements
from repcost_book.pages.doubt import NOTICED
from repcost_book.pages.ledger_pages import VERDICTS

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


def _badges(statement: Statement, noticed: str | None) -> list[Node]:
    """The paper, the verdict, for each kind of evidence how many checks, and what they can tell."""
    ledger = f"../start/ledger.html#{statement.id.replace('/', '-')}"
    found: list[Node] = [nodes.inline("", statement.source, classes=["repcost-paper"])]
    found.append(_badge(VERDICTS[statement.verdict], statement.verdict, ledger, "in the ledger"))
    for evidence in dict.fromkeys(claim.evidence for claim in statement.claims):
        claims = [claim.text for claim in statement.claims if claim.evidence == evidence]
        times = f" × {len(claims)}" if len(claims) > 1 else ""
        first = f"#{anchor(statement.id, claims[0])}"
        found.append(_badge(f"✓ {evidence}{times}", evidence, first, "; ".join(claims)))
    if noticed:
        told = "faults put into the code that its checks noticed"
        found.append(_badge(noticed, "doubt", "../start/doubt.html", told))
    # Text between them, or a line of badges could not be broken.
    return [node for badge in found for node in (badge, nodes.Text(" "))]


def _badge(text: str, kind: str, link: str, title: str) -> Node:
    attributes = f'class="repcost-badge repcost-{kind}" href="{link}" title="{escape(title)}"'
    return nodes.raw("", f"<a {attributes}>{text}</a>", format="html")
