"""What large sizes would cost, from measured exponents and counted operations, as two tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from repcost_book.runner.files import read_json

# The sizes that are asked about, by the algorithm and by how what is counted begins.
TARGETS = {
    ("function_cost", "units"): 10**7,
    ("interpolate_line", "points"): 10**7,
    ("regularised_fit", "points"): 10**7,
    ("interpolate_plane", "points"): 10**3,
    ("linear_layers_cost", "units"): 10**6,
    ("linear_layers_cost", "variables"): 10**4,
    ("linear_regions", "units"): 10**4,
    ("jacobian_rank", "units"): 10**4,
    ("bottleneck_rank", "units"): 10**4,
    ("rebalance", "units"): 10**4,
    ("cost_per_layer", "layers"): 10**6,
    ("shortest_open_tour", "points"): 10**6,
    ("forces", "points"): 10**4,
    ("prune", "units"): 10**6,
}
GROWN = [
    "| Algorithm | Measured to | Time | Grows like | Asked | Time there | Memory | First limit |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
]
TRAINED = [
    "| Experiment | Weights | Operations | Memory | On one GPU | On eight | What breaks first |",
    "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
]
# What docs/GPU.md estimates with: a second's operations in float64, a step's launches, and a card's
# memory. Nobody has run the book on a GPU yet.
SPEED, LAUNCHES, CARD, CARDS = 1e12, 5e-4, 80e9, 8
# A float64 has eight bytes; a weight has a gradient and two averages beside it.
BYTES, COPIES = 8, 4
DAY = 86_400.0


@dataclass(frozen=True)
class Training:
    """Networks that train together: the widths of all layers from the inputs to the outputs."""

    what: str
    widths: tuple[int, ...]
    points: int
    steps: int
    seeds: int

    @property
    def weights(self) -> int:
        """Of one network, with its biases."""
        return sum((one + 1) * other for one, other in pairwise(self.widths))

    @property
    def operations(self) -> float:
        """Of all steps of all networks: two for each weight and point forward, and four back."""
        return 6.0 * self.weights * self.points * self.steps * self.seeds

    @property
    def memory(self) -> float:
        """Of one network in bytes: weights and what Adam keeps of them, and all activations."""
        return BYTES * float(COPIES * self.weights + self.points * sum(self.widths))

    def seconds(self, cards: int = 1) -> float:
        """With the seeds dealt out: the operations, or the launches if these take longer."""
        rounds = -(-self.seeds // cards)
        return max(self.operations * rounds / self.seeds / SPEED, self.steps * LAUNCHES)

    @property
    def breaks(self) -> str:
        """The first thing in the way, in words."""
        if self.memory > CARD:
            needed = -(-self.memory // CARD)
            return f"memory: one network fills {needed:.0f} cards, and is not dealt out here"
        if self.seconds(CARDS) > DAY:
            return "time"
        if self.steps * LAUNCHES >= self.seconds():
            return "nothing; the card waits for its launches"
        return "nothing"


WIDE = 10**4
# What is trained, the widths, the points, the steps and the seeds.
TRAININGS = (
    Training("Savarese et al., Figure 1: a million units", (1, 10**6, 1), 10, 60_000, 12),
    Training("the same: ten million points", (1, 100, 1), 10**7, 60_000, 12),
    Training("their Figure 2: layers of 10,000", (1, *[WIDE] * 3, 1), 10, 20_000, 8),
    Training("Jacot et al., Figure 2: layers of 10,000", (100, *[WIDE] * 3, 10), 1000, 60_000, 5),
    Training("Jacot, Figure 1: 1,000 layers of 100", (10, *[100] * 999, 10), 1000, 20_000, 4),
    Training("the same: 1,000 layers of 10,000", (10, *[WIDE] * 999, 10), 1000, 20_000, 4),
)


def scaling_page(results: Path) -> str:
    """Both tables; the first needs a run of the benchmarks."""
    rows = read_json(results)["rows"] if results.is_file() else []
    grown = [line for row in rows if row.get("growth") for line in _grown(row["growth"])]
    nothing = "Nothing has been measured yet: `python -m repcost_book bench`."
    first = ["## The algorithms", "", *([*GROWN, *grown] if grown else [nothing])]
    second = ["", "## The trainings", "", *TRAINED, *map(_trained, TRAININGS)]
    return "\n".join([*first, *second]) + "\n"


def _grown(growth: dict[str, Any]) -> Iterator[str]:
    asked = next((size for key, size in TARGETS.items() if _is_of(growth, *key)), None)
    if asked is None:
        return
    times = asked / growth["sizes"][-1]
    # Memory grows at least as the input does.
    memory = growth["bytes"] and growth["bytes"] * times ** max(1.0, growth["exponent"])
    yield _line(
        f"`{growth['algorithm']}`, {growth['what']}",
        f"{growth['sizes'][-1]:,}",
        _time(growth["seconds"][-1]),
        f"$n^{{{growth['exponent']:.2g}}}$",
        f"{asked:,}",
        _time(growth["seconds"][-1] * times ** growth["exponent"]),
        _size(memory) if memory else "",
        growth["limit"],
    )


def _is_of(growth: dict[str, Any], algorithm: str, counted: str) -> bool:
    return growth["algorithm"] == algorithm and growth["what"].startswith(counted)


def _trained(training: Training) -> str:
    return _line(
        training.what,
        f"{training.weights:.1e}",
        f"{training.operations:.1e}",
        _size(training.memory),
        _time(training.seconds()),
        _time(training.seconds(CARDS)),
        training.breaks,
    )


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _time(seconds: float) -> str:
    for unit, size in (("years", 365 * DAY), ("days", DAY), ("h", 3600), ("min", 60), ("s", 1)):
        if seconds >= size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds * 1e3:.1f} ms"


def _size(count: float) -> str:
    for unit, size in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count / 1e3:.3g} kB"
