"""Whether what a visit to a page collects can be wrong: faults are planted, and must be found."""

import pytest

from tests.browser.colours import faint
from tests.browser.seen import (
    BEYOND,
    FAULTS,
    UNSIGNED,
    broken_links,
    in_the_dark,
    in_windows,
    on_a_phone,
    violations,
)

PLANTED = {
    "faint ink": "color: #888",
    "half transparent ink": "color: rgb(0 0 0 / 45%)",
    "a wash over everything": "opacity: 0.45",
    "a ground of its own": "color: #222; background: #777",
    "a ground that shines through": "color: #222; background: rgb(0 0 0 / 50%)",
    "large, and not large enough": "color: #888; font-size: 23px",
    "large, and faint": "color: #aaa; font-size: 30px",
}
FINE = {
    "large": "color: #888; font-size: 25px",
    "large and bold": "color: #888; font-size: 19px; font-weight: 700",
    "dark enough": "color: #6d6d6d",
    "hidden": "color: #ddd; display: none",
    "not there yet": "opacity: 0",
    "white on black": "color: white; background: black",
}
ON_PAPER = "position: relative; background: white"


def _plant(page, style: str, inside: str = "planted words") -> None:
    """The words on white, as the only ones of the page that are asked about."""
    page.evaluate(
        """([paper, style, inside]) => {
            const words = `<p>Words. <span style="${style}">${inside}</span></p>`;
            document.body.innerHTML = `<main style="${paper}">${words}</main>`;
        }""",
        [f"{ON_PAPER}; color: black", style, inside],
    )


@pytest.fixture(scope="module")
def paper(reader):
    """A page of the book that may be written on, in the light."""
    return reader.open("book/start/notation")


@pytest.mark.parametrize("name", PLANTED)
def test_faint_text_is_found_as_axe_finds_it(paper, name):
    _plant(paper, PLANTED[name])
    assert len(faint(paper)) == 1 and "planted words" in faint(paper)[0]
    assert [line for line in violations(paper) if line.startswith("color-contrast")]


@pytest.mark.parametrize("name", FINE)
def test_readable_text_is_left_alone_as_axe_leaves_it(paper, name):
    _plant(paper, FINE[name])
    assert faint(paper) == []
    assert not [line for line in violations(paper) if line.startswith("color-contrast")]


@pytest.mark.parametrize(
    "style, is_told",
    [
        ("color: #333; text-decoration: none", False),
        ("color: #333; text-decoration: underline", True),
        ("color: #06c; text-decoration: none", True),
    ],
)
def test_a_link_that_only_its_colour_tells_is_found_as_axe_finds_it(paper, style, is_told):
    _plant(paper, "", f"some <a href='#there' style='{style}'>way</a> out")
    assert (faint(paper) == []) == is_told
    rule = [line for line in violations(paper) if line.startswith("link-in-text-block")]
    assert (rule == []) == is_told


def test_broken_links_are_found(paper):
    _plant(paper, "", "<a href='nowhere.html'>a</a> <a href='notation.html#nothing'>b</a>")
    ends = [link.rpartition("/")[2] for link in broken_links(paper)]
    assert ends == ["notation.html#nothing", "nowhere.html"]


def test_a_column_without_a_heading_is_found(paper):
    heads = "<table><tr><th>a</th><th> </th><th><p></p></th></tr></table>"
    paper.evaluate(f"document.body.innerHTML = '<main>{heads}</main>'")
    assert paper.locator(FAULTS["a column without a heading"]).count() == 2
    paper.locator("th").first.evaluate("head => { head.textContent = ''; }")
    assert paper.locator(FAULTS["a column without a heading"]).count() == 3


def test_what_is_too_wide_for_a_phone_is_found(paper):
    paper.evaluate("document.body.innerHTML = '<main><h1 style=\"width: 500px\">W</h1></main>'")
    wide, outside = on_a_phone(paper)
    assert wide > 376 and len(outside) == 1


def test_what_scrolls_without_a_sign_is_found(paper):
    table = "<div style='overflow-x: auto'><p style='width: 999px'>W</p></div>"
    paper.evaluate("table => { document.body.innerHTML = `<main>${table}</main>`; }", table)
    assert len(in_windows(paper, {375: (UNSIGNED,)})[0][0]) == 1
    assert in_windows(paper, {375: (BEYOND,)})[0][0] == [], "what scrolls can be reached"


def test_a_note_beyond_the_edge_is_found_even_where_the_page_hides_it(paper):
    note = "<dl style='margin-left: 1300px; width: 200px'>Note</dl>"
    note = f"<div style='overflow-x: clip'>{note}</div>"
    paper.evaluate("note => { document.body.innerHTML = `<main>${note}</main>`; }", note)
    assert len(in_windows(paper, {1366: (BEYOND,)})[0][0]) == 1


def test_words_that_the_dark_swallows_are_found(paper):
    """A colour that does not change with the theme can be read in one of them alone."""
    paper.evaluate("document.body.innerHTML = '<main><p style=\"color: #222\">W</p></main>'")
    theme, lost = in_the_dark(paper)
    assert faint(paper) == []
    assert theme == "dark" and len(lost) == 1
