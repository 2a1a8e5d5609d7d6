"""From executed chapters to pages: the mirror, then jupyter-book, strictly."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from repcost_book.kernel.sources import digest
from repcost_book.pages.stage import stage, unpublish
from repcost_book.runner.files import write
from repcost_book.runner.project import Project
from repcost_book.runner.runs import Ran, Request, run, summary

# The package has no __main__, and where its script lies depends on the platform.
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"


def build(project: Project, request: Request) -> Path:
    """Run what is not current, then make the pages; the path of the first page."""
    results = run(project, request)
    print(summary(results))
    report_failures(project, results)
    return publish(project, request.profile)


def publish(project: Project, profile: str) -> Path:
    """Make the pages of what is executed; the path of the first page."""
    stage(project, profile)
    _jupyter_book(project)
    return project.html / "index.html"


def report_failures(project: Project, results: list[Ran]) -> None:
    """SystemExit if a chapter failed; its page is withdrawn, so that nobody reads the last one."""
    failed = [ran for ran in results if ran.failure]
    for ran in failed:
        unpublish(project, ran.chapter)
    if failed:
        raise SystemExit(f"\n{len(failed)} of {len(results)} chapters failed; no pages were made.")


def _jupyter_book(project: Project) -> None:
    """Make the pages from the mirror, unless they are made; warnings are errors."""
    stamp, made_by = project.build / "pages.key", _pages_key(project)
    unchanged = stamp.is_file() and stamp.read_text() == made_by
    is_made = (project.html / "index.html").is_file()
    if unchanged and is_made and not _newer(project.stage, stamp):
        return
    stamp.unlink(missing_ok=True)
    command = _command(project, all_pages=not unchanged)
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode or not (project.html / "index.html").is_file():
        # Sphinx does not repeat the warnings of a page that it need not read again.
        shutil.rmtree(project.build / ".doctrees", ignore_errors=True)
        said = _complaints(done.stdout + done.stderr)
        raise SystemExit(f"{said}\n\nThe pages could not be made (see above).")
    write(stamp, made_by)


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


def _pages_key(project: Project) -> str:
    """Changes when every page must be made again: the pins, the settings, and this package."""
    package = sorted(Path(__file__).parents[1].rglob("*"))
    own = [path for path in package if path.suffix in (".py", ".js", ".css")]
    settings = [project.lock, project.root / "_config.yml", project.contents]
    return " ".join(digest(path) for path in (*settings, *own))


def _newer(folder: Path, stamp: Path) -> bool:
    made = stamp.stat().st_mtime
    # The folder itself: what was removed from it left no file that is newer.
    return any(path.stat().st_mtime > made for path in (folder, *folder.rglob("*")))
