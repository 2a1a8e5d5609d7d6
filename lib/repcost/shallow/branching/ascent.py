"""Neurons near the steepest, by local search: what branch and bound then proves or mends."""

import numpy as np
from jaxtyping import Float

Atoms = Float[np.ndarray, "k r"]

# Patterns in a row, and steps towards the best neuron of each.
_PATTERNS, _STEPS = 30, 200
# Points times dimensions beyond which there are fewer steps, and how many at least.
_SMALL, _FEWEST = 20_000, 20
# Steps this small, of numbers whose largest are near one, end the way.
_STILL = 1e-8
# A height that grows by less than this, relatively, has come to its end.
_GROWTH = 1e-10


def climbed(
    units: Float[np.ndarray, "N r"], weights: Float[np.ndarray, "N m"], starts: Atoms
) -> tuple[Atoms, Float[np.ndarray, " k"]]:
    """Where the heights |weights^T relu(units w)| lead to from these unit w, and the heights.

    In the direction in which a neuron is high, v = weights u, the points with v_i > 0 are held at
    the pattern of the neuron. The best neuron for that is the one from the nearest point of a
    zonotope, as a concave function is left; and it is higher, or the search ends there.
    """
    w, heights = starts.copy(), np.full(len(starts), -1.0)
    lipschitz = float(np.linalg.norm(units, 2) ** 2)
    at, new = np.arange(len(w)), starts
    rest = np.zeros((len(w), len(units)))
    for _ in range(_PATTERNS):
        z = new @ units.T
        outputs = np.maximum(z, 0.0) @ weights
        reached = np.linalg.norm(outputs, axis=1)
        higher = reached > heights[at] * (1 + _GROWTH)
        at, new, z = at[higher], new[higher], z[higher]
        w[at], heights[at] = new, reached[higher]
        if not len(at) or not reached.any():
            break
        v = outputs[higher] @ weights.T / np.maximum(reached[higher], 1e-300)[:, None]
        rest = _nearest(units, lipschitz, v, z > 0, rest[higher])
        q = rest @ units
        length = np.linalg.norm(q, axis=1)
        new = np.where(length[:, None] > 0, q / np.maximum(length, 1e-300)[:, None], new)
    return w, np.maximum(heights, 0.0)


def _nearest(
    units: np.ndarray,
    lipschitz: float,
    v: Float[np.ndarray, "k N"],
    active: np.ndarray,
    start: Float[np.ndarray, "k N"],
) -> Float[np.ndarray, "k N"]:
    """theta with the least |sum theta_i u_i|, about: v or 0 where v > 0, between v and 0 else."""
    low = np.where(v > 0, v * active, v)
    high = np.where(v > 0, v * active, 0.0)
    theta = ahead = np.clip(start, low, high)
    momentum = 1.0
    for _ in range(max(_FEWEST, min(_STEPS, _STEPS * _SMALL // units.size))):
        # As np.clip does, in half the time for so few numbers.
        new = np.minimum(np.maximum(ahead - (ahead @ units @ units.T) / lipschitz, low), high)
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / following * (new - theta)
        moved, theta, momentum = np.abs(new - theta).max(), new, following
        if moved < _STILL:
            break
    return theta
