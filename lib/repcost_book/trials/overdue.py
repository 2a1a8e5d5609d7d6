"""Whether a process that owes an answer hangs, on a machine that may be busy with other things."""

from time import monotonic

import psutil


class Overdue:
    """A process hangs if it has computed for `patience` seconds, or has slept all that time.

    Seconds of the clock alone say nothing: where twenty processes share a processor, any of them
    may have had no more than a moment of it.

    >>> overdue = Overdue(psutil.Process().pid, patience=60.0)
    >>> overdue.hangs
    False
    """

    def __init__(self, process: int, patience: float) -> None:
        self.process, self.patience = process, patience
        self.begun = self.seen = self._computed()
        self.moved = monotonic()

    @property
    def hangs(self) -> bool:
        computed, now = self._computed(), monotonic()
        if computed > self.seen:
            self.seen, self.moved = computed, now
        return computed - self.begun > self.patience or now - self.moved > self.patience

    def _computed(self) -> float:
        """The seconds of the processor; none are missing once it is gone, which its pipe tells."""
        try:
            times = psutil.Process(self.process).cpu_times()
        except psutil.NoSuchProcess:
            return 0.0
        return times.user + times.system
