"""Plant each fault of `tests.faults` into a copy of the checkout and ask whether it is noticed.

    python -m tests.plant_faults                  # all of them: a quarter of an hour
    python -m tests.plant_faults rounding line.py # those whose line in the list has such a word

The same tests run first without a fault: one that fails then would notice anything. Faults in built
pages need `make book` before. It exits with 1 if a fault was not noticed, or cannot be planted as
the code it was made for has changed.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from shutil import copytree, ignore_patterns

from repcost_book.runner.environment import repeatable
from repcost_book.runner.project import Project
from tests.faults import FAULTS, Fault

# Neither history nor what pages were made from.
LEFT_OUT = ignore_patterns(".git", ".venv", ".doctrees", "floors", "jupyter_execute", "running")
# What pytest says when tests have failed; anything else is no answer.
FAILED = 1
NOTICED = "noticed"


def main(words: list[str]) -> None:
    """Plant the faults that have one of the words, all if there are none."""
    chosen = [fault for fault in FAULTS if not words or any(word in str(fault) for word in words)]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "checkout")
        copytree(Project.here().root, copy, ignore=LEFT_OUT, symlinks=True)
        run = partial(_code, copy)
        if any(run(tests) for tests in _together(chosen)):
            raise SystemExit("Some of the tests fail without a fault; look at them first.")
        answers = [_told(fault, planted(copy, fault, run)) for fault in chosen]
    print(f"{answers.count(NOTICED)} of {len(chosen)} faults were noticed.")
    if set(answers) != {NOTICED}:
        raise SystemExit(1)


def planted(folder: Path, fault: Fault, run: Callable[[str], int]) -> str:
    """What became of a fault in this copy, which is afterwards as it was before."""
    path = folder / fault.file
    sound = path.read_text(encoding="utf-8") if path.is_file() else ""
    if fault.old not in sound:
        return "OUT OF DATE"
    path.write_text(sound.replace(fault.old, fault.new, 1), encoding="utf-8")
    try:
        return NOTICED if run(fault.noticed_by) == FAILED else "MISSED"
    finally:
        path.write_text(sound, encoding="utf-8")


def _told(fault: Fault, answer: str) -> str:
    print(f"{answer:<12} {fault}", flush=True)
    return answer


def _code(copy: Path, tests: str) -> int:
    """What pytest ends with for these tests in the copy."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    # The examples of hypothesis are the same each time.
    environment = {**repeatable(), "PYTHONPATH": os.fspath(copy / "lib"), "CI": "1"}
    arguments = [*command, *shlex.split(tests)]
    return subprocess.run(arguments, cwd=copy, env=environment, capture_output=True).returncode


def _together(faults: Iterable[Fault]) -> list[str]:
    """All tests in one run of pytest, but for those that a word chooses, each in its own."""
    tests = {fault.noticed_by for fault in faults}
    chosen_by_word = {each for each in tests if " -k " in each}
    return list(filter(None, [" ".join(sorted(tests - chosen_by_word)), *sorted(chosen_by_word)]))


if __name__ == "__main__":
    main(sys.argv[1:])
