"""How large a chapter is."""

import pytest

from repcost_book.runner.chapters import Chapter
from repcost_book.runner.sizes import Size, size, words

CHAPTER = """# What is this?

Three plain words.

```{code-cell} python
:tags: [imports]
import numpy as np

import repcost
```

```{prf:theorem} Title of two
:label: no-words
Two words.
```

````{admonition} Why
:class: dropdown

Folded, with a formula $a+b$ in it.

```{margin}
Aside.
```
````

```{code-cell} python
print(1)
```

```{code-cell} python
:tags: [solution]
print(2)
```

Last ones.
"""


def of(text, path):
    path.write_text(text, encoding="utf-8")
    return size(Chapter("any", path))


def test_folds_imports_and_solutions_are_told_apart(tmp_path):
    assert of(CHAPTER, tmp_path / "any.md") == Size(cells=1, lines=3, words=13, folded_words=9)


def test_a_fold_ends_where_it_is_closed(tmp_path):
    opened = CHAPTER.replace(":class: dropdown\n", "")
    assert of(opened, tmp_path / "any.md") == Size(cells=1, lines=3, words=22, folded_words=0)
    renamed = opened.replace("{admonition}", "{dropdown}")
    assert of(renamed, tmp_path / "any.md") == of(CHAPTER, tmp_path / "any.md")


@pytest.mark.parametrize(
    "prose, count",
    [
        ("a formula $x + y$ is one", 5),
        ("$$\\int f\nd x$$", 1),
        ("[two words](#an/address)", 2),
        ("{prf:ref}`any/label` and {glue:text}`value:.2f`", 3),
        ("don't count 12 or - dashes", 4),
        ("half-hearted", 1),
        ("`inline(code)`", 1),
    ],
)
def test_words_are_what_is_read(prose, count):
    assert words(prose) == count


def test_minutes_are_counted_in_whole_ones():
    assert Size(cells=0, lines=40, words=200, folded_words=5000).minutes == 2
    assert Size(cells=0, lines=41, words=200, folded_words=0).minutes == 3
