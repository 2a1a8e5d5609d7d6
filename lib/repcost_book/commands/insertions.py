"""Entries put into the table of contents and into the ledger, whose other lines stay as they are.

Both files are written by hand, with comments; a YAML library would write them anew. So lines are
put into the text, and what the text then says is compared with what it ought to say.
"""

import re

import yaml

from repcost_book.kernel.ledger import PAPERS, parse
from repcost_book.runner.chapters import listed


def with_page(contents: str, paper: str, name: str) -> str:
    """The table of contents with one page more, the last in the part of this paper."""
    lines = contents.splitlines(keepends=True)
    entry = re.compile(rf"( *)- file: ['\"]?book/{re.escape(paper)}/")
    found = [(number, each) for number, line in enumerate(lines) if (each := entry.match(line))]
    if not found:
        raise ValueError(f"_toc.yml has no part of {paper}, with a line `- file: book/{paper}/...`")
    # Of a chapter and not of a section below one.
    indent = min((each[1] for _, each in found), key=len)
    at = _end_of_entry(lines, found[-1][0], len(indent))
    page = f"book/{name}"
    made = "".join([*_ended(lines[:at]), f"{indent}- file: {page}\n", *lines[at:]])
    if not _is_added(contents, made, page):
        raise ValueError(f"_toc.yml has a form that {page} cannot be put into; put it in by hand")
    return made


def with_statement(ledger: str, paper: str, stub: str) -> str:
    """The ledger with one statement more, behind the others of this paper."""
    lines = ledger.splitlines(keepends=True)
    own = [number for number, line in enumerate(lines) if line.startswith(f"{paper}/")]
    # The first statement of a paper comes last of all.
    at = _end_of_entry(lines, own[-1], 0) if own else _without_blank_lines(lines, len(lines))
    made = "".join([*_ended(lines[:at]), f"\n{stub}", *lines[at:]])
    # The order is for readers; what counts is that all statements say what they said.
    if parse(made) != {**parse(ledger), **parse(stub)}:
        raise ValueError("statements.yml has a form that a statement cannot be put into")
    return made


def with_reading(readings: str, paper: str, name: str) -> str:
    """What chapters take for read, with one chapter more, behind the others of its paper."""
    lines = readings.splitlines(keepends=True)
    own = [number for number, line in enumerate(lines) if line.startswith(f"{paper}/")]
    at = own[-1] + 1 if own else len(lines)
    return "".join([*_ended(lines[:at]), f"{name}: []\n", *lines[at:]])


def paper_of(name: str) -> str:
    """The paper of a chapter PAPER/NAME; ValueError where the name is none."""
    # The name is part of an address, of labels and of a path.
    if not re.fullmatch(r"[a-z0-9-]+/[a-z0-9][a-z0-9-]*", name):
        form = "PAPER/NAME in small letters, digits and hyphens, such as savarese-2019/widths"
        raise ValueError(f"a chapter is called {form}, not {name!r}")
    paper = name.partition("/")[0]
    if paper not in PAPERS:
        raise ValueError(f"there is no paper {paper!r}; the papers are: {', '.join(PAPERS)}")
    return paper


def _end_of_entry(lines: list[str], start: int, indent: int) -> int:
    """The line behind the entry that begins at `start`: the first that is not indented more."""
    for number in range(start + 1, len(lines)):
        line = lines[number]
        # Lines of text that YAML folds may be empty; the entry goes on behind them.
        if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
            return _without_blank_lines(lines, number)
    return _without_blank_lines(lines, len(lines))


def _without_blank_lines(lines: list[str], end: int) -> int:
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def _ended(lines: list[str]) -> list[str]:
    """The lines, the last of which ends as lines do."""
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]


def _is_added(before: str, after: str, page: str) -> bool:
    """Whether the table of contents lists this page once more, and all others as before."""
    try:
        pages = listed(after)
    except yaml.YAMLError:
        return False
    return pages.count(page) == 1 and [each for each in pages if each != page] == listed(before)
