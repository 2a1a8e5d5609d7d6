"""What a chapter begins as: a page that runs as it stands, and its entry in the ledger.

The texts are in `skeleton.md` and `skeleton.yml`. The check in them is a real one: it measures
something, and it refutes a wrong formula. So the way from a statement to its page can be tried
before anything is written. Each place where the author's own words and measurements go is marked.
"""

from importlib.resources import files

# A test refuses it in the pages and in the ledger, so that no skeleton is published by mistake.
MARK = "TO BE WRITTEN"


def chapter(name: str) -> str:
    """The page of a new chapter, in MyST."""
    return _filled("skeleton.md", name)


def stub(name: str) -> str:
    """The entry of its statement in the ledger, which bears the name of the chapter at first."""
    return _filled("skeleton.yml", name)


def _filled(file: str, name: str) -> str:
    text = files("repcost_book.commands").joinpath(file).read_text(encoding="utf-8")
    # The whole name first, which holds the short one.
    return text.replace("PAPER/NAME", name).replace("NAME", name.partition("/")[2])
