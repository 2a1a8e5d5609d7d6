"""What Sphinx needs to know about this book: statements keep the papers' own numbers; each page
knows its paper.
"""

import re
from html import escape
from pathlib import Path
from typing import cast
from urllib.parse import quote

from docutils import nodes
from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.domains.std import StandardDomain
from sphinx.util import logging
from sphinx_proof.directive import DEFAULT_REALTYP_TO_COUNTERTYP, ElementDirective

from repcost_book.kernel.checks import anchor
from repcost_book.kernel.ledger import PAPERS, Statement, statements
from repcost_book.pages.downloads import simplify_downloads
from repcost_book.pages.ledger_pages import VERDICTS
from repcost_book.runner.project import REPOSITORY

logger = logging.getLogger(__name__)

LEDGER_PAGE = "book/start/ledger"
# The scripts of widgets are part of the package, because notebooks need them too; Sphinx copies
# them from there.
STATIC = Path(__file__).parents[1] / "kernel" / "widgets" / "static"
# How a page marks the element of a widget with its kind. Scripts and style sheets are loaded once
# by pages that have one: a page may hold several, so a script tag beside each element would not do.
WIDGET = re.compile(r' data-repcost-widget="([a-z-]+)"')


class Box(ElementDirective):
    """A `prf:` box. Labelled with the id of a statement, it bears the paper's number, its verdict
    and its checks.
    """

    def run(self) -> list[Node]:
        statement = statements().get(self.options.get("label", ""))
        if statement is None:
            return super().run()
        if self.arguments != [statement.number]:
            logger.warning(
                "the box %s must be titled %r",
                statement.id,
                statement.number,
                location=self.get_location(),
            )
        id = statement.id.replace("/", "-")
        box = nodes.admonition(
            classes=["proof", self.name.partition(":")[2], "repcost-box"], ids=[id]
        )
        # The title is the number alone: a search for "Theorem 3.1" then finds this box before any
        # text.
        box += nodes.title("", statement.number)
        box += nodes.paragraph("", "", *_badges(statement), classes=["repcost-badges"])
        self.state.nested_parse(self.content, self.content_offset, box)
        standard = cast(StandardDomain, self.env.get_domain("std"))
        standard.note_hyperlink_target(statement.id, self.env.docname, id, statement.number)
        return [box]


def _badges(statement: Statement) -> list[Node]:
    """The paper, the verdict with its link to the ledger, and for each kind of evidence how many
    checks there are.
    """
    ledger = f"../start/ledger.html#{statement.id.replace('/', '-')}"
    found: list[Node] = [nodes.inline("", PAPERS[statement.paper], classes=["repcost-paper"])]
    found.append(_badge(VERDICTS[statement.verdict], statement.verdict, ledger, "in the ledger"))
    for evidence in dict.fromkeys(claim.evidence for claim in statement.claims):
        claims = [claim.text for claim in statement.claims if claim.evidence == evidence]
        times = f" × {len(claims)}" if len(claims) > 1 else ""
        found.append(
            _badge(
                f"✓ {evidence}{times}",
                evidence,
                f"#{anchor(statement.id, claims[0])}",
                "; ".join(claims),
            )
        )
    return [node for badge in found for node in (badge, nodes.Text(" "))]


def _badge(text: str, kind: str, link: str, title: str) -> Node:
    html = (
        f'<a class="repcost-badge repcost-{kind}" href="{link}" title="{escape(title)}">{text}</a>'
    )
    return nodes.raw("", html, format="html")


def _thread(app: Sphinx, doctree: nodes.document) -> None:
    """Mark the page with the folder it lies in, which is its paper: the style sheet gives each its
    colour.
    """
    folder = Path(app.env.docname).parent.name
    for section in doctree.findall(nodes.section):
        section["classes"].append(f"thread-{folder}")
        break


def _static_files(app: Sphinx, config: Config) -> None:
    config.html_static_path = [*config.html_static_path, str(STATIC)]


def _page(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """The link to report an error, the filters of the ledger, and no script twice."""
    title = quote(f"Error on the page {page}")
    report = f'<a href="{REPOSITORY}/issues/new?title={title}">Report an error on this page</a>'
    context["theme_extra_footer"] = report
    # The role that Sphinx gives the entries of a bibliography has been withdrawn from ARIA.
    context["body"] = context.get("body", "").replace('role="doc-biblioentry"', 'role="listitem"')
    if page == LEDGER_PAGE:
        app.add_js_file("ledger.js")
    if kinds := sorted(set(WIDGET.findall(context["body"]))):
        for name in ("widget-common", *(f"{kind}-widget" for kind in kinds)):
            app.add_js_file(f"{name}.js")
            app.add_css_file(f"{name}.css")
    seen, kept = set(), []
    for script in context.get("script_files", []):
        # sphinx-thebe adds its inline script twice, and the second declares its constant again: an
        # error.
        body = getattr(script, "attributes", {}).get("body")
        if body not in seen:
            kept.append(script)
        seen.update({body} - {None})
    context["script_files"][:] = kept  # in place: the template holds on to this very list


def _finished(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        simplify_downloads(Path(app.outdir, "_sources"))


def setup(app: Sphinx) -> dict:
    app.setup_extension("sphinx_proof")
    for kind in DEFAULT_REALTYP_TO_COUNTERTYP:
        app.add_directive_to_domain("prf", kind, Box, override=True)
    app.connect("config-inited", _static_files)
    app.connect("doctree-read", _thread)
    app.connect("html-page-context", _page, priority=900)
    app.connect("build-finished", _finished)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
