"""A campaign of fuzzing: attacks in processes of their own, so that one that dies is a finding.

The child says which case it begins before it begins it. If it dies or hangs, the parent knows that
case, notes it, and starts another child behind it.
"""

import multiprocessing as mp
import signal
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from threading import Event
from typing import TYPE_CHECKING, Any

from repcost_book.trials.attacks import attacks_in
from repcost_book.trials.findings import Finding
from repcost_book.trials.fuzz import FINDING, Attack, Outcome, Tally, outcome, simplest
from repcost_book.trials.overdue import Overdue

# Only on Windows.
if TYPE_CHECKING:
    from multiprocessing.connection import PipeConnection

# So many findings of one sort are kept and shrunk; the others are counted.
KEPT = 3
# Seconds of the processor in which a child must have imported what it needs.
BEGINNING = 300.0
# How often a thread looks whether the campaign was stopped.
GLANCE = 0.5
# Seconds that a child which is done may take to end by itself.
LEAVING = 5.0


@dataclass(frozen=True)
class Campaign:
    """Which cases: from `first` on, until the seconds or the number of cases of each are over.

    patience: seconds of the processor that one case may take; one that takes longer, or sleeps as
        long, is stopped, and is a finding.
    home: the module or package that has the attacks; each child imports it.
    """

    seed: int
    seconds: float = float("inf")
    most_cases: int | None = None
    first: int = 0
    patience: float = 120.0
    home: str = "repcost_book.trials.attacks"
    stopped: Event = field(default_factory=Event)

    def run(
        self, names: Iterable[str], jobs: int, glance: float = 1.0
    ) -> Iterator[dict[str, Tally]]:
        """The tallies, again and again while the attacks go on, and when all have ended."""
        attacks = attacks_in(self.home)
        tallies = {name: Tally() for name in names}
        # A thread waits for each child.
        with ThreadPoolExecutor(jobs) as pool:
            going = {pool.submit(self._attack, attacks[n], tally) for n, tally in tallies.items()}
            try:
                while going:
                    ended, going = wait(going, timeout=glance)
                    for each in ended:
                        # A fault of this programme in a thread would go unseen otherwise.
                        each.result()
                    yield tallies
            finally:
                self.stopped.set()

    def _attack(self, attack: Attack, tally: Tally) -> None:
        """One attack, with as many children as it takes."""
        end, stop = self.first + (self.most_cases or 1 << 60), time.monotonic() + self.seconds
        number = self.first
        while number < end and time.monotonic() < stop and not self.stopped.is_set():
            number = _Child(self, attack, tally).run(number, end, stop) + 1


class _Child:
    """A process that tries cases, as the parent sees it."""

    def __init__(self, campaign: Campaign, attack: Attack, tally: Tally) -> None:
        self.campaign, self.attack, self.tally = campaign, attack, tally
        self.number, self.arguments = campaign.first, {}
        # What came of the case that is being made simpler.
        self.came: Outcome | None = None

    def run(self, first: int, end: int, stop: float) -> int:
        """The last case that was begun; what came of all is in the tally."""
        self.number = first
        # A fork would copy the locks of other threads in whatever state they are.
        context = mp.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        # A child that follows another must know which sorts were shrunk often enough.
        about = (self.campaign.home, self.attack.name, self.campaign.seed, dict(self.tally.sorts))
        todo = (theirs, about, range(first, end), stop)
        process = context.Process(target=_work, args=todo, daemon=True)
        process.start()
        # While the parent held this end, too, the pipe would not end with the child.
        theirs.close()
        with ours:
            lost = self._listen(ours, process.pid or 0)
        if lost is None and not self.campaign.stopped.is_set():
            # Done: left to itself it puts away what it has borrowed from the system.
            process.join(LEAVING)
        process.kill()
        process.join()
        if lost is not None:
            self._lose(lost or f"the process died: {_ending(process.exitcode)}")
        return self.number

    def _listen(self, pipe: "Connection | PipeConnection", child: int) -> str | None:
        """Hear what the child says; why it fell silent ("" if it died), None if it is done."""
        patience = BEGINNING
        while self._answers(pipe, Overdue(child, patience)):
            patience = self.campaign.patience
            try:
                message = pipe.recv()
            except EOFError:
                return ""
            if message is None:
                return None
            self._hear(message)
        hangs = f"no answer in {patience:g} s"
        return None if self.campaign.stopped.is_set() else hangs

    def _answers(self, pipe: "Connection | PipeConnection", overdue: Overdue) -> bool:
        while not (self.campaign.stopped.is_set() or overdue.hangs):
            if pipe.poll(GLANCE):
                return True
        return False

    def _hear(self, message: tuple) -> None:
        match message:
            case (int(number), arguments):
                self.number, self.arguments, self.came = number, arguments, None
            case Outcome() as came:
                self.tally.count(came)
                self.came = came
            case (str(says), simple):
                self._keep(says, simple)

    def _lose(self, why: str) -> None:
        """The child is gone, in the midst of a case, or while it made one simpler."""
        if self.came and self.came.kind == FINDING:
            self._keep(f"{self.came.says} (and of something simpler: {why})", self.arguments)
            return
        self.tally.count(Outcome(FINDING, why, why))
        if self.tally.sorts[why] <= KEPT:
            self._keep(why, self.arguments)

    def _keep(self, says: str, arguments: dict[str, Any]) -> None:
        name, call, seed = self.attack.name, self.attack.call, self.campaign.seed
        self.tally.findings.append(Finding(name, call, seed, self.number, says, arguments))


def _work(pipe: Connection, about: tuple, numbers: range, stop: float) -> None:
    """In the child: a message before each case, one behind it, and for findings a third."""
    home, name, seed, sorts = about
    # Ctrl-C is for the parent, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    attack, seen = attacks_in(home)[name], Tally()
    seen.sorts.update(sorts)
    pipe.send((numbers.start, {}))
    for number in numbers:
        if time.monotonic() > stop:
            break
        # Before the arguments are there: drawing them could fail, too.
        pipe.send((number, {}))
        arguments = attack.case(seed, number)
        pipe.send((number, arguments))
        came = outcome(attack, arguments)
        seen.count(came)
        pipe.send(came)
        if came.kind == FINDING and seen.sorts[came.sort] <= KEPT:
            pipe.send(simplest(attack, arguments, came))
    pipe.send(None)


def _ending(code: int | None) -> str:
    """The exit code; a negative one is a signal."""
    try:
        return signal.Signals(-(code or 0)).name
    except ValueError:
        return f"exit code {code}"
