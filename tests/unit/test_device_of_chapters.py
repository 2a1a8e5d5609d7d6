"""Whatever can compute on a device is told which: in the chapters by the run, in the library by the
caller. Seen in the sources: a call of a function that has an argument `device` gives it.
"""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repcost import experiments
from repcost.devices import Device
from repcost.experiments import deep_spectra, digit_autoencoders, digit_widths
from repcost_book import Run
from repcost_book.kernel import placing
from repcost_book.runner.chapters import chapters, code_cells
from repcost_book.runner.project import Project

CHAPTERS = {chapter.name: chapter for chapter in chapters(Project.here())}
EXPERIMENTS = sorted(Path(experiments.__file__).parent.glob("[a-z]*.py"))


def code(name: str) -> str:
    cells = code_cells(CHAPTERS[name].notebook())
    return "\n".join(cell.source for cell in cells)


def imported(tree: ast.Module) -> dict[str, Any]:
    """What its imports of the library bring, by the names that they give it."""
    lines = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    own: list[ast.stmt] = [node for node in lines if "repcost" in ast.unparse(node)]
    names: dict[str, Any] = {}
    exec(ast.unparse(ast.Module(own, [])), names)
    return names


def called(function: ast.expr, names: dict[str, Any]) -> Any:
    """The object that stands under a name, or under a name with dots."""
    if isinstance(function, ast.Name):
        return names.get(function.id)
    if isinstance(function, ast.Attribute):
        return getattr(called(function.value, names), function.attr, None)
    return None


def computing(text: str) -> Iterator[tuple[str, str | None]]:
    """The calls that could be told a device, each with what it is told."""
    tree = ast.parse(text)
    names = imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and placing.takes_device(called(node.func, names)):
            told = {each.arg: ast.unparse(each.value) for each in node.keywords}
            yield ast.unparse(node.func), told.get("device")


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_chapter_hands_its_device_on(name):
    # `Run` is where the device comes from.
    told = [(call, device) for call, device in computing(code(name)) if call != "Run"]
    assert [call for call, device in told if device != "run.device"] == []


def test_the_chapters_that_train_are_among_them():
    training = [name for name in CHAPTERS if " train," in code(name) or " train(" in code(name)]
    assert len(training) >= 12
    assert all(any(call != "Run" for call, _ in computing(code(name))) for name in training)


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_every_experiment_hands_the_device_of_its_caller_on(path):
    told = list(computing(path.read_text(encoding="utf-8")))
    assert [call for call, device in told if device not in ("device",)] == []


@pytest.mark.parametrize(
    "line",
    [
        "from repcost import train\ntrain(shape, data, task, recipe, seeds)",
        "import repcost\nrepcost.train(shape, data, task, recipe, seeds, device='cpu')",
        "from repcost.ranks.jacobian import jacobian_spectra as s\nx = [s(net, X) for net in nets]",
        "from repcost.experiments import digit_widths\ndigit_widths.compute(0, few, steps)",
        "from repcost import measure\nmeasure(model, X)",
    ],
)
def test_a_chapter_that_forgets_its_device_is_seen(line):
    ((_, device),) = computing(line)
    assert device != "run.device"


def test_what_is_handed_on_arrives():
    device = Device("cpu")
    deep_spectra.compute({30: [0]}, steps=1, depth=4, width=20, points=200, device=device)
    digit_autoencoders.compute([0], width=3, steps=1, points=250, device=device)
    done = [work.what for work in device.done]
    assert done.count("train") == 3 and done.count("jacobian_spectra") == 2 + 2 * 3


def test_a_sweep_hands_the_device_to_its_tasks_and_notes_what_they_did():
    run, each = Run("quick"), [{"seed": seed, "widths": [2], "steps": 1} for seed in range(2)]
    found = run.sweep(digit_widths.compute, [one | {"points": 250} for one in each])
    assert [objectives.shape for objectives, *_ in found] == [(1, 2), (1, 2)]
    assert [work.what for work in run.device.done] == ["train", "train"]
    # What has no such argument is called as it is.
    assert run.sweep(lambda width: width + 1, [{"width": 2}]) == [3]
    assert "device" in inspect.signature(digit_widths.compute).parameters
