"""How the shapes and types of the library are checked while the tests run.

Checking costs more than most functions do, and the thousandth call of a function in a test passes
the same types as the first ones. So each function is checked in its first calls of every test, and
then let alone until the test ends.
"""

import functools
import sys
from collections.abc import Callable
from typing import Any

import pytest
from beartype import BeartypeConf, beartype

CALLS = 10

# An int is as good as a float, as everywhere in Python.
_checked = beartype(conf=BeartypeConf(is_pep484_tower=True))
# How often the arguments of each function were checked in this test.
_calls: dict[Callable, int] = {}
_let_alone: list[Any] = []


def typechecked(stub: Any) -> Any:
    """What jaxtyping calls with each function's arguments, and again with its result."""
    checked = _checked(stub)
    # Classes are decorated too: they have no calls of their own.
    return checked if isinstance(stub, type) else _counted(checked, stub)


def _counted(checked: Callable, stub: Callable) -> Callable:
    @functools.wraps(checked)
    def counting(*args, **kwargs):
        count = _calls[counting] = _calls.get(counting, 0) + 1
        if count == CALLS:
            _let_be(stub)
        return checked(*args, **kwargs)

    return counting


def _let_be(stub: Callable) -> None:
    """From now on jaxtyping lets calls of this function pass, until the test ends."""
    found = _named(stub)
    # Arguments and results are counted apart, so the second of them finds it let alone.
    if found is not None and found not in _let_alone:
        found.__no_type_check__ = True
        _let_alone.append(found)


def _named(stub: Callable) -> Any | None:
    """The function as the library has it; None for one that was made inside another."""
    here: Any = sys.modules.get(stub.__module__)
    for name in stub.__qualname__.split("."):
        here = vars(here).get(name) if hasattr(here, "__dict__") else None
    for inside in ("fget", "func", "__func__", "__wrapped__"):
        here = getattr(here, inside, here)
    return here


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Every test begins anew."""
    _calls.clear()
    while _let_alone:
        del _let_alone.pop().__no_type_check__
