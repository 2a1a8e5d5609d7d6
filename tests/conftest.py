import jaxtyping
import pytest


@pytest.fixture
def unchecked():
    """As users run it: without the type checker, whose refusal would come before the library's own."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
