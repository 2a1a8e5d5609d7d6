"""Docstrings as Markdown that shows them as they stand."""

import re
from collections.abc import Iterator

# How a line begins that says what an argument or a field is.
ARGUMENT = r"[\w\\, ]+(\[l\])?:\s"
# What Markdown would read as its own.
SPECIAL = r"([\\*_{}\[\]<>#|$~^])"


def plain(text: str) -> str:
    """`text` as Markdown that shows it as it stands; what is between backticks stays code."""
    spans = re.split(r"(`[^`]+`)", text)
    return "".join(
        span if span.startswith("`") else re.sub(SPECIAL, r"\\\1", span) for span in spans
    )


def paragraphs(doc: str) -> Iterator[str]:
    """The paragraphs of a docstring: examples as code, arguments a line each."""
    for paragraph in doc.split("\n\n"):
        yield _example(paragraph) if is_example(paragraph) else _prose(paragraph)


def first_paragraphs(doc: str, most: int) -> list[str]:
    """What a docstring begins with, before any example or formula set apart, at most so many."""
    found = []
    for paragraph in doc.split("\n\n")[:most]:
        if is_example(paragraph) or paragraph.startswith(" "):
            break
        found.append(_prose(paragraph))
    return found


def is_example(paragraph: str) -> bool:
    """Whether this is a doctest."""
    return paragraph.lstrip().startswith(">>>")


def _example(paragraph: str) -> str:
    return f"```pycon\n{paragraph}\n```"


def _prose(paragraph: str) -> str:
    # A line that is indented continues the one above; one that describes an argument stands alone.
    lines = [plain(line) for line in re.sub(r"\n +", " ", paragraph).split("\n")]
    return re.sub(rf"\n(?={ARGUMENT})", r"\\\n", "\n".join(lines))
