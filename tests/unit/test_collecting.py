"""Artifacts of jobs, made by real runs in clones of a small book, and damaged in every way."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from repcost_book.commands.main import main
from repcost_book.kernel.sources import digest
from repcost_book.runner.collecting import collect, missing
from repcost_book.runner.commits import CHANGED, commit
from repcost_book.runner.files import write
from repcost_book.runner.project import Project
from repcost_book.runner.runs import Request, run
from tests.small_book import small_book, write_chapter

NAMES = ("good", "data")
CODE = """
from repcost_book import Run
found = Run(profile, seed).recorded("some-paper/figure-1", lambda: {"squares": [1, 4]})
"""
OTHERS = {"good": CODE, "data": "print('no result')"}


def git(root, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=b"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """A book of two chapters in a repository, and what a job for each of them has kept."""
    root = tmp_path_factory.mktemp("collect") / "book"
    root.mkdir()
    project = small_book(root)
    for name, code in OTHERS.items():
        write_chapter(root, name, code)
    pages = [{"file": f"book/{name}"} for name in ("plain", *NAMES)]
    contents = {"format": "jb-book", "root": "book/plain", "chapters": pages}
    project.contents.write_text(json.dumps(contents))
    (root / ".gitignore").write_text("_build\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "a book")
    for name in NAMES:
        job = Project(root.parent / f"job-{name}")
        git(root, "clone", "-q", ".", str(job.root))
        (ran,) = run(job, Request(profile="paper", only=[name]))
        assert not ran.failure
        artifact = root.parent / "artifacts" / f"paper-{name}"
        shutil.copytree(job.executed("paper"), artifact / "_build" / "executed" / "paper")
        shutil.copytree(job.root / "results", artifact / "results")
    return root.parent


@pytest.fixture
def here(origin, tmp_path):
    """A checkout, and the artifacts beside it, for one test."""
    shutil.copytree(origin / "book", tmp_path / "book")
    shutil.copytree(origin / "artifacts", tmp_path / "artifacts")
    return Project(tmp_path / "book")


def artifacts(project):
    return project.root.parent / "artifacts"


def state(project):
    """All that a collection could change, by its content."""
    files = [*project.build.rglob("*"), *(project.root / "results").rglob("*")]
    kept = [path for path in files if path.is_file() and "running" not in path.parts]
    return {path.relative_to(project.root).as_posix(): path.read_bytes() for path in kept}


def change(path, **entries):
    """Other entries in the metadata of an executed notebook."""
    notebook = json.loads(path.read_text())
    notebook["metadata"]["repcost"].update(entries)
    path.write_text(json.dumps(notebook))
    # As if it had been kept so.
    beside = path.with_suffix(".json")
    beside.write_text(json.dumps({**json.loads(beside.read_text()), "notebook": digest(path)}))


def test_what_jobs_made_is_taken_over_and_is_current_here(here):
    assert missing(here) == list(NAMES)
    assert collect(here, [artifacts(here)]) == ["data", "good"]
    assert missing(here) == []
    ran = run(here, Request(profile="paper"))
    assert [each.state for each in ran] == ["cached", "cached"]
    found = np.load(here.root / "results" / "some-paper" / "figure-1.npz")
    assert found["squares"].tolist() == [1, 4]
    assert sorted(json.loads(here.paper_runs.read_text())) == sorted(NAMES)


def test_one_after_the_other_is_the_same(here):
    write(here.paper_runs, json.dumps({"older": {"seconds": 1}}))
    for name in NAMES:
        assert collect(here, [artifacts(here) / f"paper-{name}"]) == [name]
    assert missing(here) == []
    assert sorted(json.loads(here.paper_runs.read_text())) == sorted([*NAMES, "older"])


def executed(folder):
    return folder / "_build" / "executed" / "paper" / "good.ipynb"


def truncated(folder):
    executed(folder).write_bytes(executed(folder).read_bytes()[:300])


def without_record(folder):
    executed(folder).with_suffix(".json").unlink()


def of_another_record(folder):
    record = json.loads(executed(folder).with_suffix(".json").read_text())
    record["key"] = "0" * 64
    executed(folder).with_suffix(".json").write_text(json.dumps(record))


def with_another_result(folder):
    (folder / "results" / "some-paper" / "figure-1.npz").write_bytes(b"PK")


def without_times(folder):
    (folder / "results" / "paper-runs.json").write_text("{}")


def with_unreadable_times(folder):
    (folder / "results" / "paper-runs.json").write_text("{")


def failed(folder):
    notebook = json.loads(executed(folder).read_text())
    del notebook["metadata"]["repcost"]
    executed(folder).write_text(json.dumps(notebook))


def quick(folder):
    change(executed(folder), profile="quick")


def an_experiment(folder):
    change(executed(folder), parameters={"profile": "paper", "seed": 3})


def without_a_commit(folder):
    change(executed(folder), commit="")


def of_changed_sources(folder):
    change(executed(folder), commit=f"{'a' * 40}{CHANGED}")


def of_another_commit(folder):
    change(executed(folder), commit="a" * 40)


def empty(folder):
    shutil.rmtree(folder / "_build")


def of_no_chapter(folder):
    executed(folder).rename(executed(folder).with_name("gone.ipynb"))


BAD = {
    truncated: r"good.ipynb or a file that belongs to it is damaged",
    without_record: r"is damaged \(FileNotFoundError: .*good.json",
    of_another_record: r"good.ipynb does not belong to the record beside it",
    with_another_result: r"figure-1.npz is not the file that its chapter computed",
    without_times: r"is damaged \(KeyError: 'good'\)",
    with_unreadable_times: r"is damaged \(JSONDecodeError",
    failed: r"good.ipynb was not executed to its end",
    quick: r"is no run of the paper profile as the book records it",
    an_experiment: r"is no run of the paper profile as the book records it",
    without_a_commit: r"made from sources that are in no commit",
    of_changed_sources: r"made from a{40} with changes; run the chapter from a commit",
    of_another_commit: r"is of commit a{40}, and .*data.ipynb of [0-9a-f]{40}",
    empty: r"paper-good has no executed notebook",
    of_no_chapter: r"gone.ipynb is of no chapter of this checkout",
}


@pytest.mark.parametrize("damage", BAD, ids=lambda damage: damage.__name__)
def test_a_bad_artifact_is_named_and_nothing_is_changed(here, damage):
    before = state(here)
    damage(artifacts(here) / "paper-good")
    with pytest.raises(SystemExit, match=f"Nothing was collected: .*{BAD[damage]}"):
        collect(here, [artifacts(here)])
    assert state(here) == before


def test_artifacts_of_another_commit_than_this_checkout_are_refused(here):
    told = commit(here.root)
    (here.book / "plain.md").write_text("# Other words\n")
    git(here.root, "commit", "-qam", "later")
    with pytest.raises(SystemExit, match=f"this checkout at .*git checkout {told}"):
        collect(here, [artifacts(here)])


def test_artifacts_for_other_code_are_refused_even_if_they_name_this_commit(here):
    write_chapter(here.root, "good", "print('other')")
    git(here.root, "commit", "-qam", "other code")
    for path in artifacts(here).rglob("*.ipynb"):
        change(path, commit=commit(here.root))
    with pytest.raises(SystemExit, match="not run with the chapter as it is in this checkout"):
        collect(here, [artifacts(here)])


def test_a_chapter_that_is_there_twice_is_refused(here):
    shutil.copytree(artifacts(here) / "paper-good", artifacts(here) / "second")
    with pytest.raises(SystemExit, match=r"second.*is there twice, as .*paper-good"):
        collect(here, [artifacts(here)])


@pytest.mark.parametrize("name", ["none", "book"])
def test_what_is_no_artifact_is_refused(here, name):
    with pytest.raises(SystemExit, match=r"no artifact|no executed notebook"):
        collect(here, [here.root.parent / name])


def test_a_collection_that_cannot_be_written_leaves_all_as_it_was(here, monkeypatch):
    before, calls = state(here), []

    def full(path: Path, content: str | bytes) -> bool:
        calls.append(path)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return write(path, content)

    monkeypatch.setattr("repcost_book.runner.files.write", full)
    with pytest.raises(OSError, match="No space"):
        collect(here, [artifacts(here)])
    assert state(here) == before


def test_the_commit_is_noted_with_changes_of_sources_only(here):
    told = commit(here.root)
    assert len(told) == 40
    write(here.root / "results" / "new.npz", "")
    assert commit(here.root) == told
    (here.book / "good.md").write_text("# Changed\n")
    assert commit(here.root) == told + CHANGED


def test_without_git_there_is_no_commit(here, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert commit(here.root) == ""


def test_the_command_makes_the_pages_when_nothing_is_missing(here, monkeypatch, capsys):
    made = []
    monkeypatch.setattr(Project, "here", lambda: here)
    monkeypatch.setattr(
        "repcost_book.pages.build.publish",
        lambda project, profile: made.append(profile) or project.html / "index.html",
    )
    main(["collect", str(artifacts(here) / "paper-good")])
    printed = capsys.readouterr().out
    assert "Collected 1 chapters: good" in printed and "1 are missing: data" in printed
    assert made == []
    main(["collect", str(artifacts(here))])
    assert made == ["paper"] and "Open file:" in capsys.readouterr().out
