"""The rooms of the library as the page shows them: what is public in each, and what it is called.

A chapter may import what is listed here and nothing else. A room says in its `__all__` what is
public in it; a module that is a room by itself, such as `repcost.joined`, may leave that out, and
then shows everything that it defines under a name without an underscore.
"""

import inspect
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Room:
    """A package or a module with public names, and its title on the page."""

    module: str
    title: str

    @property
    def about(self) -> str:
        """What the room says of itself."""
        return inspect.getdoc(import_module(self.module)) or ""

    def names(self) -> dict[str, Any]:
        """What may be imported from it, by name."""
        module = import_module(self.module)
        names = getattr(module, "__all__", None)
        # Packages collect what lies in their modules, and have to say what of that is public.
        if names is None and not hasattr(module, "__path__"):
            names = _defined(module)
        return {name: getattr(module, name) for name in names or ()}

    def holds(self, value: Any) -> bool:
        """Whether `value` was defined in this room."""
        return f"{_home(value)}.".startswith(f"{self.module}.")


# In the order of the book, what a room is made of before the room. Packages that are not named here
# come behind those of the library that are.
LIBRARY = (
    Room("repcost", "Networks and brackets"),
    Room("repcost.activations", "Activations"),
    Room("repcost.joined", "Networks made of two"),
    Room("repcost.ends", "Ends of brackets"),
    Room("repcost.conventions", "What a cost counts"),
    Room("repcost.regions", "Linear regions"),
    Room("repcost.costs", "Costs"),
    Room("repcost.costs.linear_layers", "Linear layers"),
    Room("repcost.costs.plane", "Points of the plane"),
    Room("repcost.ranks", "Ranks"),
    Room("repcost.shallow", "Shallow networks"),
    Room("repcost.representations", "Representations"),
    Room("repcost.covariances", "Covariances"),
    Room("repcost.training", "Training"),
    Room("repcost.report", "A network of one's own"),
    Room("repcost.constructions", "Constructions"),
    Room("repcost.experiments", "Experiments of the papers"),
    Room("repcost.datasets", "Data"),
    Room("repcost.integers", "Whole numbers"),
    Room("repcost.plotting", "The look of figures"),
)
BOOK = (
    Room("repcost_book", "Inside a chapter"),
    Room("repcost_book.kernel.widgets", "Widgets"),
    Room("repcost_book.kernel.widgets.merging", "The merging widget"),
)


@cache
def rooms() -> tuple[Room, ...]:
    """Every room of the library, and the two that the book's own package has for chapters."""
    named = {room.module for room in LIBRARY}
    found = [module for module in _packages("repcost") if module not in named]
    unnamed = [Room(module, module.rpartition(".")[2].capitalize()) for module in found]
    return (*LIBRARY, *unnamed, *BOOK)


@cache
def public() -> dict[str, dict[str, Any]]:
    """What may be imported, by room and by name."""
    return {room.module: room.names() for room in rooms()}


def room_of(value: Any) -> str:
    """The room under which `value` is shown: the smallest that it was defined in."""
    # The whole package is the first: in it lies all that has no room of its own.
    return max([room.module for room in rooms() if room.holds(value)] or ["repcost"], key=len)


def is_constant(value: Any) -> bool:
    """Whether this is a value to look up, and not something to call."""
    return not callable(value)


def _packages(package: str) -> list[str]:
    """The packages below this one, by name, that say what is public in them."""
    root = import_module(package)
    below = [info.name for info in walk_packages(root.__path__, f"{package}.") if info.ispkg]
    return [name for name in sorted(below) if hasattr(import_module(name), "__all__")]


def _defined(module: ModuleType) -> list[str]:
    """What a module defines itself: functions and classes know their module, constants do not."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (_home(value) == module.__name__ or (name.isupper() and _is_plain(value)))
    ]


def _is_plain(value: Any) -> bool:
    """Whether this is data to the bottom: the text of a function differs from run to run."""
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    return isinstance(value, str | int | float)


def _home(value: Any) -> str:
    """The module in which a function or a class was defined; nothing for other values."""
    return str(getattr(value, "__module__", ""))
