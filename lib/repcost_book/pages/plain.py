"""What the book says as a line of plain text, for results of a search: formulas in
letters of Unicode, references by the names that a reader sees.
"""

import re
from functools import cache
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.environment import BuildEnvironment

from repcost_book.kernel.ledger import statements

COMMANDS = """
alpha α beta β gamma γ delta δ varepsilon ε
epsilon ε vartheta ϑ theta θ kappa κ lambda λ mu μ nu ν pi π rho ρ sigma σ
tau τ varphi φ phi φ psi ψ omega ω eta η xi ξ Gamma Γ Delta Δ Theta Θ Lambda Λ Sigma Σ Phi Φ Psi Ψ
Omega Ω ell ℓ to → mapsto ↦ le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ infty ∞ int ∫ sum Σ prod Π
times × cdot · in ∈ subset ⊂ cup ∪ cap ∩ pm ± partial ∂ nabla ∇ sqrt √ circ ∘ top ᵀ mid | dots …
ldots … cdots … lVert ‖ rVert ‖ lvert | rvert | langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉
min min max max log log exp exp lim lim inf inf sup sup dim dim ker ker det det sin sin cos cos
"""
NAMED: dict[str, str] = dict(re.findall(r"(\w+) (\S+)", COMMANDS))
BELOW = str.maketrans("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
ABOVE = str.maketrans(
    "0123456789+-=()abcdeijklmnoprtuvxyTNL", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉⁱʲᵏˡᵐⁿᵒᵖʳᵗᵘᵛˣʸᵀᴺᴸ"
)
BRACED = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
FRACTION = re.compile(rf"\\[dt]?frac(?:{BRACED}|(\w))(?:{BRACED}|(\w))")
ROOT = re.compile(rf"\\sqrt{BRACED}")
MOVED = re.compile(r"([_^])(?:\{([^{}]*)\}|([^\s{}]))")


@cache
def letters(tex: str) -> str:
    """A formula as well as a line of plain text can say it."""
    spaced = re.sub(r"\\[,;:! ]|~|\\q?quad", " ", tex.replace(r"\|", "‖"))
    parted = FRACTION.sub(_fraction, ROOT.sub(r"√(\1)", spaced))
    named = re.sub(r"\\([A-Za-z]+) ?", lambda found: NAMED.get(found[1], ""), parted)
    moved = MOVED.sub(_moved, named)
    return re.sub(r"[{}$&\\]|\s(?=\s)", "", moved).strip()


def _fraction(found: re.Match[str]) -> str:
    parts = [f"({part})" if set(part) & {*"+-"} else part for part in found.groups() if part]
    return "/".join(parts)


def _moved(found: re.Match[str]) -> str:
    """An index or an exponent in small letters, if there are such."""
    inside = found[2] or found[3] or ""
    small = inside.translate(BELOW if found[1] == "_" else ABOVE)
    # A star and the sign of a transpose stand high by themselves.
    if inside in ("ᵀ", "*") or all(one != other for one, other in zip(inside, small, strict=True)):
        return small
    return found[1] + (f"({inside})" if len(inside) > 1 else inside)


def line(markdown: str) -> str:
    """A line of the ledger."""
    formulas = re.sub(r"\$([^$]+)\$", lambda found: letters(found[1]), markdown)
    return re.sub(r"[*`]", "", formulas)


def name_references(env: BuildEnvironment, doctree: nodes.document) -> nodes.document:
    """Put for each reference without words of its own what the page will show there."""
    for found in list(doctree.findall(addnodes.pending_xref)):
        if name := _name(env, found):
            found.children = [nodes.Text(name)]
    return doctree


def _name(env: BuildEnvironment, found: addnodes.pending_xref) -> str:
    target = found.get("reftarget", "")
    if found.get("refdomain") == "cite":
        entries: Any = env.get_domain("cite").bibdata.data.entries  # pyright: ignore
        return ", ".join(_cited(entries[key.strip()]) for key in target.split(","))
    if found.get("refexplicit"):
        return ""
    statement = statements().get(target)
    return statement.number if statement else ""


def _cited(entry: Any) -> str:
    """The names of the authors, and the year."""
    names = [" ".join(person.last_names) for person in entry.persons["author"]]
    told = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{told} ({entry.fields['year']})"
