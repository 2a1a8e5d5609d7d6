"""From executed notebooks to the pages that people read.

`build` has the whole way in one function; `made_of` tells, by content, whether the pages that are
there are made of what is there now. `stage` makes a mirror of the sources for jupyter-book,
in which `merge` has put the outputs of the run into the prose of each chapter, and into which go
the pages that nobody writes by hand: the ledger and the errata (`ledger_pages`), the library
(`api_pages`, from `rooms` and `docstrings`), its speed (`benchmarks`), where that falls short
(`shortfalls`) and the times of the papers' own sizes (`paper_runs`). Before that, `settled` holds
the marks of the checks against the ledger: where a claim of a chapter was not settled, no page is
made.

Sphinx reads the mirror with our extension (`sphinx_ext`, with its `boxes`), and `downloads` turns
the notebooks beside the pages into Markdown that every viewer shows.
"""
