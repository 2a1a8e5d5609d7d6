"""What readers download is Markdown that every viewer shows, and says the same."""

import nbformat
import pytest

from repcost_book.pages.downloads import plain_markdown, simplified


@pytest.mark.parametrize(
    "myst, plain",
    [
        ("See {cite:t}`savarese2019`.", "See (savarese2019)."),
        ("It is {glue:text}`worst:.1f`.", "It is 2.3."),
        ("It is {glue:text}`name`.", "It is hat."),
        ("By [](#savarese-2019/lemma-1).", "By Lemma 1 (Savarese et al. (2019))."),
        ("By {ref}`the lemma <savarese-2019/lemma-1>`.", "By the lemma."),
        ("(label)=\n# Title", "# Title"),
        ("Plain $x$ and `code`.", "Plain $x$ and `code`."),
        (
            "```{prf:lemma} Lemma 1\n:label: savarese-2019/lemma-1\n:nonumber:\n"
            "A line.\n\nAnother.\n```",
            "> **Lemma 1, Savarese et al. (2019).**\n>\n> A line.\n>\n> Another.",
        ),
        (
            "````{admonition} Proof\n:class: dropdown\n```{math}\nx\n```\n````",
            "> **Proof.**\n>\n> $$\n> x\n> $$",
        ),
        ("```python\nx = 1\n```", "```python\nx = 1\n```"),
    ],
)
def test_directives_and_roles(myst, plain):
    assert plain_markdown(myst, {"worst": "2.345", "name": "'hat'"}) == plain


def test_the_notebook_says_how_to_run_it_and_holds_its_numbers():
    data = {"application/papermill.record/text/plain": "2.345"}
    output = nbformat.v4.new_output("display_data", data, metadata={"scrapbook": {"name": "worst"}})
    cells = [
        nbformat.v4.new_markdown_cell("# Title"),
        nbformat.v4.new_code_cell("x", outputs=[output]),
        nbformat.v4.new_markdown_cell("{glue:text}`worst:.2f`"),
    ]
    made = simplified(nbformat.v4.new_notebook(cells=cells))
    assert "pip install" in made.cells[1].source
    assert made.cells[-1].source in ("2.35", "2.34")
    nbformat.validate(made)
