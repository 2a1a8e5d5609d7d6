"""Who a member of an ensemble is, and what is handed out of the arrays that were trained."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.linalg import block_diag

from repcost.costs.linear_layers.networks import LinearLayersNetwork
from repcost.deep_networks import DeepNet
from repcost.networks import TwoLayer
from repcost.training.architectures import Architecture
from repcost.training.objectives import Network, Objective

# What is trained of one member, layer by layer: weights (branches, in, out), then, where the layer
# has one, the bias (branches, 1, out). Everywhere else in the library weights are (out, in).
MemberArrays = list[Float[np.ndarray, "branches _ _"]]


@dataclass(frozen=True)
class Member:
    """Who it is: two members with the same three are the same network."""

    architecture: Architecture
    objective: Objective
    seed: int


def network_of(architecture: Architecture, arrays: MemberArrays) -> Network:
    """A TwoLayer or a LinearLayersNetwork where the arrays are one, or else a DeepNet."""
    weights, biases = _by_layer(architecture, arrays)
    if architecture.linear:
        *matrices, a = (W for (W,) in weights)
        # The one bias but last is that of the ReLU layer; linear layers have none.
        return LinearLayersNetwork(tuple(matrices), a[0], biases[-2], float(biases[-1][0]))
    if architecture.branches > 1:
        return DeepNet(_side_by_side(weights), biases, architecture.activation)
    whole = [W for (W,) in weights]
    one_output = architecture.widths[-1] == 1
    # A TwoLayer has ReLU units and one output, so the others stay DeepNets.
    if architecture.depth == 2 and one_output and architecture.activation.is_relu:
        return TwoLayer(whole[0], whole[1][0], biases[0], float(biases[1][0]))
    return DeepNet(whole, biases, architecture.activation)


def arrays_of(net: DeepNet) -> MemberArrays:
    """The arrays of the member that `network_of` hands out as `net`."""
    layers = zip(net.weights, net.biases, strict=True)
    return [array for W, b in layers for array in (W.T[None], b[None, None])]


def _by_layer(
    architecture: Architecture, arrays: MemberArrays
) -> tuple[list[list[np.ndarray]], list[np.ndarray]]:
    """The weights (out, in) of every branch, and the bias, of each layer."""
    left, weights, biases = iter(arrays), [], []
    for layer, (_, out) in enumerate(architecture.shapes):
        # From (in, out), as trained, to (out, in), as everywhere else.
        weights.append([W.T for W in next(left)])
        if architecture.has_bias(layer):
            biases.append(next(left)[0, 0])
        else:
            # Outputs are added up over the branches; hidden units stand one beside the other.
            last = layer == architecture.depth - 1
            biases.append(np.zeros(out if last else out * architecture.branches))
    return weights, biases


def _side_by_side(weights: list[list[np.ndarray]]) -> list[Any]:
    """One network of all branches: the same inputs for each, and the sum of their outputs."""
    first, *inner, last = weights
    return [np.vstack(first), *(block_diag(*branches) for branches in inner), np.hstack(last)]
