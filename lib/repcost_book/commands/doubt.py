"""The command that puts faults into chapters and says which of them their checks notice."""

import argparse

from repcost_book.commands.command import Command, Options
from repcost_book.commands.options import add_jobs, add_only, positive
from repcost_book.runner.project import Project

# Of the processor; on two cores ten minutes.
SECONDS = 1200


def doubt(project: Project, options: Options) -> None:
    """Put every fault into these chapters, or go on with it; print what their checks noticed."""
    import os

    from repcost_book.runner.chapters import chapters

    if options.reviews:
        from repcost_book.pages.reviews import to_review

        print(to_review(chapters(project, options.only), project), end="")
        return
    from repcost_book.trials.doubt.doubts import Doubts
    from repcost_book.trials.doubt.tables import of_chapter, of_checks

    if not hasattr(os, "fork"):
        raise SystemExit("doubt forks a process for each fault; this system has no fork: use Linux")
    failed = []
    for ended in Doubts(project, options.jobs, options.seconds).run(
        chapters(project, options.only)
    ):
        if ended.doubted is None:
            failed.append(ended.chapter.name)
            print(f"{ended.chapter.name}: {ended.failure}", flush=True)
            continue
        print(of_chapter(ended.doubted), flush=True)
        if options.only:
            print(of_checks(ended.doubted), flush=True)
    if failed:
        raise SystemExit(f"\nNothing can be said of {', '.join(failed)}.")


def _add_seconds(parser: argparse.ArgumentParser) -> None:
    says = "of the processor for each chapter (default: %(default)s); a second start goes on"
    parser.add_argument("--seconds", type=positive, default=SECONDS, metavar="S", help=says)


def _add_reviews(parser: argparse.ArgumentParser) -> None:
    says = "print the entries that results/doubt-reviews.yml lacks, or whose code has changed"
    parser.add_argument("--reviews", action="store_true", help=says)


COMMANDS = (
    Command(
        "doubt",
        "put faults into chapters, one at a time, and say which of them the checks notice",
        doubt,
        needs=("papermill", "book"),
        add_options=(add_only, add_jobs, _add_seconds, _add_reviews),
    ),
)
