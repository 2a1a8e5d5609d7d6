"""References of the paper profile, and what a failed reference says, of either profile."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest
from nbval.plugin import IPyNbCell

from repcost_book.commands.main import main
from repcost_book.kernel.ledger import statements
from repcost_book.kernel.sources import PACKAGES
from repcost_book.runner.comparisons import Difference, differences
from repcost_book.runner.project import Project
from repcost_book.runner.references import compare_paper, make_paper_references, reference
from repcost_book.runner.runs import Request, run
from tests import told_references
from tests.small_book import small_book, write_chapter

ROOT = Project.here().root
STATEMENT = next(each for each in statements().values() if each.claims)
CLAIM = STATEMENT.claims[0].text
CHECK = f"""from repcost_book import check
check({STATEMENT.id!r}, {CLAIM!r}, 0.001, at_most=BOUND, wrong={{"a wrong one": 9}})"""
NAMED = f"{STATEMENT.id}: {CLAIM}"


def with_bound(bound, profiles=""):
    return CHECK.replace("BOUND", str(bound)) + profiles


@pytest.fixture
def project(tmp_path, monkeypatch):
    project = small_book(tmp_path)
    write_chapter(project.root, "good", with_bound(0.1))
    monkeypatch.setattr(Project, "here", lambda: project)
    return project


def paper(project, **parameters):
    (ran,) = run(project, Request(profile="paper", only=["good"], parameters=parameters))
    assert not ran.failure


def test_what_is_executed_is_kept_as_lines_and_compared_without_running_again(project, capsys):
    paper(project)
    before = compare_paper(project, [])
    assert before.compared == [] and before.without_reference[0] == "good"
    assert "good" not in before.not_executed
    main(["references", "--profile", "paper"])
    assert "Changed: good" in capsys.readouterr().out
    text = (project.paper_references / "good.txt").read_text()
    assert text.startswith(f"✓ {STATEMENT.id} (") and text.count("\n") == 1
    assert "at most 0.1; refuted: a wrong one" in text and "0.001" not in text
    main(["compare"])
    printed = capsys.readouterr().out
    assert "references of the paper profile: 1 chapters" in printed
    assert "changed since: data, raising, warning, sleeping" in printed
    assert make_paper_references(project) == []


def test_a_changed_line_is_told_with_chapter_claim_old_and_new(project, capsys):
    paper(project)
    make_paper_references(project)
    write_chapter(project.root, "good", with_bound(0.2))
    # What is executed is of the old code: it is not compared, and nobody may think that it was.
    assert compare_paper(project, []).not_executed[0] == "good"
    with pytest.raises(SystemExit):
        main(["compare", "good"])
    paper(project)
    capsys.readouterr()
    with pytest.raises(SystemExit, match="not what its references have"):
        main(["compare"])
    printed = capsys.readouterr().out
    assert f"good\n  {NAMED}\n    reference: ✓ {STATEMENT.id}" in printed
    assert "at most 0.1; refuted" in printed and "at most 0.2; refuted" in printed


def test_experiments_and_chapters_that_are_gone_make_no_reference(project):
    paper(project, seed=3)
    gone = project.paper_references / "gone.txt"
    gone.parent.mkdir(parents=True)
    gone.write_text("✓\n")
    assert make_paper_references(project) == ["gone (removed)"]
    assert list(project.paper_references.iterdir()) == []


def test_claims_are_found_by_their_names_wherever_they_stand():
    one, two = "✓ a/b (exact): first; at most 1; refuted: c", "✓ a/b (exact): 2nd; at most 1; r"
    assert differences("x", [one, two], [two, one]) == []
    exact = one.replace("exact", "certified")
    assert differences("x", [one], [exact, two]) == [
        Difference("x", "a/b: first", one, exact),
        Difference("x", "a/b: 2nd", None, two),
    ]
    # A claim that is checked twice must be checked twice.
    assert len(differences("x", [one, one], [one])) == 1


BROKEN = {
    "another line": ('", 0.001, at_most=0.1', '", 0.001, at_most=0.2', "at most 0.2; refuted"),
    "it fails": ('", 0.001, at_most=0.1', '", 0.5, at_most=0.1', "measured 0.5, which is not"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_failed_reference_names_chapter_claim_old_and_new(project, tmp_path, name):
    """As pytest runs it: with nbval, and with the hooks of these tests."""
    old, new, says = BROKEN[name]
    (ran,) = run(project, Request(only=["good"]))
    made = reference(nbformat.read(ran.notebook, as_version=4))
    for cell in made.cells:
        cell.source = cell.source.replace("'", '"').replace(old, new)
    path = project.references / "good.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(nbformat.writes(made))
    options = ["-p", "no:cacheprovider", "-p", "tests.told_references", "-c", os.devnull]
    options += ["--nbval-lax", "--nbval-current-env", "--nbval-cell-timeout=60", str(path)]
    command = [sys.executable, "-m", "pytest", "--rootdir", str(tmp_path), *options]
    # The small book has a folder called tests, too.
    folders = os.pathsep.join([str(ROOT), str(PACKAGES)])
    environment = {**os.environ, "PYTHONPATH": folders}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"good\n  {NAMED}\n    reference: ✓ {STATEMENT.id}" in done.stdout
    assert says in done.stdout and "at most 0.1; refuted" in done.stdout


def test_one_chapter_is_validated_alone(project, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "repcost_book.commands.testing._step",
        lambda project, arguments, environment=None: asked.append(arguments) or [],
    )
    main(["test", "--chapter", "good", "-j", "4"])
    path = str(project.references / "good.ipynb")
    assert asked == [["pytest", "-n", "1", "--dist", "loadfile", path]]
    with pytest.raises(SystemExit, match="No chapter goood"):
        main(["test", "--chapter", "goood"])


def test_the_notebook_says_what_it_was_asked_for_and_from_which_commit(project):
    paper(project)
    text = json.loads((project.executed("paper") / "good.ipynb").read_text())
    about = text["metadata"]["repcost"]
    assert about["parameters"] == {"profile": "paper"} and about["results"] == {}
    assert about["commit"] == ""


def test_a_cell_of_a_reference_has_more_time_where_more_runs(monkeypatch):
    asked = []
    monkeypatch.setattr(told_references, "patience", lambda *how: asked.append(how) or 360.0)
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "3")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    cell = IPyNbCell.__new__(IPyNbCell)
    option, stash = SimpleNamespace(nbval_cell_timeout=120.0), pytest.Stash()
    config = SimpleNamespace(option=option, stash=stash)
    monkeypatch.setattr(cell, "config", config, raising=False)
    told_references.pytest_runtest_setup(cell)
    assert option.nbval_cell_timeout == 360.0
    # The next cell starts from the usual time again, and not from this one.
    told_references.pytest_runtest_setup(cell)
    assert asked == [(120.0, 6), (120.0, 6)]
