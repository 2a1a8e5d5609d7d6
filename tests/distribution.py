"""How tests are dealt out to processes: by files, whose tests share what is slow to make, and the
tests of all pages by the page that they look at, because their file is the longest of all.
"""

import pytest
from xdist.scheduler import LoadFileScheduling


class ByPages(LoadFileScheduling):
    """As `--dist loadfile`, and a test whose parameter is a page belongs to that page."""

    def _split_scope(self, nodeid: str) -> str:
        return scope(nodeid)


def scope(nodeid: str) -> str:
    """What tests must share to run in one process, one after the other."""
    file, _, test = nodeid.partition("::")
    _, _, parameter = test.rstrip("]").partition("[")
    return f"{file}[{parameter}]" if parameter.startswith("book/") else file


def pytest_xdist_make_scheduler(config: pytest.Config, log) -> ByPages | None:
    return ByPages(config, log) if config.getoption("dist") == "loadfile" else None
