"""Tiny chapters for the tests of doubt, and what becomes of their faults without any fork."""

import nbformat

from repcost_book.trials.doubt.doubting import Doubting
from repcost_book.trials.doubt.scores import tested
from repcost_book.trials.doubt.subject import Subject

HEAD = """\
import numpy as np
from repcost import TwoLayer, as_piecewise_linear, function_cost
from repcost_book import check
rng = np.random.default_rng(0)
"""
# What a network pays, and the same by hand: a measurement of one formula, and a wrong one.
GOOD = (
    "nets = [TwoLayer(rng.normal(size=(4, 2)), rng.normal(size=4)) for _ in range(5)]",
    "def path_norm(net, power=1.0):\n"
    "    return np.sum(np.abs(net.a) ** power * np.sqrt(np.sum(net.W**2, axis=1)))",
    "def off(formula):\n    return max(abs(net.path_norm / formula(net) - 1) for net in nets)",
    "check('a/b', 'a claim', off, path_norm, at_most=1e-14,\n"
    "      wrong={'no root': lambda net: np.sum(np.abs(net.a) * np.sum(net.W**2, axis=1))})",
)
NUMBERS = (
    *GOOD[:2],
    "worst = max(abs(net.path_norm - path_norm(net)) for net in nets)",
    "check('a/b', 'a claim', worst, at_most=1e-12, wrong={'twice': worst + 1})",
)


def notebook(*cells: str) -> nbformat.NotebookNode:
    sources = [HEAD, *cells]
    found = [nbformat.v4.new_code_cell(c, id=f"c{n:03d}") for n, c in enumerate(sources)]
    return nbformat.v4.new_notebook(cells=found)


def doubting(*cells: str) -> Doubting:
    """A chapter of these cells that has run."""
    return Doubting.begun(Subject.of(notebook(*cells)), {})


def fates(chapter: Doubting) -> dict[str, dict]:
    """What became of every fault that changed a value, one after the other in this process."""
    came = {key: chapter.fate(fault) for key, fault in chapter.faults.items()}
    return {key: told for key, told in came.items() if told["fired"]}


def scored(chapter: Doubting):
    """The numbers of the first check, and what became of each fault by kind and text."""
    came, about = fates(chapter), chapter.about()
    measured = [[check["worst"] for check in about["checks"]]]
    check = tested(about["checks"], about["faults"], came, measured)[0]
    faults = chapter.faults
    told = {(faults[k].kind, faults[k].text): c["came"] + c["roles"] for k, c in came.items()}
    return check, told
