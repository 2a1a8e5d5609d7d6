"""A hidden layer of two neurons whose representations are moved, and the two forces on them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost import forces
from repcost.arrays import ArrayLike, with_bias
from repcost.scalars import one_of
from repcost_book.kernel.widgets.base import Checked, Drawing, script, style

Layer = Float[np.ndarray, "N 2"]

# As in the script: how far a point may be.
LIMIT = 1.625
BIAS, TIKHONOV = 1.0, 0.1
CORNERS = [[-1.0, -0.6], [-0.7, -0.8], [1.0, -0.6], [0.7, -0.8], [-0.2, 0.9], [0.2, 1.0]]
SIDES = [[-1.2, 0.4], [-0.9, -0.5], [-0.5, 0.2], [0.5, -0.3], [0.9, 0.5], [1.2, -0.4]]
# Inputs, outputs, and where the layer is at first: on the grid of the drawing, which is 1/32.
SETTINGS: dict[str, dict[str, list[list[float]]]] = {
    "three classes": {
        "inputs": CORNERS,
        "outputs": [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]],
        "start": [
            *([-0.4375, -0.5], [0.0, -0.625], [1.1875, 0.125]),
            *([1.0, -0.125], [-0.125, 0.875], [0.3125, 1.1875]),
        ],
    },
    "two classes": {
        "inputs": SIDES,
        "outputs": [[1], [1], [1], [-1], [-1], [-1]],
        "start": [
            *([-0.6875, 0.3125], [-0.3125, -0.375], [-0.1875, 0.3125]),
            *([0.8125, 0.1875], [1.0, 1.0], [1.3125, 0.375]),
        ],
    },
    "exclusive or": {
        "inputs": [[-1, -1], [1, 1], [-1, 1], [1, -1]],
        "outputs": [[1], [1], [-1], [-1]],
        "start": [[-0.3125, -0.8125], [0.875, 1.375], [-0.6875, 0.8125], [1.3125, -0.1875]],
    },
}


@dataclass(frozen=True)
class HiddenLayer:
    """What two neurons receive at each input, as the points of a plane, in one of `SETTINGS`.

    >>> layer = HiddenLayer(SETTINGS["exclusive or"]["start"], "exclusive or")
    >>> pull, push = layer.per_neuron
    >>> pull.round(3).tolist(), push.round(3).tolist()
    ([1.511, 1.603], [0.202, 0.299])
    """

    points: ArrayLike
    setting: str

    @property
    def Z(self) -> Layer:
        """A row for each point."""
        return np.array(self.points, dtype=np.float64)

    @property
    def S_previous(self) -> Float[np.ndarray, "N 3"]:
        """What the layer below sends: the inputs and the constant."""
        return with_bias(np.array(SETTINGS[self.setting]["inputs"], dtype=np.float64), BIAS)

    @property
    def Z_next(self) -> Float[np.ndarray, "N _"]:
        """What the layer above is to receive: the outputs."""
        return np.array(SETTINGS[self.setting]["outputs"], dtype=np.float64)

    @property
    def forces(self) -> tuple[Layer, Layer]:
        """(attraction, repulsion), by the library."""
        return forces(self.Z, self.S_previous, self.Z_next, BIAS, tikhonov=TIKHONOV)

    @property
    def per_neuron(self) -> tuple[Float[np.ndarray, "2"], Float[np.ndarray, "2"]]:
        """The products of each neuron's column with the two: what pulls, and what pushes."""
        attraction, repulsion = self.forces
        return np.sum(self.Z * attraction, axis=0), -np.sum(self.Z * repulsion, axis=0)


def allowed_points(points: ArrayLike) -> list[list[float]]:
    """The points; ValueError where the drawing has no place for them."""
    try:
        found = np.array(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"points must be pairs of numbers, [[z1, z2], ...]: {error}") from None
    if found.ndim != 2 or found.shape[1] != 2 or len(found) not in (4, 6):
        raise ValueError(
            f"points must be one pair for each input, 4 or 6 of them, but their shape is "
            f"{found.shape}"
        )
    if not np.all(np.abs(found) <= LIMIT):
        raise ValueError(f"points must lie between -{LIMIT} and {LIMIT}, both ways; scale them")
    return found.tolist()


def allowed_setting(setting: str) -> str:
    """The name of the data; ValueError for any other."""
    return one_of(setting, "setting", tuple(SETTINGS))


class ForcesWidget(Drawing):
    """Representations that the reader moves, with what attracts and repels them and where they go.

    Section 3.1 of Jacot et al. (2022). On a page there is no kernel: there the script computes what
    `repcost.forces` would, to 1e-9 (tests/browser/test_forces_widget.py).
    """

    kind, names = "forces", ("points", "setting")
    _esm, _css = script("forces"), style("forces")
    points = Checked(allowed_points, SETTINGS["three classes"]["start"]).tag(sync=True)
    setting = Checked(allowed_setting, "three classes").tag(sync=True)

    def __init__(
        self, setting: str = "three classes", points: ArrayLike | None = None, **others: Any
    ):
        start = SETTINGS[allowed_setting(setting)]["start"]
        given = {"settings": {name: _told(each) for name, each in SETTINGS.items()}}
        first = allowed_points(start if points is None else points)
        super().__init__(points=first, setting=setting, given=given, **others)

    @property
    def layer(self) -> HiddenLayer:
        """What is drawn, with its forces by the library."""
        return HiddenLayer(self.points, self.setting)

    def _in_words(self) -> str:
        pull, push = self.layer.per_neuron
        told = ", ".join(
            f"neuron {k + 1} is pulled by {pull[k]:.2f} and pushed by {push[k]:.2f}"
            for k in range(2)
        )
        return (
            "Needs JavaScript: a drawing of what two hidden neurons receive at "
            f"{len(self.points)} inputs ({self.setting}), as points to move, with an arrow of "
            f"attraction and one of repulsion on each. Along their own columns, {told}."
        )


def _told(setting: dict[str, list[list[float]]]) -> dict[str, Any]:
    return {**setting, "bias": BIAS, "tikhonov": TIKHONOV}
