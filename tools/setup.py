"""Make the environment in which all the rest runs: `python3 tools/setup.py .venv STAMP EXTRAS`.

The Makefile calls it. It uses nothing but Python's own library, because nothing is installed yet,
and it is no line of the Makefile because it waits for another set-up, tells how far a gigabyte has
come, and says what to do where the network or the disk ends.
"""

import sys

# Before anything that an older Python could not read; what follows has to be a text that it can.
if sys.version_info < (3, 11):  # noqa: UP036
    version = ".".join(map(str, sys.version_info[:3]))
    remedy = "give one with make ... PYTHON3=/path/to/python3.11"
    sys.exit("Python 3.11 or newer is needed, and this is %s: %s" % (version, remedy))  # noqa: UP031

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OWN = ROOT / "_build" / "setup"
# The module alone: its package needs what is going to be installed.
sys.path.append(str(ROOT / "lib" / "repcost_book" / "runner"))
from locks import Held, lock  # noqa: E402 # pyright: ignore[reportMissingImports]

# Seconds between two words; downloads of so many megabytes are announced.
PAUSE, LARGE = 10.0, 20.0
DOWNLOAD = re.compile(r"(?:Downloading|Using cached) (?:\S*/)?(\S+) \(([\d.]+) MB\)")
DISK = re.compile(r"No space left|Disk quota exceeded|not enough space")
NETWORK = re.compile(
    r"ConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|Max retries exceeded"
    r"|Connection broken|IncompleteRead|SSLError|ProxyError"
)
NO_DISK = "The disk is full: make room (the environment takes 2 to 8 GB) and run it again."
NO_NETWORK = """\
The packages could not be fetched, the network does not answer: run it again when it does. What has
come is kept by pip. Behind a proxy, or with an index of your own: set PIP_PROXY, PIP_INDEX_URL."""
NO_PIP = "This Python has no ensurepip; on Debian and Ubuntu: apt-get install python3-venv"


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with contextlib.ExitStack() as stack:
            _wait_for(stack, OWN / "lock")
            # Another may have made it meanwhile.
            if not options.stamp.exists():
                _set_up(options)
    except KeyboardInterrupt:
        sys.exit("\nStopped; run it again, and it goes on with what pip has kept.")
    except OSError as error:
        sys.exit(f"{error.filename} cannot be written ({error.strerror}).")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Make an environment for the book.")
    parser.add_argument("environment", type=Path, help="its folder")
    parser.add_argument("stamp", type=Path, help="a file that says that all is done")
    parser.add_argument("extras", help="such as torch,book,test")
    parser.add_argument("--add", action="store_true", help="to an environment that exists")
    return parser.parse_args()


def _wait_for(stack: contextlib.ExitStack, path: Path) -> None:
    told = False
    while True:
        try:
            stack.enter_context(lock(path))
            return
        except Held as holder:
            if not told:
                _say(f"Another set-up is going on (process {holder}); waiting for it ...")
            told = True
            time.sleep(0.5)


def _set_up(options: argparse.Namespace) -> None:
    environment = options.environment
    inside = "Scripts/python.exe" if os.name == "nt" else "bin/python"
    install = ["-m", "pip", "--disable-pip-version-check", "install", "--progress-bar", "off"]
    wanted = ["-c", "requirements.lock", "-e", f".[{options.extras}]"]
    if find_spec("ensurepip") is None:
        sys.exit(NO_PIP)
    try:
        if not options.add:
            _say(f"Setting up {environment}, once; this takes some minutes, most of it PyTorch ...")
            _run([sys.executable, "-m", "venv", "--clear", str(environment)])
        _run([str(environment / inside), *install, *wanted])
    except BaseException:
        # Half an environment serves nobody, and takes the room that is wanting.
        if not options.add:
            shutil.rmtree(environment, ignore_errors=True)
        raise
    options.stamp.touch()


def _run(command: list[str]) -> None:
    """Run a command and tell how far it is; end with a sentence if it fails."""
    # On the disk of what is made: /tmp may be small.
    temporary = OWN / "temporary"
    temporary.mkdir(parents=True, exist_ok=True)
    told = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))}
    pipe, merged = subprocess.PIPE, subprocess.STDOUT
    process = subprocess.Popen(command, cwd=ROOT, env=told, stdout=pipe, stderr=merged, text=True)
    try:
        with process:
            lines = _followed(process, temporary)
    finally:
        process.kill()
        shutil.rmtree(temporary, ignore_errors=True)
    if process.returncode:
        sys.exit(_why("\n".join(lines)))


def _followed(process: subprocess.Popen, temporary: Path) -> list[str]:
    """All that the process says, as it has ended; meanwhile the reader hears of it."""
    lines: list[str] = []
    reader = threading.Thread(target=_read, args=(process, lines), daemon=True)
    reader.start()
    begun = time.monotonic()
    while reader.is_alive():
        reader.join(PAUSE)
        if reader.is_alive():
            _say(_so_far(lines, temporary, time.monotonic() - begun))
    return lines


def _read(process: subprocess.Popen, lines: list[str]) -> None:
    for line in process.stdout or ():
        lines.append(line.rstrip())
        found = DOWNLOAD.search(line)
        if found and float(found[2]) >= LARGE:
            _say(f"  {found[1].split('-cp')[0]}: {float(found[2]):.0f} MB ...")


def _so_far(lines: list[str], temporary: Path, seconds: float) -> str:
    if lines and "Retrying" in lines[-1]:
        return f"  {seconds:.0f} s: the network does not answer, trying again"
    unpacked = [line.count(",") + 1 for line in lines if line.startswith("Installing")]
    if unpacked:
        return f"  {seconds:.0f} s: all is here, unpacking {unpacked[0]} packages"
    packages = sum(line.startswith("Collecting") for line in lines)
    return f"  {seconds:.0f} s: {packages} packages found, {_megabytes(temporary):.0f} MB here"


def _megabytes(folder: Path) -> float:
    size = 0
    for path in folder.rglob("*"):
        # Files come and go.
        with contextlib.suppress(OSError):
            size += path.stat().st_size
    return size / 1e6


def _why(said: str) -> str:
    if DISK.search(said) or shutil.disk_usage(ROOT).free < 20e6:
        return NO_DISK
    if NETWORK.search(said):
        return NO_NETWORK
    return "\n".join([*said.splitlines()[-15:], "", "The set-up failed (see above)."])


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
