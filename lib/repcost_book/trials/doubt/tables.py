"""What doubt found, for the terminal."""

from repcost_book.pages.doubted import Doubted, Score, Tested

WIDTH = 34


def of_chapter(doubted: Doubted) -> str:
    """A line: faults, what became of them, score and reach, seconds of the processor."""
    found = Score.of(doubted.checks)
    below = sum(bool(check.falls_short) for check in doubted.checks)
    counts = f"{found.noticed} noticed, {found.survived} survived, {found.absorbed} absorbed"
    scores = f"score {percent(found.score)}, reach {percent(found.reach)}"
    share = "" if doubted.is_whole else f" ({doubted.run} of {doubted.faults} faults so far)"
    told = (
        f"{counts}, {found.raised} raised; {scores}; {below} of {len(doubted.checks)} below the bar"
    )
    return f"{doubted.chapter:{WIDTH}} {told}; {doubted.seconds:.0f} s{share}"


def of_checks(doubted: Doubted) -> str:
    """The checks below the bar, and what they did not notice."""
    lines = []
    for place, check in enumerate(doubted.checks):
        lines.append(_check(check))
        if not check.falls_short:
            continue
        lines.append(f"    falls short: {'; '.join(check.falls_short)}")
        those = [each for each in doubted.survivors if each.check == place]
        lines += [f"    {e.key} {e.kind}: {e.text}{_because(e.because)}" for e in those]
    return "\n".join(lines)


def percent(part: float | None) -> str:
    return "-" if part is None else f"{part:.0%}"


def _check(check: Tested) -> str:
    found = Score.of([check])
    counts = f"{found.noticed}/{found.survived}/{found.absorbed}/{found.raised}"
    told = f"{percent(found.score)} ({counts}), reach {percent(found.reach)}"
    # A hypothesis that the box must name, or an example that fits too well.
    told += f"; fails with {check.data} faults in data" if check.data else ""
    return f"  {check.statement}: {check.claim}\n    {told}"


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""
