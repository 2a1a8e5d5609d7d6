"""How large a chapter is: its cells, lines of code and words, and the minutes that these take."""

import re
from dataclasses import dataclass
from math import ceil

from nbformat import NotebookNode

from repcost_book.runner.chapters import Chapter, code_cells, tags

# Their code lies in a fold under a name of its own, or in the line under the title.
ASIDE = {"parameters", "imports", "glue", "figure", "solution"}
# A minute of reading has so many words, or so many lines of code.
WORDS, LINES = 200, 40

OPENING = re.compile(r"(`{3,}|:{3,})\{([\w:-]+)\}(.*)")
# One word is what a formula is read as, and a reference, or a number that is glued in.
AS_ONE_WORD = re.compile(r"\$\$.+?\$\$|\$[^$]+\$|\{[\w:]+\}`[^`]*`|`[^`]*`", flags=re.DOTALL)
ADDRESS = re.compile(r"\]\([^)]*\)")
WORD = re.compile(r"[^\W\d_][\w'’-]*")


@dataclass(frozen=True)
class Size:
    """Main cells, lines of all code but solutions, and words outside of folds and in them."""

    cells: int
    lines: int
    words: int
    folded_words: int

    @property
    def minutes(self) -> int:
        """Of reading, folds left out."""
        return ceil(self.words / WORDS + self.lines / LINES)


def size(chapter: Chapter) -> Size:
    """The size of a chapter, by its source."""
    notebook = chapter.notebook()
    cells = code_cells(notebook)
    shown, folded = _open_and_folded(notebook)
    return Size(
        cells=sum(not ASIDE & set(tags(cell)) for cell in cells),
        lines=sum(_lines(cell.source) for cell in cells if "solution" not in tags(cell)),
        words=words(shown),
        folded_words=words(folded),
    )


def words(prose: str) -> int:
    """The words of a text in MyST, each formula being one."""
    return len(WORD.findall(ADDRESS.sub("]", AS_ONE_WORD.sub(" one ", prose))))


def _lines(code: str) -> int:
    return sum(bool(line.strip()) for line in code.splitlines())


def _open_and_folded(notebook: NotebookNode) -> tuple[str, str]:
    """The prose outside of all folds, and inside."""
    shown, folded = [], []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for line, is_folded in _prose(cell.source.splitlines()):
                (folded if is_folded else shown).append(line)
    return "\n".join(shown), "\n".join(folded)


def _prose(lines: list[str]) -> list[tuple[str, bool]]:
    """Each line that is read, and whether it lies in a fold."""
    found, fences = [], []  # of the directives around a line: how each closes, and what it is
    for number, line in enumerate(lines):
        if opening := OPENING.match(line):
            closing, name, title = opening.groups()
            fences.append((closing, _kind(name, lines[number + 1 : number + 4])))
            line = title
        elif fences and line.strip() == fences[-1][0]:
            fences.pop()
            continue
        elif fences and line.startswith(":"):  # an option of a directive
            continue
        kinds = {kind for _, kind in fences}
        found.append(("$M$" if "math" in kinds else line, "fold" in kinds))
    return found


def _kind(name: str, options: list[str]) -> str:
    is_fold = name == "dropdown" or any("dropdown" in line for line in options if line[:1] == ":")
    return "fold" if is_fold else name
