"""From executed chapters to pages: the mirror, then jupyter-book, strictly."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from repcost_book.kernel.recording import digest
from repcost_book.pages.stage import stage, unpublish
from repcost_book.runner.files import write
from repcost_book.runner.project import Project
from repcost_book.runner.runs import Ran, Request, run, summary

# The package has no __main__, and where its script lies depends on the platform.
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"


def build(project: Project, request: Request) -> Path:
    """Run what is not current, then make the pages; the path of the first page. SystemExit if
    anything failed.
    """
    results = run(project, request)
    print(summary(results))
    report_failures(project, results)
    stage(project, request.profile)
    _jupyter_book(project)
    return project.html / "index.html"


def report_failures(project: Project, results: list[Ran]) -> None:
    failed = [ran for ran in results if ran.failure]
    for ran in failed:
        unpublish(project, ran.chapter)
    if failed:
        raise SystemExit(f"\n{len(failed)} of {len(results)} chapters failed; no pages were made.")


def _jupyter_book(project: Project) -> None:
    """Warnings are errors. Sphinx repeats none of a page it does not read again, so a failure
    forgets all pages.
    """
    stamp, made_by = project.build / "pages.key", _pages_key(project)
    unchanged = stamp.is_file() and stamp.read_text() == made_by
    if unchanged and (project.html / "index.html").is_file() and not _newer(project.stage, stamp):
        return
    command = [sys.executable, "-c", JUPYTER_BOOK, "build", str(project.stage)]
    command += ["--path-output", str(project.root), "--quiet", "-W", "-n", "--keep-going"]
    if not unchanged:
        command.append("--all")
    stamp.unlink(missing_ok=True)
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode or not (project.html / "index.html").is_file():
        shutil.rmtree(project.build / ".doctrees", ignore_errors=True)
        raise SystemExit(
            f"{_complaints(done.stdout + done.stderr)}\n\nThe pages could not be made (see above)."
        )
    write(stamp, made_by)


def _complaints(output: str) -> str:
    """The warnings and errors of Sphinx without their colours; everything it said last if there are
    none.
    """
    lines = re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()
    return "\n".join(
        [line for line in lines if re.search(r"WARNING|ERROR|Error", line)] or lines[-20:]
    )


def _pages_key(project: Project) -> str:
    """Changes when every page must be made again: the pins, the settings, and this package."""
    own = sorted(
        path
        for path in Path(__file__).parents[1].rglob("*")
        if path.suffix in (".py", ".js", ".css")
    )
    return " ".join(
        digest(path)
        for path in (project.lock, project.root / "_config.yml", project.root / "_toc.yml", *own)
    )


def _newer(folder: Path, stamp: Path) -> bool:
    made = stamp.stat().st_mtime
    return any(path.stat().st_mtime > made for path in (folder, *folder.rglob("*")))
