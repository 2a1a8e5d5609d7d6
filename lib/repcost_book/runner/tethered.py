"""papermill on a tether: it ends, and its kernel with it, when whoever started it is gone.

The tether is its standard input, a pipe that nobody writes to. The system closes a pipe when the
process at its other end is gone, in whatever way: a kill -9 leaves no time for anything else.
This is run as a file and imports no other module of ours, which would take longer than all of it.
"""

import contextlib
import os
import sys
import threading

import psutil
from papermill.__main__ import papermill


def end_with_the_other_end() -> None:
    """Wait until the tether is cut; then end this process and all below it."""
    # Not by sys.stdin.read, whose lock would be held when the interpreter ends.
    while os.read(0, 1):
        pass
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=end_with_the_other_end, daemon=True).start()
    # By this name, and not by that of this file, in what it says of mistakes.
    sys.exit(papermill(prog_name="papermill"))
