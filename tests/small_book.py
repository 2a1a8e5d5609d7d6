"""A book of five small chapters, good and bad, for the tests of the machinery."""

import json
import shutil
from pathlib import Path

from repcost_book.kernel.sources import OWN, PACKAGES
from repcost_book.runner.project import Project
from repcost_book.runner.runs import Ran

HEADER = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A chapter

"""
PARAMETERS = '```{code-cell} python\n:tags: [parameters]\nprofile = "quick"\nseed = 0\n```\n'
GOOD = """from repcost_book import Run
run = Run(profile, seed)
print(run.size('number', quick=2, paper=9), seed)"""
CHAPTERS = {
    "good": GOOD,
    "data": "from pathlib import Path\nprint(Path(ROOT, 'results', 'numbers.json').read_text())",
    "raising": "print('so far')\nraise RuntimeError('this went wrong')",
    "warning": "import warnings\nwarnings.warn('deprecated')",
    "sleeping": "import time\ntime.sleep(60)",
}


def write_chapter(root: Path, name: str, code: str) -> None:
    cell = code.replace("ROOT", repr(str(root)))
    (root / "book" / f"{name}.md").write_text(
        f"{HEADER}{PARAMETERS}\n```{{code-cell}} python\n{cell}\n```\n"
    )


def small_book(root: Path) -> Project:
    (root / "book").mkdir()
    (root / "results").mkdir()
    (root / "results" / "numbers.json").write_text("[1]")
    (root / "requirements.lock").write_text("numpy==2\n")
    (root / "book" / "plain.md").write_text("# Not executed\n")
    names = [{"file": f"book/{name}"} for name in ("plain", *CHAPTERS)]
    (root / "_toc.yml").write_text(
        json.dumps({"format": "jb-book", "root": "book/plain", "chapters": names})
    )
    for name, code in CHAPTERS.items():
        write_chapter(root, name, code)
    return Project(root)


def states(results: list[Ran]) -> dict[str, str]:
    return {ran.chapter.name: ran.state for ran in results}


CONTENTS = """\
format: jb-book
root: book/plain  # the first page
parts:
  # In the order of the papers.
  - caption: Savarese et al. 2019 — one variable
    chapters:
      - file: book/savarese-2019/first
        title: A title of its own
        sections:
          - file: book/savarese-2019/below
      - file: book/savarese-2019/last  # stays the last but one

  - caption: Sources
    chapters:
      - file: book/data
"""


def small_checkout(root: Path) -> Project:
    """A small book with parts in its contents, and with packages and a ledger of its own."""
    project = small_book(root)
    project.contents.write_text(CONTENTS, encoding="utf-8")
    project.readings.write_text("data: []\n", encoding="utf-8")
    left_out = shutil.ignore_patterns("__pycache__")
    for package in OWN:
        shutil.copytree(PACKAGES / package, root / "lib" / package, ignore=left_out)
    return project
