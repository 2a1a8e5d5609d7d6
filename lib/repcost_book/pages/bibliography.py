"""The works that the book cites: what they are called, and where they can be read.

A page says where beside the first mention of a work, and the page of references always.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

FILE = Path("book", "references.bib")
ENTRY = re.compile(r"@\w+\{([\w-]+),(.*?)\n\}", re.DOTALL)


def works(root: Path) -> dict[str, str]:
    """What the works are called, by their keys: "Savarese et al. (2019)"."""
    return {key: _called(fields) for key, fields in _entries(root).items()}


def addresses(root: Path) -> dict[str, list[tuple[str, str]]]:
    """Where they can be read, by their keys: what the place is called, and its address."""
    return {key: _places(fields) for key, fields in _entries(root).items()}


def _entries(root: Path) -> dict[str, str]:
    path = root / FILE
    return dict(ENTRY.findall(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _called(fields: str) -> str:
    author = re.search(r"author\s*=\s*[{\"](.*?)[}\"],?\n", fields, re.DOTALL)
    names = re.split(r"\s+and\s+", author[1]) if author else []
    last = [re.sub(r"[{}\\'\"`^~]", "", name.split(",")[0]) for name in names]
    if "," not in (author[1] if author else ""):
        last = [name.split()[-1] for name in last]
    who = " and ".join(last) if len(last) < 3 else f"{last[0]} et al."
    year = _field(fields, "year")
    return f"{who} ({year})" if year else who


def _places(fields: str) -> list[tuple[str, str]]:
    found = []
    if arxiv := _field(fields, "eprint"):
        found.append((f"arXiv:{arxiv}", f"https://arxiv.org/abs/{arxiv}"))
    if doi := _field(fields, "doi"):
        found.append(("doi" if arxiv else f"doi:{doi}", f"https://doi.org/{doi}"))
    return found


def _field(fields: str, name: str) -> str:
    found = re.search(rf"^\s*{name}\s*=\s*[{{\"]?([^}}\"\n]*?)[}}\"]?,?\s*$", fields, re.MULTILINE)
    return found[1] if found else ""


class Mentions(SphinxPostTransform):
    """Beside the first mention of a work on a page stands where it can be read."""

    # Before the citations are resolved, while they still have their keys.
    default_priority = 5
    formats = ("html",)

    def run(self, **kwargs) -> None:
        known = addresses(Path(self.env.srcdir))
        seen: set[str] = set()
        for mention in list(self.document.findall(pending_xref)):
            if mention.get("refdomain") == "cite" and not _is_in_a_title(mention):
                keys = [key.strip() for key in mention["reftarget"].split(",")]
                fresh = [key for key in dict.fromkeys(keys) if key not in seen]
                seen.update(fresh)
                places = [place for key in fresh for place in known.get(key, [])]
                if places:
                    mention.replace_self([mention.deepcopy(), _where(places)])


def _is_in_a_title(node: nodes.Node) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, nodes.title):
            return True
    return False


def _where(places: list[tuple[str, str]]) -> nodes.raw:
    links = ", ".join(f'<a href="{to}">{name}</a>' for name, to in places)
    return nodes.raw("", f' <span class="repcost-where">({links})</span>', format="html")


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.add_post_transform(Mentions)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
