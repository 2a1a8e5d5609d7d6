"""The command that runs what readers download, as it says, on a machine that has nothing yet."""

from pathlib import Path
from tempfile import TemporaryDirectory

from repcost_book.commands.command import Command, Options
from repcost_book.commands.options import add_only
from repcost_book.runner.project import Project


def downloads(project: Project, options: Options) -> None:
    """Run three downloads, or those of the chapters named, each in an environment of its own."""
    from repcost_book.trials.downloads import TRIED, Download, tried, wheels_of

    wanted = [Download.of(project, chapter) for chapter in options.only or TRIED]
    with TemporaryDirectory() as folder:
        wheels = wheels_of(project, Path(folder))
        wrong = {each.chapter: tried(project, each, wheels, _say) for each in wanted}
    for chapter, lines in wrong.items():
        print("\n".join([f"\n{chapter}:", *(lines or ["it runs as it says"])]))
    if any(wrong.values()):
        raise SystemExit("\nNot every download does what it says.")


def _say(line: str) -> None:
    # Minutes pass between two of them.
    print(line, flush=True)


COMMANDS = (
    Command(
        "downloads",
        "run downloaded notebooks by the command that they print, in empty environments",
        downloads,
        needs=("hatchling", "test"),
        add_options=(add_only,),
    ),
)
