"""The same page in fewer letters: marks of code that nothing looks at are left out.

The builders wrap every name and every bracket of code into an element. The look colours comments,
words of the language and literals (`book/_static/look/statements.css`); all other marks weigh more
than the code they stand around.
"""

import re
from typing import Any

from sphinx.application import Sphinx

# Kinds of tokens, as Pygments calls them, that are as any other letters.
PLAIN = "n|p|o|w|nb|nn|nf|nc|bp|fm|vm|kt|mh|na|ne|nv|gt"
MARK = re.compile(rf'<span class="(?:{PLAIN})">([^<]*)</span>')
NAME = re.compile(r'<code class="docutils literal notranslate">(.*?)</code>', re.DOTALL)


# Settings of a service that runs pages elsewhere, which this book does not use.
ELSEWHERE = re.compile(r'\s*<script type="text/x-thebe-config">.*?</script>', re.DOTALL)
ELSEWHERE_TOO = re.compile(r"\s*<script>kernelName = '\w+'</script>")
LINK = re.compile(r'<span class="(?:std std-(?:ref|doc)|doc)">([^<]*)</span>')


def lighter(html: str) -> str:
    """The same words and the same look."""
    html = ELSEWHERE_TOO.sub("", ELSEWHERE.sub("", LINK.sub(r"\1", html)))
    html = html.replace('<a class="reference internal" ', "<a ").replace(" docutils container", "")
    html = html.replace('<a class="reference external" ', "<a ")
    html = html.replace(' title="Link to this heading"', "")
    html = MARK.sub(r"\1", html).replace("<pre><span></span>", "<pre>")
    return NAME.sub(lambda found: f"<code>{_words(found[1])}</code>", html)


def _words(inside: str) -> str:
    return re.sub(r'<span class="pre">([^<]*)</span>', r"\1", inside)


def _page(app: Sphinx, page: str, template: str, context: dict, doctree: Any) -> None:
    context["body"] = lighter(context.get("body", ""))


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.connect("html-page-context", _page, priority=940)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
