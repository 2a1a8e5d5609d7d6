import repcost
from repcost_book.pages.api_pages import api_page, plain


def test_every_public_name_has_its_section():
    page = api_page()
    assert all(f"(api-{name})=\n### {name}\n" in page for name in repcost.__all__)


def test_what_a_function_returns_stands_on_the_page_once():
    assert api_page().count("### LineInterpolant\n") == 1


def test_signatures_show_defaults_and_no_shapes():
    assert "regularised_fit(x, y, strength, *, loss='squared')" in api_page()


def test_mathematics_in_plain_text_survives_markdown():
    assert plain("sum_k |a_k| [<w, x>]_+ and `a_k`") == r"sum\_k \|a\_k\| \[\<w, x\>\]\_+ and `a_k`"
