"""What is said of downloads; that they run is seen by `make downloads`, which takes minutes."""

import sys
from pathlib import Path

import nbformat
import pytest

from repcost_book.commands.main import main
from repcost_book.kernel.outputs import METADATA_KEY
from repcost_book.pages.downloads import simplified
from repcost_book.pages.merge import LIVE_VIEW
from repcost_book.runner.execute import FONTS
from repcost_book.runner.project import Project
from repcost_book.trials import downloads
from repcost_book.trials.downloads import (
    BY_ITSELF,
    JUPYTER,
    TRIED,
    Download,
    Elsewhere,
    Failed,
    _differs,
)

LINE = "✓ a/b (exact): it holds; at most 0; refuted: another"
DRAWN = '<div data-repcost-widget="line"></div>'


def said(text: str, name: str = "stdout"):
    return nbformat.v4.new_output("stream", name=name, text=text)


def shown(data: dict, mark: dict | None = None):
    return nbformat.v4.new_output("display_data", data, metadata={METADATA_KEY: mark or {}})


def check(line: str):
    return shown({"text/plain": line}, {"check": {"statement": "a/b", "claim": "it holds"}})


def notebook(*outputs, needs_torch: bool = False):
    cells = [nbformat.v4.new_markdown_cell("# Title"), nbformat.v4.new_code_cell("x")]
    cells[1].outputs = list(outputs)
    metadata = {"repcost": {"needs_torch": needs_torch}}
    return simplified(nbformat.v4.new_notebook(cells=cells, metadata=metadata))


@pytest.fixture
def project(tmp_path):
    """Pages with the three notebooks, of which each says what a page of its kind does."""
    project = Project(tmp_path)
    for chapter in TRIED:
        path = project.html / "_sources" / "book" / f"{chapter}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        made = notebook(check(LINE), needs_torch=chapter == "start/your-network")
        path.write_text(nbformat.writes(made), encoding="utf-8")
    return project


def test_what_is_run_is_what_the_notebook_prints(project):
    plain, torch, drawings = (Download.of(project, chapter) for chapter in TRIED)
    assert plain.command.startswith('pip install "repcost[book]==')
    assert torch.command.startswith('pip install "repcost[torch,book]==')
    assert drawings.chapter in BY_ITSELF and drawings.command == JUPYTER


def test_a_notebook_that_prints_no_command_or_is_not_there_is_named(project):
    download = Download.of(project, TRIED[0])
    download.notebook.write_text(nbformat.writes(nbformat.v4.new_notebook()), encoding="utf-8")
    with pytest.raises(Failed, match="no command"):
        assert download.command
    with pytest.raises(SystemExit, match="a/c has no notebook beside its page: make book"):
        Download.of(project, "a/c")


def test_nothing_leads_back_to_this_checkout(tmp_path, monkeypatch):
    for name in ("PYTHONPATH", "JUPYTER_PATH", "MPLCONFIGDIR", "VIRTUAL_ENV"):
        monkeypatch.setenv(name, "here")
    monkeypatch.setenv("PIP_FIND_LINKS", "theirs")
    found = Elsewhere(tmp_path, Path("pins.lock"), Path("wheels")).environment()
    assert "here" not in found.values() and found["HOME"] == str(tmp_path)
    assert found["PIP_FIND_LINKS"] == "theirs wheels" and found["PIP_CONSTRAINT"] == "pins.lock"


PAGE = notebook(check(LINE), shown({"text/html": DRAWN}))
LIVE = shown({"text/html": DRAWN, LIVE_VIEW: {}})


@pytest.mark.parametrize(
    "outputs, wrong",
    [
        ([check(LINE), LIVE], None),
        ([check(LINE), LIVE, said(f"{FONTS}\n", "stderr"), said("out")], None),
        ([LIVE], "now:       no such check"),
        ([check(LINE.replace("at most 0", "at most 1")), LIVE], "at most 1"),
        ([check(LINE), LIVE, said("a warning", "stderr")], "wrote to stderr: a warning"),
        ([check(LINE)], "shows 0 live drawings, and its page 1"),
        ([check(LINE), shown({"text/html": DRAWN})], "shows 0 live drawings"),
    ],
)
def test_what_differs_from_the_page_is_told(outputs, wrong):
    found = [*_differs("a/c", PAGE, notebook(*outputs))]
    assert found == [] if wrong is None else len(found) == 1 and wrong in found[0]


@pytest.fixture
def steps(monkeypatch):
    """What would be done elsewhere, where everything goes well."""
    done = []
    monkeypatch.setattr(Elsewhere, "install", lambda self, command: done.append(command))
    monkeypatch.setattr(Elsewhere, "run", lambda self, path: nbformat.read(path, as_version=4))
    monkeypatch.setattr(Elsewhere, "draw", lambda self, script: done.append(script.name))
    monkeypatch.setattr(downloads, "build", lambda root, folder: None)
    return done


def test_three_are_tried_and_a_figure_of_each(project, steps, monkeypatch, capsys):
    script = project.html / "_figures" / TRIED[0] / "fig-a.py"
    script.parent.mkdir(parents=True)
    script.touch()
    monkeypatch.setattr(Project, "here", lambda: project)
    main(["downloads"])
    assert [step.partition("==")[0] for step in steps] == [
        'pip install "repcost[book]',
        "fig-a.py",
        'pip install "repcost[torch,book]',
        JUPYTER,
    ]
    assert capsys.readouterr().out.count("it runs as it says") == 3


def test_one_that_fails_is_named_and_the_others_go_on(project, steps, monkeypatch, capsys):
    def run(self, path):
        raise Failed("papermill ended with code 1:\nno module")

    monkeypatch.setattr(Elsewhere, "run", run)
    monkeypatch.setattr(Project, "here", lambda: project)
    with pytest.raises(SystemExit, match="Not every download"):
        main(["downloads", *TRIED[:2]])
    assert capsys.readouterr().out.count("no module") == 2


def test_a_step_that_fails_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(Elsewhere, "python", Path(sys.executable))
    here = Elsewhere(tmp_path, Path("lock"), Path("wheels"))
    here.folder.mkdir()
    script = tmp_path / "fig-a.py"
    script.write_text("raise SystemExit('no backend')")
    with pytest.raises(Failed, match=r"fig-a\.py ended with code 1:\nno backend"):
        here.draw(script)
    script.write_text("print(1)")
    with pytest.raises(Failed, match="wrote no picture"):
        here.draw(script)
