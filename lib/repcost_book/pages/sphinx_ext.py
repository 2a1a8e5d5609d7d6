"""What Sphinx needs to know about this book beside its boxes: widgets, downloads, repairs."""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx_proof.directive import DEFAULT_REALTYP_TO_COUNTERTYP

from repcost_book.kernel.widgets.base import has_look, parts
from repcost_book.pages.boxes import Box
from repcost_book.pages.downloads import simplify_downloads

# The scripts of widgets are part of the package, because notebooks need them too; Sphinx copies
# them from there.
STATIC = Path(__file__).parents[1] / "kernel" / "widgets" / "static"
# How a page marks the element of a widget with its kind. Scripts and style sheets are loaded once
# by pages that have one: a page may hold several, so a script tag beside each element would not do.
WIDGET = re.compile(r' data-repcost-widget="([a-z-]+)"')
# The drawing of the first page is no part of the package.
HERO = "hero-widget"


def _static_files(app: Sphinx, config: Config) -> None:
    config.html_static_path = [*config.html_static_path, str(STATIC)]


def _page(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """The scripts of its widgets, and a repair."""
    # The role that Sphinx gives the entries of a bibliography has been withdrawn from ARIA.
    context["body"] = context.get("body", "").replace('role="doc-biblioentry"', 'role="listitem"')
    _widget_files(app, context["body"])


def _widget_files(app: Sphinx, body: str) -> None:
    kinds = sorted(set(WIDGET.findall(body)))
    for name in dict.fromkeys(name for kind in kinds for name in parts(kind)):
        app.add_js_file(f"{name}.js")
        if name == HERO or has_look(name):
            app.add_css_file(f"{name}.css")


def _permanent(app: Sphinx, doctree: nodes.document) -> None:
    """A heading with a label of its own is linked to by that alone, whatever its words become."""
    for section in doctree.findall(nodes.section):
        own = [id for id in section["ids"] if id in section["names"]]
        section["ids"] = own or section["ids"]


def _finished(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        simplify_downloads(Path(app.outdir, "_sources"))


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.setup_extension("sphinx_proof")
    for kind in DEFAULT_REALTYP_TO_COUNTERTYP:
        app.add_directive_to_domain("prf", kind, Box, override=True)
    app.connect("config-inited", _static_files)
    app.connect("doctree-read", _permanent)
    app.connect("html-page-context", _page, priority=900)
    app.connect("build-finished", _finished)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
