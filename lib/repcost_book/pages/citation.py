"""How the book is cited: who made it, its version and its day, all from CITATION.cff.

The address is that of the repository, once `_config.yml` has it.
"""

from pathlib import Path
from typing import NamedTuple

import yaml

from repcost_book.pages.launch import home

FILE = "CITATION.cff"
# What CITATION.cff has a place for is the licence of the programs.
OF_TEXT = "CC BY 4.0"
BIBTEX = """\
@misc{{{key},
  title  = {{{title}}},
  author = {{{{{authors}}}}},
  year   = {{{year}}},
  note   = {{Version {version} of {day}}},
  url    = {{{address}}}
}}"""


class Citation(NamedTuple):
    """What is said of the book as a whole.

    day: of the release, as 2026-11-18.
    licence: of the programs; text and figures have their own.
    """

    title: str
    authors: str
    version: str
    day: str
    licence: str
    address: str

    @classmethod
    def read(cls, root: Path) -> "Citation":
        """What CITATION.cff says."""
        told = yaml.safe_load((root / FILE).read_text(encoding="utf-8"))
        authors = " and ".join(_name(author) for author in told["authors"])
        day, version = str(told["date-released"]), str(told["version"])
        return cls(told["title"], authors, version, day, told["license"], home(root))

    @property
    def line(self) -> str:
        """Who, which version, and under which licences, in a line."""
        licences = f"Text and figures {OF_TEXT}, code {self.licence}."
        return f"{self.authors}. Version {self.version} of {self.day}. {licences}"

    @property
    def bibtex(self) -> str:
        """The book as an entry of a bibliography."""
        return BIBTEX.format(key="repcost", year=self.day[:4], **self._asdict())


def _name(author: dict) -> str:
    whole = " ".join([author.get("given-names", ""), author.get("family-names", "")]).strip()
    return whole or author["name"]


def citing_page(edition: Citation) -> str:
    """The entry and the line, as Markdown."""
    return f"```bibtex\n{edition.bibtex}\n```\n\n{edition.line}\n"
