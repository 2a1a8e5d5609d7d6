"""Doubt over a book of tiny chapters, in processes of its own: what is kept, and what is not."""

import json
from typing import Any

import pytest
import yaml

from repcost_book.commands.main import main
from repcost_book.kernel.ledger import statements
from repcost_book.pages.boxes import _badges
from repcost_book.pages.doubt import badges, doubt_page
from repcost_book.pages.doubted import read
from repcost_book.runner.chapters import chapters
from repcost_book.runner.project import Project
from repcost_book.trials.doubt.doubts import Doubts
from repcost_book.trials.doubt.kept import Kept
from tests.small_book import small_book, write_chapter

SMALL = """\
import numpy as np
from repcost_book import check
from pathlib import Path
x = np.linspace(1, 2, 5) + seed
def square(x):
    return x * x
check('a/b', 'squares', max(abs(square(x) - x**2)), at_most=1e-12, wrong={'b': 1})
"""
# With a fault it never ends; and it writes into the checkout.
ENDLESS = """\
def counted(n):
    while n < 3:
        n = n + 1
    Path(ROOT, 'results', 'spoilt.txt').write_text('spoilt') if n > 3 else None
    return n
check('a/b', 'an end', abs(counted(2) - 3), at_most=0, wrong={'b': 1})
"""


@pytest.fixture
def project(tmp_path):
    project = small_book(tmp_path)
    write_chapter(project.root, "good", SMALL)
    return project


def doubted(project, seconds=float("inf")) -> Any:
    doubts = Doubts(project, jobs=2, seconds=seconds, least=0.3)
    (ended,) = doubts.run(chapters(project, ["good"]))
    assert ended.doubted is not None
    return ended


def test_a_chapter_is_doubted_once_and_again_when_it_has_changed(project, monkeypatch):
    first = doubted(project)
    assert not first.failure and first.doubted.is_whole
    (check,) = first.doubted.checks
    assert check.noticed >= 5 and check.statement == "a/b"
    assert read(project.doubt) == {"good": first.doubted}
    # Nothing is left to do, and no process is started.
    monkeypatch.setattr(Doubts, "_messages", lambda *arguments: pytest.fail("it ran again"))
    assert doubted(project).doubted == first.doubted
    # Nor where only what is committed is there, as after a checkout.
    Doubts(project)._path(first.chapter).unlink()
    assert doubted(project).doubted == first.doubted
    monkeypatch.undo()
    write_chapter(project.root, "good", SMALL.replace("1e-12", "1e-11"))
    assert doubt_page(project).startswith("Nothing has been measured")
    again = doubted(project)
    assert again.doubted.key != first.doubted.key and again.doubted.is_whole


def test_a_second_start_goes_on_where_the_first_was_stopped(project):
    stopped = doubted(project, seconds=0)
    assert stopped.doubted.run == 0 < stopped.doubted.faults and badges(project) == {}
    assert "0 of" in doubt_page(project)
    path = Doubts(project)._path(stopped.chapter)
    kept = Kept.read(path, stopped.chapter, project)
    # As if a part of it had come.
    key = next(iter(kept.faults))
    kept.came[key] = {"fired": True, "came": "S", "roles": "F"}
    path.write_text(kept.text())
    went_on = doubted(project).doubted
    assert went_on.is_whole and key in {each.key for each in went_on.survivors}
    # What is damaged is as if it had never been.
    path.write_text("{")
    assert not Kept.read(path, stopped.chapter, project).key


def test_what_never_ends_is_stopped_and_nothing_is_written(project):
    write_chapter(project.root, "good", SMALL + ENDLESS)
    ended = doubted(project)
    assert not (project.root / "results" / "spoilt.txt").exists()
    made = {path.name for path in (project.root / "results").iterdir()}
    assert made == {"numbers.json", "doubt.json"}
    last = ended.doubted.checks[-1]
    kept = json.loads(Doubts(project)._path(ended.chapter).read_text())
    assert "T" in {told["came"][0] for told in kept["came"].values() if told["fired"]}
    assert last.raised >= 1 and last.noticed >= 1


def test_reasons_are_kept_beside_and_change_no_score(project):
    write_chapter(project.root, "good", SMALL.replace("1e-12", "10"))
    before = doubted(project).doubted
    reasons = {"good": {each.key: "it is of no importance" for each in before.survivors}}
    (project.root / "results" / "doubt-reasons.yml").write_text(yaml.safe_dump(reasons))
    after = doubted(project).doubted
    assert after.checks == before.checks and len(after.survivors) == len(before.survivors)
    assert after.survivors[0].because == "it is of no importance"
    assert "of no importance" in doubt_page(project)


def test_a_check_may_fall_short_for_what_its_reader_says(project):
    (check,) = doubted(project).doubted.checks
    assert check.falls_short == ("no answer of the library, no draw, no search",)
    assert "Below the bar are 1 of the 1 checks." in doubt_page(project)
    review = {"of": "", "answer": "no: an identity.", "literal": "an example in whole numbers"}
    reviews = {"good": {check.statement: {check.claim: review}}}
    path = project.root / "results" / "doubt-reviews.yml"
    path.write_text(yaml.safe_dump(reviews))
    told = "Below the bar are 1 of the 1 checks, 1 of them for reasons that are recorded."
    page = doubt_page(project)
    assert told in page
    assert "(good): no answer of the library, no draw, no search. An example in whole" in page
    # Control: a twin is another matter, and so are few faults.
    path.write_text(yaml.safe_dump(reviews).replace("literal", "twin"))
    assert "recorded" not in doubt_page(project).partition("##")[0]


def test_a_chapter_that_cannot_run_is_named_and_the_next_one_runs(project, monkeypatch, capsys):
    monkeypatch.setattr(Project, "here", classmethod(lambda cls: project))
    write_chapter(project.root, "raising", SMALL.replace("seed", "1 / 0"))
    with pytest.raises(SystemExit, match=r"Nothing can be said of raising\."):
        main(["doubt", "raising", "good", "--jobs", "2"])
    told = capsys.readouterr().out
    assert "raising: ZeroDivisionError: division by zero" in told
    assert "good " in told and "score 100%" in told
    assert "falls short: no answer of the library, no draw, no search" in told


def test_the_page_says_what_is_missing(project):
    assert "python -m repcost_book doubt" in doubt_page(project)
    doubted(project)
    page = doubt_page(project)
    assert "| good.html" in page.replace('<a href="../', "").replace('">good</a>', "")
    assert "Not measured as they are now: data, raising" in page
    assert badges(project) == {"a/b": "100% of faults noticed"}
    # The library, or a pin, changes: the numbers stay, and the page says that they are older.
    assert "\\*" not in page
    project.lock.write_text("numpy==2.1\n")
    assert doubt_page(project).count("\\*") == 2
    assert badges(project) == {"a/b": "100% of faults noticed"}


def test_a_box_shows_what_its_checks_noticed_where_that_was_measured():
    statement = next(iter(statements().values()))
    told = "".join(node.astext() for node in _badges(statement, "95% of faults noticed"))
    assert '<a class="repcost-badge repcost-doubt" href="../start/doubt.html"' in told
    assert "noticed" not in "".join(node.astext() for node in _badges(statement, None))
