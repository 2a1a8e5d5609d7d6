"""Figure 2 of Savarese et al. (2019): networks with one to four hidden layers on ten points.

The paper's strength is 1e-5, and it has 100 units in each layer (and 20 in Figure 1). Its public
code adds half the sum of squared weights to the mean squared error, at every depth; we divide
the sum of squares by the number of layers L and add it to the sum of squared errors, which is 5 L
times weaker on ten points. Both are trained, from the first weights of that code. It has plain
gradient descent at a rate of 0.005, for 5e8 steps; ours are fewer, and Adam's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Int

from repcost.datasets import ten_points
from repcost.deep_networks import DeepNet, as_deep
from repcost.devices import Device
from repcost.experiments.arrays import Named
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear
from repcost.regions.on_the_line import as_piecewise_linear
from repcost.training import Architecture, Objective, Recipe, train

STRENGTH = 1e-5
# By name: the public code's penalty, and that of equation (3) shared among L layers.
OBJECTIVES = {
    "half the squares": Objective.savarese_2019_code(STRENGTH),
    "the squares over L": Objective.savarese_2019(STRENGTH),
}
HIDDEN = (1, 2, 3, 4)
SEEDS = {20: range(16), 100: range(8)}
# By width, and so the rates. Wide deep networks fit soon; in longer runs, also at 3e-4, most of
# them lose their units under the first penalty and end as a constant.
STEPS = {20: 60_000, 100: 20_000}
RATES = {20: 5e-3, 100: 5e-4}


def recipe(width: int, steps: int | None = None) -> Recipe:
    """Of all networks of a width, however deep."""
    steps = STEPS.get(width, 20_000) if steps is None else steps
    return Recipe(steps, RATES.get(width, 5e-4), xavier=True, rebalance_every=100)


def compute(
    seeds: Mapping[int, Sequence[int]] = SEEDS,
    steps: int | None = None,
    *,
    hidden: Sequence[int] = HIDDEN,
    device: str | Device = "cpu",
) -> Named:
    """A row for each network: its penalty (a number of OBJECTIVES), hidden layers, width and seed.

    objective: reached, `miss`: the largest error at a point. Its function has so many `bends`; all
    `knots`, and all `slopes` but the first ones, stand one after the other.
    """
    rows, knots, slopes = [], [], []
    for width, own in seeds.items():
        for penalty, objective in enumerate(OBJECTIVES.values()):
            for layers in hidden:
                architecture = Architecture.deep((1, *[width] * layers, 1))
                how = recipe(width, steps)
                found = train(architecture, ten_points(), objective, how, own, device=device)
                for seed, net, reached in zip(own, found.networks, found.objectives, strict=True):
                    f = as_piecewise_linear(without_dust(net))
                    rows.append((penalty, layers, width, seed, reached, *_ends(net, f)))
                    knots.append(f.knots)
                    slopes.append(f.slopes[1:])
    names = "penalty", "hidden", "width", "seed", "objective", "miss", "at_zero", "first", "bends"
    table = dict(zip(names, np.array(rows).T, strict=True))
    return {**table, "knots": np.concatenate(knots), "slopes": np.concatenate(slopes)}


def _ends(net: DeepNet | TwoLayer, f: PiecewiseLinear) -> tuple[float, float, float, int]:
    x, y = ten_points()
    miss = np.abs(net(x[:, None]).ravel() - y).max()
    return miss, f([0.0])[0], f.slopes[0], len(f.knots)


def without_dust(net: DeepNet | TwoLayer) -> DeepNet:
    """Decayed units without their last 1e-100, with which they would bend beyond all floats."""
    net = as_deep(net)
    weights = [np.where(np.abs(W) < 1e-100, 0.0, W) for W in net.weights]
    return net.with_layers(weights, net.biases)


def functions(recorded: Any) -> list[PiecewiseLinear]:
    """What the recorded networks draw, on the whole line."""
    places = np.cumsum(recorded["bends"].astype(int))[:-1]
    knots, later = (np.split(recorded[name], places) for name in ("knots", "slopes"))
    values = zip(recorded["first"], recorded["at_zero"], strict=True)
    return [
        PiecewiseLinear(at, [first, *others], (0.0, value))
        for at, others, (first, value) in zip(knots, later, values, strict=True)
    ]


def runs(recorded: Any, penalty: int, hidden: int, width: int) -> Int[np.ndarray, " seeds"]:
    """Where the runs of one kind stand, those with lower objectives first."""
    kind = {"penalty": penalty, "hidden": hidden, "width": width}
    same = np.all([recorded[name] == one for name, one in kind.items()], axis=0)
    found = np.flatnonzero(same)
    return found[np.argsort(recorded["objective"][found])]


def bending(f: PiecewiseLinear, low: float, high: float) -> float:
    """The variation of the slope inside an interval: what the public code prints as R.

    >>> zigzag = PiecewiseLinear([0.0, 1.0, 2.0], [1.0, -1.0, 1.0, 0.0])
    >>> bending(zigzag, -1.0, 1.5), bending(zigzag, 0.0, 9.0)
    (4.0, 3.0)
    """
    inside: Bool[np.ndarray, " k"] = (f.knots > low) & (f.knots < high)
    return float(np.abs(np.diff(f.slopes))[inside].sum())
