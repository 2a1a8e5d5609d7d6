"""The command that looks whether chapters hold with other seeds and on other machines."""

import argparse
import re

from repcost_book.commands.command import Command, Options
from repcost_book.commands.options import add_jobs
from repcost_book.runner.project import Project


def elsewhere(project: Project, options: Options) -> None:
    """Run chapters in many settings, or go on with it; print which claims flip, and where."""
    from repcost_book.runner.chapters import chapters
    from repcost_book.trials.elsewhere import Elsewhere
    from repcost_book.trials.flips import all_hold, table
    from repcost_book.trials.settings import SETTINGS, lacking, trials

    known = {each.name: each for each in SETTINGS}
    unknown = [name for name in options.settings if name not in known]
    if unknown:
        raise SystemExit(f"No setting {', '.join(unknown)}; the settings are: {', '.join(known)}")
    able = {name: lacking(each) for name, each in known.items()}
    for name in options.settings or known:
        if able[name]:
            print(f"Skipped: {name}, as this processor has no {able[name]}.", flush=True)
    settings = [known[name] for name in options.settings]
    seeds = [seed for several in options.seeds for seed in several]
    wanted = trials(chapters(project, options.only), settings, seeds)
    todo = [trial for trial in wanted if not able[trial.setting.name]]
    came = list(Elsewhere(project).run(todo, options.jobs))
    print(table(came))
    if not all_hold(came):
        raise SystemExit("\nNot everything holds elsewhere.")


def _seeds(text: str) -> list[int]:
    """One seed, or a range of them: 7, or 0-31."""
    if not re.fullmatch(r"\d+(-\d+)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is neither a seed, as 7, nor a range, as 0-31")
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def _add_trials(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--only", nargs="+", default=[], metavar="CHAPTER", help="these chapters; else all")
    seeds = "such as 7 or 0-31; alone: in the usual setting"
    add("--seeds", nargs="+", type=_seeds, default=[], metavar="N", help=seeds)
    settings = "such as Haswell or two-threads; alone: at seed 0; with --seeds: each at each seed"
    add("--settings", nargs="+", default=[], metavar="NAME", help=settings)


COMMANDS = (
    Command(
        "elsewhere",
        "run chapters with other seeds, BLAS kernels and threads, and say which claims flip",
        elsewhere,
        needs=("papermill", "book"),
        add_options=(add_jobs, _add_trials),
    ),
)
