"""The parser of the command line, and what happens when somebody stops a command."""

import argparse

from repcost_book.commands import (
    doubt,
    downloading,
    elsewhere,
    floors,
    fuzzing,
    making,
    new,
    releasing,
    testing,
    tools,
)
from repcost_book.runner.files import cannot_write
from repcost_book.runner.project import Project

# In the order in which the help lists them.
COMMANDS = (
    *making.COMMANDS,
    *new.COMMANDS,
    *testing.COMMANDS,
    *fuzzing.COMMANDS,
    *floors.COMMANDS,
    *elsewhere.COMMANDS,
    *doubt.COMMANDS,
    *downloading.COMMANDS,
    *releasing.COMMANDS,
    *tools.COMMANDS,
)


def main(arguments: list[str] | None = None) -> None:
    """Do what the arguments say; those of this process unless given."""
    parser = command_line()
    # What is not known may be pytest's; for other commands it is a slip of the pen.
    options, options.rest = parser.parse_known_args(arguments)
    if options.rest and not options.command.passes_on:
        parser.error(f"unknown arguments: {' '.join(options.rest)}")
    try:
        options.command(Project.here(), options)
    except KeyboardInterrupt:
        stopped = "Stopped; the kernels were stopped too. What had finished is kept."
        raise SystemExit(f"\n{stopped}") from None
    except OSError as error:
        if said := cannot_write(error):
            raise SystemExit(f"\n{said}") from None
        raise


def command_line() -> argparse.ArgumentParser:
    """The parser; it puts the `Command` into the option `command`."""
    says = "Run, build and test the book."
    parser = argparse.ArgumentParser(prog="python -m repcost_book", description=says)
    words = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        sub = words.add_parser(command.name, help=command.says, description=command.says)
        sub.set_defaults(command=command)
        for add_options in command.add_options:
            add_options(sub)
    return parser
