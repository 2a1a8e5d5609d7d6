"""A campaign of fuzzing: attacks in processes of their own, so that one that dies is a finding.

The child says which case it begins before it begins it. If it dies, the parent knows that case,
notes it, and starts another child behind it.
"""

import multiprocessing as mp
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection

from repcost_book.trials.attacks import ATTACKS
from repcost_book.trials.fuzz import FINDING, Finding, Tally, cases, note


@dataclass(frozen=True)
class Campaign:
    """How long each attack lasts: so many seconds, or so many cases, whichever ends first."""

    seed: int
    seconds: float
    most_cases: int | None = None
    # A case that takes longer than this is stopped, and is a finding: the process hangs.
    patience: float = 120.0

    def run(self, names: Iterable[str], jobs: int) -> Iterator[tuple[str, Tally]]:
        """The tally of each attack, as it ends."""
        with ThreadPoolExecutor(jobs) as pool:  # a thread waits for each child
            yield from pool.map(lambda name: (name, self.of(name)), names)

    def of(self, name: str) -> Tally:
        """One attack, with as many children as it takes."""
        tally, number, stop = Tally(), 0, time.monotonic() + self.seconds
        while time.monotonic() < stop and (self.most_cases is None or number < self.most_cases):
            number = self._child(name, number, stop, tally) + 1
        return tally

    def _child(self, name: str, first: int, stop: float, tally: Tally) -> int:
        """The last case that a child began; its outcomes are added to the tally."""
        context = mp.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        last = (self.most_cases or 1 << 60) - 1
        child = context.Process(target=_work, args=(theirs, name, self.seed, first, last, stop))
        child.start()
        theirs.close()
        begun = first
        try:
            while True:
                if not ours.poll(self.patience):
                    child.kill()
                    _dead(tally, name, self.seed, begun, f"no answer in {self.patience:g} s")
                    break
                message = ours.recv()
                if isinstance(message, int):
                    begun = message
                else:
                    tally.outcomes.update(message.outcomes)
                    tally.findings.extend(message.findings)
        except EOFError:
            child.join()
            if child.exitcode:
                _dead(tally, name, self.seed, begun, f"the process died, code {child.exitcode}")
        finally:
            child.join()
            ours.close()
        return begun


def _work(pipe: Connection, name: str, seed: int, first: int, last: int, stop: float) -> None:
    """In the child: a message before each case, and the tally of each case behind it."""
    attack = ATTACKS[name]
    for number, arguments in cases(attack, seed, iter(range(first, last + 1))):
        if time.monotonic() > stop:
            break
        pipe.send(number)
        tally = Tally()
        note(tally, attack, seed, number, arguments)
        pipe.send(tally)
    pipe.close()


def _dead(tally: Tally, name: str, seed: int, number: int, says: str) -> None:
    """A case that did not come back; its arguments are not shrunk, as each try may die."""
    _, arguments = next(cases(ATTACKS[name], seed, iter([number])))
    tally.outcomes[FINDING] += 1
    tally.findings.append(Finding(ATTACKS[name], seed, number, says, arguments))
