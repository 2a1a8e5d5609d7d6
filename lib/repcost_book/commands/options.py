"""The options of the commands that run chapters, and the request that they amount to."""

import argparse
import ast
import os
from typing import TYPE_CHECKING

from repcost_book.commands.command import Options, need

# Only for its name: it needs the packages of the extra [book].
if TYPE_CHECKING:
    from repcost_book.runner.runs import Request


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """How many things are done at once."""
    cores = os.cpu_count() or 1
    says = "at once: chapters, tests, or tasks of a chapter that runs alone (default: the cores)"
    parser.add_argument("--jobs", "-j", type=positive, default=cores, help=says)


def positive(text: str) -> int:
    """A whole number of at least 1, in the words of the parser's other refusals."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, not {text!r}")
    return int(text)


def add_only(parser: argparse.ArgumentParser) -> None:
    """Which chapters."""
    says = "such as savarese-2019/cost; all if none is named"
    parser.add_argument("only", nargs="*", metavar="CHAPTER", help=says)


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """How chapters are run."""
    add = parser.add_argument
    profiles = ["quick", "paper"]
    add("--profile", choices=profiles, default="quick", help="default: %(default)s")
    add_jobs(parser)
    add("--force", action="store_true", help="run also what has not changed")
    # As often as there are parameters.
    several = {"action": "append", "default": [], "metavar": "NAME=VALUE"}
    add("-p", "--parameter", help="set a parameter, such as seed=3 or device=cpu", **several)
    add("--cell-timeout", type=positive, metavar="S", help="seconds a cell may take")
    add("--chapter-timeout", type=positive, metavar="S", help="seconds a chapter may take")
    dask = "a Dask scheduler (tcp://...) whose workers run the chapters"
    add("--scheduler", metavar="ADDRESS", help=dask)


def request(options: Options) -> "Request":
    """What to run and how."""
    from repcost_book.runner.execute import Limits
    from repcost_book.runner.runs import LIMITS, Request

    if options.scheduler:
        need("distributed", "cluster")
    usual = LIMITS[options.profile]
    cell, chapter = options.cell_timeout, options.chapter_timeout
    return Request(
        profile=options.profile,
        only=getattr(options, "only", []),
        parameters=dict(parameter(text) for text in options.parameter),
        jobs=options.jobs,
        force=options.force,
        limits=Limits(cell or usual.cell, chapter or usual.chapter),
        scheduler=options.scheduler,
    )


def parameter(text: str) -> tuple[str, int | float | str]:
    """The name and the value in NAME=VALUE: a number where it is one, and else a text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise SystemExit(f"--parameter takes NAME=VALUE, not {text!r}")
    # Given twice, the two could differ, and executed notebooks would lie in the wrong folder.
    if name == "profile":
        raise SystemExit("the profile has an option of its own: --profile")
    try:
        # Literals only: a parameter is no place to run code.
        number = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
    # Lists and the like stay the text that was given.
    return name, number if isinstance(number, int | float) else value
