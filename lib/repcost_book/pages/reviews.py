"""Every check read once, by eyes that did not write it: could it pass if the box were false?

`results/doubt-reviews.yml` has the answers: chapter, statement, claim, and then the answer in a
sentence or two, with a digest of the code that was read. Where that code has changed, the answer is
an answer of yesterday, and is counted apart. What a static rule of `trials.doubt` found in a check
(`literal`, `shared`, `twin`), and why it may stay, stands beside the answer; and why few faults
reach it, where they are too few for the bar (`few`), or what its bound is needed for (`slack`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import yaml

from repcost_book.runner.chapters import Chapter
from repcost_book.runner.project import Project
from repcost_book.runner.written_checks import WrittenCheck, cells_of, checks_of

# How an answer begins.
ANSWERS = ("no", "in part", "yes")


@dataclass(frozen=True)
class Review:
    """What was said of one check.

    of: the digest of the code that was read.
    answer: to the question above; its first words are one of `ANSWERS`.
    literal, shared, twin: why the check may stay although a static rule names it.
    few: why it may stay although few faults, or few different ones, reach what it measures.
    slack: why its bound may be far above what it measures at ten seeds.
    """

    of: str
    answer: str
    literal: str = ""
    shared: str = ""
    twin: str = ""
    few: str = ""
    slack: str = ""

    @property
    def kind(self) -> str:
        return self.answer.partition(":")[0]


# By statement and claim.
Reviews = Mapping[tuple[str, str], Review]


@dataclass(frozen=True)
class Reviewed:
    """How far the checks of a chapter have been read.

    in_part: those that could pass although a part of their box were false.
    changed: those whose code has changed since.
    """

    checks: int
    read: int
    in_part: int
    changed: int


def reviews(project: Project) -> dict[str, Reviews]:
    """By chapter; nothing where nobody has read."""
    path = project.doubt.with_name("doubt-reviews.yml")
    told = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None
    return {name: _reviews(entries) for name, entries in (told or {}).items()}


def known_of(checks: Iterable[WrittenCheck], known: Reviews) -> Reviewed:
    """How many of these checks have an answer, and how many of these are of today."""
    each = list(checks)
    pairs = [(check, known.get((check.statement, check.claim))) for check in each]
    found = [(check, review) for check, review in pairs if review]
    in_part = sum(review.kind != "no" for _, review in found)
    changed = sum(review.of != check.digest for check, review in found)
    return Reviewed(len(each), len(found), in_part, changed)


def reviews_of(known: Iterable[Chapter], project: Project) -> dict[str, Reviewed]:
    """Of each chapter that has been read."""
    told = reviews(project)
    return {
        each.name: known_of(checks_of(cells_of(each)), told[each.name])
        for each in known
        if each.name in told
    }


def to_review(known: Iterable[Chapter], project: Project) -> str:
    """The entries that these chapters lack, or whose code has changed, to be filled in."""
    told, wanted = reviews(project), {}
    for chapter in known:
        for check in checks_of(cells_of(chapter)):
            old = told.get(chapter.name, {}).get((check.statement, check.claim))
            if old is None or old.of != check.digest:
                entry = {"of": check.digest, "answer": old.answer if old else ""}
                claims = wanted.setdefault(chapter.name, {}).setdefault(check.statement, {})
                claims[check.claim] = entry
    return yaml.safe_dump(wanted, sort_keys=False, allow_unicode=True, width=110) if wanted else ""


def _reviews(entries: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Reviews:
    return {
        (statement, claim): Review(**told)
        for statement, claims in entries.items()
        for claim, told in claims.items()
    }
