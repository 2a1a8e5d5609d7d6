"""What Sphinx needs to know about this book: statements keep the papers' own numbers; no script comes twice."""

from typing import cast

from docutils import nodes
from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain
from sphinx.util import logging
from sphinx_proof.directive import DEFAULT_REALTYP_TO_COUNTERTYP, ElementDirective

from repcost_book.ledger import PAPERS, Statement, statements
from repcost_book.ledger_pages import VERDICTS

logger = logging.getLogger(__name__)


class Box(ElementDirective):
    """A `prf:` box. Labelled with the id of a statement, it bears the paper's number and the verdict of the ledger."""

    def run(self) -> list[Node]:
        statement = statements().get(self.options.get("label", ""))
        if statement is None:
            return super().run()
        if self.arguments != [statement.number]:
            logger.warning("the box %s must be titled %r", statement.id, statement.number, location=self.get_location())
        id = statement.id.replace("/", "-")
        box = nodes.admonition(classes=["proof", self.name.partition(":")[2], f"repcost-{statement.paper}"], ids=[id])
        box += nodes.title("", "", *_heading(statement))
        self.state.nested_parse(self.content, self.content_offset, box)
        standard = cast(StandardDomain, self.env.get_domain("std"))
        standard.note_hyperlink_target(statement.id, self.env.docname, id, statement.number)
        return [box]


def _heading(statement: Statement) -> list[Node]:
    ledger = f"../start/ledger.html#{statement.id.replace('/', '-')}"
    badge = f'<a class="repcost-verdict repcost-{statement.verdict}" href="{ledger}">{VERDICTS[statement.verdict]}</a>'
    return [
        nodes.Text(f"{statement.number} "),
        nodes.inline("", f"{PAPERS[statement.paper]} ", classes=["repcost-paper"]),
        nodes.raw("", badge, format="html"),
    ]


def _one_of_each_script(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """sphinx-thebe adds its inline script twice, and the second declares its constant again: an error on every page."""
    seen, kept = set(), []
    for script in context.get("script_files", []):
        body = getattr(script, "attributes", {}).get("body")
        if body not in seen:
            kept.append(script)
        seen.update({body} - {None})
    context["script_files"][:] = kept  # in place: the template holds on to this very list


def setup(app: Sphinx) -> dict:
    app.setup_extension("sphinx_proof")
    for kind in DEFAULT_REALTYP_TO_COUNTERTYP:
        app.add_directive_to_domain("prf", kind, Box, override=True)
    app.connect("html-page-context", _one_of_each_script, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
