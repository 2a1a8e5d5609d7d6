"""What readers download, run as it says, where nothing of this checkout can help it.

Each notebook has an environment of its own, made empty in a folder elsewhere, and a home of its
own. There the command that it prints is run as it stands, or the notebook is opened at once and its
first cell installs, as in somebody else's Jupyter. Before a release no index has the package, so
pip is told of a folder with the wheel of this checkout; versions are held to requirements.lock.
The notebook has to run to its end without a word on stderr, show as many drawings, and settle the
same claims by the same lines as on the page. One of its figures is made again by its script.
"""

import os
import re
import shlex
import shutil
import subprocess
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbformat import NotebookNode

from repcost_book.pages.figures import FOLDER
from repcost_book.pages.merge import LIVE_VIEW
from repcost_book.runner.comparisons import check_lines, differences, outputs_of
from repcost_book.runner.environment import fast
from repcost_book.runner.execute import FONTS
from repcost_book.runner.project import Project
from repcost_book.trials.release import build

# One without PyTorch, one with it and with what was recorded, and a page of drawings, which
# installs what it needs by itself.
TRIED = ("savarese-2019/bump", "start/your-network", "ongie-willett-2022/play")
BY_ITSELF = ("ongie-willett-2022/play",)
# What somebody has who opens a notebook that installs the rest.
JUPYTER = "pip install ipykernel papermill"
PRINTED = re.compile(r"`(pip install [^`]+)`")
DRAWING = "data-repcost-widget"
# What could lead back to this checkout, or bring settings of this machine's user.
LEFT_OUT = re.compile(r"PYTHONPATH|VIRTUAL_ENV|(?:JUPYTER|IPYTHON|MPL|PAPERMILL|XDG)\w*")


class Failed(RuntimeError):
    """A step that went wrong, and what it said."""


@dataclass(frozen=True)
class Download:
    """The notebook of a chapter as it lies beside the pages, and how it is begun."""

    chapter: str
    notebook: Path
    by_itself: bool = False

    @classmethod
    def of(cls, project: Project, chapter: str) -> "Download":
        path = project.html / "_sources" / "book" / f"{chapter}.ipynb"
        if not path.is_file():
            raise SystemExit(f"{chapter} has no notebook beside its page: make book, then again.")
        return cls(chapter, path, chapter in BY_ITSELF)

    def read(self) -> NotebookNode:
        return nbformat.read(self.notebook, as_version=4)

    @property
    def printed(self) -> str:
        """The command that the notebook prints."""
        prose = [cell.source for cell in self.read().cells if cell.cell_type == "markdown"]
        found = [command for text in prose for command in PRINTED.findall(text)]
        if not found:
            raise Failed("it prints no command")
        return found[0]

    @property
    def command(self) -> str:
        """What is run before it is opened."""
        return JUPYTER if self.by_itself else self.printed


def tried(
    project: Project, download: Download, wheels: Path, say: Callable[[str], None] = print
) -> list[str]:
    """What is wrong with a download; nothing if it does what it says."""
    with TemporaryDirectory() as place:
        here = Elsewhere(Path(place), project.lock, wheels)
        try:
            say(f"{download.chapter}: {download.command}")
            here.install(download.command)
            say(f"{download.chapter}: the notebook")
            ran = here.run(download.notebook)
            wrong = [*_differs(download.chapter, download.read(), ran)]
            for script in _scripts(project, download.chapter):
                say(f"{download.chapter}: {script.name}")
                here.draw(script)
        except Failed as error:
            return [str(error)]
        return wrong


def wheels_of(project: Project, folder: Path) -> Path:
    """A folder with the wheel of this checkout."""
    build(project.root, folder)
    return folder


@dataclass(frozen=True)
class Elsewhere:
    """An empty environment in a folder, and beside it the empty folder that it is used in."""

    place: Path
    lock: Path
    wheels: Path

    @property
    def python(self) -> Path:
        inside = "Scripts/python.exe" if os.name == "nt" else "bin/python"
        return self.place / "environment" / inside

    @property
    def folder(self) -> Path:
        return self.place / "folder"

    def install(self, command: str) -> None:
        """Make the environment, and run a command that begins with `pip` in it."""
        self.folder.mkdir()
        venv.create(self.place / "environment", with_pip=True)
        self._do(*shlex.split(command), "--quiet")

    def run(self, notebook: Path) -> NotebookNode:
        """The notebook, run from the beginning to the end."""
        shutil.copy2(notebook, self.folder / "downloaded.ipynb")
        told = ["downloaded.ipynb", "run.ipynb", "--kernel", "python3", "--no-progress-bar"]
        self._do("papermill", *told)
        return nbformat.read(self.folder / "run.ipynb", as_version=4)

    def draw(self, script: Path) -> None:
        """Run the script of a figure, which has to write the picture."""
        shutil.copy2(script, self.folder / script.name)
        self._do(script.name, as_module=False)
        picture = (self.folder / script.name).with_suffix(".png")
        if not picture.is_file() or not picture.read_bytes().startswith(b"\x89PNG"):
            raise Failed(f"{script.name} wrote no picture")

    def _do(self, *arguments: str, as_module: bool = True) -> None:
        command = [str(self.python), *["-m"] * as_module, *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment(), capture_output=True, text=True
        )
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip())[-800:]
            raise Failed(f"{' '.join(command[1:])} ended with code {done.returncode}:\n{said}")

    def environment(self) -> dict[str, str]:
        """That of somebody who has just come, but for where pip finds this very version."""
        usual = {name: text for name, text in fast().items() if not LEFT_OUT.fullmatch(name)}
        bins = os.pathsep.join([str(self.python.parent), usual.get("PATH", "")])
        links = " ".join(filter(None, [usual.get("PIP_FIND_LINKS"), str(self.wheels)]))
        own = {"PATH": bins, "PIP_FIND_LINKS": links, "PIP_CONSTRAINT": str(self.lock)}
        # What has been fetched before need not be fetched again.
        own["PIP_CACHE_DIR"] = usual.get("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip"))
        return {**usual, **own, "HOME": str(self.place), "USERPROFILE": str(self.place)}


def _differs(chapter: str, page: NotebookNode, ran: NotebookNode) -> Iterator[str]:
    """What the notebook said, and showed, otherwise than on the page."""
    before, now = outputs_of(page), outputs_of(ran)
    yield from map(str, differences(chapter, check_lines(before), check_lines(now)))
    for output in now:
        if output.get("name") == "stderr" and output["text"].strip() != FONTS:
            yield f"{chapter} wrote to stderr: {output['text'].strip()[-400:]}"
    drawn, shown = _drawings(before), [each for each in _drawings(now) if LIVE_VIEW in each]
    if len(drawn) != len(shown):
        yield f"{chapter} shows {len(shown)} live drawings, and its page {len(drawn)}"


def _drawings(outputs: list) -> list[NotebookNode]:
    found = [output.get("data", {}) for output in outputs]
    return [data for data in found if DRAWING in "".join(data.get("text/html", ""))]


def _scripts(project: Project, chapter: str) -> list[Path]:
    """The first script among those of its figures, if it has any."""
    return sorted((project.html / FOLDER / chapter).glob("*.py"))[:1]
