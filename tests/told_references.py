"""Hooks of pytest for reference notebooks: which claim failed, and how long a cell may take."""

import os
import re
from pathlib import Path

import pytest
from nbval.plugin import IPyNbCell

from repcost_book.runner.comparisons import check_lines, differences
from repcost_book.runner.environment import patience
from repcost_book.runner.project import Project

PROJECT = Project.here()
USUAL = pytest.StashKey[float]()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A cell has the more time, the more runs beside it."""
    if isinstance(item, IPyNbCell):
        options = item.config.option
        usual = item.config.stash.setdefault(USUAL, options.nbval_cell_timeout)
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
        # nbval reads it before each cell.
        options.nbval_cell_timeout = patience(usual, workers * threads)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    """What a failed cell says, claim by claim."""
    report = yield
    if report.failed and isinstance(item, IPyNbCell):
        report.sections.append(("claims", _claims(item, call.excinfo)))
    return report


def _claims(item: IPyNbCell, raised: pytest.ExceptionInfo | None) -> str:
    chapter = Path(item.path).relative_to(PROJECT.references).with_suffix("").as_posix()
    old, new = check_lines(item.cell.outputs), check_lines(item.test_outputs or [])
    told = [str(each) for each in differences(chapter, old, new)]
    # What a check raises says what was measured.
    traceback = getattr(raised and raised.value, "inner_traceback", "") or ""
    told += re.findall("CheckFailed.*?: .*", traceback)
    return "\n".join(told) or f"{chapter}: no check of this cell has changed"
