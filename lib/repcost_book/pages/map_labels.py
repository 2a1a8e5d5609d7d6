"""What stands on a node of the map: the number of its statement, whole, in lines that fit."""

import re
from textwrap import wrap

from repcost_book.kernel.ledger import Statement

SHORT = {
    "Propositions": "Props",
    "Proposition": "Prop",
    "Theorems": "Thms",
    "Theorem": "Thm",
    "Corollary": "Cor",
    "Equations": "Eqs",
    "Equation": "Eq",
    "Definition": "Def",
    "Section": "Sec",
    "Figure": "Fig",
    "Appendix": "App",
    "Introduction": "Intro",
    "Proof of": "Proof",
}
# Letters in a line, and the size of a letter and of a line, in pixels of a window of 1366.
LONGEST, LETTER, LINE = 17, 6.5, 15


def label(statement: Statement) -> list[str]:
    """The lines of a node: as few as hold all words, and about equally long."""
    text = re.sub(r"(?<=[\d)]) to (?=[\d(])", "–", statement.number)
    for long, short in SHORT.items():
        text = re.sub(rf"(?<!\w){long}(?!\w)", short, text)
    fewest = len(_lines(text, LONGEST))
    shortest = range(len(text) // fewest, LONGEST + 1)
    return next(lines for most in shortest if len(lines := _lines(text, most)) <= fewest)


def _lines(text: str, most: int) -> list[str]:
    return wrap(text, most, break_long_words=False)


def width(statement: Statement) -> float:
    return 20 + LETTER * max(map(len, label(statement)))


def height(statement: Statement) -> float:
    return 12 + LINE * len(label(statement))
