r"""What each letter of a box means, at hand where it stands.

The notation page has a card for each symbol. In the formulas of a box their letters are looked up
there: first among those of the paper, then among those of all. A letter with the same index comes
before the letter alone, so that $\Phi_L$ is not $\Phi$. Formulas remember their symbols by number,
and a list at the end of the page explains them; `book.js` shows it beside what is pointed at.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform

from repcost_book.kernel.ledger import PAPERS

NOTATION = "book/start/notation"
ACCENTS = "bar|tilde|hat|mathcal|mathbf|mathbb|overline"
GREEK = "alpha|beta|gamma|delta|varepsilon|theta|kappa|lambda|mu|nu|pi|rho|sigma|tau|varphi|phi|psi"
GREEK += "|omega|eta|xi|Gamma|Delta|Theta|Lambda|Sigma|Phi|Psi|Omega|ell"
# What holds words, and commands that are no letters.
WORDS = re.compile(r"\\(?:text|mathrm|textbf|begin|end|label)\{[^}]*\}")
COMMANDS = re.compile(rf"\\(?!(?:{ACCENTS}|{GREEK}|operatorname)(?![A-Za-z]))[A-Za-z]+")
LETTER = re.compile(
    rf"(?:\\(?P<accent>{ACCENTS})\s*\{{?\s*)?"
    rf"(?P<letter>\\operatorname\{{\w+\}}|\\(?:{GREEK})(?![A-Za-z])|(?<![\\A-Za-z])[A-Za-z](?![A-Za-z]))"
    r"(?:_(?P<index>\{[^}]*\}|\\[A-Za-z]+|\w))?"
)


class Letter(NamedTuple):
    accent: str
    letter: str
    below: str = ""

    @property
    def bare(self) -> "Letter":
        return self._replace(below="")


@dataclass(frozen=True)
class Card:
    """A row of the notation page: of which paper, the symbols, and what they mean."""

    paper: str
    symbols: tuple[nodes.math, ...]
    meaning: tuple[nodes.Node, ...]

    @property
    def letters(self) -> Iterator[Letter]:
        """What each symbol is called: the letter that it begins with; a sum or a norm has none."""
        for symbol in self.symbols:
            if LETTER.match(symbol.astext().strip()):
                yield from letters(symbol.astext())[:1]


def letters(tex: str) -> list[Letter]:
    """The letters of a formula in their order, each with its accent and its index."""
    plain = COMMANDS.sub(" ", WORDS.sub("", tex))
    found = [match.groupdict(default="") for match in LETTER.finditer(plain)]
    return [Letter(each["accent"], each["letter"], each["index"].strip("{}")) for each in found]


def cards(notation: nodes.document) -> list[Card]:
    """The cards of the notation page, in its order."""
    found = []
    for row in notation.findall(nodes.row):
        symbol, _, meaning = [*row.findall(nodes.entry)][:3]
        title = section_of(row)
        paper = next((id for id, name in PAPERS.items() if name == title), "")
        if symbols := tuple(symbol.findall(nodes.math)):
            found.append(Card(paper, symbols, tuple(_plain(meaning))))
    return found


def section_of(node: nodes.Node) -> str:
    while not isinstance(node, nodes.section):
        node = node.parent
    title = node.next_node(nodes.title)
    return title.astext() if title else ""


def _plain(meaning: nodes.Element) -> list[nodes.Node]:
    """What is said, as words and formulas: what refers to elsewhere stays behind."""
    copy = meaning.deepcopy()
    for reference in list(copy.findall(addnodes.pending_xref)):
        reference.parent.replace(reference, nodes.Text(reference.astext()))
    return [child for part in copy.children for child in part.children]


def lookup(found: list[Card], paper: str) -> dict[Letter, Card]:
    """Which card explains a letter in a box of this paper."""
    known: dict[Letter, Card] = {}
    for card in sorted(found, key=lambda card: card.paper != paper):
        if card.paper in ("", paper):
            for letter in card.letters:
                known.setdefault(letter, card)
    # A letter alone means what it means with an index, if nothing else is said.
    for letter, card in list(known.items()):
        known.setdefault(letter.bare, card)
    return known


def explained(tex: str, known: dict[Letter, Card]) -> list[Card]:
    """The cards of the letters of a formula, each once."""
    wanted = [_card(letter, known) for letter in letters(tex)]
    return list({id(card): card for card in wanted if card}.values())


def _card(letter: Letter, known: dict[Letter, Card]) -> Card | None:
    found = known.get(letter) or known.get(letter.bare)
    # A tilde or a hat marks another one of the same kind.
    is_another = letter.accent in ("tilde", "hat")
    return found or (known.get(Letter("", letter.letter)) if is_another else None)


class Explain(SphinxPostTransform):
    """Mark the formulas of boxes with their symbols, and explain these at the end of the page."""

    # When references are resolved (10), and before code is folded (198).
    default_priority = 190
    formats = ("html",)

    def run(self, **kwargs) -> None:
        boxes = [node for node in self.document.findall(nodes.admonition) if _is_box(node)]
        paper = self.env.docname.split("/")[-2] if "/" in self.env.docname else ""
        if not boxes or NOTATION not in self.env.found_docs:
            return
        known = lookup(_cards(self.env), paper)
        used: dict[int, Card] = {}
        for box in boxes:
            if _mark(box, known, used):
                _lead_on(box)
        if used:
            next(self.document.findall(nodes.section)).append(_glossary(list(used.values())))


def _is_box(node: nodes.Element) -> bool:
    return "repcost-box" in node["classes"]


def _cards(env: BuildEnvironment) -> list[Card]:
    # Read once for all pages.
    if not hasattr(env, "_repcost_cards"):
        env._repcost_cards = cards(env.get_doctree(NOTATION))  # pyright: ignore
    return env._repcost_cards  # pyright: ignore


def _mark(box: nodes.Element, known: dict[Letter, Card], used: dict[int, Card]) -> bool:
    """Number the symbols of each formula of a box; whether there are any."""
    has_symbols = False
    for formula in [*box.findall(nodes.math), *box.findall(nodes.math_block)]:
        found = explained(formula.astext(), known)
        used.update((id(card), card) for card in found)
        numbers = [[*used].index(id(card)) + 1 for card in found]
        formula["symbols"] = " ".join(map(str, numbers))
        has_symbols = has_symbols or bool(numbers)
    return has_symbols


def _lead_on(box: nodes.Element) -> None:
    """A way to the list for those who do not point at formulas."""
    badges = next(
        node for node in box.findall(nodes.paragraph) if "repcost-badges" in node["classes"]
    )
    badges += nodes.raw(
        "", '<a class="repcost-to-symbols" href="#symbols">symbols</a>', format="html"
    )


def _glossary(used: list[Card]) -> nodes.container:
    """A list of the symbols, which is read when one is pointed at, or by itself."""
    items = [_item(number, card) for number, card in enumerate(used, start=1)]
    title = nodes.rubric("", "Symbols of the boxes", ids=["symbols"])
    listed = nodes.definition_list("", *items)
    return nodes.container("", title, listed, classes=["repcost-symbols"])


def _item(number: int, card: Card) -> nodes.definition_list_item:
    term = nodes.term("", "", ids=[f"symbol-{number}"])
    for symbol in card.symbols:
        term += [symbol.deepcopy(), nodes.Text(" ")]
    said = nodes.paragraph("", "", *[child.deepcopy() for child in card.meaning])
    return nodes.definition_list_item("", term, nodes.definition("", said))


def setup(app) -> dict:
    """What Sphinx calls."""
    app.add_post_transform(Explain)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
