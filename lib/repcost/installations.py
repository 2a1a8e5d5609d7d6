"""What is installed here, file by file, and how it differs from what is installed elsewhere.

Numbers that several machines compute together are worth something only if all of them computed
with the same code.
"""

import hashlib
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# Of a checkout and of a wheel alike; an editor leaves other files behind.
ENDINGS = {".py", ".yml", ".npz", ".js", ".css"}
VERSIONS = ("numpy", "scipy", "clarabel", "torch")
# So many differences are named; the others are counted.
NAMED = 3


def installation(*packages: str) -> dict[str, str]:
    """The versions that numbers depend on, and the hash of every file of these packages.

    >>> sorted(installation())[:2]
    ['clarabel', 'numpy']
    """
    found = {name: _version(name) for name in VERSIONS}
    for package in packages:
        (root,) = import_module(package).__path__
        found |= hashes(Path(root))
    return {name: value for name, value in found.items() if value}


def hashes(folder: Path) -> dict[str, str]:
    """The hash of every file below a folder, by its path from what holds the folder."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS)
    return {
        path.relative_to(folder.parent).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """What of the things here is otherwise there, in a line; nothing if nothing is.

    >>> differences({"numpy": "2.4.6", "torch": "2.13.0"}, {"numpy": "2.3.0", "torch": "2.13.0"})
    'numpy 2.3.0 there, 2.4.6 here'
    """
    names = [name for name, value in here.items() if there.get(name) != value]
    told = [f"{name} {_short(there, name)} there, {_short(here, name)} here" for name in names]
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return "; ".join(told[:NAMED] + more)


def _short(parts: Mapping[str, str], name: str) -> str:
    # A version is short by itself.
    return parts.get(name, "missing")[:8]


def _version(name: str) -> str:
    """What is installed, without its build: +cpu and +cu130 are the same torch."""
    try:
        return version(name).partition("+")[0]
    except PackageNotFoundError:
        return ""
