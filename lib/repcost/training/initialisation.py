"""The weights that a member starts from."""

import numpy as np
from jaxtyping import Float

from repcost.training.architectures import Architecture
from repcost.training.members import MemberArrays
from repcost.training.recipes import Recipe


def initial_weights(
    architecture: Architecture, recipe: Recipe, seed: int, X: Float[np.ndarray, "n d"]
) -> MemberArrays:
    """The arrays of one member; they depend on nothing but these arguments."""
    rng = np.random.default_rng(seed)
    if recipe.xavier:
        return _xavier(architecture, rng)
    arrays, inputs = [], X
    # The order of the draws is part of what a seed means: layer by layer, weights before biases.
    for layer, (into, out) in enumerate(architecture.shapes):
        # With gain 1 a linear layer keeps the size of what it receives. A ReLU halves its square,
        # which a gain of sqrt(2) makes up for (He et al., 2015).
        scale = recipe.gain / np.sqrt(into)
        W = rng.normal(scale=scale, size=(architecture.branches, into, out))
        arrays.append(W)
        if layer < architecture.linear:
            inputs = inputs @ W[0]
        elif architecture.has_bias(layer):
            # Only where the units see the points themselves, or a linear image of them.
            spread = recipe.spread and layer == architecture.linear
            at_zero = np.zeros((architecture.branches, 1, out))
            arrays.append(_spread_biases(W, inputs, rng) if spread else at_zero)
    return arrays


def _xavier(architecture: Architecture, rng: np.random.Generator) -> MemberArrays:
    """As the public code of Savarese et al. (2019) begins, the output bias included."""
    arrays, stack = [], architecture.branches
    for layer, (into, out) in enumerate(architecture.shapes):
        scale = np.sqrt(2 / (into + out))
        arrays.append(rng.normal(scale=scale, size=(stack, into, out)))
        if architecture.has_bias(layer):
            arrays.append(rng.uniform(-1, 1, size=(stack, 1, out)))
    return arrays


def _spread_biases(
    W: Float[np.ndarray, "1 d units"], X: Float[np.ndarray, "n d"], rng: np.random.Generator
) -> Float[np.ndarray, "1 1 units"]:
    """Biases that put the bend of each unit through a random point between two of the data."""
    start, end = X[rng.integers(len(X), size=(2, W.shape[2]))]
    at = start + rng.random((W.shape[2], 1)) * (end - start)
    # At the point `at` of its own, each unit receives w at + b = 0.
    return -np.einsum("kio,oi->ko", W, at)[:, None]
