import os

import jaxtyping
import pytest
from hypothesis import settings

# New examples are for the desk; CI runs the same ones each time.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture
def unchecked():
    """As users run it: without the type checker, whose refusal would come before the library's own."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


def pytest_collection_modifyitems(items):
    """Dealt out to workers together: the cells of a notebook, and the tests of an opened page; others one by one."""
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.xdist_group(str(item.path)))
        elif "opened" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group(item.callspec.id))
