"""What all widgets share: one script for notebooks and pages, and words for readers without it.

A widget of a kind is a subclass of `Drawing` here, with `static/KIND-widget.js` and, if it has a
look of its own, `static/KIND-widget.css`. What the scripts share is in `static/widget-common.js`
and `static/widget-telling.js`, and pages find a widget by its kind (sphinx_ext.py).
"""

import json
from collections.abc import Callable
from html import escape
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

_STATIC = files("repcost_book.kernel.widgets") / "static"
COMMON = ("widget-common", "widget-telling")
# Drawings whose scripts call those of others.
NEEDED = {
    "hero": ("paid", "line"),
    "line": ("paid",),
    **dict.fromkeys(["rescaling", "powers", "aligned", "strengths", "perlayer"], ("live",)),
    "moved": ("live", "paid"),
}


def parts(kind: str) -> tuple[str, ...]:
    """The files of a drawing, without their endings, in the order in which they are loaded."""
    return *COMMON, *(f"{name}-widget" for name in (*NEEDED.get(kind, ()), kind))


def script(kind: str) -> str:
    """The classic scripts of the pages as one module: modules do not load from file://, and
    notebooks want one.
    """
    render = f'render: (context) => window.repcostWidgets.render("{kind}", context)'
    scripts = [_text(f"{name}.js") for name in parts(kind)]
    return "".join([*scripts, f"\nexport default {{ {render} }};\n"])


def style(kind: str) -> str:
    """The look of a widget of this kind."""
    return "".join(_text(f"{name}.css") for name in parts(kind) if has_look(name))


def has_look(name: str) -> bool:
    """Whether there is a style sheet of this name."""
    return (_STATIC / f"{name}.css").is_file()


def _text(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


class Checked(traitlets.TraitType):
    """A trait that holds what `check` returns, which raises ValueError for what cannot be drawn."""

    def __init__(self, check: Callable[[Any], Any], default: Any):
        super().__init__(default)
        self.check = check

    def validate(self, obj: Any, value: Any) -> Any:
        # Called for every change, whether Python or the script makes it.
        return self.check(value)


class Drawing(anywidget.AnyWidget):
    """A drawing whose state is in the traits `names`, which the script changes and follows.

    A subclass gives `kind`, `names`, `_esm = script(kind)`, `_css = style(kind)`, its traits, and
    `_in_words`.
    """

    kind: str
    names: tuple[str, ...]
    # What the script is told once, beside the state: stored curves, for instance.
    given = traitlets.Dict().tag(sync=True)

    @property
    def state(self) -> dict[str, Any]:
        """What is drawn, as the script has it."""
        return {name: getattr(self, name) for name in self.names}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(repr(value) for value in self.state.values())})"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict, dict] | None:
        """A live view for notebooks, and text/html for pages, which prefer it; only pages mount the
        script on it.
        """
        bundle = super()._repr_mimebundle_(**options)
        if bundle is not None:
            bundle[0]["text/html"] = self._html()
        return bundle

    def _html(self) -> str:
        """What is replaced by the drawing; its words stay where no script runs."""
        # It stands in an attribute between quotes, and JSON is full of them.
        state = escape(json.dumps(self.state), quote=True)
        given = escape(json.dumps(self.given), quote=True) if self.given else ""
        also = f' data-given="{given}"' if given else ""
        look = f"repcost-widget repcost-{self.kind}"
        return (
            f'<div class="{look}" data-repcost-widget="{self.kind}" data-state="{state}"{also}>'
            f"<p>{escape(self._in_words())}</p></div>"
        )

    def _in_words(self) -> str:
        """What would be seen, in a few sentences."""
        raise NotImplementedError
