"""What failed is told at once: where nothing was measured pytest-benchmark ends the run without."""

import pytest


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        print(f"\n{report.nodeid}\n{report.longreprtext}", flush=True)
