"""Pages are made again when what they are made of has changed, whatever the clock says."""

import json
import os
import time
from pathlib import Path

import pytest

from repcost_book.pages.build import make_pages
from repcost_book.pages.made_of import MadeOf, all_there, times_tell
from repcost_book.pages.stage import mirror
from repcost_book.runner.project import Project

CONTENTS = {"format": "jb-book", "root": "book/one", "chapters": [{"file": "book/two"}]}
LATER = 10_000


@pytest.fixture
def project(tmp_path):
    (tmp_path / "requirements.lock").touch()
    (tmp_path / "_config.yml").write_text("title: Two pages")
    (tmp_path / "_toc.yml").write_text(json.dumps(CONTENTS))
    return Project(tmp_path)


def staged(project: Project, word: str) -> MadeOf:
    """The mirror with this word on its first page."""
    settings = {
        Path(name): (project.root / name).read_bytes() for name in ("_config.yml", "_toc.yml")
    }
    two = {Path("book/one.md"): f"# One\n\n{word}", Path("book/two.md"): "# Two"}
    mirror(project.stage, {**settings, **two})
    return MadeOf.now(project)


def test_a_change_reaches_the_page_although_its_time_lies_before_the_last_pages(project):
    page = project.html / "book" / "one.html"
    staged(project, "alpha")
    make_pages(project)
    assert "alpha" in page.read_text()
    staged(project, "beta")
    # As if the clock had been ahead when the pages were made.
    past = time.time() - LATER
    os.utime(project.stage / "book" / "one.md", (past, past))
    make_pages(project)
    assert "beta" in page.read_text()
    # And nothing is made again that is made of the same.
    made = page.stat().st_mtime_ns
    make_pages(project)
    assert page.stat().st_mtime_ns == made


def test_times_are_believed_only_where_they_can_be_true(project):
    stamp = project.build / "pages.json"
    before = staged(project, "alpha")
    stamp.write_text(before.text())
    os.utime(stamp, (1, 1))
    assert MadeOf.read(stamp) == before and times_tell(before, before, project, stamp)
    after = staged(project, "beta")
    assert after != before and times_tell(after, before, project, stamp)
    future = time.time() + LATER
    os.utime(stamp, (future, future))
    assert not times_tell(after, before, project, stamp)
    assert not times_tell(after, None, project, stamp)
    project.lock.write_text("numpy==2")
    os.utime(stamp, (1, 1))
    assert not times_tell(MadeOf.now(project), after, project, stamp)


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"settings": {}', '{"other": 1}'])
def test_a_damaged_stamp_is_none(tmp_path, damage):
    stamp = tmp_path / "pages.json"
    assert MadeOf.read(stamp) is None
    stamp.write_text(damage)
    assert MadeOf.read(stamp) is None


def test_a_page_that_was_withdrawn_is_missed(project):
    for name in ("index", "book/one", "book/two"):
        assert not all_there(project)
        page = project.html / f"{name}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.touch()
    assert all_there(project)
