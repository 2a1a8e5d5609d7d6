"""papermill on a tether: it ends, and its kernel with it, when whoever started it is gone.

The tether is its standard input, a pipe that nobody writes to. The system closes a pipe when the
process at its other end is gone, in whatever way: a kill -9 leaves no time for anything else. A
kernel that the server of `warm_kernels` has forked hangs on a tether of its own, to this process.

This is run as a file and imports no other module of ours, which would take longer than all of it.
"""

import contextlib
import json
import os
import socket
import sys
import threading
from importlib.metadata import EntryPoint
from typing import Any

import psutil
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from nbclient import NotebookClient
from papermill.__main__ import papermill

# As in `warm_kernels`.
ADDRESS = "REPCOST_WARM_KERNELS"


class Warm(LocalProvisioner):
    """Has its kernel forked, and signals and awaits it as any other."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        environment = dict(kwargs.get("env") or os.environ)
        wanted = {"file": cmd[cmd.index("-f") + 1], "cwd": os.fspath(kwargs.get("cwd") or ".")}
        # The kernel is ended when this is closed, as it is at the latest with this process.
        self.tether = socket.socket(socket.AF_UNIX)
        self.tether.connect(environment[ADDRESS])
        self.tether.sendall(json.dumps({**wanted, "environment": environment}).encode() + b"\n")
        with self.tether.makefile() as answer:
            self.process = _Kernel(int(answer.readline()))
        # It leads a group.
        self.pid = self.pgid = self.process.pid
        return self.connection_info

    async def cleanup(self, restart: bool = False) -> None:
        self.tether.close()
        await super().cleanup(restart)


class _Kernel(psutil.Process):
    """As much of a `subprocess.Popen` as is asked for."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        # The server takes leave of it later.
        return None if self.is_running() and self.status() != psutil.STATUS_ZOMBIE else 0

    def wait(self, timeout: float | None = None) -> int:
        return 0

    def send_signal(self, sig: int) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            super().send_signal(sig)


def have_kernels_from(provisioner: type[Warm]) -> None:
    """Kernels that this process starts from now on are forked."""
    factory = KernelProvisionerFactory.instance()
    where = f"{provisioner.__module__}:{provisioner.__name__}"
    entry = EntryPoint("warm", where, factory.GROUP_NAME)
    factory.provisioners["warm"] = entry
    factory.default_provisioner_name = "warm"


def end_kernels_at_once() -> None:
    """Asked politely a kernel takes a second; after its notebook it has nothing to put in order."""
    NotebookClient.shutdown_kernel.default_value = "immediate"


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
    if ADDRESS in os.environ:
        have_kernels_from(Warm)
    end_kernels_at_once()
    threading.Thread(target=end_with_the_other_end, daemon=True).start()
    # By this name, and not by that of this file, in what it says of mistakes.
    sys.exit(papermill(prog_name="papermill"))
