"""What a GPU should bring, chapter by chapter, as the table in docs/GPU.md."""

from collections.abc import Iterable

from repcost_book.runner.chapters import Chapter
from repcost_book.runner.gpus import Noted, estimate, uses_gpu

HEAD = [
    "| Chapter | CPU minutes, measured | in large steps | GPU, estimated | factor, estimated |",
    "| --- | ---: | ---: | ---: | ---: |",
]
BEGIN, END = "<!-- made by `python -m repcost_book gpu` -->\n", "<!-- end -->"


def gpu_table(chapters: Iterable[Chapter], noted: Noted) -> str:
    """A row for each chapter that asks for a GPU, or might: of those nothing is known yet."""
    named = [each.name for each in chapters if uses_gpu(each, noted)]
    return "\n".join([*HEAD, *(_row(name, noted) for name in named)]) + "\n"


def with_table(text: str, table: str) -> str:
    """A page with its table made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table}{END}{after}"


def _row(name: str, noted: Noted) -> str:
    found = estimate(noted.get(name, {}))
    if found is None:
        return f"| {name} | not measured yet | | | |"
    minutes = " | ".join(f"{each:.1f}" for each in (found.cpu, found.steps, found.gpu))
    return f"| {name} | {minutes} | {found.cpu / found.gpu:.1f} |"
