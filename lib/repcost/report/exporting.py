"""What is asked of torch.export: the graph of a module's operations, for any number of points."""

import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from repcost.report.admission import Module
from repcost.report.graphs import Graph, Tensor


class NotTraced(ValueError):
    """A model whose graph cannot be had."""


def exported(model: Module, rows: Tensor) -> Any:
    try:
        with _quiet():
            # Which warns of itself.
            from torch.export import Dim, export

            found = export(model, (rows,), dynamic_shapes=({0: Dim.AUTO},), strict=False)
            return found.run_decompositions({})
    # Whatever the model's own Python and torch's tracer may raise.
    except Exception as error:
        said = " ".join(str(error).split())[:200]
        raise NotTraced(f"torch.export cannot trace this model: {said}") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what torch's tracer warns of, logs and prints; what matters it raises."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    nowhere = io.StringIO()
    try:
        with warnings.catch_warnings(), redirect_stdout(nowhere), redirect_stderr(nowhere):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def must_take_any_number(graph: Graph, rows: Tensor) -> None:
    """NotTraced if the number of points became a constant of the graph."""
    import torch

    three = torch.cat([rows, rows])[:3].cpu().double()
    try:
        rightly = len(graph(three)) == 3
    except RuntimeError:
        rightly = False
    if not rightly:
        raise NotTraced(
            "torch.export takes the number of points for a constant of this model, as where it "
            "asks for len(x); write x.shape[0]"
        )
