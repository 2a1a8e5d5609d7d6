"""What can be proved of a measured network, where all else in its report is an experiment.

The rank of its Jacobian is proved at some points, in whole numbers: no tolerance stands behind it,
so it is rarely less than full. And of two layers trained by the squared loss with weight decay it
is proved how far they are from the least loss of all two-layer networks, at most and at least.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, same_length
from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet
from repcost.ranks import jacobian_rank
from repcost.report.chains import Sizes, chain_of
from repcost.report.graphs import Graph
from repcost.scalars import positive_number
from repcost.shallow import certify_shallow, shallow_optimum
from repcost.shallow.certificates import loss_from_below

Points = Float[np.ndarray, "_ ..."]

# So many points are looked at for a rank, of networks with at most so many weights.
_POINTS, _WEIGHTS = 4, 200_000
# The least loss is searched for where there are no more points and inputs than these.
_DATA, _INPUTS, _RTOL = 200, 10, 1e-3


@dataclass(frozen=True)
class Proofs:
    """What is proved; None where it is not, and `reasons` say why.

    rank: of the Jacobian next to some of the points, exact; the lower end is attained at one.
    loss: from what no network of two layers gets below to the loss of this one.
    excess: by how much that loss is above the least, at least and at most.
    """

    rank: Bracket | None = None
    loss: Bracket | None = None
    excess: tuple[float, float] | None = None
    reasons: tuple[str, ...] = ()

    def lines(self) -> list[tuple[str, str]]:
        """A name and what is proved, in words."""
        told = []
        if self.rank is not None:
            told.append(f"Jacobian of rank {self.rank.lower:g} or more next to one of the points")
        if self.loss is not None and self.excess is not None:
            low, high = self.excess
            told.append(
                f"loss at least {low:.3g} and at most {high:.3g} above the least of all networks "
                f"with one hidden layer ({self.loss.counts})"
            )
        return [
            *(("proved", each) for each in told),
            *(("not proved", each) for each in self.reasons),
        ]


NOTHING_PROVED = Proofs()


def data_of_loss(
    X: Points, targets: ArrayLike | None, strength: float | None
) -> tuple[Any, float] | None:
    """Targets and strength, if both are given; ValueError if only one is, or if one is wrong."""
    if targets is None and strength is None:
        return None
    if targets is None or strength is None:
        missing, there = ("targets", "strength") if targets is None else ("strength", "targets")
        raise ValueError(f"{missing} is not given, but {there} is; give both, or leave both out")
    found = finite_array(targets, "targets", (1, 2))
    same_length(X=X, targets=found)
    return found, positive_number(strength, "strength", "give that of the weight decay")


def proofs_of_graph(
    graph: Graph, sizes: Sizes, X: Points, data: tuple[Any, float] | None
) -> Proofs:
    """Of a module's graph; nothing is proved of one that is no plain chain."""
    from torch import nn

    reason = "anything: only chains of Linear and ReLU are proved about"
    try:
        parts = chain_of(graph, sizes)
    except ValueError:
        return Proofs(reasons=(reason,))
    layers = [each for each in parts if isinstance(each, nn.Linear)]
    flat = [each for each in parts if not isinstance(each, nn.Flatten)]
    in_turn = [nn.Linear, nn.ReLU] * len(layers)
    if [type(each) for each in flat] != in_turn[:-1]:
        return Proofs(reasons=(reason,))
    weights = [each.weight.detach().numpy() for each in layers]
    biases = [
        np.zeros(len(w)) if e.bias is None else e.bias.detach().numpy()
        for w, e in zip(weights, layers, strict=True)
    ]
    return proofs_of_network(DeepNet(weights, biases), X.reshape(len(X), -1), data)


def proofs_of_network(
    net: DeepNet, X: Float[np.ndarray, "n d"], data: tuple[Any, float] | None
) -> Proofs:
    found = _proved_rank(net, X)
    if data is None:
        return found
    if net.depth != 2 or not net.activation.is_relu:
        reason = "how far from the least loss: known for one hidden layer of ReLU only"
        return replace(found, reasons=(*found.reasons, reason))
    loss = certify_shallow(net, X, *data)
    low = 0.0
    if len(X) <= _DATA and X.shape[1] <= _INPUTS:
        least = shallow_optimum(X, *data, rtol=_RTOL).loss
        low = max(0.0, loss_from_below(net, X, *data) - least.upper)
        loss = replace(loss, lower=max(loss.lower, least.lower))
    high = float(np.nextafter(loss.upper - loss.lower, np.inf))
    return replace(found, loss=loss, excess=(max(0.0, float(np.nextafter(low, 0.0))), high))


def _proved_rank(net: DeepNet, X: Float[np.ndarray, "n d"]) -> Proofs:
    if sum(weight.size for weight in net.weights) > _WEIGHTS:
        return Proofs(reasons=("a rank: there are too many weights for whole numbers",))
    if not min(net.widths):
        return Proofs(reasons=("a rank: a layer has no units",))
    some = X[np.linspace(0, len(X) - 1, min(len(X), _POINTS)).astype(int)]
    box = some.min(axis=0) - 1.0, some.max(axis=0) + 1.0
    return Proofs(rank=jacobian_rank(net, box, points=some))
