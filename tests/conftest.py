import os

import jaxtyping
import pytest
from hypothesis import settings

from tests import distribution, times, typechecking
from tests.told_references import pytest_runtest_makereport, pytest_runtest_setup
from tests.warm_kernels import use_warm_kernels

__all__ = ["pytest_runtest_makereport", "pytest_runtest_setup"]

# New examples are for the desk; CI runs the same ones each time.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


def pytest_configure(config: pytest.Config) -> None:
    use_warm_kernels()
    config.pluginmanager.register(times, "times")
    config.pluginmanager.register(typechecking, "typechecking")
    # Benchmarks run without it.
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(distribution, "distribution")


@pytest.fixture
def unchecked():
    """As users run it: without the type checker, which would refuse before the library does."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
