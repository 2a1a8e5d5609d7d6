"""The command that begins a chapter: its page, its place in the contents, its statement."""

import argparse
from pathlib import Path

from repcost_book.commands.command import Command, Options
from repcost_book.commands.skeleton import MARK, chapter, stub
from repcost_book.kernel.ledger import parse
from repcost_book.runner.files import write_together
from repcost_book.runner.project import Project

NEXT = f"""\
It runs as it stands:
  python -m repcost_book run NAME

Then make it yours; every place is marked {MARK}:
  1. In the ledger give the entry the paper's own number in its id and in `number`, say what the
     statement says, and write the claims that you are going to settle.
  2. In book/chapters.yml list the chapters that must be read before it.
  3. On the page write the question, the box (its label is the id, its title the number) and a
     check for each claim. Keep what the skeleton shows only where you need it.
  4. python -m repcost_book book           the pages, with yours
     python -m repcost_book references     its reference notebook, to commit with the page
     python -m repcost_book test           all that CI runs
"""


def new(project: Project, options: Options) -> None:
    """Write the skeleton, and say what to do with it."""
    try:
        # As a shell completes the name of a page, too.
        contents = begun(project, options.name.removeprefix("book/").removesuffix(".md"))
    except ValueError as error:
        raise SystemExit(f"Nothing was written: {error}.") from None
    write_together(contents)
    print("Written:", *(f"  {path.relative_to(project.root)}" for path in contents), sep="\n")
    print("\n" + NEXT.replace("NAME", options.name))


def begun(project: Project, name: str) -> dict[Path, str]:
    """The files that change when this chapter is begun; ValueError where it cannot be."""
    # Here, because it needs the packages of the extra [book].
    from repcost_book.commands.insertions import (
        paper_of,
        with_page,
        with_reading,
        with_statement,
    )

    paper, page = paper_of(name), project.book / f"{name}.md"
    if page.exists():
        raise ValueError(f"{page.relative_to(project.root)} exists already")
    if not project.ledger.is_file():
        raise ValueError(f"this checkout has no ledger at {project.ledger}")
    ledger = project.ledger.read_text(encoding="utf-8")
    if name in parse(ledger):
        raise ValueError(f"the ledger has a statement {name} already; take another name")
    contents = project.contents.read_text(encoding="utf-8")
    readings = project.readings.read_text(encoding="utf-8")
    return {
        page: chapter(name),
        project.ledger: with_statement(ledger, paper, stub(name)),
        project.readings: with_reading(readings, paper, name),
        # Last: what is not listed yet does not run.
        project.contents: with_page(contents, paper, name),
    }


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="PAPER/NAME", help="such as savarese-2019/widths")


COMMANDS = (
    Command(
        "new",
        "begin a chapter: a page that runs as it stands, with an entry in the ledger",
        new,
        needs=("jupytext", "book"),
        add_options=(_add_name,),
    ),
)
