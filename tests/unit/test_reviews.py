"""Each check of the chapters that were read has an answer, and a reason where a rule names it."""

from pathlib import Path

import pytest
import yaml

import repcost
from repcost_book.pages.below_the_bar import below_the_bar
from repcost_book.pages.doubt import doubt_page, measured
from repcost_book.pages.reviews import ANSWERS, Review, known_of, reviews, to_review
from repcost_book.runner.chapters import chapters
from repcost_book.runner.project import Project
from repcost_book.runner.written_checks import cells_of, checks_of
from repcost_book.trials.doubt.static_rules import Source, methods_of
from tests.small_book import small_book, write_chapter

# Papers all of whose chapters have been read, and the part that is in no paper.
WHOLE = ("savarese-2019", "ongie-willett-2022", "jacot-2022", "jacot-2023", "beyond")
# Of all answers; more is to be read again: `python -m repcost_book doubt --reviews`.
MOST_CHANGED = 0.1
# By which words of what a check falls short in its reader is asked for which reason.
REASONS = {"few": {"different", "reach"}, "slack": {"slack"}}

CODE = """\
from repcost_book import check
check("a/b", "one", worst, at_most=0, wrong=slip)
check("a/b", "two", other, at_most=0, wrong=slip)
"""


@pytest.fixture(scope="module")
def told():
    return reviews(Project.here())


@pytest.fixture(scope="module")
def cells(told):
    return {each.name: cells_of(each) for each in chapters(Project.here()) if each.name in told}


def test_each_check_of_a_chapter_that_was_read_has_an_answer(told, cells):
    assert set(told) == set(cells)
    for name, code in cells.items():
        checks = {(each.statement, each.claim) for each in checks_of(code)}
        assert checks == set(told[name]), name
        answers = {review.kind for review in told[name].values()}
        assert answers <= set(ANSWERS) - {"yes"}, f"{name}: mend what could pass, or make it prose"


def test_the_chapters_of_these_parts_have_all_been_read(told):
    names = {each.name for each in chapters(Project.here())}
    assert {name for name in names if name.startswith(WHOLE)} <= set(told)


def test_few_answers_are_of_code_that_has_changed_since(told, cells):
    known = [known_of(checks_of(code), told[name]) for name, code in cells.items()]
    changed, read = sum(each.changed for each in known), sum(each.read for each in known)
    assert changed <= MOST_CHANGED * read, f"{changed} of {read} answers are of yesterday's code"


def test_what_a_static_rule_names_has_a_reason_and_nothing_else_has(told, cells):
    root = Path(repcost.__file__).parent
    methods = methods_of(path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py")))
    for name, code in cells.items():
        source = Source(code, methods)
        twins = [other for _, other in source.twins]
        shared = [each.check for each in (*source.shared, *source.borrowed)]
        found = {"literal": source.literal, "shared": shared, "twin": twins}
        for rule, checks in found.items():
            named = {(each.statement, each.claim) for each in checks}
            reasons = {at for at, review in told[name].items() if getattr(review, rule)}
            assert named == reasons, f"{name}: {rule}"


def test_each_check_below_the_bar_says_why_it_stays(told):
    short = below_the_bar(measured(Project.here()).values(), told)
    silent = [(each.chapter, each.check.claim) for each in short if not all(each.reasons)]
    assert silent == [], "sharpen the check, or say in results/doubt-*.yml why it stays"
    for reason, words in REASONS.items():
        fall = {(e.chapter, e.check.claim) for e in short if words & _words(e.check.falls_short)}
        given = {
            (name, claim)
            for name, known in told.items()
            for (_, claim), review in known.items()
            if getattr(review, reason)
        }
        assert given == fall, reason


def _words(falls_short):
    return {word for said in falls_short for word in said.split()}


def test_changed_code_is_counted_and_asked_for_again(tmp_path):
    project = small_book(tmp_path)
    write_chapter(project.root, "good", CODE)
    (chapter,) = chapters(project, ["good"])
    one, two = checks_of(cells_of(chapter))
    known = {
        ("a/b", "one"): Review(one.digest, "no: it fails."),
        ("a/b", "two"): Review("0", "no"),
    }
    assert known_of([one, two], known).changed == 1
    assert known_of([one], {}).read == 0
    asked = yaml.safe_load(to_review([chapter], project))
    assert set(asked["good"]["a/b"]) == {"one", "two"}
    for entry in asked["good"]["a/b"].values():
        entry["answer"] = "in part: one case of many."
    path = project.doubt.with_name("doubt-reviews.yml")
    path.write_text(yaml.safe_dump(asked), encoding="utf-8")
    assert to_review([chapter], project) == ""
    assert "2 checks in 1 chapters were read" in doubt_page(project)
    write_chapter(project.root, "good", CODE.replace("other", "another"))
    assert "good</a> | 2 | 2 | 2 | 1 |" in doubt_page(project)
    assert "two" in to_review(chapters(project, ["good"]), project)
