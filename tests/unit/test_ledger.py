import json
from importlib.resources import files

import jsonschema
import nbformat
import pytest
import yaml

from repcost_book.kernel.checks import anchor
from repcost_book.kernel.ledger import Statement, parse, statements
from repcost_book.pages.citation import Citation
from repcost_book.pages.ledger_pages import (
    KINDS,
    MEANINGS,
    VERDICTS,
    errata_page,
    kinds_list,
    ledger_page,
)
from repcost_book.pages.settled import Settled, settled, unsettled
from repcost_book.runner.chapters import chapters
from repcost_book.runner.project import Project

TEXT = """
savarese-2019/lemma-1:
  number: Lemma 1
  says: A lemma.
  chapter: savarese-2019/rescaling
  verdict: holds
  claims: {equality: exact, bound: experiment}
savarese-2019/claim-5.2:
  number: Claim 5.2
  says: Not treated yet.
  verdict: false-as-printed
  claims: {limit: experiment}
  needs: {savarese-2019/lemma-1: for the cost of one bump}
  errata:
    - {number: 2, anchor: savarese-e5, kind: slip, version: COLT 2019, where: Appendix D,
       printed: “one exponent”, right: another}
    - {number: 1, anchor: savarese-e9, kind: "false", version: COLT 2019, where: Claim 5.2,
       in_our_words: in every dimension, right: in two or more, counterexample: the hat,
       executed: limit, also: [savarese-2019/lemma-1]}
  sharper:
    - {anchor: savarese-e7, where: Claim 5.2, said: at most four, sharper: at most three}
beyond/bumps:
  number: Bumps
  says: Ours.
  verdict: open
  since: Others have it for two bumps.
"""
LEDGER = parse(TEXT)
EDITION = Citation("A book", "We", "1.2", "2031-02-03", "MIT", "https://example.org")
GOOD = [
    Settled("savarese-2019/lemma-1", claim, "savarese-2019/rescaling")
    for claim in ("equality", "bound")
]
SCHEMA = json.loads(
    files("repcost_book.kernel").joinpath("statements.schema.json").read_text(encoding="utf-8")
)


def test_all_is_well():
    assert unsettled(LEDGER, GOOD) == []


@pytest.mark.parametrize(
    "marks, says",
    [
        (GOOD[:1], "never settles savarese-2019/lemma-1: 'bound'"),
        (
            [*GOOD, Settled("savarese-2019/lemma-9", "equality", "a")],
            "no statement 'savarese-2019/lemma-9'",
        ),
        ([*GOOD, Settled("savarese-2019/lemma-1", "equalty", "a")], "no claim 'equalty'"),
        (
            [*GOOD, Settled("savarese-2019/lemma-1", "bound", "elsewhere")],
            "the ledger gives it to savarese-2019/rescaling",
        ),
    ],
)
def test_each_disagreement_is_named(marks, says):
    (line,) = unsettled(LEDGER, marks)
    assert says in line


def test_the_books_own_ledger_follows_its_schema():
    text = files("repcost_book.kernel").joinpath("statements.yml").read_text(encoding="utf-8")
    jsonschema.validate(yaml.safe_load(text), SCHEMA)


def test_every_verdict_has_a_name_and_a_colour():
    allowed = SCHEMA["additionalProperties"]["properties"]["verdict"]["enum"]
    assert list(VERDICTS) == list(MEANINGS) == allowed
    look = (Project.here().root / "book/_static/look/statements.css").read_text(encoding="utf-8")
    assert [verdict for verdict in allowed if f".repcost-{verdict}" not in look] == []


def strings(tree):
    if isinstance(tree, dict):
        tree = [*tree.keys(), *tree.values()]
    if isinstance(tree, str | int):
        return [str(tree)]
    return [text for part in tree for text in strings(part)]


def test_no_text_of_the_ledger_holds_a_control_character():
    # In a double-quoted string of YAML, a single backslash before "bar" makes a backspace.
    text = files("repcost_book.kernel").joinpath("statements.yml").read_text(encoding="utf-8")
    texts = strings(yaml.safe_load(text))
    assert [t for t in texts if any(ord(letter) < 32 for letter in t)] == []


@pytest.mark.parametrize(
    "entry",
    [
        {"number": "Lemma 1", "says": "x", "verdict": "maybe"},
        {"number": "Lemma 1", "says": "x", "verdict": "holds", "claims": {"equality": "certain"}},
        {"number": "Lemma 1", "verdict": "holds"},
        {"number": "Lemma 1", "says": "x", "verdict": "holds", "chapter": "a"},
        {"number": "Lemma 1", "says": "x", "verdict": "holds", "claim": {"equality": "exact"}},
    ],
)
def test_the_schema_can_refuse(entry):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"savarese-2019/lemma-1": entry}, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(
            {"savarese/lemma-1": {"number": "1", "says": "x", "verdict": "context"}}, SCHEMA
        )


ERRATUM = {"number": 1, "anchor": "e1", "kind": "slip", "version": "v1", "where": "x", "right": "y"}


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"printed": "“a”", "in_our_words": "a"},
        {"printed": "without quotation marks"},
        {"printed": "“a” and then more"},
        {"in_our_words": "a", "kind": False},
        {"in_our_words": "a", "kind": "typo"},
        {"in_our_words": "a", "number": 0},
        {"in_our_words": "a", "also": []},
    ],
)
def test_the_schema_refuses_half_an_erratum(wrong):
    entry = {"number": "Lemma 1", "says": "x", "verdict": "context"}
    ledger = {"savarese-2019/lemma-1": {**entry, "errata": [{**ERRATUM, "in_our_words": "a"}]}}
    jsonschema.validate(ledger, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        ledger = {"savarese-2019/lemma-1": {**entry, "errata": [{**ERRATUM, **wrong}]}}
        jsonschema.validate(ledger, SCHEMA)
    assert list(KINDS) == ERRATA["kind"]["enum"]


ERRATA = SCHEMA["additionalProperties"]["properties"]["errata"]["items"]["properties"]


def test_a_misspelt_or_missing_key_is_named():
    with pytest.raises(ValueError, match=r"claim-5.2 got an unexpected .*prinetd"):
        parse(TEXT.replace("printed:", "prinetd:"))
    with pytest.raises(ValueError, match=r"lemma-1 missing .*'verdict'"):
        parse(TEXT.replace("  verdict: holds\n", ""))


def test_a_statement_can_be_a_key():
    assert {each: each.id for each in LEDGER.values()}[LEDGER["beyond/bumps"]] == "beyond/bumps"
    assert isinstance(LEDGER["beyond/bumps"], Statement)


def test_every_claim_of_the_book_is_settled_in_the_chapter_it_names():
    project = Project.here()
    marks = [
        mark
        for chapter in chapters(project)
        for mark in settled(
            chapter.name, nbformat.read(project.references / f"{chapter.name}.ipynb", as_version=4)
        )
    ]
    assert marks
    assert unsettled(statements(), marks) == []


def test_the_pages_link_claims_to_their_checks_and_keep_open_ones_visible():
    page = ledger_page(LEDGER.values(), GOOD)
    link = "../savarese-2019/rescaling.html#check-savarese-2019-lemma-1-equality"
    assert f'<a href="{link}">equality</a> (exact)' in page
    assert "limit (open)" in page
    assert 'id="savarese-2019-claim-5.2"></span>Claim 5.2' in page
    errata = errata_page(LEDGER.values(), EDITION)
    assert "(savarese-e5)=" in errata and "one exponent" in errata
    assert "No erratum" in errata_page([], EDITION)


def test_the_pages_show_numbers_kinds_versions_and_what_is_sharper():
    page, errata = ledger_page(LEDGER.values(), GOOD), errata_page(LEDGER.values(), EDITION)
    number = "Claim 5.2<br>[erratum 2](#savarese-e5) (slip)<br>[erratum 1](#savarese-e9) (false)"
    assert f"{number}<br>[sharper here](#savarese-e7) |" in page
    assert "| false as printed |" in page
    assert "| not in the paper | <span" in page and "Since then: Others have it" in page
    first, second, sharper = (
        errata.index(f"({anchor})=") for anchor in ("savarese-e9", "savarese-e5", "savarese-e7")
    )
    assert first < second < sharper
    assert "## *Erratum 1:* **Savarese et al. (2019), Claim 5.2:** Claim 5.2" in errata
    assert "*False* (COLT 2019). Statement: false as printed." in errata
    assert "<b>Counterexample</b> the hat" in errata
    # Who wrote the papers, which `errata.js` says in each entry.
    wrote = 'data-name="Savarese et al. (2019)">Savarese, Evron, Soudry, Srebro (<a href='
    assert wrote in kinds_list() and all(f"**{kind}**" in kinds_list() for kind in KINDS)
    assert "Touches [](#savarese-2019/lemma-1)" in errata
    assert "<b>Printed</b> “one exponent”." in errata
    # From these and from the entry `errata.js` makes what cites it, and where it is answered.
    assert 'data-version="1.2" data-day="2031-02-03"' in errata
    assert 'data-repository="https://example.org"' in errata and 'data-authors="We"' in errata
    assert "<b>Printed, in our words</b> in every dimension" in errata
    assert "## *Sharper here:*" in errata and "<b>Sharper</b> at most three" in errata


def test_a_counterexample_leads_to_the_check_that_executes_it():
    text = TEXT.replace(
        "  number: Claim 5.2\n", "  number: Claim 5.2\n  chapter: savarese-2019/bump\n"
    )
    errata = errata_page(parse(text).values(), EDITION)
    link = f"../savarese-2019/bump.html#{anchor('savarese-2019/claim-5.2', 'limit')}"
    assert errata.count("Executed counterexample") == 1
    assert f'href="{link}">Executed counterexample</a>' in errata
