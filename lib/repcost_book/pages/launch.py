"""Buttons that run a chapter elsewhere; there are some once the book knows where it is kept.

In `_config.yml`: `repository: {url: https://github.com/OWNER/NAME, branch: main, pages: gh-pages}`.
Binder and Codespaces open the checkout; Colab opens the notebook of the published page, whose first
cell installs what it needs, at the version of the page.
"""

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import yaml

from repcost_book.runner.project import REPOSITORY


class Repository(NamedTuple):
    """On GitHub: whose, its name, the branch of the sources, and that of the published pages."""

    owner: str
    name: str
    branch: str
    pages: str


# What those see who meet a link to the book.
PREVIEW = "docs/first-page-light.png"


class Way(NamedTuple):
    """A button: what it says, and where it leads."""

    name: str
    link: str


def repository(settings: Path) -> Repository | None:
    """What `_config.yml` says of the repository; None where it says nothing."""
    found = yaml.safe_load(settings.read_text(encoding="utf-8")).get("repository")
    if not found:
        return None
    place = re.fullmatch(
        r"https://github\.com/([\w.-]+)/([\w.-]+?)(?:\.git)?/?", found.get("url", "")
    )
    if place is None:
        wanted = "https://github.com/OWNER/NAME"
        raise ValueError(f"_config.yml: the url of the repository must be {wanted}, not {found}")
    branches = found.get("branch", "main"), found.get("pages", "gh-pages")
    return Repository(place[1], place[2], *branches)


def home(root: Path) -> str:
    """Where errors are told, and what citations lead to; `root` has `_config.yml`."""
    place = repository(root / "_config.yml")
    return f"https://github.com/{place.owner}/{place.name}" if place else REPOSITORY


def preview(place: Repository | None) -> str:
    """Where the picture of a link lies, which has to be a whole address; empty if none is known."""
    if place is None:
        return ""
    return f"https://raw.githubusercontent.com/{place.owner}/{place.name}/{place.branch}/{PREVIEW}"


def ways(place: Repository | None, notebook: str) -> list[Way]:
    """The buttons of a chapter, by the notebook of its page; none where nothing is known."""
    if place is None or not notebook:
        return []
    at, source = f"{place.owner}/{place.name}", notebook.removeprefix("_sources/")
    chapter = quote(f"lab/tree/{Path(source).with_suffix('.md').as_posix()}", safe="")
    return [
        Way(
            "Colab", f"https://colab.research.google.com/github/{at}/blob/{place.pages}/{notebook}"
        ),
        Way("Binder", f"https://mybinder.org/v2/gh/{at}/{place.branch}?urlpath={chapter}"),
        Way("Codespaces", f"https://codespaces.new/{at}?ref={place.branch}"),
    ]
