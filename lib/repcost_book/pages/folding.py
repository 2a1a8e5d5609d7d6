"""Code is out of sight and one click away: under what it shows, in folds of one style.

A cell that shows something has its code in a fold below that, together with the code of the cells
before it that show nothing. What only sets a chapter up goes into one line under the title. Cells
tagged `open` stay as they are, for in them the reader calls the library; a drawing to move stands
before the code that asks for it.
"""

from collections.abc import Iterable, Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

from repcost_book.pages.merge import SETUP

ABOUT = "repcost-about"
# In the HTML of a widget.
DRAWING = "data-repcost-widget"


class Fold(nodes.Element):
    """What opens at a click on its first child, a `FoldTitle`."""


class FoldTitle(nodes.TextElement):
    """What a fold shows while it is closed."""


class FoldAway(SphinxPostTransform):
    """Put the code of each cell into a fold, and every dropdown into one of the same style."""

    # Behind the choice of what an output shows (4), before the folds of myst-nb and sphinx-design,
    # which have no work left (199).
    default_priority = 198
    formats = ("html",)

    def run(self, **kwargs) -> None:
        cells = list(_cells(self.document))
        setup = [cell for cell in cells if _tags(cell) & set(SETUP)]
        _fold_solutions([cell for cell in cells if "solution" in _tags(cell)])
        _fold_code([cell for cell in cells if not _tags(cell) & {*SETUP, "solution"}])
        for dropdown in [*filter(_is_dropdown, self.document.findall(nodes.Element))]:
            dropdown.parent.replace(dropdown, _as_fold(dropdown))
        _set_up(self.document, setup, self.env.docname.removeprefix("book/"))


def _cells(document: nodes.document) -> Iterator[nodes.container]:
    for node in document.findall(nodes.container):
        if node.get("nb_element") == "cell_code":
            yield node


def _tags(cell: nodes.container) -> set[str]:
    names = (name for name in cell["classes"] if name.startswith("tag_"))
    return {name.removeprefix("tag_") for name in names}


def _parts(cell: nodes.container, kind: str) -> list[nodes.Element]:
    parts = [child for child in cell.children if isinstance(child, nodes.Element)]
    return [part for part in parts if part.get("nb_element") == kind and part.children]


def _fold_code(cells: Iterable[nodes.container]) -> None:
    """The code of cells that show nothing waits for the next one that does, or that is open."""
    waiting: list[nodes.container] = []
    for cell in cells:
        shown = _parts(cell, "cell_code_output")
        if "open" in _tags(cell):
            _drawing_first(cell)
            _leave(waiting)
            waiting = []
        elif not shown:
            waiting.append(cell)
        else:
            code = _taken([*waiting, cell])
            cell.children = []
            cell += [*shown, _code_fold(code, "figure" in _tags(cell))]
            waiting = []
    _leave(waiting)


def _drawing_first(cell: nodes.container) -> None:
    """What can be moved is looked at before the two lines that made it."""
    code, shown = _parts(cell, "cell_code_source"), _parts(cell, "cell_code_output")
    if any(DRAWING in part.astext() for part in shown):
        cell.children = []
        cell += [*shown, *code]


def _leave(waiting: list[nodes.container]) -> None:
    """Code after which nothing is shown is folded where the last of it stands."""
    if waiting:
        place = waiting[-1]
        parent, at = place.parent, place.parent.index(place)
        fold = _code_fold(_taken(waiting), False)
        parent.insert(at, nodes.container("", fold, classes=["cell"]))


def _taken(cells: Iterable[nodes.container]) -> list[nodes.Node]:
    """The code of the cells; a cell that shows nothing is taken out of the page."""
    code = []
    for cell in cells:
        code += _parts(cell, "cell_code_source")
        if not _parts(cell, "cell_code_output"):
            cell.parent.remove(cell)
    return code


def _code_fold(code: list[nodes.Node], is_figure: bool) -> Fold:
    count = sum(len(part.astext().strip().splitlines()) for part in code)
    what = "Code of the figure" if is_figure else "Code"
    return _fold(f"{what}, {count} line{'s' * (count > 1)}", code, "repcost-code")


def _fold(title: str, inside: Iterable[nodes.Node], *classes: str) -> Fold:
    fold = Fold("", FoldTitle("", title), classes=["repcost-fold", *classes])
    fold += list(inside)
    return fold


def _fold_solutions(cells: list[nodes.container]) -> None:
    """Cells of a solution that follow each other share a fold."""
    fold = None
    for cell in cells:
        before = cell.previous_sibling()
        if fold is None or before is not fold:
            fold = _fold("Solution", [], "repcost-solution")
            cell.parent.replace(cell, fold)
        else:
            cell.parent.remove(cell)
        fold += cell


def _is_dropdown(node: nodes.Node) -> bool:
    if isinstance(node, nodes.admonition):
        return "dropdown" in node["classes"]
    return isinstance(node, nodes.container) and node.get("design_component") == "dropdown"


def _as_fold(dropdown: nodes.Element) -> Fold:
    title, *inside = dropdown.children
    about = [name for name in dropdown["classes"] if name == ABOUT]
    kind = ["repcost-proof"] if title.astext().startswith("Proof") else about
    fold = Fold("", ids=dropdown["ids"], classes=["repcost-fold", *(kind or ["repcost-aside"])])
    fold += [FoldTitle("", "", *title.children), *inside]
    return fold


def _set_up(document: nodes.document, cells: list[nodes.container], name: str) -> None:
    """One line under a title: what this run was. In it, its command and the set-up cells."""
    about = next((fold for fold in document.findall(Fold) if ABOUT in fold["classes"]), None)
    if about is None:
        return
    about.parent.remove(about)
    about.insert(1, _command(name))
    # Of a chapter that is the whole page; the first page sets up what it computes further down.
    home = _section(cells[0])
    about += _taken(cells)
    home.insert((home.first_child_matching_class(nodes.title) or 0) + 1, about)


def _section(node: nodes.Node) -> nodes.section:
    return node if isinstance(node, nodes.section) else _section(node.parent)


def _command(name: str) -> nodes.paragraph:
    command = nodes.literal("", f"python -m repcost_book run {name}")
    told = [nodes.Text("Run this chapter: "), command, nodes.Text(".")]
    return nodes.paragraph("", "", *told)


def _visit_fold(self: HTML5Translator, node: Fold) -> None:
    self.body.append(self.starttag(node, "details"))


def _depart_fold(self: HTML5Translator, node: Fold) -> None:
    self.body.append("</details>\n")


def _visit_title(self: HTML5Translator, node: FoldTitle) -> None:
    self.body.append("<summary>")


def _depart_title(self: HTML5Translator, node: FoldTitle) -> None:
    self.body.append("</summary>\n")


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.add_node(Fold, html=(_visit_fold, _depart_fold))
    app.add_node(FoldTitle, html=(_visit_title, _depart_title))
    app.add_post_transform(FoldAway)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
