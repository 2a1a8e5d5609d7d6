"""`measure` beside torchinfo and weightwatcher: what each takes for the same five models.

The two are no requirements of ours: `pip install torchinfo weightwatcher` where this is to run, or
it is skipped. `python -m benchmarks.test_neighbours` prints time and memory as a table.
"""

import logging
import os
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
from benchmarks.residual import eighteen_layers
from torch import nn

from repcost import measure
from repcost.experiments.digit_prices import convolutional, images, perceptron


def wide() -> nn.Module:
    sizes = [(784, 1024), (1024, 1024), (1024, 10)]
    return nn.Sequential(*[part for size in sizes for part in (nn.Linear(*size), nn.ReLU())][:-1])


class Tokens(nn.Module):
    """Two layers of a transformer encoder over rows of digits, and a classifier."""

    def __init__(self):
        super().__init__()
        self.read = nn.Linear(14, 32)
        made: Any = nn.TransformerEncoderLayer(32, 4, 64, 0.0, "gelu", batch_first=True)
        self.inner = nn.TransformerEncoder(made, 2, enable_nested_tensor=False)
        self.out = nn.Linear(32, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.inner(self.read(x.flatten(1, 2))).mean(1))


MODELS: dict[str, Callable[[], tuple[nn.Module, torch.Tensor]]] = {
    "784-1024-1024-10, 10,000 points": lambda: (wide(), torch.rand(10_000, 784)),
    "perceptron of depth 5, 1,000 digits": lambda: (perceptron(5), images()[0]),
    "CNN with batch norm, 1,000 digits": lambda: (convolutional(True), images()[0]),
    "ResNet-18, 1,000 images of 64 x 64": lambda: (eighteen_layers(), torch.rand(1000, 3, 64, 64)),
    "transformer encoder, 1,000 digits": lambda: (Tokens(), images()[0]),
}


def ours(model: nn.Module, X: torch.Tensor) -> Any:
    return measure(model, X, jacobian_points=300)


def torchinfo(model: nn.Module, X: torch.Tensor) -> Any:
    return import_module("torchinfo").summary(model, input_data=X[:100], verbose=0)


def weightwatcher(model: nn.Module, X: torch.Tensor) -> Any:
    return import_module("weightwatcher").WeightWatcher(model=model).analyze(min_evals=5)


TOOLS = {"measure": ours, "torchinfo": torchinfo, "weightwatcher": weightwatcher}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.benchmark(group="reports of five models, by ours and by two neighbours")
@pytest.mark.filterwarnings("ignore")
def test_neighbours(benchmark, name, tool):
    # Before anything is measured: of an empty measurement pytest-benchmark has no least.
    if tool != "measure":
        pytest.importorskip(tool)
    torch.manual_seed(0)
    model, X = MODELS[name]()
    assert benchmark.pedantic(TOOLS[tool], (model.eval(), X), rounds=1) is not None


def peak() -> float:
    """Most memory of this process since it was asked last, in MB; Linux alone tells."""
    lines = Path("/proc/self/status").read_text().splitlines()
    found = next(line for line in lines if line.startswith("VmHWM"))
    Path("/proc/self/clear_refs").write_text("5")
    return int(found.split()[1]) / 1024


def main() -> None:
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for name, make in MODELS.items():
        torch.manual_seed(0)
        model, X = make()
        for tool, run in TOOLS.items():
            peak()
            before, begun = peak(), time.process_time()
            try:
                run(model.eval(), X)
                said = f"{time.process_time() - begun:.2f} s, {peak() - before:.0f} MB"
            except Exception as error:
                said = f"{type(error).__name__}: {error}"[:80]
            print(f"{name:36} {tool:14} {said}", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
