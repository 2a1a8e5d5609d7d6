"""Where works can be read, beside their first mention on a page."""

import re
from pathlib import Path

import pytest
from pybtex.database import parse_file
from sphinx.testing.util import SphinxTestApp

from repcost_book.pages.bibliography import FILE, addresses, works
from repcost_book.runner.project import Project

ROOT = Project.here().root
PAGE = """# Of {cite:t}`first2020`

{cite:t}`first2020` and {cite:t}`second2021` say so.

{cite:t}`first2020` and {cite:p}`first2020,third2022` again.

```{bibliography}
```
"""
BIB = """@article{first2020,
  title = {One},
  author = {Doe, Jane},
  year = {2020},
  eprint = {2001.00001},
  doi = {10.48550/arXiv.2001.00001},
}

@article{second2021,
  title = {Two},
  author = {Roe, Richard and Doe, Jane and Poe, E. A.},
  year = {2021},
  doi = {10.1/2},
}

@article{third2022,
  title = {Three},
  author = {Roe, Richard},
  year = {2022},
}
"""


@pytest.fixture
def page(tmp_path) -> str:
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_text(BIB, encoding="utf-8")
    (tmp_path / "index.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "conf.py").write_text("", encoding="utf-8")
    extensions = ["myst_parser", "sphinxcontrib.bibtex", "repcost_book.pages.bibliography"]
    settings = {
        "extensions": extensions,
        "bibtex_bibfiles": [str(FILE)],
        # Sphinx adds suffixes to a default that all books of a process share.
        "source_suffix": {".md": "markdown"},
    }
    app = SphinxTestApp("html", srcdir=tmp_path, confoverrides=settings)
    app.build()
    app.cleanup()
    return Path(app.outdir, "index.html").read_text(encoding="utf-8")


def test_the_first_mention_outside_of_a_title_says_where_a_work_is(page):
    places = re.findall(r'<span class="repcost-where">\((.*?)\)</span>', page)
    arxiv = '<a href="https://arxiv.org/abs/2001.00001">arXiv:2001.00001</a>'
    doi = '<a href="https://doi.org/10.48550/arXiv.2001.00001">doi</a>'
    assert places == [f"{arxiv}, {doi}", '<a href="https://doi.org/10.1/2">doi:10.1/2</a>']
    assert page.index("<h1>") < page.index("</h1>") < page.index("repcost-where")


def test_works_are_called_by_their_authors_and_years(tmp_path):
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_text(BIB, encoding="utf-8")
    called = ["Doe (2020)", "Roe et al. (2021)", "Roe (2022)"]
    assert list(works(tmp_path).values()) == called
    assert works(tmp_path / "nowhere") == {}


def test_the_books_own_entries_have_an_address_and_no_tex():
    entries = parse_file(str(ROOT / FILE)).entries
    assert addresses(ROOT).keys() == entries.keys()
    assert [key for key, places in addresses(ROOT).items() if not places] == []
    fields = [text for entry in entries.values() for text in entry.fields.values()]
    assert [text for text in fields if re.search(r"[$\\]", text)] == []
