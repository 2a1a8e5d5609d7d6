"""Figure 1 of Jacot et al. (2022) drawn: neurons and points of a layer, and what pushes them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from repcost.plotting import BAND, DEPTH, SPARSEST, WRONG
from repcost.representations import on_rays

# Attraction and repulsion, and how wide their arrows are.
FORCES = {"attraction": (DEPTH[4], 0.006), "repulsion": (WRONG, 0.0045)}
CLASSES = ("C0", SPARSEST, "C3")


def draw_neurons(ax: Any, Z: np.ndarray, pushes: Sequence[np.ndarray] = ()) -> None:
    """The neurons in the plane of their two largest principal components, not centred.

    Dashed are the directions of the three largest groups of aligned neurons. pushes: derivatives by
    Z; the arrows point against them.
    """
    U = np.linalg.svd(Z, full_matrices=False)[0][:, :2]
    places = Z.T @ U
    far = 1.1 * np.abs(places).max()
    for group in on_rays(Z)[:3]:
        end = places[group].sum(axis=0)
        end *= far / np.linalg.norm(end)
        ax.plot([0, end[0]], [0, end[1]], "--", color="0.6", lw=1, zorder=0)
    ax.plot(*places.T, "o", color=BAND, mec="0.3", ms=4, zorder=3)
    _arrows(ax, places, [-push.T @ U for push in pushes], 4 / far)
    ax.plot(0, 0, "+", color="0.3", ms=8)


def draw_points(
    ax: Any, Z: np.ndarray, pushes: Sequence[np.ndarray], labels: np.ndarray, names: str
) -> None:
    """The points in the plane of their two largest principal components, by a letter a class."""
    middle = Z.mean(axis=0)
    plane = np.linalg.svd(Z - middle, full_matrices=False)[2][:2].T
    places = (Z - middle) @ plane
    _arrows(ax, places, [-push @ plane for push in pushes], 3 / np.abs(places).max())
    for kind, (name, colour) in enumerate(zip(names, CLASSES, strict=True)):
        look = {"marker": f"${name}$", "color": colour, "ms": 7, "zorder": 3}
        ax.plot(*places[labels == kind].T, linestyle="", **look)


def _arrows(ax: Any, places: np.ndarray, pushed: list[np.ndarray], shrunk: float) -> None:
    # Both forces on one scale: the longest arrow has the length 1 / shrunk.
    size = max((np.linalg.norm(push, axis=1).max() for push in pushed), default=0)
    for push, (colour, width) in zip(pushed, FORCES.values(), strict=False):
        look = {"color": colour, "width": width, "zorder": 2}
        scale = {"angles": "xy", "scale_units": "xy", "scale": shrunk * size}
        ax.quiver(*places.T, *push.T, **look, **scale)
