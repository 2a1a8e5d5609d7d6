"""Formulas are set at build: strokes, MathML, and letters once a page."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from docutils import nodes

from repcost_book.pages.formulas import keep_punctuation, mathematics, mathjax
from repcost_book.pages.glyphs import _steps, add_glyphs, glyphs_for


def test_strokes_are_hidden_from_readers_that_the_mathml_is_for():
    html = mathematics(r"\frac{a}{b}").html(display=False)
    assert '<svg aria-hidden="true"' in html
    assert "<mfrac><mi>a</mi><mi>b</mi></mfrac>" in html
    assert "data-" not in html and "class=" not in html


def test_display_formulas_can_be_reached_by_keys():
    formula = mathematics("x", display=True)
    assert 'tabindex="0"' in formula.html(display=True)
    assert "tabindex" not in mathematics("x").html(display=False)
    # Wider than a phone, it may have to scroll.
    assert 'tabindex="0"' in mathematics("+".join(30 * "x")).html(display=False)


@pytest.mark.parametrize("tex", [r"\frac{a", r"\nocommand x", r"\begin{nothing}x\end{nothing}"])
def test_what_cannot_be_set_is_told(tex):
    assert mathematics(tex).failed
    assert not mathematics("x").failed


def test_every_letter_that_a_page_refers_to_is_drawn_once():
    formulas = [mathematics(tex).html(False) for tex in ("x^2+x", r"\bar R(x)", r"\sum_k|a_k|")]
    drawn = re.findall(r'<path id="([^"]+)"', glyphs_for(*formulas))
    used = set(re.findall(r'href="#([^"]+)"', "".join(formulas)))
    assert sorted(drawn) == sorted(used) and len(used) > 8


def test_a_page_without_formulas_has_no_letters_and_other_links_are_no_letters():
    context = {"body": '<p><a href="#green">words</a></p>'}
    add_glyphs(None, "page", "", context, None)
    assert context["body"] == '<p><a href="#green">words</a></p>'


def test_a_page_calls_its_letters_by_short_names():
    body, title = mathematics("x^2+y").html(False), mathematics("y").html(False)
    context = {"body": body, "title": title}
    add_glyphs(None, "page", "", context, None)
    drawn = re.findall(r'<path id="(\w+)"', context["body"])
    assert sorted(drawn) == ["g0", "g1", "g2", "g3"]
    assert set(drawn) == set(re.findall(r"#(g\w+)", context["body"]))
    # What is drawn most often has the shortest.
    few, many = "abcdefghijklmnopqrstuvwxyz0123456789+-=/<>", "ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 2
    everything = {"body": mathematics(few + many).html(False)}
    add_glyphs(None, "page", "", everything, None)
    used = re.findall(r'<use href="#(g\w+)"', everything["body"])
    longest = {name for name in used if len(name) > 2}
    assert 0 < len(longest) < len(few) and all(used.count(name) == 1 for name in longest)
    # The same letter has the same name everywhere.
    assert re.findall(r"#(g\w+)", context["title"]) == re.findall(r"#(g\w+)", context["body"])[-1:]
    assert len(context["title"]) < len(title)


def test_punctuation_stays_with_its_formula():
    paragraph = nodes.paragraph("", "", nodes.math("", "x"), nodes.Text("), and more"))
    keep_punctuation(None, paragraph)
    together, rest = paragraph.children
    assert isinstance(together, nodes.inline) and together["classes"] == ["repcost-together"]
    assert together.astext() == "x)," and rest.astext() == " and more"


def test_a_space_or_a_word_after_a_formula_is_left_alone():
    for text in (" and", "-th"):
        paragraph = nodes.paragraph("", "", nodes.math("", "x"), nodes.Text(text))
        keep_punctuation(None, paragraph)
        assert isinstance(paragraph.children[0], nodes.math)


def test_a_letter_that_is_moved_needs_no_group():
    svg = mathematics("f'(x)+ab").svg
    assert 'transform="translate(' in svg and re.search(r'<use href="#gI-1D44F" x="\d+"/>', svg)
    assert "<g></g>" not in svg and 'x="0"' not in svg and "currentColor" not in svg
    # Each of its letters stands once, and none at the place of another.
    letters = re.findall(r"<use [^>]*>", svg)
    assert len(letters) == len(set(letters)) == 8


def _strokes(svg: str) -> list[tuple[str, float, float, float]]:
    """Each letter of a drawing with its place and its size, whatever groups it stands in."""
    found = []

    def walk(element: ET.Element, x: float, y: float, size: float) -> None:
        for name, told in re.findall(r"(translate|scale)\(([^)]*)\)", element.get("transform", "")):
            first, *rest = (float(number) for number in re.split("[ ,]+", told))
            if name == "translate":
                x, y = x + size * first, y + size * (rest[0] if rest else 0)
            elif not rest:  # what turns the whole over scales by two numbers
                size *= first
        if element.tag == "use":
            name = re.sub("^#(?:MJX-.*TEX-|g)", "", element.attrib["href"])
            x, y = (at + size * float(element.get(axis, 0)) for axis, at in (("x", x), ("y", y)))
            found.append((name, x, y, size))
        for child in element:
            walk(child, x, y, size)

    walk(ET.fromstring(re.sub(r'xlink:href|xmlns(:xlink)?="[^"]*"', _plain_name, svg)), 0, 0, 1)
    return sorted(found)


def _plain_name(found: re.Match[str]) -> str:
    return "href" if found[0] == "xlink:href" else ""


@pytest.mark.parametrize(
    "tex",
    [
        r"\bar R(f)=\max\Big(\int_{\mathbb R}|f''|\,dx,\ |f'(-\infty)+f'(\infty)|\Big)",
        r"\frac{1}{L}\sum_{\ell=1}^{L}\lVert W_\ell\rVert_F^2\ge\sqrt[3]{x_{i_j}^{2^k}}",
        r"\begin{pmatrix}a&b_1\\c^2&\hat d\end{pmatrix}\otimes\underbrace{x+y}_{z}",
    ],
)
def test_every_letter_stays_where_mathjax_has_put_it(tex):
    before, after = (
        _strokes(mathjax().call("formula", tex, False)["svg"]),
        _strokes(mathematics(tex).svg),
    )
    assert [each[0] for each in before] == [each[0] for each in after] and len(before) > 10
    # In thousandths of a letter; each of a few shifts in a row is rounded.
    assert np.allclose([each[1:] for each in before], [each[1:] for each in after], atol=2.5)


def test_a_path_by_differences_is_the_same_path():
    path = "M118 -162Q120 -162 124 -164T135 -167H187V20L3 4ZM10 10L12 9Z"
    steps = "m118-162q2 0 6-2t11-3h52v187l-184-16zm-108 172l2-1z"
    assert _steps(path) == steps


@pytest.mark.parametrize("tex", ["x", "x+y", "x^2", r"\frac12"])
def test_the_outermost_group_is_there_for_the_style_sheet_to_turn_over(tex):
    svg = mathematics(tex).svg
    assert re.match(r"<svg [^>]*><g>", svg) and svg.endswith("</g></svg>")
    assert svg.count("<g") == svg.count("</g>")
