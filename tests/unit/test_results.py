"""Recorded results: computed by the paper profile, then read by the quick one."""

import json
from dataclasses import replace

import nbformat
import numpy as np
import pytest
import torch

from repcost.devices import Device, Work
from repcost_book import Run
from repcost_book.kernel import origin, results
from repcost_book.pages.merge import merge
from repcost_book.pages.paper_runs import paper_runs_page
from repcost_book.runner import runs
from repcost_book.runner.chapters import chapters
from repcost_book.runner.runs import Request, run
from tests.small_book import small_book, write_chapter

CODE = """
from repcost_book import Run
def compute():
    return {"squares": [n**2 for n in range(4)]}
found = Run(profile, seed).recorded("some-paper/figure-1", compute)
print(found["squares"].sum())
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "folder", lambda: tmp_path / "results")
    project = small_book(tmp_path)
    write_chapter(project.root, "good", CODE)
    return project


TRAINED = """
from repcost import Architecture, Objective, Recipe, train
from repcost_book import Run
run = Run(profile, seed)
def compute():
    shape, task = Architecture.two_layer(3), Objective.savarese_2019(0.1)
    net = train(shape, ([0, 1], [0, 1]), task, Recipe(5), [0], device=run.device).best
    return {"a": net.a}
run.recorded("some-paper/figure-1", compute)
"""


def paper(project, **parameters):
    (ran,) = run(project, Request(profile="paper", only=["good"], parameters=parameters))
    assert not ran.failure
    return nbformat.read(ran.notebook, as_version=4)


def compute():
    return {"squares": [1]}


def test_the_paper_profile_keeps_what_it_computes(project):
    notebook = paper(project)
    kept = project.root / "results" / "some-paper" / "figure-1.npz"
    with np.load(kept, allow_pickle=False) as file:
        assert file["squares"].tolist() == [0, 1, 4, 9]
        about = json.loads(str(file["about"]))
    assert about["seed"] == 0 and about["threads"] >= 1
    assert about["machine"] and len(about["key"]) == 8
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [output.get("text") for output in shown] == ["14\n"]


def test_a_seed_of_the_readers_is_not_recorded(project):
    paper(project, seed=3)
    assert not (project.root / "results" / "some-paper").exists()


def test_reading_tells_what_has_changed_since(project, monkeypatch):
    paper(project)
    told = []
    monkeypatch.setattr(results, "show", told.append)
    quick = Run("quick")
    found = quick.recorded("some-paper/figure-1", compute)
    assert found["squares"].sum() == 14
    (line,) = [each["text/plain"] for each in told]
    assert line.startswith("Recorded ") and line.endswith(
        "Changed since: the function that computed it."
    )
    assert found.changed == origin.Changes(True, (), len(found.about["files"]))
    older = {**found.about["files"], "repcost/bounds.py": "of an older version"}
    about = {**found.about, "source": origin.source(compute), "files": older}
    assert origin.changes(about, compute) == origin.Changes(
        False, ("repcost/bounds.py",), len(older)
    )
    assert "Changed" not in results.Recorded(found.name, found.arrays, about).told()


def test_what_has_changed_is_told_in_a_line_of_bearable_length():
    modules = tuple(f"repcost/costs/module_{number}.py" for number in range(40))
    changed = origin.Changes(True, modules, 41)
    assert str(changed) == (
        "the function that computed it; 40 of 41 modules: repcost/costs/module_0.py, "
        "repcost/costs/module_1.py, repcost/costs/module_2.py, ..."
    )
    assert changed.modules == modules and changed
    three = str(origin.Changes(False, modules[:3], 41))
    assert three.endswith("module_2.py") and three.startswith("3 of 41 modules: ")
    assert not origin.Changes(False, (), 41)


def test_nothing_recorded_is_an_error_that_names_the_remedy(project):
    with pytest.raises(FileNotFoundError, match="--profile paper"):
        Run("quick").recorded("some-paper/figure-2", compute)


def test_the_time_of_a_paper_run_is_kept_and_shown(project):
    paper(project, seed=3)
    assert "No chapter" in paper_runs_page(project.paper_runs, chapters(project))
    paper(project)
    told = json.loads(project.paper_runs.read_text())
    assert list(told) == ["good"]
    assert told["good"]["seconds"] > 0 and "numpy" in told["good"]["versions"]
    page = paper_runs_page(project.paper_runs, chapters(project))
    assert "| {doc}`/book/good` | 0." in page and "Together 0.0 hours" in page


@pytest.mark.parametrize("damage", ["empty", "half", "text", "other arrays"])
def test_a_damaged_result_is_named_with_the_remedy(project, damage):
    path = project.root / "results" / "half.npz"
    np.savez(path, **{"squares": np.arange(99), results.ABOUT: "{}"})
    whole = path.read_bytes()
    if damage == "other arrays":
        np.savez(path, squares=np.arange(99))
    else:
        path.write_bytes({"empty": b"", "half": whole[: len(whole) // 2], "text": b"PK"}[damage])
    with pytest.raises(ValueError, match=r"half\.npz .*restore it \(git checkout\) or run"):
        Run("quick").recorded("half", compute)


def test_files_notebooks_and_pages_tell_what_was_done_where(project):
    write_chapter(project.root, "good", TRAINED)
    notebook = paper(project)
    with np.load(project.root / "results" / "some-paper" / "figure-1.npz") as file:
        about = json.loads(str(file["about"]))
    (work,) = about["work"]
    assert (work["what"], work["device"], work["steps"]) == ("train", "cpu", 5)
    assert work["flops"] == 6 * 6 * 2 and work["seconds"] > 0
    told = json.loads(project.paper_runs.read_text())["good"]
    assert notebook.metadata["repcost"]["work"] == told["work"] == about["work"]
    assert told["cpu_seconds"] > 0 and about["machine"] == told["machine"]
    (chapter,) = chapters(project, ["good"])
    footer = merge(chapter.notebook(), notebook).cells[-1].source
    what = "`train` in float64 on cpu (0.0 s, 5 steps, the largest of 7e+01)"
    assert f"Computed on {told['machine']}: {what}; by device auto" in footer


def test_a_card_that_computed_is_named(monkeypatch):
    card = Work("train", "cuda (Some Card)", 1e9, "float64", 5, 1.0, 1.0)
    about = origin.origin(compute, 0, 2.0, [card, replace(card, device="cpu")])
    assert about["machine"] == f"cuda (Some Card), {origin.machine()}"
    line = results.Recorded("a/b", {}, about).told()
    assert "a/b, 2 s on cuda (Some Card), " in line
    with pytest.raises(ValueError, match=r"a/b ran on cuda \(Some Card\) and on cpu"):
        device = Device("auto")

        def mixed():
            device.done.extend([card, replace(card, device="cpu")])
            return {}

        results.compute_and_show("a/b", mixed, 0, device)


def test_a_missing_device_is_refused_before_anything_runs(project, monkeypatch):
    write_chapter(project.root, "good", "device = 1")
    monkeypatch.setattr(runs, "_outcomes", None)
    source = project.book / "good.md"
    source.write_text(source.read_text().replace("seed = 0", 'seed = 0\ndevice = "auto"'))
    for device, says in {"cuda": r"torch has here \(cpu", "mps": "no float64"}.items():
        if device == "cuda" and torch.cuda.is_available():
            continue
        with pytest.raises(SystemExit, match=f"-p device={device}: .*{says}"):
            run(project, Request(only=["good"], parameters={"device": device}))


FULL = """
import torch
from repcost.training.engine import Engine
def full(*args):
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has 8")
Engine.advance = full
"""


def test_memory_that_ends_names_the_chapter_the_size_and_the_remedy(project):
    write_chapter(project.root, "good", FULL + TRAINED)
    text = runs.summary(run(project, Request(profile="paper", only=["good"])))
    told = text.partition("good failed:")[2]
    assert "train needs more memory than cpu has (Tried to allocate 20.00 GiB)" in told
    assert "ask for Recipe(batch_size=1)" in told


def test_what_a_chapter_had_computed_before_it_failed_is_not_lost(project):
    write_chapter(project.root, "good", f"{CODE}\nassert found is None\n")
    (ran,) = run(project, Request(profile="paper", only=["good"]))
    assert ran.failure
    assert not list((project.root / "results").rglob("*.npz"))
    with np.load(project.build / "results" / "some-paper" / "figure-1.npz") as found:
        assert found["squares"].tolist() == [0, 1, 4, 9]
