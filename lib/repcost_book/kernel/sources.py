"""The files that a number depends on: modules of the two packages, and data, by name and by hash.

A name is the same on every machine: relative to the folder that holds the packages, or, for data
in results/, to the root of the checkout.
"""

import hashlib
import re
import sys
from collections.abc import Iterable
from pathlib import Path

# The folder that holds both packages: lib/ of a checkout, or site-packages.
PACKAGES = Path(__file__).resolve().parents[2]
OWN = ("repcost", "repcost_book")
# The copy of results/ that a wheel has.
SHIPPED = PACKAGES / "repcost_book" / "results"
# Whoever raises the version changes no number: the line that states it is no part of a module.
_VERSION = re.compile(rb'^__version__ = ".*"$', re.MULTILINE)


def digest(path: Path) -> str:
    """The hash of the content of a file, of a module without its version."""
    content = path.read_bytes()
    if path.suffix == ".py":
        content = _VERSION.sub(b"", content)
    return hashlib.sha256(content).hexdigest()


def digests(paths: Iterable[Path], root: Path = PACKAGES) -> dict[str, str]:
    """The hashes of files by their names, in the order of the names."""
    return dict(sorted((named(path, root), digest(path)) for path in paths))


def named(path: Path, root: Path = PACKAGES) -> str:
    """The name of a file in a record."""
    path = path.resolve()
    # Otherwise what was read on a worker would look missing here.
    if SHIPPED in path.parents:
        return path.relative_to(SHIPPED.parent).as_posix()
    return path.relative_to(PACKAGES if PACKAGES in path.parents else root).as_posix()


def located(name: str, root: Path = PACKAGES) -> Path:
    """Where a file of a record lies on this machine."""
    return PACKAGES / name if name.split("/")[0] in OWN else root / name


def loaded_modules(*packages: str) -> list[Path]:
    """The files of the modules of these packages that are imported at this moment."""
    # A list first: a module that is being imported by another thread would change the dictionary.
    found = [module for name, module in list(sys.modules.items()) if name.split(".")[0] in packages]
    # A namespace package has no file.
    return [Path(module.__file__) for module in found if module.__file__]
