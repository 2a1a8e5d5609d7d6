"""Which chapters ask for a GPU, what it should bring, and which are long without one."""

import json
from dataclasses import replace

import pytest

from repcost.devices import WORTH_A_GPU
from repcost_book.commands.main import main
from repcost_book.pages.gpu import gpu_table, with_table
from repcost_book.runner.chapters import chapters
from repcost_book.runner.gpus import LONG, WHY, Estimate, estimate, unexplained, uses_gpu
from repcost_book.runner.paper_runs import noted
from repcost_book.runner.project import Project
from tests.small_book import small_book, write_chapter

PROJECT = Project.here()
NOTED = noted(PROJECT.paper_runs)


def work(flops, steps=10_000, cpu_seconds=120.0, device="cpu"):
    about = {"what": "train", "device": device, "seconds": 1.0, "dtype": "float64"}
    return about | {"flops": flops, "steps": steps, "cpu_seconds": cpu_seconds}


def record(*done, cpu_seconds=300.0):
    return {"seconds": 900.0, "cpu_seconds": cpu_seconds, "work": list(done)}


@pytest.fixture
def small(tmp_path):
    """Two chapters: one hands its device on."""
    project = small_book(tmp_path)
    write_chapter(project.root, "good", "train(device=run.device)")
    return {chapter.name: chapter for chapter in chapters(project, ["good", "data"])}


def test_long_chapters_without_work_for_a_gpu_say_why():
    assert unexplained(chapters(PROJECT), NOTED) == []


def test_a_long_chapter_that_says_nothing_is_seen(small):
    long = 60 * LONG + 1.0
    told = {name: record(work(1e3), cpu_seconds=long) for name in small}
    assert unexplained(small.values(), told) == ["good", "data"]
    # Busy machines; short chapters; and work for a GPU.
    assert unexplained(small.values(), {"data": {"seconds": long}}) == []
    assert unexplained(small.values(), {"data": {"seconds": long, "cpu_seconds": 9.0}}) == []
    assert unexplained(small.values(), {"good": record(work(1e9), cpu_seconds=long)}) == []
    source = small["data"].source
    source.write_text(source.read_text().replace("---\n", f"---\n{WHY}: it is exact\n", 1))
    # A chapter is what it was when somebody first asked.
    anew = {name: replace(chapter) for name, chapter in small.items()}
    assert WHY not in small["data"].front_matter()
    assert anew["data"].front_matter()[WHY] == "it is exact"
    assert unexplained(anew.values(), told) == ["good"]


def test_a_chapter_asks_for_a_gpu_if_it_hands_its_device_on_and_a_step_is_worth_it(small):
    good, data, least = small["good"], small["data"], WORTH_A_GPU["float64"]
    # Until it was seen what it does, it asks.
    assert uses_gpu(good, {}) and uses_gpu(good, {"good": {"seconds": 1.0}})
    assert uses_gpu(good, {"good": record(work(1e3), work(least))})
    assert not uses_gpu(good, {"good": record(work(1e3), work(0.9 * least))})
    assert not uses_gpu(good, {"good": record()})
    assert not uses_gpu(data, {}) and not uses_gpu(data, {"data": record(work(1e9))})


def test_an_estimate_by_hand():
    # 10 000 steps take 5 s to launch; at 2e9 operations each they compute for 20 s.
    assert estimate(record(work(1e8), work(1e3))) == Estimate(5.0, 2.0, (300 - 120 + 5) / 60)
    assert estimate(record(work(2e9))) == Estimate(5.0, 2.0, (300 - 120 + 20) / 60)
    assert estimate(record(work(1e3))) == Estimate(5.0, 0.0, 5.0)
    # What was measured on a GPU says nothing of a processor; neither do older records.
    assert estimate(record(work(1e9, device="cuda (Some Card)"))) is None
    assert estimate({"seconds": 9.0}) is None


def test_the_table_in_the_docs_is_that_of_the_records():
    text = (PROJECT.root / "docs" / "GPU.md").read_text(encoding="utf-8")
    table = gpu_table(chapters(PROJECT), NOTED)
    assert with_table(text, table) == text, "run python -m repcost_book gpu"
    assert "These are estimates" in text
    rule = (
        f"{WORTH_A_GPU['float64']:.0e} operations or more, in float32 {WORTH_A_GPU['float32']:.0e}"
    )
    assert rule.replace("+0", "") in " ".join(text.split())
    assert with_table(text, table + "| another |\n") != text


def test_the_workflow_asks_for_the_chapters_with_work_for_a_gpu(capsys):
    main(["chapters", "--gpu"])
    printed = json.loads(capsys.readouterr().out)
    wanted = [chapter.name for chapter in chapters(PROJECT) if uses_gpu(chapter, NOTED)]
    assert printed == wanted
    assert "jacot-2023/figure-1" in printed and "savarese-2019/cost" not in printed
    main(["chapters", "--gpu", "savarese-2019/cost"])
    assert capsys.readouterr().out == "[]\n"
