"""Kernels for nbval that are forked from a process which has imported the large packages.

Each of the book's notebooks would spend two seconds on importing what all of them need. A forked
kernel is a process of its own with its own names, and of this project nothing is imported before
it starts. (`book` starts its kernels cold, so that a missing import does not stay hidden.)

Nor do they paint: references have no pictures that could be compared, and `book`, which `make test`
begins with, paints each figure of the same code. That would be a sixth of the time here.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import psutil
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

ROOT = Path(__file__).parents[1]
# pyplot is left to the kernel: it asks for the shell when it is imported.
WARM = ("ipykernel.kernelapp", "ipykernel.ipkernel", "matplotlib_inline.backend_inline")
WARM += ("matplotlib.figure", "scipy.optimize", "scipy.stats", "scipy.spatial", "scipy.integrate")
WARM += ("torch", "nbformat", "yaml", "joblib", "anywidget", "clarabel", "jaxtyping")
BACKEND = "module://matplotlib_inline.backend_inline"


def use_warm_kernels() -> None:
    """Kernels that this process starts from now on are forked, where processes can be."""
    # macOS can fork, but not every library there survives it.
    if sys.platform == "linux":
        factory = KernelProvisionerFactory.instance()
        entry = EntryPoint("warm", f"{__name__}:Warm", factory.GROUP_NAME)
        factory.provisioners["warm"] = entry
        factory.default_provisioner_name = "warm"


class Warm(LocalProvisioner):
    """Starts a kernel by asking for a fork, and signals and awaits it as any other."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        wanted = {"file": cmd[cmd.index("-f") + 1], "cwd": os.fspath(kwargs.get("cwd") or ".")}
        self.process = _forked(wanted)
        # A forked kernel leads a group of its own before it tells its number.
        self.pid = self.pgid = self.process.pid
        self.cwd = wanted["cwd"]
        return self.connection_info


class _Kernel(psutil.Process):
    """As much of a `subprocess.Popen` as is asked for."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        return None if self.is_running() and self.status() != psutil.STATUS_ZOMBIE else 0

    def send_signal(self, sig: int) -> None:
        with suppress(psutil.NoSuchProcess):
            super().send_signal(sig)


@cache
def _server() -> subprocess.Popen[str]:
    command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
    environment = {"MPLBACKEND": BACKEND, **os.environ}
    pipe = subprocess.PIPE
    server = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, text=True
    )
    atexit.register(_stop, server)
    return server


def _forked(wanted: dict[str, str]) -> _Kernel:
    to, back = _server().stdin, _server().stdout
    assert to and back
    print(json.dumps(wanted), file=to, flush=True)
    return _Kernel(int(back.readline()))


def _stop(server: subprocess.Popen[str]) -> None:
    # It ends with the last line; its kernels end when they miss it.
    server.communicate()


def serve() -> None:
    """Import what is large, then fork a kernel for each line that is read, to the last."""
    for module in WARM:
        import_module(module)
    _paint_nothing()
    # Kernels that have ended need nobody who waits for them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        if not os.fork():
            raise SystemExit(_become_kernel(**json.loads(line)))


def _paint_nothing() -> None:
    from matplotlib.backend_bases import FigureCanvasBase

    def print_figure(self: FigureCanvasBase, *where: Any, **how: Any) -> None:
        """Leave the file as it is."""

    FigureCanvasBase.print_figure = print_figure


def _become_kernel(file: str, cwd: str) -> None:
    from ipykernel.kernelapp import launch_new_instance

    os.setsid()
    os.write(1, f"{os.getpid()}\n".encode())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.chdir(cwd)
    # As in `ipykernel_launcher`: the shell adds the folder of the notebook itself.
    sys.path.remove("")
    launch_new_instance(argv=["-f", file, f"--IPKernelApp.parent_handle={os.getppid()}"])
