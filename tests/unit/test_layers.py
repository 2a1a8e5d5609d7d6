"""The layers of the house: who may import whom, drawn from the sources themselves.

The graph has an edge for every import statement, at the head of a module or inside a function: an
import that waits until a function is called still ties two modules together. Rooms are the
folders directly below a package; a module that lies there alone is a room of its own.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import repcost
import repcost_book

Graph = Mapping[str, set[str]]

# From the ground up. What stands in one layer may import from it and from all below, never in a
# circle.
LAYERS = (
    "activations arrays bounds column_spaces cones conventions conversions devices domains ends "
    "installations integers npz_files plotting progress residues rounding scalars scales",
    "balance deep_networks far_networks idle_units joined networks piecewise rescaling sweeps",
    "datasets regions",
    "constructions costs covariances ranks representations shallow",
    "training",
    "experiments report",
)
HEIGHTS = {room: height for height, rooms in enumerate(LAYERS) for room in rooms.split()}

# Which rooms of the book's package a room may import from. What is not in a room (the package
# itself and its command line) is a door: it may use all rooms, and none of them uses a door.
BOOK: Graph = {
    "kernel": set(),
    "runner": {"kernel"},
    "pages": {"kernel", "runner"},
    "trials": {"kernel", "runner", "pages"},
}


# The graph


def sources(package) -> dict[str, Path]:
    """The modules of a package by their full names."""
    root = Path(package.__file__).parent
    return dict(_named(package.__name__, root, path) for path in sorted(root.rglob("*.py")))


def _named(package: str, root: Path, path: Path) -> tuple[str, Path]:
    parts = [package, *path.relative_to(root).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imported(module: str, is_package: bool, code: str) -> Iterator[str]:
    """Full names after `import` and `from ... import`, wherever in the code they stand."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = _owner(module, is_package, node)
            yield from (f"{start}.{alias.name}" for alias in node.names)


def _owner(module: str, is_package: bool, node: ast.ImportFrom) -> str:
    """What stands between `from` and `import`, its leading dots spelled out."""
    if not node.level:
        return node.module or ""
    # The first dot is the package around the module; a package is that already.
    up = node.level - is_package
    parts = module.split(".")[: -up or None]
    return ".".join([*parts, node.module] if node.module else parts)


def import_graph(modules: Mapping[str, Path]) -> Graph:
    """From each module to the modules among these that it imports."""
    return {name: set(_known(_imports(name, path), modules)) for name, path in modules.items()}


# The graphs below share most modules.
@cache
def _imports(module: str, path: Path) -> tuple[str, ...]:
    return tuple(imported(module, path.stem == "__init__", path.read_text()))


def _known(names: Iterable[str], modules: Mapping[str, Path]) -> Iterator[str]:
    """The modules that these names are, or are in."""
    for name in names:
        owner = name if name in modules else name.rpartition(".")[0]
        if owner in modules:
            yield owner


def room(module: str) -> str:
    """The part of the name below the package; nothing for the package itself."""
    return ".".join(module.split(".")[1:2])


def between_rooms(graph: Graph) -> Graph:
    rooms = {name: set() for name in map(room, graph)}
    for module, used in graph.items():
        rooms[room(module)] |= {room(other) for other in used} - {room(module)}
    return rooms


# The rules


def cycle(graph: Graph) -> list[str]:
    """One circle of imports, or nothing: what can be reached from itself."""
    done: set[str] = set()

    def search(path: list[str]) -> list[str]:
        for following in sorted(graph[path[-1]] - done):
            if following in path:
                return [*path[path.index(following) :], following]
            if found := search([*path, following]):
                return found
        done.add(path[-1])
        return []

    return next((found for start in sorted(graph) if (found := search([start]))), [])


def upward(graph: Graph) -> list[tuple[str, str]]:
    """Imports of the library from a higher layer."""
    return [
        (module, other)
        for module, used in graph.items()
        for other in sorted(used)
        # The door of the package lists every name, and loads none of them until it is asked for.
        if room(module) and (not room(other) or HEIGHTS[room(other)] > HEIGHTS[room(module)])
    ]


def across(graph: Graph) -> list[tuple[str, str]]:
    """Imports out of rooms of the book's package that are not in the table above."""
    return [
        (module, other)
        for module, used in graph.items()
        for other in sorted(used)
        if room(module) in BOOK and room(other) not in BOOK[room(module)] | {room(module)}
    ]


LIBRARY, BOOKS = import_graph(sources(repcost)), import_graph(sources(repcost_book))
BOTH = import_graph(sources(repcost) | sources(repcost_book))


@pytest.mark.parametrize("graph", [LIBRARY, BOOKS], ids=["repcost", "repcost_book"])
def test_no_import_goes_in_a_circle(graph):
    assert cycle(graph) == []
    assert cycle(between_rooms(graph)) == []


def test_every_room_of_the_library_has_a_layer():
    assert set(between_rooms(LIBRARY)) - {""} <= set(HEIGHTS)


def test_the_book_has_these_rooms():
    assert set(between_rooms(BOOKS)) >= set(BOOK)


def test_the_library_imports_downwards_only():
    assert upward(LIBRARY) == []


def test_the_rooms_of_the_book_import_what_they_may():
    assert across(BOOKS) == []


def test_the_library_does_not_know_the_book():
    assert [
        (module, other)
        for module, used in BOTH.items()
        for other in used
        if module.startswith("repcost.") and other.startswith("repcost_book")
    ] == []


# Whether the rules can fail


def test_imports_are_seen_wherever_they_stand():
    code = """
import a.b
from a import c as renamed
def lazily():
    from .near import name
    if True:
        from ..far import name
"""
    assert set(imported("a.x.y", False, code)) == {"a.b", "a.c", "a.x.near.name", "a.far.name"}
    assert set(imported("a.x", True, "from . import y")) == {"a.x.y"}


def test_the_graph_holds_what_is_known_of_it(tmp_path):
    modules = {"a": tmp_path / "__init__.py", "a.b": tmp_path / "b.py", "a.c": tmp_path / "c.py"}
    for path, code in zip(
        modules.values(),
        ["", "import numpy\nfrom a.c import f", "def f():\n  import a.b"],
        strict=True,
    ):
        path.write_text(code)
    assert import_graph(modules) == {"a": set(), "a.b": {"a.c"}, "a.c": {"a.b"}}
    assert "repcost.regions.region" in LIBRARY["repcost.regions"]
    assert "repcost.arrays" in LIBRARY["repcost.networks"]


def test_a_circle_is_found():
    chain = {"p.a": {"p.b"}, "p.b": {"p.c"}, "p.c": set(), "p.d": {"p.a", "p.c"}}
    assert cycle(chain) == []
    assert cycle(chain | {"p.c": {"p.a"}}) == ["p.a", "p.b", "p.c", "p.a"]


def test_a_circle_between_rooms_is_found_where_no_module_is_in_one():
    graph = {"p.one.a": {"p.two.a"}, "p.one.b": set(), "p.two.a": set(), "p.two.b": {"p.one.b"}}
    assert cycle(graph) == []
    assert cycle(between_rooms(graph)) == ["one", "two", "one"]


def test_imports_upwards_and_across_are_found():
    library = {"repcost.arrays": {"repcost.ranks.jacobian"}, "repcost.costs.fits": {"repcost"}}
    assert upward(library) == [
        ("repcost.arrays", "repcost.ranks.jacobian"),
        ("repcost.costs.fits", "repcost"),
    ]
    book = {
        "repcost_book.__main__": {"repcost_book.runner.files", "repcost_book.trials.doubt"},
        "repcost_book.kernel.run": {"repcost_book.runner.files"},
        "repcost_book.pages.build": {"repcost_book.__main__"},
    }
    assert across(book) == [
        ("repcost_book.kernel.run", "repcost_book.runner.files"),
        ("repcost_book.pages.build", "repcost_book.__main__"),
    ]
