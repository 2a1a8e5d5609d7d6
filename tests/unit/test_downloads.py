"""What readers download is Markdown that every viewer shows, and says the same."""

import nbformat
import pytest

from repcost import __version__
from repcost_book.pages.downloads import needs_torch, plain_markdown, simplified


@pytest.mark.parametrize(
    "myst, plain",
    [
        ("See {cite:t}`savarese2019`.", "See Savarese et al. (2019)."),
        ("So {cite:p}`ongie2022`.", "So (Ongie and Willett 2022)."),
        ("See {cite:t}`nobody2000`.", "See nobody2000."),
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
    assert f'pip install "repcost[torch,book]=={__version__}"' in made.cells[1].source
    assert "%pip install" in made.cells[2].source and made.cells[2].cell_type == "code"
    assert made.cells[-1].source in ("2.35", "2.34")
    nbformat.validate(made)


def test_a_chapter_needs_torch_if_it_or_what_it_used_imports_it():
    def notebook(code: str):
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])

    assert needs_torch(notebook("import torch"), [])
    assert needs_torch(notebook("x = 1"), ["repcost/training/engine.py"])
    assert not needs_torch(notebook("x = 1"), ["repcost/bounds.py", "results/none.npz"])


@pytest.mark.parametrize("needs, extras", [(True, "torch,book"), (False, "book")])
def test_what_is_installed_is_what_is_needed(needs, extras):
    cells = [nbformat.v4.new_markdown_cell("# Title")]
    metadata = {"repcost": {"needs_torch": needs}}
    made = simplified(nbformat.v4.new_notebook(cells=cells, metadata=metadata))
    assert f"repcost[{extras}]==" in made.cells[2].source
