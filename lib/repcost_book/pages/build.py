"""From executed chapters to pages: the mirror, then jupyter-book, strictly."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from repcost_book.pages.made_of import MadeOf, all_there, times_tell
from repcost_book.pages.pdf import withdraw
from repcost_book.pages.stage import stage, unpublish
from repcost_book.runner.files import write
from repcost_book.runner.processes import only_run
from repcost_book.runner.project import Project
from repcost_book.runner.runs import Ran, Request, run, summary

# The package has no __main__, and where its script lies depends on the platform.
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"


def build(project: Project, request: Request) -> Path:
    """Run what is not current, then make the pages; the path of the first page."""
    # To the end under one lock: two would write the same pages.
    with only_run(project.running) as pids:
        results = run(project, request, pids)
        print(summary(results))
        report_failures(project, results)
        return _published(project, request.profile)


def publish(project: Project, profile: str) -> Path:
    """Make the pages of what is executed; the path of the first page."""
    with only_run(project.running):
        return _published(project, profile)


def _published(project: Project, profile: str) -> Path:
    stage(project, profile)
    make_pages(project)
    return project.html / "index.html"


def report_failures(project: Project, results: list[Ran]) -> None:
    """SystemExit if a chapter failed; its page is withdrawn, so that nobody reads the last one."""
    failed = [ran for ran in results if ran.failure]
    for ran in failed:
        unpublish(project, ran.chapter)
    if failed:
        raise SystemExit(f"\n{len(failed)} of {len(results)} chapters failed; no pages were made.")


def make_pages(project: Project) -> None:
    """Make the pages from the mirror, unless they are made of this; warnings are errors."""
    made_of = MadeOf.now(project)
    stamp = project.build / "pages.json"
    before = MadeOf.read(stamp)
    if made_of == before and all_there(project):
        return
    command = _command(project, all_pages=not times_tell(made_of, before, project, stamp))
    # From here on until they are made, the pages are of nothing that is known.
    stamp.unlink(missing_ok=True)
    withdraw(project)
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode or not all_there(project):
        # Sphinx does not repeat the warnings of a page that it need not read again.
        shutil.rmtree(project.build / ".doctrees", ignore_errors=True)
        said = _complaints(done.stdout + done.stderr)
        raise SystemExit(f"{said}\n\nThe pages could not be made (see above).")
    write(stamp, made_of.text())


def _command(project: Project, all_pages: bool) -> list[str]:
    command = [sys.executable, "-c", JUPYTER_BOOK, "build", str(project.stage)]
    command += ["--path-output", str(project.root), "--quiet", "-W", "-n", "--keep-going"]
    return command + ["--all"] * all_pages


def _complaints(output: str) -> str:
    """The warnings and errors of Sphinx; everything it said last if there are none."""
    # Without the colours, which are escape sequences.
    lines = re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()
    complaints = [line for line in lines if re.search(r"WARNING|ERROR|Error", line)]
    return "\n".join(complaints or lines[-20:])
