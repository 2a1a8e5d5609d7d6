"""On each card of the notation page, in which other papers the same letter means something."""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from repcost_book.pages.symbols import NOTATION, Card, cards, section_of

Rows = list[tuple[nodes.row, Card]]


class SameLetter(SphinxPostTransform):
    """Lead from each card to those of other papers that begin with its letter."""

    # When references are resolved (10), and before code is folded (198).
    default_priority = 190
    formats = ("html",)

    def run(self, **kwargs) -> None:
        if self.env.docname != NOTATION:
            return
        rows = [row for row in self.document.findall(nodes.row) if next(row.findall(nodes.math), 0)]
        found = list(zip(rows, cards(self.document), strict=True))
        for number, (row, _) in enumerate(found, start=1):
            row["ids"].append(f"card-{number}")
        for row, card in found:
            if papers := elsewhere(card, found):
                [*row.findall(nodes.entry)][2].append(_said(papers))


def elsewhere(card: Card, found: Rows) -> dict[str, str]:
    """The other papers that have the letter, each once, and where the first card is that has it."""
    own, papers = {each.letter for each in card.letters}, {}
    for row, other in found:
        if other.paper != card.paper and own & {each.letter for each in other.letters}:
            papers.setdefault(section_of(row).removeprefix("In "), row["ids"][-1])
    return papers


def _said(papers: dict[str, str]) -> nodes.paragraph:
    said = nodes.paragraph("", "The same letter elsewhere: ", classes=["repcost-elsewhere"])
    for name, id in papers.items():
        said += [nodes.reference("", name, refid=id), nodes.Text("; ")]
    said.pop()
    return said


def setup(app) -> dict:
    """What Sphinx calls."""
    app.add_post_transform(SameLetter)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
