"""`new` begins a chapter: what it writes runs as it stands, and nothing is written by half."""

import os
import subprocess
import sys

import nbformat
import pytest
import yaml

from repcost_book.commands.insertions import (
    paper_of,
    with_page,
    with_reading,
    with_statement,
)
from repcost_book.commands.main import main
from repcost_book.commands.new import begun
from repcost_book.commands.skeleton import MARK, stub
from repcost_book.kernel.ledger import parse
from repcost_book.pages.settled import Settled, settled
from repcost_book.runner import files
from repcost_book.runner.chapters import chapters, code_cells, listed
from repcost_book.runner.project import Project
from tests.small_book import CONTENTS, small_checkout

NAME = "savarese-2019/widths"
CLAIM = "the balanced network costs its path norm"
LEDGER = """\
# A comment.
savarese-2019/lemma-1:
  number: Lemma 1
  says: >-
    A line,

    and another.
  verdict: holds

# The second paper.
jacot-2023/theorem-1:
  number: Theorem 1
  says: A theorem.
  verdict: open
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return small_checkout(tmp_path)


def state(project):
    """Every file of the checkout with its content."""
    return {path: path.read_bytes() for path in project.root.rglob("*") if path.is_file()}


def test_what_it_writes_runs_as_it_stands(project, capsys):
    main(["new", NAME])
    said = capsys.readouterr().out
    assert f"book/{NAME}.md" in said and f"run {NAME}" in said
    # In a process with this checkout's own packages, whose ledger has the new entry.
    environment = {**os.environ, "PYTHONPATH": str(project.root / "lib")}
    command = [sys.executable, "-m", "repcost_book", "run", NAME]
    done = subprocess.run(
        command, cwd=project.root, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    notebook = nbformat.read(project.executed("quick") / f"{NAME}.ipynb", as_version=4)
    assert settled(NAME, notebook) == [Settled(NAME, CLAIM, NAME)]
    # All that CI asks of a chapter can be satisfied.
    (chapter,) = chapters(project, [NAME])
    lines = [line for cell in code_cells(chapter.notebook()) for line in cell.source.splitlines()]
    assert max(map(len, lines)) <= 86
    assert {"profile", "seed", "device"} <= chapter.parameters()
    text = chapter.source.read_text(encoding="utf-8")
    assert f"{{prf:remark}} {MARK}\n:label: {NAME}\n" in text and "chapter ask?\n" in text


def test_the_other_lines_stay_as_they_are(project):
    old = state(project)
    main(["new", NAME])
    new = state(project)
    changed = {path for path in new if old.get(path) != new[path]}
    others = {project.contents, project.ledger, project.readings}
    assert changed == {project.book / f"{NAME}.md", *others}
    for path in others:
        lines = iter(new[path].splitlines())
        assert all(line in lines for line in old[path].splitlines())
    added = f"      - file: book/{NAME}\n"
    assert len(new[project.contents]) == len(old[project.contents]) + len(added)


def test_the_page_comes_last_in_its_part():
    made = with_page(CONTENTS, "savarese-2019", NAME)
    assert made == CONTENTS.replace("but one\n", f"but one\n      - file: book/{NAME}\n")
    without_title = CONTENTS[: CONTENTS.index("      - file: book/savarese-2019/last")]
    nested = with_page(without_title, "savarese-2019", NAME)
    assert nested == f"{without_title}      - file: book/{NAME}\n"
    unended = with_page(without_title.rstrip("\n"), "savarese-2019", NAME)
    assert listed(unended)[-1] == f"book/{NAME}"


def test_the_statement_comes_behind_those_of_its_paper():
    made = with_statement(LEDGER, "savarese-2019", stub(NAME))
    assert list(parse(made)) == ["savarese-2019/lemma-1", NAME, "jacot-2023/theorem-1"]
    assert made == LEDGER.replace("holds\n", f"holds\n\n{stub(NAME)}")
    last = with_statement(LEDGER, "jacot-2023", stub("jacot-2023/a"))
    assert last == f"{LEDGER}\n{stub('jacot-2023/a')}"
    first = with_statement(LEDGER, "jacot-2022", stub("jacot-2022/a"))
    assert list(parse(first))[-1] == "jacot-2022/a"


def test_what_it_takes_for_read_stands_behind_those_of_its_paper():
    before = "# Read before.\nsavarese-2019/a: []\njacot-2023/b: []\n"
    made = with_reading(before, "savarese-2019", NAME).splitlines()
    assert made[2] == f"{NAME}: []" and len(made) == 4
    assert with_reading(before, "jacot-2022", "jacot-2022/a").endswith("\njacot-2022/a: []\n")


@pytest.mark.parametrize(
    "name, says",
    [
        ("savarese-2018/widths", "no paper 'savarese-2018'; the papers are: savarese-2019"),
        ("widths", "PAPER/NAME"),
        ("savarese-2019/Widths", "PAPER/NAME"),
        ("savarese-2019/a/b", "PAPER/NAME"),
        ("savarese-2019/../a", "PAPER/NAME"),
        ("savarese-2019/lemma-1", "statement savarese-2019/lemma-1 already"),
        ("savarese-2019/there", "book/savarese-2019/there.md exists already"),
        ("jacot-2023/widths", "no part of jacot-2023"),
    ],
)
def test_it_refuses_and_writes_nothing(project, name, says):
    (project.book / "savarese-2019").mkdir()
    (project.book / "savarese-2019" / "there.md").write_text("# Mine\n")
    before = state(project)
    with pytest.raises(SystemExit, match="Nothing was written") as ended:
        main(["new", name])
    assert says in str(ended.value)
    assert state(project) == before


def test_a_listed_page_is_refused():
    with pytest.raises(ValueError, match="put it in by hand"):
        with_page(CONTENTS, "savarese-2019", "savarese-2019/last")


def test_contents_of_another_form_are_refused():
    flow = '{format: jb-book, root: book/plain, chapters: [{file: "book/savarese-2019/a"}]}\n'
    with pytest.raises(ValueError, match="no part of savarese-2019"):
        with_page(flow, "savarese-2019", NAME)
    assert paper_of(NAME) == "savarese-2019"


def test_without_a_ledger_it_refuses(project):
    project.ledger.unlink()
    with pytest.raises(ValueError, match="no ledger"):
        begun(project, NAME)


@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyboardInterrupt()])
def test_where_the_last_file_cannot_be_written_none_is(project, monkeypatch, error):
    before, write = state(project), files.write

    def failing(path, content):
        if path == project.contents and content != before[path]:
            raise error
        return write(path, content)

    monkeypatch.setattr(files, "write", failing)
    with pytest.raises((OSError, SystemExit)):
        main(["new", NAME])
    assert state(project) == before


def test_no_skeleton_is_published():
    project = Project.here()
    pages = [chapter.source for chapter in chapters(project)]
    texts = {path: path.read_text(encoding="utf-8") for path in (*pages, project.ledger)}
    assert [path for path, text in texts.items() if MARK in text] == []


def test_the_guard_above_can_fail():
    entry = yaml.safe_load(stub(NAME))[NAME]
    assert MARK in entry["number"] and MARK in entry["says"]
    assert entry["chapter"] == NAME and list(entry["claims"]) == [CLAIM]
