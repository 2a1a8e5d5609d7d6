"""The reference of the library as Markdown: every public name with its signature and what its
docstring says.
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any, get_type_hints

import repcost

# The rooms of the library that have public names, in the order of the book.
ROOMS = {
    "": "Objects",
    "costs": "Costs",
    "ranks": "Ranks and regions",
    "shallow": "Shallow networks",
    "representations": "Representations",
    "covariances": "Covariances",
    "training": "Training",
    "datasets": "Data",
}
# How a line of a docstring begins that says what an argument or a field is.
ARGUMENT = r"[\w\\, ]+(\[l\])?:\s"


def api_page() -> str:
    """A section per room, a subsection per name; what a function returns stands behind it."""
    rooms: dict[str, list[str]] = {room: [] for room in ROOMS}
    shown = set(repcost.__all__)
    for name in repcost.__all__:
        value = getattr(repcost, name)
        rooms[_room(value)].append(_entry(name, value))
        for result in _results(value):
            if result.__name__ not in shown:
                shown.add(result.__name__)
                rooms[_room(value)].append(_entry(result.__name__, result))
    return "\n\n".join(
        "\n\n".join([f"## {ROOMS[room]}", *entries]) for room, entries in rooms.items() if entries
    )


def plain(text: str) -> str:
    """`text` as Markdown that shows it as it stands; what is between backticks stays code."""
    spans = re.split(r"(`[^`]+`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\*_{}\[\]<>#|$~^])", r"\\\1", part)
        for part in spans
    )


def _room(value: Any) -> str:
    parts = value.__module__.split(".")
    room = parts[1] if len(parts) > 1 else ""
    return {"regions": "ranks"}.get(room, room if room in ROOMS else "")


def _entry(name: str, value: Any) -> str:
    signature = f"```python\n{name}{_signature(value)}\n```"
    parts = [f"(api-{name})=\n### {name}", signature, *_paragraphs(inspect.getdoc(value) or "")]
    if inspect.isclass(value):
        parts += [f"`.{member}`\n: {said}" for member, said in _members(value)]
    return "\n\n".join(parts)


def _signature(value: Any) -> str:
    """The signature without annotations, which name shapes that the text explains better."""
    try:
        signature = inspect.signature(value)
    except ValueError:
        return ""
    parameters = [
        p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"
    ]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


def _paragraphs(doc: str) -> Iterator[str]:
    for paragraph in doc.split("\n\n"):
        if paragraph.lstrip().startswith(">>>"):
            yield f"```pycon\n{paragraph}\n```"
        else:
            # A line that is indented continues the one above; one that describes an argument stands
            # alone.
            lines = [plain(line) for line in re.sub(r"\n +", " ", paragraph).split("\n")]
            yield re.sub(rf"\n(?={ARGUMENT})", r"\\\n", "\n".join(lines))


def _members(value: type) -> Iterator[tuple[str, str]]:
    """Public properties and methods that say something of themselves."""
    for name, member in vars(value).items():
        said = (
            inspect.getdoc(member)
            if isinstance(member, property | classmethod) or callable(member)
            else None
        )
        if said and not name.startswith("_"):
            call = "" if isinstance(member, property) else "()"
            yield f"{name}{call}", plain(" ".join(said.split("\n\n")[0].split()))


def _results(value: Any) -> list[type]:
    """The result class of the library that a function returns, if it has one of its own."""
    result = None if inspect.isclass(value) else get_type_hints(value).get("return")
    if (
        inspect.isclass(result)
        and is_dataclass(result)
        and result.__module__.startswith("repcost.")
    ):
        return [result]
    return []
