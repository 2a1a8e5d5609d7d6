"""Digits by networks of PyTorch, with and without weight decay: what `measure` says of them.

Multilayer perceptrons of several depths, and a convolutional network with and without batch
normalisation, all trained for equally many epochs. Of the ways to decay, the strengths are such
that the trained networks have nearly the same norm when they are rescaled; so they were chosen, at
depth five, with the seed 99, which is in none of the results.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from repcost.datasets import mnist_subset
from repcost.devices import Device
from repcost.experiments.arrays import Named
from repcost.report import Report, Watch, measure

if TYPE_CHECKING:
    from torch import Tensor, nn

    Module = nn.Module
else:  # only those who train have torch
    Tensor = Module = Any

DEPTHS = (2, 3, 5, 8)
WIDTH, CHANNELS, HIDDEN = 60, 8, 40
POINTS, SIDE, EPOCHS, BATCH = 1000, 14, 150, 100
# The depth at which ways to decay are compared, and how often slack is looked at on the way.
COMPARED, LOOKS = 5, 6
# Of at most so many layers ranks are kept.
_LAYERS = 8


@dataclass(frozen=True)
class Way:
    """A way to train: an optimiser of torch, the rate at its highest, and the strength of decay."""

    optimiser: str
    rate: float
    decay: float


WAYS = {
    "SGD": Way("SGD", 0.08, 0.0),
    "SGD, decay": Way("SGD", 0.08, 5e-3),
    "Adam, L2": Way("Adam", 2e-3, 8e-3),
    "AdamW": Way("AdamW", 2e-3, 2.5),
}
DECAYS, OTHERS = ("SGD", "SGD, decay"), ("Adam, L2", "AdamW")


@cache
def images() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """1,000 digits to train with and 1,000 fresh ones, as 14 x 14 images, and their labels."""
    import torch

    found = mnist_subset()
    X, fresh = (
        torch.tensor(_halved(each)).float()
        for each in (found.train_images[:POINTS], found.test_images)
    )
    return X, torch.tensor(found.train_labels[:POINTS]), fresh, torch.tensor(found.test_labels)


def _halved(rows: Float[np.ndarray, "n 784"]) -> Float[np.ndarray, "n 1 14 14"]:
    """Means over squares of two by two pixels."""
    return rows.reshape(-1, 1, SIDE, 2, SIDE, 2).mean(axis=(3, 5))


def perceptron(depth: int, width: int = WIDTH) -> Module:
    """Linear and ReLU, with initial weights by He's rule, and no initial biases."""
    from torch import nn

    widths = [SIDE**2, *[width] * (depth - 1), 10]
    parts: list[Module] = [nn.Flatten()]
    for into, out in pairwise(widths):
        layer = nn.Linear(into, out)
        nn.init.kaiming_normal_(layer.weight)
        nn.init.zeros_(layer.bias)
        parts += [layer, nn.ReLU()]
    return nn.Sequential(*parts[:-1])


def convolutional(normed: bool, channels: int = CHANNELS) -> Module:
    """Three convolutions and two linear layers; normed: with batch normalisation."""
    from torch import nn

    c, parts = channels, []
    for into, out, stride in ((1, c, 2), (c, 2 * c, 2), (2 * c, 2 * c, 1)):
        norm = [nn.BatchNorm2d(out)] if normed else []
        parts += [nn.Conv2d(into, out, 3, stride, 1), *norm, nn.ReLU()]
    places = (SIDE // 4 + 1) ** 2
    last = nn.Linear(2 * c * places, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 10)
    return nn.Sequential(*parts, nn.Flatten(), *last)


def train_digits(
    model: Module, way: Way, seed: int, epochs: int = EPOCHS, watch: Watch | None = None
) -> Module:
    """Trained in place by the cross-entropy, the rate rising to its highest and falling to zero."""
    import torch
    from torch.nn.functional import cross_entropy

    X, labels, _, _ = images()
    draws = torch.Generator().manual_seed(seed)
    given: dict[str, Any] = {"lr": way.rate, "weight_decay": way.decay}
    given |= {"momentum": 0.9} if way.optimiser == "SGD" else {}
    steps: Any = getattr(torch.optim, way.optimiser)(model.parameters(), **given)
    total = epochs * -(-len(X) // BATCH)
    rates = torch.optim.lr_scheduler.OneCycleLR(steps, way.rate, total, cycle_momentum=False)
    for batch in _batches(len(X), epochs, draws):
        model.train()
        steps.zero_grad()
        cross_entropy(model(X[batch]), labels[batch]).backward()
        steps.step()
        rates.step()
        if watch:
            watch()
    return model.eval()


def _batches(count: int, epochs: int, draws: Any) -> Iterator[Tensor]:
    import torch

    for _ in range(epochs):
        yield from torch.randperm(count, generator=draws).split(BATCH)


def told(model: Module, device: str | Device = "cpu") -> dict[str, Any]:
    """The loss and accuracies of a trained network, and the numbers of its report."""
    import torch
    from torch.nn.functional import cross_entropy

    X, labels, fresh, theirs = images()
    with torch.no_grad():
        said, said_fresh = model(X), model(fresh)
    found = {
        "loss": float(cross_entropy(said, labels)),
        "fitted": float((said.argmax(1) == labels).float().mean()),
        "right": float((said_fresh.argmax(1) == theirs).float().mean()),
    }
    return {**found, **_numbers(measure(model, X, jacobian_points=100, device=device))}


def _numbers(report: Report) -> dict[str, Any]:
    layers = report.layers
    return {
        "stored": report.stored_norm,
        "norm": report.squared_norm,
        "least": report.rebalanced_norm,
        "slack": report.slack,
        "bottleneck": report.bottleneck[1],
        "jacobian": float(np.median(report.jacobian_ranks)),
        "ranks": _padded(report.ranks),
        "layer-norms": _padded(layer.weight_norm for layer in layers),
        "stable": _padded(layer.stable_rank for layer in layers),
        "idle": _padded(report.prunable),
    }


def _padded(numbers: Iterable[float]) -> Float[np.ndarray, " layers"]:
    found = np.full(_LAYERS, np.nan)
    given = np.array(list(numbers), dtype=float)
    found[: len(given)] = given
    return found


def born(kind: str, seed: int) -> Module:
    """A network before training: "5" is a perceptron of depth five, or "CNN", or "CNN, normed"."""
    import torch

    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        return perceptron(int(kind)) if kind.isdigit() else convolutional(kind == "CNN, normed")


def _in_turn(task: Callable[..., Any], parameters: Iterable[Mapping[str, Any]]) -> list[Any]:
    return [task(**each) for each in parameters]


def compute(
    seeds: Sequence[int],
    depths: Sequence[int] = DEPTHS,
    epochs: int = EPOCHS,
    sweep: Callable[..., list[Any]] = _in_turn,
) -> Named:
    """The numbers of all trained networks, as "depths norm" (depths, decays, seeds, ...), and so on
    for "images" and "ways"; slack on the way; and the weights of two networks of the first seed.

    sweep: calls a task with each of several arguments, as `repcost.training.sweep` does.
    """
    kinds = {
        "depths": ([str(depth) for depth in depths], DECAYS),
        "images": (["CNN", "CNN, normed"], DECAYS),
        "ways": ([str(COMPARED)], OTHERS),
    }
    each = {
        name: [(kind, way, seed) for kind in models for way in ways for seed in seeds]
        for name, (models, ways) in kinds.items()
    }
    tasks = [
        {"kind": kind, "way": way, "seed": seed, "epochs": epochs}
        for cells in each.values()
        for kind, way, seed in cells
    ]
    done = iter(sweep(trained_and_told, tasks))
    found: dict[str, Any] = {}
    for name, (models, ways) in kinds.items():
        rows = [next(done) for _ in each[name]]
        for key in rows[0]:
            table = np.array([row[key] for row in rows], dtype=np.float32)
            shape = len(models), len(ways), len(seeds), *table.shape[1:]
            found[f"{name} {key}"] = table.reshape(shape)
    return found | _along(seeds[0], epochs) | _kept(seeds[0], epochs)


def trained_and_told(
    kind: str, way: str, seed: int, epochs: int, device: str | Device = "cpu"
) -> dict[str, Any]:
    """The numbers of one network, trained in one way; device: where it is measured."""
    return told(train_digits(born(kind, seed), WAYS[way], seed, epochs), device)


def _along(seed: int, epochs: int) -> Named:
    """The slack of the first seed during the training, for every way."""
    X, rows = images()[0], []
    every = max(1, epochs * -(-POINTS // BATCH) // LOOKS)
    for way in WAYS.values():
        model = born(str(COMPARED), seed)
        watch = Watch(model, X[:100], every=every, jacobian_points=1)
        train_digits(model, way, seed, epochs, watch)
        rows.append([report.slack for report in watch.reports])
    return {"along slack": np.array(rows), "along steps": np.arange(len(rows[0])) * every}


def _kept(seed: int, epochs: int) -> Named:
    found: dict[str, Any] = {}
    for kind in (str(COMPARED), "CNN"):
        model = train_digits(born(kind, seed), WAYS["SGD, decay"], seed, epochs)
        state = model.state_dict().items()
        found |= {f"weights {kind} {name}": part.numpy() for name, part in state}
    return found


def kept(arrays: Named, kind: str) -> Module:
    """A network again, from what `compute` returned or a file kept of it."""
    import torch

    model, head = born(kind, 0), f"weights {kind} "
    names = list(model.state_dict())
    model.load_state_dict({name: torch.tensor(arrays[head + name]) for name in names})
    return model.eval()
