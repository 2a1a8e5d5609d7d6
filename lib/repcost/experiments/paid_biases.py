"""Small networks by PyTorch's own optimisers, all parameters decayed: do they find the cheapest?

SGD and Adam with `weight_decay` add decay times theta to the gradient, so they descend on the mean
squared error + decay / 2 |theta|^2, the output bias included. AdamW takes decay theta off beside
the step, and that step is divided by sqrt(v) + eps, v the mean of the squared gradient. Where it
rests, g / (|g| + eps) = -decay theta: g = -eps decay theta / (1 - decay |theta|), the penalty once
more, at the strength eps decay. By default that is 1e-10, which no run gets to feel; with both at
1e-2 it is 1e-4.

The usual training of the library is not used, since PyTorch's own steps are what is asked about.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from repcost.datasets import ten_points
from repcost.experiments.arrays import Named
from repcost.networks import TwoLayer

# By name: points that bend both ways, and points on a rough parabola.
FIVE = np.array([-2.0, -1, 0, 1, 2]), np.array([2.0, 0.5, 0, 0.5, 2])
WIDTH = 100


@dataclass(frozen=True)
class Method:
    """steps at a rate, with the decay, `stronger` times so at first; `make` the optimiser.

    falling: the rate falls to a thousandth over the second half.
    """

    make: Callable[..., Any]
    steps: int
    rate: float
    decay: float
    stronger: float = 1.0
    falling: bool = False

    def settings(self, share: float) -> dict[str, float]:
        """Of the optimiser after this share of the steps."""
        late = max(0.0, 2 * share - 1)
        return {
            "lr": self.rate * (1e-3**late if self.falling else 1.0),
            "weight_decay": self.decay * self.stronger ** max(0.0, 1 - 2 * share),
        }


def _sgd(parameters: Any, **settings: Any) -> Any:
    return torch.optim.SGD(parameters, momentum=0.9, **settings)


def _adamw_with_eps(parameters: Any, **settings: Any) -> Any:
    return torch.optim.AdamW(parameters, eps=1e-2, **settings)


METHODS = {
    "SGD": Method(_sgd, 160_000, 0.05, 1e-4, stronger=10.0),
    "Adam": Method(torch.optim.Adam, 100_000, 3e-3, 1e-5, stronger=100.0, falling=True),
    "AdamW, eps = decay = 0.01": Method(_adamw_with_eps, 160_000, 5e-3, 1e-2, stronger=10.0),
    "AdamW, default": Method(torch.optim.AdamW, 40_000, 3e-3, 1e-2, falling=True),
}


def point_sets() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The points, by name."""
    return {"ten points": ten_points(), "five points": FIVE}


def compute(seeds: Sequence[int] = range(6), width: int = WIDTH, share: float = 1.0) -> Named:
    """The parameters where each method ends, with this share of its steps.

    w, b, a: (methods, sets, seeds, units); c: (methods, sets, seeds). The first weights are
    PyTorch's own.
    """
    sets = list(point_sets().values())
    start = np.stack([[_start(seed, width) for seed in seeds] for _ in sets])
    ends = np.stack([_trained(method, sets, start, share) for method in METHODS.values()])
    w, b, a, c = np.split(ends, [width, 2 * width, 3 * width], axis=-1)
    return {"w": w, "b": b, "a": a, "c": c[..., 0]}


def networks(found: Mapping[str, np.ndarray], method: str, points: str) -> list[TwoLayer]:
    """Of what `compute` returns, the networks of one method on one set of points, by seed."""
    place = list(METHODS).index(method), list(point_sets()).index(points)
    parts = (found[name][place] for name in "wbac")
    return [TwoLayer(w[:, None], a, b, float(c)) for w, b, a, c in zip(*parts, strict=True)]


def _start(seed: int, width: int) -> np.ndarray:
    """All parameters of one network in a row: w, b, a, c."""
    torch.manual_seed(seed)
    kind = {"dtype": torch.float64, "device": "cpu"}
    layers = torch.nn.Linear(1, width, **kind), torch.nn.Linear(width, 1, **kind)
    parts = [part.detach().numpy().ravel() for each in layers for part in (each.weight, each.bias)]
    return np.concatenate(parts)


def _trained(
    method: Method, sets: Sequence[tuple[np.ndarray, np.ndarray]], start: np.ndarray, share: float
) -> np.ndarray:
    """All networks at once: optimisers work entry by entry, so nobody notices the others."""
    theta = torch.tensor(start, dtype=torch.float64, device="cpu")
    x, y, weights = _padded(sets)
    steps = int(method.steps * share)
    optimiser = method.make([theta], **method.settings(0.0))
    for step in range(steps):
        optimiser.param_groups[0].update(method.settings(step / steps))
        theta.grad = _slope(theta, x, y, weights)
        optimiser.step()
    return theta.numpy()


def _padded(sets: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[torch.Tensor]:
    """Points as (sets, 1, n), those of smaller sets repeated with weight 0; 2 / n is a weight."""
    most = max(len(x) for x, _ in sets)
    columns = [
        np.stack([np.resize(part, most) for part in parts]) for parts in zip(*sets, strict=True)
    ]
    columns.append(np.stack([np.where(np.arange(most) < len(x), 2 / len(x), 0.0) for x, _ in sets]))
    return [torch.tensor(part[:, None, :], dtype=torch.float64, device="cpu") for part in columns]


def _slope(
    theta: torch.Tensor, x: torch.Tensor, y: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    """Of the mean squared error, written out: a graph would take most of the time."""
    units = theta.shape[-1] // 3
    w, b, a, c = (part[..., None] for part in theta.split([units, units, units, 1], dim=-1))
    hidden = torch.relu(w * x[:, :, None] + b)
    error = (((a * hidden).sum(-2) + c[..., 0, :] - y) * weights)[..., None, :]
    passed = error * (hidden > 0)
    parts = [a * passed * x[:, :, None], a * passed, error * hidden]
    return torch.cat([*(part.sum(-1) for part in parts), error.sum(-1)], dim=-1)
