"""The reference of the library as Markdown: every public name, its signature and its docstring."""

import inspect
import re
from collections.abc import Iterator
from reprlib import Repr
from typing import Any, get_type_hints

from repcost_book.pages.docstrings import first_paragraphs, paragraphs, plain
from repcost_book.pages.rooms import Room, is_constant, public, room_of, rooms

# A room introduces itself in so many paragraphs; its derivation stands in the sources.
INTRODUCTION = 3
# Constants that are long are shown by their beginning.
SHORT = Repr()
SHORT.maxdict, SHORT.maxlist, SHORT.maxtuple, SHORT.maxstring = 3, 6, 6, 60


def api_page() -> str:
    """A section per room, a subsection per name; what a function returns stands behind it.

    The page is long, so it begins with the names of each room, which lead to where they are told.
    """
    shown: dict[str, dict[str, Any]] = {room.module: {} for room in rooms()}
    for module, names in public().items():
        for name, value in names.items():
            _show(shown, module, name, value)
    filled = {room: values for room in rooms() if (values := shown[room.module])}
    return "\n\n".join([_contents(filled), *(_section(*each) for each in filled.items())])


def _contents(filled: dict[Room, dict[str, Any]]) -> str:
    """The rooms with their names, each a link; constants stand together, under the room's title."""
    terms = []
    for room, values in filled.items():
        names = [name for name, value in values.items() if not is_constant(value)]
        links = " ".join(f"[`{name}`](#{_label(name)})" for name in names)
        terms.append(f"[{room.title}](#{_room_label(room)})\n: {links or 'Constants.'}")
    return "\n\n".join(terms)


def _show(shown: dict[str, dict[str, Any]], module: str, name: str, value: Any) -> None:
    """Enter a name into its room, once, and behind it the class of its result."""
    # A constant does not know where it was defined, so it stands where it is listed.
    room = module if is_constant(value) else room_of(value)
    shown[room].setdefault(name, value)
    for result in _results(value):
        shown[room_of(result)].setdefault(result.__name__, result)


def _section(room: Room, values: dict[str, Any]) -> str:
    constants = [f"{name} = {SHORT.repr(v)}" for name, v in values.items() if is_constant(v)]
    entries = [_entry(name, value) for name, value in values.items() if not is_constant(value)]
    about = first_paragraphs(room.about, INTRODUCTION)
    # The whole package introduces itself on the page around this.
    title = f"({_room_label(room)})=\n## {room.title}"
    head = [title, *([f"`{room.module}`", *about] if room.module != "repcost" else [])]
    listed = ["```python", *constants, "```"] if constants else []
    return "\n\n".join([*head, *(["\n".join(listed)] if listed else []), *entries])


def _entry(name: str, value: Any) -> str:
    code = "\n".join([*_import(name, value), f"{name}{_signature(value)}"])
    said = paragraphs(inspect.getdoc(value) or "")
    parts = [f"({_label(name)})=\n### {name}", f"```python\n{code}\n```", *said]
    if inspect.isclass(value):
        parts += [f"`.{member}`\n: {said}" for member, said in _members(value)]
    return "\n\n".join(parts)


def _room_label(room: Room) -> str:
    return "room-" + re.sub(r"[._]", "-", room.module)


def _label(name: str) -> str:
    """What links to this entry name."""
    # Sphinx tells no capitals in labels: Representations are not what `representations` links to.
    listed = {each for names in public().values() for each in names}
    twins = {each for each in listed if each.lower() == name.lower()} - {name}
    return f"api-class-{name}" if twins and name[0].isupper() else f"api-{name}"


def _import(name: str, value: Any) -> list[str]:
    """How to get at a name that `from repcost import ...` does not give."""
    listing = [module for module, names in public().items() if names.get(name) is value]
    if not listing or listing[0] == "repcost":
        return []
    return [f"from {listing[0]} import {name}"]


def _signature(value: Any) -> str:
    """The signature without annotations, which name shapes that the text explains better."""
    try:
        signature = inspect.signature(value)
    except ValueError:
        return ""
    own = [each for each in signature.parameters.values() if each.name != "self"]
    parameters = [each.replace(annotation=each.empty) for each in own]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


def _members(value: type) -> Iterator[tuple[str, str]]:
    """Public properties and methods that say something of themselves."""
    for name, member in vars(value).items():
        is_property = isinstance(member, property)
        if name.startswith("_") or not (is_property or _is_method(member)):
            continue
        if said := inspect.getdoc(member):
            first = " ".join(said.split("\n\n")[0].split())
            yield name if is_property else f"{name}()", plain(first)


def _is_method(member: Any) -> bool:
    # A class method is not callable before it is bound.
    return callable(member) or isinstance(member, classmethod)


def _results(value: Any) -> list[type]:
    """The result class of the library that a function returns, if it has one of its own."""
    if is_constant(value) or inspect.isclass(value):
        return []
    result = get_type_hints(value).get("return")
    if not inspect.isclass(result) or not result.__module__.startswith("repcost"):
        return []
    return [result] if "__dataclass_fields__" in vars(result) else []
