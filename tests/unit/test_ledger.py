import json
from importlib.resources import files

import jsonschema
import nbformat
import pytest
import yaml

from repcost_book.kernel.ledger import parse, statements
from repcost_book.pages.ledger_pages import VERDICTS, errata_page, ledger_page
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
  errata: [{anchor: savarese-e5, where: Appendix D, printed: one exponent, right: another}]
"""
LEDGER = parse(TEXT)
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
    assert list(VERDICTS) == allowed
    look = (Project.here().root / "book/_static/repcost.css").read_text(encoding="utf-8")
    assert [verdict for verdict in allowed if f"a.repcost-{verdict}" not in look] == []


def strings(tree):
    if isinstance(tree, dict):
        tree = [*tree.keys(), *tree.values()]
    return [tree] if isinstance(tree, str) else [text for part in tree for text in strings(part)]


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


def test_anchors_of_errata_are_unique():
    anchors = [
        erratum.anchor for statement in statements().values() for erratum in statement.errata
    ]
    assert len(anchors) == len(set(anchors))


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
    assert '<span id="savarese-2019-claim-5.2"></span>Claim 5.2' in page
    errata = errata_page(LEDGER.values())
    assert "(savarese-e5)=" in errata and "one exponent" in errata
    assert "No erratum" in errata_page([])
