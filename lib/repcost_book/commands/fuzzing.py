"""The command that attacks the library with hostile inputs."""

import argparse
import difflib
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from repcost_book.commands.command import Command, Options
from repcost_book.commands.options import add_jobs, positive
from repcost_book.runner.environment import fast
from repcost_book.runner.project import Project

# Only for its name: it needs numpy and the library.
if TYPE_CHECKING:
    from repcost_book.trials.campaign import Campaign
    from repcost_book.trials.fuzz import Tally

MINUTES = 10.0
# Seconds between two words on how far it is, in a log; a terminal has one line that changes.
PAUSE = 30.0


def fuzz(project: Project, options: Options) -> None:
    """Attack functions for some minutes; print what was found, and how often each was asked."""
    from repcost_book.trials.attacks import ATTACKS

    names = _known(options.only, ATTACKS)
    if options.case is not None:
        _say_case(options, names)
    # A seed of our own is printed below: what it finds can be drawn again.
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    # More processes than attacks would have nothing to do.
    jobs = max(1, min(options.jobs, len(names)))
    print(f"{len(names)} attacks, seed {seed}", flush=True)
    with _children_are_fast():
        tallies = _watched(_campaign(options, seed, jobs / len(names)).run(names, jobs))
    if options.case is not None:
        _say_what_came(tallies)
    print(table(tallies))
    if any(tally.findings for tally in tallies.values()):
        raise SystemExit(1)


def table(tallies: Mapping[str, "Tally"]) -> str:
    """A row for each function: cases, shares of refused and of wide answers, findings."""
    from repcost_book.trials.fuzz import FINDING, REFUSED, WIDE

    wide = max(map(len, tallies))
    head = f"{'function':<{wide}}  {'cases':>9}  {'refused':>8}  {'wide':>8}  {'findings':>8}"
    rows = [
        f"{name:<{wide}}  {tally.cases:>9}  {tally.share(REFUSED):>8.1%}"
        f"  {tally.share(WIDE):>8.1%}  {tally.outcomes[FINDING]:>8}"
        for name, tally in tallies.items()
    ]
    return "\n".join(["", head, *rows])


def _known(wanted: list[str], attacks: Iterable[str]) -> list[str]:
    """The names that are wanted, all if none is; those that are no attacks are refused."""
    there = sorted(attacks)
    for name in wanted:
        if name not in there:
            near = difflib.get_close_matches(name, there, n=1)
            guess = f"; did you mean {near[0]}?" if near else ""
            raise SystemExit(f"no attack is called {name}{guess}\nThere are: {', '.join(there)}")
    return list(dict.fromkeys(wanted)) or there


def _say_case(options: Options, names: list[str]) -> None:
    """What the case is, before something comes of it."""
    from repcost_book.trials.attacks import ATTACKS
    from repcost_book.trials.findings import code

    if options.seed is None or not options.only:
        raise SystemExit("--case repeats one case; name the function by --only, and the --seed too")
    for name in names:
        print(code(ATTACKS[name].call, ATTACKS[name].case(options.seed, options.case)), "\n")


def _say_what_came(tallies: Mapping[str, "Tally"]) -> None:
    for name, tally in tallies.items():
        if tally.last:
            print(f"\n{name}: {tally.last.kind} {tally.last.says}".rstrip())


@contextmanager
def _children_are_fast() -> Iterator[None]:
    """Processes that are started meanwhile have one thread each."""
    before = dict(os.environ)
    # Children inherit the environment, and libraries read it when they are loaded.
    os.environ.update(fast())
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _campaign(options: Options, seed: int, share: float) -> "Campaign":
    """What the options ask for; `share` is the part of the time that each function has."""
    from repcost_book.trials.campaign import Campaign

    seconds, patience = _minutes(options) * 60 * share, options.patience
    if options.case is None:
        return Campaign(seed, seconds, options.cases, options.first, patience)
    return Campaign(seed, seconds, 1, options.case, patience)


def _minutes(options: Options) -> float:
    """Those given; without end if a number of cases is given alone."""
    counted = options.cases is not None or options.case is not None
    return options.minutes or (float("inf") if counted else MINUTES)


def _watched(states: Iterable[Mapping[str, "Tally"]]) -> Mapping[str, "Tally"]:
    """The last of the states; what is new in each is shown."""
    tallies, watch = {}, _Watch()
    try:
        for tallies in states:
            watch.show(tallies)
    except KeyboardInterrupt:
        print("\nStopped; this is what there is so far.", flush=True)
    return tallies


class _Watch:
    """Each finding as soon as it is there, and a word on how far it is."""

    def __init__(self) -> None:
        self.began, self.said, self.terminal = time.monotonic(), 0.0, sys.stderr.isatty()
        self.shown: Counter[str] = Counter()

    def show(self, tallies: Mapping[str, "Tally"]) -> None:
        for name, tally in tallies.items():
            for finding in tally.findings[self.shown[name] :]:
                self.shown[name] += 1
                print(f"\n{finding}", flush=True)
        passed = time.monotonic() - self.began
        if self.terminal or passed - self.said > PAUSE:
            self.said = passed
            # A terminal has one line, which the next word overwrites.
            start, end = ("\r\x1b[K", "") if self.terminal else ("", "\n")
            print(f"{start}{_so_far(tallies, passed)}", end=end, file=sys.stderr, flush=True)


def _so_far(tallies: Mapping[str, "Tally"], seconds: float) -> str:
    cases = sum(tally.cases for tally in tallies.values())
    begun = sum(bool(tally.cases) for tally in tallies.values())
    findings = sum(len(tally.findings) for tally in tallies.values())
    where = f"{begun} of {len(tallies)} functions begun"
    return f"{seconds / 60:.1f} min: {where}, {cases} cases, {findings} findings"


def _positive(text: str) -> float:
    return _at_least(float(text), 1e-9, text)


def _number(text: str) -> int:
    return _at_least(int(text), 0, text)


def _at_least(number, least, text: str):
    # Written so that NaN is too small as well.
    if not number >= least:
        raise argparse.ArgumentTypeError(f"{text} is too small")
    return number


def _add_fuzzing(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--only", nargs="+", default=[], metavar="NAME", help="these functions; else all")
    minutes = f"for all functions together (default: {MINUTES:g}; with --cases no end)"
    add("--minutes", type=_positive, metavar="M", help=minutes)
    add("--cases", type=positive, metavar="N", help="at most so many of each function")
    add("--seed", type=_number, metavar="N", help="draw these cases again (default: new ones)")
    add("--first", type=_number, default=0, metavar="N", help="go on from this case")
    add("--case", type=_number, metavar="N", help="repeat one case of --only and --seed")
    patience = "processor seconds that a case may take before it hangs (default: %(default)g)"
    add("--patience", type=_positive, default=120.0, metavar="S", help=patience)


COMMANDS = (
    Command(
        "fuzz",
        "attack the library with hostile inputs, and compare with independent truths",
        fuzz,
        needs=("mpmath", "test"),
        add_options=(add_jobs, _add_fuzzing),
    ),
)
