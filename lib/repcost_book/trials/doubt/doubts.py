"""Doubt over a whole book: a process for each chapter, one after the other, and what is kept.

Under `_build/doubt` lies what came of every fault, so that a second start goes on where the first
was stopped; `results/doubt.json` has the numbers and the survivors, and is committed.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import yaml
from tqdm import tqdm

from repcost_book.pages.doubted import Doubted, code, key, read, text
from repcost_book.runner.chapters import Chapter
from repcost_book.runner.environment import repeatable
from repcost_book.runner.files import write
from repcost_book.runner.processes import only_run, stop_tree
from repcost_book.runner.project import Project
from repcost_book.trials.doubt.kept import Kept

WORK = "repcost_book.trials.doubt.work"
PARAMETERS = {"profile": "quick", "seed": 0, "device": "cpu"}
# Seconds after which what has come is written down, at the latest.
PAUSE = 5.0


@dataclass(frozen=True)
class Ended:
    """A chapter: its numbers, or, in words, why there are none."""

    chapter: Chapter
    doubted: Doubted | None
    failure: str = ""


@dataclass(frozen=True)
class Doubts:
    """The faults of a checkout's chapters, and what is kept of them.

    seconds: of the processor, for each chapter; what is left then is done at the next start.
    least: of the processor, that any fault may take, however fast the chapter is.
    """

    project: Project
    jobs: int = 1
    seconds: float = float("inf")
    least: float = 5.0

    @property
    def folder(self) -> Path:
        return self.project.build / "doubt"

    def run(self, chapters: Iterable[Chapter]) -> Generator[Ended, None, None]:
        """Each chapter, the cheap ones first; what is current and whole does not run again."""
        todo = self.in_order(chapters)
        with only_run(self.folder / "running"):
            for place, chapter in enumerate(todo):
                yield self._ended(chapter, f"[{place + 1}/{len(todo)}] {chapter.name}")

    def _ended(self, chapter: Chapter, named: str) -> Ended:
        """What is known of a chapter already, or is now."""
        if known := self._known(chapter):
            return Ended(chapter, self._publish(known))
        kept = Kept.read(self._path(chapter), chapter, self.project)
        failure = "" if kept.is_whole else self._go_on(chapter, kept, named)
        doubted = None if failure else self._publish(kept.doubted(chapter.name))
        return Ended(chapter, doubted, failure)

    def _known(self, chapter: Chapter) -> Doubted | None:
        """What is committed, if it is whole and of the chapter as it is."""
        found = read(self.project.doubt).get(chapter.name)
        is_known = found and found.is_whole and found.is_current(chapter, self.project)
        return found if is_known else None

    def in_order(self, chapters: Iterable[Chapter]) -> list[Chapter]:
        """By the seconds they took last; of those never measured, the shorter text first."""
        known = read(self.project.doubt)

        def expected(chapter: Chapter) -> tuple[float, int]:
            seconds = known[chapter.name].seconds if chapter.name in known else float("inf")
            return seconds, chapter.source.stat().st_size

        return sorted(chapters, key=expected)

    def _go_on(self, chapter: Chapter, kept: Kept, named: str) -> str:
        """Run what is left, and keep what comes; why it could not be done, if so."""
        written = time.monotonic()
        with _bar(named) as bar:
            for message in self._messages(chapter, kept):
                if "failed" in message:
                    return message["failed"]
                kept.hear(message)
                if "about" in message:
                    kept.key = key(chapter, self.project, kept.modules)
                    kept.code = code(chapter)
                bar.total, bar.n = len(kept.faults), len(kept.came)
                bar.refresh() if "about" in message else bar.update(0)
                if time.monotonic() - written > PAUSE or "end" in message:
                    write(self._path(chapter), kept.text())
                    written = time.monotonic()
        return kept.failure

    def _messages(self, chapter: Chapter, kept: Kept) -> Iterator[dict[str, Any]]:
        """What the process says that does this chapter."""
        with tempfile.TemporaryDirectory() as folder:
            # Figures are drawn for nobody.
            environment = {**repeatable(self.project.own), "MPLBACKEND": "Agg"}
            command, pipe = [sys.executable, "-m", WORK], subprocess.PIPE
            with subprocess.Popen(
                command, stdin=pipe, stdout=pipe, env=environment, cwd=self.project.root, text=True
            ) as process:
                try:
                    yield from _told(process, self._request(chapter, kept, folder))
                finally:
                    if process.poll() is None:
                        stop_tree(psutil.Process(process.pid))

    def _request(self, chapter: Chapter, kept: Kept, folder: str) -> dict[str, Any]:
        names = chapter.parameters()
        return {
            "chapter": chapter.name,
            "source": str(chapter.source),
            "folder": folder,
            "parameters": {name: PARAMETERS[name] for name in names & PARAMETERS.keys()},
            "jobs": self.jobs,
            "seconds": self.seconds,
            "least": self.least,
            "done": list(kept.came),
            "unfired": kept.unfired,
        }

    def _publish(self, doubted: Doubted) -> Doubted:
        """Enter the numbers of a chapter into the file of all, with the reasons of today."""
        reasons = self._reasons().get(doubted.chapter, {})
        survivors = (replace(s, because=reasons.get(s.key, "")) for s in doubted.survivors)
        doubted = replace(doubted, survivors=tuple(survivors))
        # Read now: somebody else may have written it in the meantime.
        found = {**read(self.project.doubt), doubted.chapter: doubted}
        write(self.project.doubt, text(found))
        return doubted

    def _reasons(self) -> Mapping[str, Mapping[str, str]]:
        path = self.project.doubt.with_name("doubt-reasons.yml")
        told = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None
        return told or {}

    def _path(self, chapter: Chapter) -> Path:
        return self.folder / f"{chapter.name}.json"


def _told(process: subprocess.Popen[str], request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    yield from map(json.loads, process.stdout)
    if process.wait():
        yield {"failed": f"its process died ({process.returncode})"}


def _bar(named: str) -> tqdm:
    """How far a chapter is, and how long it will take; a log has a line now and then."""
    pause = 0.1 if sys.stderr.isatty() else 30.0
    return tqdm(total=0, unit="fault", desc=named, mininterval=pause, smoothing=0, leave=False)
