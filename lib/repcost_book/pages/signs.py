"""The formulas of claims with proper signs: "|alpha|^(2/L)" is shown as |α| with a raised 2/L.

A claim is plain text, because chapters name it in their checks and its address is made of it. Only
what readers see is changed, on a chapter's line of the check and in the ledger.
"""

import re
from html import escape, unescape

GREEK = {
    "alpha": "α",
    "beta": "β",
    "delta": "δ",
    "eps": "ε",
    "lambda": "λ",
    "pi": "π",
    "theta": "θ",
}
LETTER = re.compile(rf"\b({'|'.join(GREEK)})\b")
# Of what stands in brackets there is at most one level more.
GROUP = r"\(((?:[^()]|\([^()]*\))*)\)"
ROOT = re.compile(rf"\bsqrt{GROUP}")
ABOVE = re.compile(rf"\^(?:{GROUP}|([-−]?\w+))")
BELOW = re.compile(r"(?<=\w)_(\w)(?!\w)")
# Between two terms, before one, and in "d-3"; not in words.
MINUS = re.compile(r"(?<=[\w)] )-(?= [\w(])|(?<=[\s(\[^])-(?=[\w(])|(?<=\b[a-z])-(?=\d)")
# The line of a check: its claim, and its bound with the wrong formulas.
LINE = re.compile(r'(</strong> )(.*?)( <span class="repcost-bound">)(.*?)(</span>)')


def letters(text: str) -> str:
    """A claim in plain text."""
    named = LETTER.sub(lambda name: GREEK[name[1]], text)
    return ROOT.sub(_root, MINUS.sub("−", named)).replace(">=", "≥").replace("<=", "≤")


def signs(text: str) -> str:
    """A claim as HTML."""
    raised = ABOVE.sub(lambda at: f"<sup>{at[1] or at[2]}</sup>", escape(letters(text)))
    return BELOW.sub(r"<sub>\1</sub>", raised)


def line_of_a_check(html: str) -> str:
    """The line with its claim, and what is beside it, in signs."""
    return LINE.sub(
        lambda at: f"{at[1]}{signs(unescape(at[2]))}{at[3]}{signs(unescape(at[4]))}{at[5]}", html
    )


def _root(found: re.Match[str]) -> str:
    """Without brackets, where a single sign stands under it."""
    return f"√{found[1]}" if len(found[1]) == 1 else f"√({found[1]})"
