"""What the checks can tell: faults noticed by chapter and paper, and survivors one learns from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from repcost_book.kernel.ledger import PAPERS
from repcost_book.pages.below_the_bar import Short, below_the_bar, link, listed
from repcost_book.pages.doubted import Doubted, Score, Survivor, Tested, read, scores
from repcost_book.pages.reviews import Reviewed, reviews, reviews_of
from repcost_book.runner.chapters import Chapter, chapters
from repcost_book.runner.project import Project

# Beside the staged sources: of statements, what their checks can tell.
NOTICED = "noticed.json"

# Behind a chapter whose numbers are of an earlier library.
BEFORE = "\\*"

HEAD = [
    "| Chapter | Checks | Faults | Noticed | Survived | Absorbed | Score | Reach |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
]
# So many of the weakest checks are shown, each with the survivors that say most.
WEAKEST, EACH = 10, 2
# The first of them say most: a formula with another operator is another theorem.
TELLING = ("exponent", "operator", "right of", "left of", "answer", "other end", "index")

_SURVIVORS = (
    f"The checks with the lowest scores, at most {WEAKEST}, and of each at most {EACH} of the "
    "faults that it lets pass. Some of them say that a check should be sharper. Others leave the "
    "statement true, and no check of it could notice them."
)
_OF_BEFORE = (
    f"{BEFORE} Measured before the last change of the library or of its pins; the code of the "
    "chapter is the same."
)


@dataclass(frozen=True)
class _Weak:
    """A check below the bar with what it did not notice."""

    chapter: str
    check: Tested
    survivors: tuple[Survivor, ...]


def doubt_page(project: Project) -> str:
    """A table by paper, and the checks that noticed least."""
    known = chapters(project)
    found = measured(project)
    before = {each.name for each in known if _is_before(each, found, project)}
    read_by = list(_read(reviews_of(known, project)))
    if not found:
        none = "Nothing has been measured yet: `python -m repcost_book doubt`."
        return "\n\n".join([none, *read_by]) + "\n"
    unmeasured = [each.name for each in known if each.name not in found]
    short = below_the_bar(found.values(), reviews(project))
    parts = [_whole(found.values(), short), *_papers(known, found, before)]
    parts += [_OF_BEFORE] if before else []
    parts += listed(short)
    parts += _weakest(found.values())
    parts += [_not_yet(unmeasured)] if unmeasured else []
    parts += read_by
    return "\n\n".join(parts) + "\n"


def measured(project: Project) -> dict[str, Doubted]:
    """What is known of the chapters as they are now; the library may have changed since."""
    told = read(project.doubt)
    known = [each for each in chapters(project) if each.name in told]
    return {each.name: told[each.name] for each in known if told[each.name].is_of(each)}


def _is_before(chapter: Chapter, found: Mapping[str, Doubted], project: Project) -> bool:
    return chapter.name in found and not found[chapter.name].is_current(chapter, project)


def badges(project: Project) -> dict[str, str]:
    """Of each statement all of whose checks were doubted, what its badge says."""
    found = scores(measured(project).values())
    return {
        name: f"{score.score:.0%} of faults noticed"
        for name, score in found.items()
        if score.score is not None
    }


def _whole(found: Iterable[Doubted], short: Sequence[Short]) -> str:
    each = list(found)
    checks = [check for one in each for check in one.checks]
    told = Score.of(checks)
    tried = f"{_number(sum(one.run for one in each))} faults were tried on {len(checks)} checks"
    where = f"in {len(each)} of the book's chapters" if len(each) > 1 else "in one chapter"
    # A fault may reach several checks.
    met = f"a check noticed one {_number(told.noticed)} times, and let it pass"
    score = f"a score of {_percent(told.score)}, with a reach of {_percent(told.reach)}"
    bar = f"Below the bar are {len(short)} of the {len(checks)} checks"
    excused = sum(all(each.reasons) for each in short)
    bar += f", {excused} of them for reasons that are recorded" if excused else ""
    return f"{tried} {where}; {met} {_number(told.survived)} times: {score}. {bar}."


def _papers(
    known: Iterable[Chapter], found: Mapping[str, Doubted], before: Set[str]
) -> Iterator[str]:
    rows: dict[str, list[str]] = {}
    for chapter in known:
        if chapter.name in found:
            paper = PAPERS.get(chapter.name.split("/")[0], "The first pages")
            rows.setdefault(paper, []).append(_row(found[chapter.name], chapter.name in before))
    for paper, lines in rows.items():
        yield "\n".join([f"## {paper}", "", *HEAD, *lines])


def _row(doubted: Doubted, is_before: bool) -> str:
    told = Score.of(doubted.checks)
    tried = _number(doubted.run)
    if not doubted.is_whole:
        tried = f"{tried} of {_number(doubted.faults)}"
    counts = [_number(count) for count in (told.noticed, told.survived, told.absorbed)]
    link = f'<a href="../{doubted.chapter}.html">{doubted.chapter}</a>'
    link += BEFORE if is_before else ""
    parts = _percent(told.score), _percent(told.reach)
    cells = [link, str(len(doubted.checks)), tried, *counts, *parts]
    return f"| {' | '.join(cells)} |"


def _weakest(found: Iterable[Doubted]) -> Iterator[str]:
    weak = sorted(_weak(found), key=lambda each: Score.of([each.check]).score or 0.0)
    if weak:
        told = [_told(each) for each in weak[:WEAKEST]]
        yield "\n\n".join(["## The most instructive survivors", _SURVIVORS, *told])


def _weak(found: Iterable[Doubted]) -> Iterator[_Weak]:
    for doubted in found:
        for place, check in enumerate(doubted.checks):
            those = [each for each in doubted.survivors if each.check == place]
            if those:
                yield _Weak(doubted.chapter, check, tuple(sorted(those, key=_telling)[:EACH]))


def _telling(survivor: Survivor) -> int:
    found = (n for n, kind in enumerate(TELLING) if survivor.kind.startswith(kind))
    return next(found, len(TELLING))


def _told(weak: _Weak) -> str:
    check = weak.check
    counts = f"{check.noticed} noticed, {check.survived} survived"
    head = f"- {link(weak.chapter, check)} ({weak.chapter}; {counts})."
    return "\n".join([head, *(f"  {_survivor(each)}" for each in weak.survivors)])


def _survivor(survivor: Survivor) -> str:
    # A backtick in code would end it.
    code = survivor.text.replace("`", "'")
    reason = f" The reason: {survivor.because}." if survivor.because else ""
    return f"It passes with the fault *{survivor.kind}* in `{code}`.{reason}"


def _read(found: Mapping[str, Reviewed]) -> Iterator[str]:
    """What came of review every check, chapter by chapter."""
    if not found:
        return
    each = found.values()
    read, in_part = sum(one.read for one in each), sum(one.in_part for one in each)
    told = f"{_number(read)} checks in {len(found)} chapters were read with the one question"
    answer = f"no, it could not, {_number(read - in_part)} times; in part {_number(in_part)} times"
    yield "## Read by a person"
    yield f"{told}, *could this pass if the box were false?* The answer was {answer}."
    rows = ["| Chapter | Checks | Read | In part | Changed since |", "| --- |" + " ---: |" * 4]
    for name, one in found.items():
        link = f'<a href="../{name}.html">{name}</a>'
        rows.append(f"| {link} | {one.checks} | {one.read} | {one.in_part} | {one.changed} |")
    yield "\n".join(rows)


def _not_yet(unmeasured: list[str]) -> str:
    return f"Not measured as they are now: {', '.join(unmeasured)}."


def _number(count: int) -> str:
    return f"{count:,}"


def _percent(part: float | None) -> str:
    return "–" if part is None else f"{part:.0%}"
