"""The mirror of the sources that jupyter-book reads: chapters as executed, nothing stale."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from repcost_book.kernel.ledger import statements, withdrawn
from repcost_book.kernel.ledger_rules import broken_rules
from repcost_book.pages.api_pages import api_page
from repcost_book.pages.benchmarks import speed_page
from repcost_book.pages.citation import FILE as CITATION
from repcost_book.pages.citation import Citation, citing_page
from repcost_book.pages.conversions import conversions_page
from repcost_book.pages.doubt import NOTICED, badges, doubt_page
from repcost_book.pages.downloads import needs_torch
from repcost_book.pages.figures import figure_files
from repcost_book.pages.frame import READINGS
from repcost_book.pages.front import cards, hero, report, run_it
from repcost_book.pages.gallery import gallery, pictures
from repcost_book.pages.ledger_pages import errata_page, kinds_list, ledger_page, verdicts_list
from repcost_book.pages.map_layout import Layout
from repcost_book.pages.map_page import map_page
from repcost_book.pages.merge import merge
from repcost_book.pages.ours import ours_page
from repcost_book.pages.paper_runs import paper_runs_page
from repcost_book.pages.scaling import scaling_page
from repcost_book.pages.settled import LedgerError, Settled, settled, unsettled
from repcost_book.pages.shortfalls import shortfalls_page
from repcost_book.runner.chapters import Chapter, chapters
from repcost_book.runner.files import write
from repcost_book.runner.keys import Record
from repcost_book.runner.project import Project
from repcost_book.runner.readings import readings

Content = dict[Path, str | bytes]
Executed = Mapping[Chapter, NotebookNode]


def stage(project: Project, profile: str) -> None:
    """Make the mirror equal to the sources, the executed chapters and the pages made from them.

    Files whose content is the same keep their time, so that Sphinx reads only what is new.
    LedgerError if the chapters and the ledger do not agree.
    """
    executed = {
        chapter: _read(project.executed(profile) / f"{chapter.name}.ipynb")
        for chapter in chapters(project)
    }
    marks = _agreed_marks(executed)
    for chapter, notebook in executed.items():
        record = Record.read(project.executed(profile) / f"{chapter.name}.json")
        about = notebook.metadata.setdefault("repcost", {})
        about["needs_torch"] = needs_torch(notebook, record.files)
    content = {**_plain(project, executed), **_merged(executed)}
    content |= _made(project, executed, marks) | _files_of_figures(executed)
    mirror(project.stage, content)


def unpublish(project: Project, chapter: Chapter) -> None:
    """Take a chapter that failed out of the mirror and out of the built pages."""
    staged = project.stage / "book" / f"{chapter.name}.ipynb"
    built = project.html / "book" / f"{chapter.name}.html"
    for path in (staged, built):
        path.unlink(missing_ok=True)


def mirror(folder: Path, content: Content) -> None:
    """Make a folder hold these files and nothing else."""
    for name, data in content.items():
        write(folder / name, data)
    # From the deepest, so that a folder is empty before it is looked at.
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path.relative_to(folder) not in content:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _agreed_marks(executed: Executed) -> list[Settled]:
    marks = [mark for each, notebook in executed.items() for mark in settled(each.name, notebook)]
    if wrong := broken_rules(statements(), withdrawn()) + unsettled(statements(), marks):
        lines = [f"  {line}" for line in wrong]
        raise LedgerError("\n".join(["The ledger, or a chapter, has to be corrected:", *lines]))
    return marks


def _plain(project: Project, executed: Iterable[Chapter]) -> Content:
    """What is taken as it stands: the settings, and the pages that nothing executes."""
    settings = [project.root / "_config.yml", project.root / CITATION, project.contents]
    sources = {chapter.source for chapter in executed}
    pages = [path for path in sorted(project.book.rglob("*")) if _is_plain(path, project.root)]
    wanted = [*settings, *(path for path in pages if path not in sources)]
    return {path.relative_to(project.root): path.read_bytes() for path in wanted}


def _merged(executed: Executed) -> Content:
    """Each chapter as the notebook of its page."""
    return {
        Path("book", f"{chapter.name}.ipynb"): nbformat.writes(merge(chapter.notebook(), notebook))
        for chapter, notebook in executed.items()
    }


def _files_of_figures(executed: Executed) -> Content:
    """What a reader takes away of each figure."""
    found = [figure_files(chapter.name, notebook) for chapter, notebook in executed.items()]
    return {place: text for files in found for place, text in files.items()}


def _made(project: Project, executed: Executed, marks: list[Settled]) -> Content:
    """What the pages under book/start/ include; their names begin with an underscore."""
    noticed, edition = badges(project), Citation.read(project.root)
    shown, images = gallery(statements().values(), pictures(executed))
    made = {
        "gallery": shown,
        "citing": citing_page(edition),
        "hero": hero(len([*executed]) - 1),
        "run": run_it(project.root),
        "report": report(executed),
        "papers": cards(project, executed, statements().values()),
        "map": map_page(statements(), Layout.kept(), noticed),
        "verdicts": verdicts_list(),
        "ledger": ledger_page(statements().values(), marks),
        "kinds": kinds_list(),
        "errata": errata_page(statements().values(), edition),
        "conversions": conversions_page(),
        "library": api_page(),
        "speed": speed_page(project.benchmarks),
        "shortfalls": shortfalls_page(project.benchmarks),
        "paper_runs": paper_runs_page(project.paper_runs, executed),
        "doubt": doubt_page(project),
        "ours": ours_page(statements().values(), noticed),
        "scaling": scaling_page(project.benchmarks),
    }
    pages = {Path("book", "start", f"_{name}.md"): text for name, text in made.items()}
    # For the boxes, which are made when Sphinx reads a page, and for the frame around it.
    read = {name: asdict(reading) for name, reading in readings(project).items()}
    kept = {Path(NOTICED): json.dumps(noticed), Path(READINGS): json.dumps(read)}
    return {**pages, **images, **kept}


def _is_plain(path: Path, root: Path) -> bool:
    # Editors leave hidden files, Jupyter notebooks beside their sources.
    hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    return path.is_file() and path.suffix != ".ipynb" and not hidden


def _read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)
