"""`prune`: fewer units, and the same outputs at the points, of networks and of modules of torch."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike
from repcost.deep_networks import DeepNet
from repcost.networks import TwoLayer
from repcost.report.admission import Module, unwrapped
from repcost.report.checked import by_default, checked_graph
from repcost.report.exporting import NotTraced
from repcost.report.graphs import Graph
from repcost.report.measurements import points_of_any_shape
from repcost.report.narrowing import balanced_chain, narrower
from repcost.report.tables import Table, html_table, text_table
from repcost.report.views import as_plain, short
from repcost.scalars import real_number
from repcost.shallow.pruning import with_fewer_units

if TYPE_CHECKING:
    from torch import nn

Points = Float[np.ndarray, "_ ..."]

# What outputs may be off at the points, as a part of the largest.
TOLERANCES = 1e-6, 1e-3, 1e-2


@dataclass(frozen=True, eq=False)
class Pruned:
    """A module with fewer units, at each of several tolerances; print it, or take `.to_dict()`.

    models: one for each of the tolerances, torch.nn.Sequential where the module lies and in its
        precision, for evaluation, batch normalisation being in the weights of the layers.
    widths: of each the units or channels of its layers; before: those of the module.
    squared_norms: of each the squares of all weights and biases; least: what those of the module
        can be rescaled to, which is no less.
    errors: of each by which part of the largest output of the module at X it is off there;
    fresh_errors: the same at the fresh points; not numbers if there were none.
    """

    tolerances: tuple[float, ...]
    models: tuple[Any, ...]
    before: tuple[int, ...]
    widths: tuple[tuple[int, ...], ...]
    least: float
    squared_norms: tuple[float, ...]
    errors: tuple[float, ...]
    fresh_errors: tuple[float, ...]

    @property
    def model(self) -> Any:
        """The one of the first tolerance."""
        return self.models[0]

    def to_dict(self) -> dict[str, Any]:
        """All but the modules in plain numbers and lists, ready for JSON; None is not known."""
        names = [field.name for field in fields(self) if field.name != "models"]
        return as_plain({name: getattr(self, name) for name in names})

    def __str__(self) -> str:
        return text_table(self._table())

    def _repr_html_(self) -> str:
        return html_table(self._table())

    def _table(self) -> Table:
        return [
            ("allowed", ["as it was", *(f"{each:g}" for each in self.tolerances)], 10),
            ("units", [" ".join(map(str, each)) for each in (self.before, *self.widths)], 44),
            ("squares", [f"{each:.5g}" for each in (self.least, *self.squared_norms)], 9),
            ("off at X", ["", *map(short, self.errors)], 9),
            ("off at fresh points", ["", *map(short, self.fresh_errors)], 19),
        ]


@overload
def prune(net: DeepNet | TwoLayer, X: ArrayLike, *, bias: float = ...) -> DeepNet: ...
@overload
def prune(
    net: "nn.Module",
    X: ArrayLike,
    *,
    fresh: ArrayLike | None = ...,
    tolerances: Sequence[float] = ...,
) -> Pruned: ...
def prune(
    net: Any,
    X: ArrayLike,
    *,
    bias: float = 1.0,
    fresh: ArrayLike | None = None,
    tolerances: Sequence[float] = TOLERANCES,
) -> DeepNet | Pruned:
    """Fewer units, nearly or exactly the same outputs at the rows of X, and no larger norm.

    A DeepNet or a TwoLayer keeps its outputs at X up to rounding, with at most N m units in the
    last hidden layer, and comes back as a DeepNet. Caratheodory's theorem does it, as in
    Proposition 7 of Jacot et al. (2022); `repcost.shallow.pruning` says how. bias: those of the
    last hidden layer are paid for over it.

    A torch.nn.Module that is a chain of Linear, of convolutions, ReLU, pooling, Flatten and batch
    normalisation comes back as a `Pruned`, once for each of the tolerances: units or channels that
    carry little at X go, and of those that are nearly proportional there one is kept. How far the
    outputs are off at X is told, and at `fresh`, points of the same kind that it has not seen. No
    share of units is promised: in trained networks there may be none to spare. The norm is not
    larger than that of the cheapest rescaling of the module. What is no chain, is refused by name.

    >>> net = DeepNet([[[1.0], [2.0], [1.0]], [[1.0, 1.0, 0.5]]], [[0.0, 0.0, 0.5], [0.0]])
    >>> prune(net, [[1.0], [3.0]]).widths
    (1, 1, 1)
    """
    allowed = _checked(tolerances)
    if isinstance(net, DeepNet | TwoLayer):
        if fresh is not None:
            raise ValueError("fresh is for modules of torch; leave it out for a DeepNet")
        return with_fewer_units(net, X, bias=bias)
    module, points = _module(net), points_of_any_shape(X)
    others = None if fresh is None else points_of_any_shape(fresh, "fresh")
    if others is not None and others.shape[1:] != points.shape[1:]:
        raise ValueError(
            f"fresh has points of shape {others.shape[1:]}, and X of {points.shape[1:]}; "
            "give points of the same kind"
        )
    return _pruned_module(module, points, others, allowed)


def _module(net: Any) -> Module:
    from torch import nn

    if not isinstance(net, nn.Module):
        raise ValueError(
            f"net must be a DeepNet, a TwoLayer or a torch.nn.Module, not {type(net).__name__}"
        )
    return unwrapped(net)


def _checked(tolerances: Any) -> tuple[float, ...]:
    if isinstance(tolerances, str) or not isinstance(tolerances, Sequence) or not tolerances:
        raise ValueError("tolerances must be a list of numbers between 0 and 1, such as [1e-3]")
    allowed = tuple(sorted(real_number(each, "tolerances") for each in tolerances))
    if not (allowed[0] > 0 and allowed[-1] < 1):
        raise ValueError(f"tolerances must lie between 0 and 1, not {list(allowed)}")
    return allowed


def _pruned_module(
    module: Module, X: Points, fresh: Points | None, tolerances: tuple[float, ...]
) -> Pruned:
    import torch

    try:
        found = checked_graph(module, X)
    except NotTraced as error:
        raise ValueError(f"net cannot be pruned: {error}") from None
    with by_default(torch.device("cpu")), torch.no_grad():
        chain = begun = balanced_chain(found.graph, X, found.rows)
        chains = [chain := narrower(chain, each) for each in tolerances]
        models = tuple(each.model(found.like.dtype) for each in chains)
        return Pruned(
            tolerances=tolerances,
            models=tuple(each.to(found.like.device) for each in models),
            before=begun.widths,
            widths=tuple(each.widths for each in chains),
            least=begun.squared_norm,
            squared_norms=tuple(each.squared_norm for each in chains),
            errors=_off(found.graph, models, X),
            fresh_errors=_off(found.graph, models, fresh),
        )


def _off(graph: Graph, models: Sequence[Any], X: Points | None) -> tuple[float, ...]:
    """By which part of the largest output the models are off, their weights as they are."""
    import torch

    if X is None:
        return (np.nan,) * len(models)
    points = torch.from_numpy(np.array(X)).double()
    wanted = graph(points)
    apart = [(deepcopy(each).double()(points) - wanted).abs().max() for each in models]
    return tuple(float(each / wanted.abs().max()) for each in apart)
