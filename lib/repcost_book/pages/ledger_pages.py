"""The ledger and the errata as Markdown, from the statements and the marks of the chapters."""

from collections.abc import Iterable, Sequence

from repcost_book.kernel.checks import anchor
from repcost_book.kernel.ledger import PAPERS, Claim, Erratum, Sharper, Statement
from repcost_book.pages.citation import Citation
from repcost_book.pages.papers import FOUR
from repcost_book.pages.settled import Settled
from repcost_book.pages.signs import signs

VERDICTS = {
    "holds": "holds",
    "holds-with-condition": "holds under a condition",
    "false-as-printed": "false as printed",
    "open": "open",
    "context": "context",
}
MEANINGS = {
    "holds": "it is true as the paper states it.",
    "holds-with-condition": "it is true once a hypothesis is added, or a convention fixed.",
    "false-as-printed": "there is a counterexample under the printed hypotheses and definitions.",
    "open": "it has been examined: the printed proof does not show it, and we know neither another "
    "proof nor a counterexample. Its claims say what is known.",
    "context": "it says what others have shown, or why a question is asked, and is not judged.",
}
KINDS = {
    "slip": "a slip of the pen, after which all else stands.",
    "gap": "a step or a hypothesis is missing.",
    "false": "a printed assertion has a counterexample, which is given.",
}
HEAD = [
    "| Paper | Number | What it says | Verdict | Claims and their evidence |",
    "| --- | --- | --- | --- | --- |",
]


def ledger_page(statements: Iterable[Statement], marks: Sequence[Settled]) -> str:
    """A row per statement, whose claims link to their checks."""
    return "\n".join([*HEAD, *(_row(statement, marks) for statement in statements)]) + "\n"


def verdicts_list() -> str:
    """What the verdicts mean."""
    return "".join(f"- **{VERDICTS[verdict]}**: {said}\n" for verdict, said in MEANINGS.items())


def kinds_list() -> str:
    """What the kinds of errata mean, and who wrote the papers."""
    kinds = "".join(f"- **{kind}**: {said}\n" for kind, said in KINDS.items())
    return f"{kinds}\n{_papers()}\n"


def errata_page(statements: Iterable[Statement], edition: Citation) -> str:
    """A section per erratum under its permanent anchor, by number.

    What is true and can be sharpened stands behind them, and has no number.
    """
    statements = list(statements)
    errata = [(each, erratum) for each in statements for erratum in each.errata]
    numbered = sorted(errata, key=lambda found: found[1].number)
    sections = [_erratum(*each) for each in numbered] or ["No erratum has been entered yet."]
    sharper = [_sharper(each, entry) for each in statements for entry in each.sharper]
    return "\n\n".join([_edition(edition), *sections, *sharper]) + "\n"


def _papers() -> str:
    """Who wrote them, and where they are; `errata.js` says it in each entry, too."""
    links = {id: f'<a href="{paper.link}">arXiv:{paper.arxiv}</a>' for id, paper in FOUR.items()}
    lines = [
        f'<li data-paper="{id}" data-name="{PAPERS[id]}">{paper.authors} ({links[id]}): '
        f"<cite>{paper.title}</cite></li>"
        for id, paper in FOUR.items()
    ]
    listed = f'<ul class="simple" id="repcost-papers">{"".join(lines)}</ul>'
    return f"The papers and their authors are:\n\n```{{raw}} html\n{listed}\n```"


def _edition(edition: Citation) -> str:
    """What `errata.js` needs to know, so that an entry can be cited and answered."""
    known = {"version": edition.version, "day": edition.day, "repository": edition.address}
    known |= {"authors": edition.authors}
    data = " ".join(f'data-{name}="{value}"' for name, value in known.items())
    return f'```{{raw}} html\n<div id="repcost-edition" {data}></div>\n```'


def _row(statement: Statement, marks: Sequence[Settled]) -> str:
    done = {mark.claim for mark in marks if mark.statement == statement.id}
    claims = [_claim(statement, claim, claim.text in done) for claim in statement.claims]
    cells = [statement.source, _number(statement), _says(statement), VERDICTS[statement.verdict]]
    cells.append("<br>".join(claims) or "open")
    # A bare bar would end the cell.
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _says(statement: Statement) -> str:
    """The statement in one line; of our own, how it relates to what others published since."""
    return (
        f"{statement.says}<br>Since then: {statement.since}" if statement.since else statement.says
    )


def _number(statement: Statement) -> str:
    """The paper's number under its anchor, the errata by theirs, and what is sharper here."""
    row = f'<span class="repcost-ledger-row" id="{statement.id.replace("/", "-")}"></span>'
    box = f"[{statement.number}](#{statement.id})" if statement.chapter else statement.number
    errata = [f"[erratum {each.number}](#{each.anchor}) ({each.kind})" for each in statement.errata]
    sharper = [f"[sharper here](#{each.anchor})" for each in statement.sharper]
    return "<br>".join([row + box, *errata, *sharper])


def _claim(statement: Statement, claim: Claim, done: bool) -> str:
    if not done:
        return f"{signs(claim.text)} (open)"
    # As HTML, because Sphinx would look for the anchor of a check among its own labels.
    link = f"../{statement.chapter}.html#{anchor(statement.id, claim.text)}"
    return f'<a href="{link}">{signs(claim.text)}</a> ({claim.evidence})'


def _erratum(statement: Statement, erratum: Erratum) -> str:
    title = _title(statement, f"Erratum {erratum.number}", erratum.where)
    label = "Printed" if erratum.printed else "Printed, in our words"
    printed = f"{erratum.printed}." if erratum.printed else erratum.in_our_words
    also = f"Touches {', '.join(f'[](#{id})' for id in erratum.also)}"
    example = erratum.counterexample
    acts = [_executed(statement, erratum), _run(statement), also if erratum.also else ""]
    parts = [
        _beside("repcost-printed", f"{_label(label)} {printed}"),
        _beside("repcost-right", f"{_label('Right')} {erratum.right}"),
        _beside("repcost-example", f"{_label('Counterexample')} {example}" if example else ""),
        _beside("repcost-acts", *acts),
    ]
    kind = _kind(statement, erratum.kind, f" ({erratum.version}).")
    return _section(erratum.anchor, title, kind, parts)


def _sharper(statement: Statement, entry: Sharper) -> str:
    title = _title(statement, "Sharper here", entry.where)
    parts = [
        _beside("repcost-printed", f"{_label('The paper says, in our words')} {entry.said}"),
        _beside("repcost-right", f"{_label('Sharper')} {entry.sharper}"),
        _beside("repcost-acts", _run(statement)),
    ]
    return _section(entry.anchor, title, _kind(statement, "sharper", " (no erratum)."), parts)


def _title(statement: Statement, name: str, where: str) -> str:
    """In three parts, which the look puts below each other."""
    return f"*{name}:* **{statement.source}, {statement.number}:** {where}"


def _kind(statement: Statement, kind: str, version: str) -> str:
    """The kind, the version, and the verdict on the whole statement."""
    verdict = f"Statement: {VERDICTS[statement.verdict]}."
    return f"{{.repcost-kind .repcost-{kind}}}\n*{kind.capitalize()}*{version} {verdict}"


def _label(text: str) -> str:
    # The page has two hundred of these, and is kept light.
    return f"<b>{text}</b>"


def _beside(kind: str, *parts: str) -> str:
    """A part of an entry, which has a place of its own."""
    inside = [part for part in parts if part]
    return "\n\n".join([f":::{{container}} {kind}", *inside, ":::"]) if inside else ""


def _executed(statement: Statement, erratum: Erratum) -> str:
    """The check that has the counterexample."""
    if not erratum.executed:
        return ""
    # As HTML, as in `_claim`.
    link = f"../{statement.chapter}.html#{anchor(statement.id, erratum.executed)}"
    return f'<a class="repcost-act" href="{link}">Executed counterexample</a>'


def _run(statement: Statement) -> str:
    return f"At [](#{statement.id})" if statement.chapter else ""


def _section(label: str, title: str, kind: str, parts: Iterable[str]) -> str:
    inside = [part for part in parts if part]
    entry = [f"({label})=\n## {title}", kind, "::::{container} repcost-entry", *inside, "::::"]
    return "\n\n".join(entry)
