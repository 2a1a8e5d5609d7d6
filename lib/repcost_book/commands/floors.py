"""The command that runs everything at the oldest versions that are allowed."""

import argparse
import subprocess

from repcost_book.commands.command import Command, Options
from repcost_book.runner.project import Project


def floors(project: Project, options: Options) -> None:
    """Test at the floors of pyproject.toml; with arguments of pytest's only these tests."""
    from repcost_book.trials.floors import Floors, lifted, requirements

    trial = Floors(project, tuple(options.pin))
    try:
        resolved, wanted = trial.resolve(), requirements(project)
        higher = lifted(wanted, resolved, options.pin)
        _table("Floors that others lift: raise them in pyproject.toml", higher)
        print(f"Installing {len(resolved)} packages in {trial.folder} ...", flush=True)
        trial.install()
    except subprocess.CalledProcessError as error:
        command = " ".join(map(str, error.cmd))
        says = f"The floors cannot be had together; this ended with code {error.returncode}"
        raise SystemExit(f"\n{says}:\n  {command}") from None
    bad = trial.not_imported()
    _table("Modules that cannot be imported", dict(line.split(": ", 1) for line in bad))
    steps, failed = trial.test(options.rest)
    for package, tests in sorted(failed.items(), key=lambda item: -len(item[1])):
        # Modules have underscores where packages have hyphens.
        at = resolved.get(package.replace("_", "-"), "")
        print("\n".join([f"\n{len(tests)} failed in {package} {at}".rstrip(), *tests]))
    _table("Not at their floors, as was asked for", dict.fromkeys(options.pin, ""))
    _table("Failed", dict.fromkeys(steps, ""))
    if steps or bad or higher:
        raise SystemExit("\nThe floors of pyproject.toml do not hold.")
    print("\nAll floors hold." if not options.rest else "\nThese tests pass at the floors.")


def _table(head: str, rows: dict) -> None:
    if rows:
        print(f"\n{head}:\n" + "\n".join(f"  {name}  {value}" for name, value in rows.items()))


def _add_pins(parser: argparse.ArgumentParser) -> None:
    says = "take this version instead of the floor, such as torch==2.13.0; as often as needed"
    parser.add_argument("--pin", action="append", default=[], metavar="NAME==VERSION", help=says)


COMMANDS = (
    Command(
        "floors",
        "test with the oldest versions that pyproject.toml allows; takes pytest's arguments too",
        floors,
        needs=("uv", "test"),
        add_options=(_add_pins,),
        passes_on=True,
    ),
)
