"""The attacks, by the name of the function that each is for.

Whatever module of this folder has a tuple of `Attack`s takes part; there is no list to enter it in.
"""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from repcost_book.trials.fuzz import Attack


def attacks_in(package: str) -> dict[str, Attack]:
    """All of a package's modules (or of one module), by name."""
    home = import_module(package)
    inside = [module.name for module in iter_modules(getattr(home, "__path__", ()))]
    found: dict[str, Attack] = {}
    for module in (home, *(import_module(f"{package}.{name}") for name in sorted(inside))):
        for attack in _of_module(module):
            # One tuple may be imported by several modules.
            if found.setdefault(attack.name, attack) is not attack:
                raise ValueError(f"{module.__name__} has an attack {attack.name!r} that there is")
    return found


def _of_module(module: ModuleType) -> Iterator[Attack]:
    for value in vars(module).values():
        if isinstance(value, tuple) and all(isinstance(each, Attack) for each in value):
            yield from value


ATTACKS = attacks_in(__name__)
