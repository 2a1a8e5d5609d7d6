"""Addresses of the first edition lead on: each of its anchors is on its page, or is told there."""

import re

import pytest
import yaml
from docutils.nodes import make_id

from repcost_book.runner.project import Project

PROJECT = Project.here()
PATH = PROJECT.root / "tests/reference/first-edition.yml"
FIRST = yaml.safe_load(PATH.read_text(encoding="utf-8"))
FENCED = re.compile(r"^(`{3,}).*?^\1\s*$", re.DOTALL | re.MULTILINE)


def anchors(page: str) -> set[str]:
    """Of headings, boxes, figures, targets, and what was put there for old links."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page), re.MULTILINE)
    boxes = re.findall(r"^:label: (\S+)", page, re.MULTILINE)
    others = re.findall(r'^    "(fig-[\w-]+)",$|^\(([\w/.-]+)\)=$|<span id="([^"]+)">', page, re.M)
    told = {name for found in others for name in found if name}
    return {make_id(each) for each in headings} | {each.replace("/", "-") for each in boxes} | told


@pytest.mark.parametrize("name", FIRST)
def test_each_anchor_of_the_first_edition_leads_somewhere(name):
    page = (PROJECT.root / f"book/{name}.md").read_text(encoding="utf-8")
    assert set(FIRST[name]) <= anchors(page)


def test_an_anchor_that_is_gone_is_noticed():
    page = '# One\n\n<span id="two"></span>\n\n```python\n# three\n```\n'
    assert anchors(page) == {"one", "two"}
