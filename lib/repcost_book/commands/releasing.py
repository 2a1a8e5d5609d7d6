"""The command that makes a release and tries it, up to the upload."""

import argparse

from repcost_book.commands.command import Command, Options
from repcost_book.runner.project import Project

AGES = {"lowest-direct": "the oldest of what it requires", "highest": "the newest"}


def release(project: Project, options: Options) -> None:
    """Make wheel and sdist in dist/, and try them as somebody would who has nothing else."""
    from repcost import __version__
    from repcost_book.trials.release import Release, digest, disagreements, pythons

    wrong = [] if options.rehearsal else list(disagreements(project, __version__))
    made = Release(project, project.root / "dist")
    print("Wheel and sdist ...", flush=True)
    made.build()
    wrong += [f"{name} is not the same when it is made again" for name in made.made_differently()]
    if not made.is_described():
        wrong.append("an index would refuse the description or the metadata")
    asked = {path: path for path in options.python} or pythons()
    for version, path in asked.items():
        if path is None:
            print(f"Python {version} is not here, and was not tried")
            continue
        for resolution, words in AGES.items():
            print(f"Python {version}, the wheel alone, with {words} ...", flush=True)
            if says := made.alone(path, resolution):
                wrong.append(f"Python {version} with {words}: {says}")
    if wrong:
        raise SystemExit("\nNot to be released:\n" + "\n".join(f"  {line}" for line in wrong))
    print("\n".join(f"{digest(path)}  {path.name}" for path in (made.wheel, made.sdist)))
    print(f"\nVersion {__version__} is ready in {made.folder}; the tag v{__version__} uploads it.")


def _add_options(parser: argparse.ArgumentParser) -> None:
    says = "a Python to install the wheel with, as often as needed (default: those on the path)"
    parser.add_argument("--python", action="append", default=[], metavar="PATH", help=says)
    says = "do not ask whether CHANGELOG and CITATION speak of this version"
    parser.add_argument("--rehearsal", action="store_true", help=says)


COMMANDS = (
    Command(
        "release",
        "make wheel and sdist in dist/, compare, and install them alone; uploads nothing",
        release,
        needs=("uv", "test"),
        add_options=(_add_options,),
    ),
)
