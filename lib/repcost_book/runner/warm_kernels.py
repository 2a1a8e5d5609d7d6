"""Kernels that are forked from a process which has imported the large packages.

Most of what a chapter of a few seconds takes is importing what all chapters need. A forked kernel
is a process of its own with its own names, and of this project nothing is imported before it
starts. (A chapter that is run alone starts a kernel of the usual kind.)

Whoever wants a kernel connects to a socket, says where it shall begin, and is told its number. The
connection is a tether: when it closes, the kernel is ended with all below it; and so are all
kernels when the process that started the server is gone.

This is run as a file and imports no other module of ours, which kernels would find imported.
"""

import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

# Where the server listens: `tethered` has its kernel from there.
ADDRESS = "REPCOST_WARM_KERNELS"
# pyplot is left to the kernel: it asks for the shell when it is imported.
WARM = ("ipykernel.kernelapp", "ipykernel.ipkernel", "matplotlib_inline.backend_inline")
WARM += ("matplotlib.figure", "scipy.optimize", "scipy.stats", "scipy.spatial", "scipy.integrate")
WARM += ("torch", "nbformat", "yaml", "joblib", "anywidget", "clarabel", "jaxtyping")
BACKEND = "module://matplotlib_inline.backend_inline"


@contextmanager
def warm_kernels(
    environment: Mapping[str, str], first: Path | None = None
) -> Iterator[dict[str, str]]:
    """What tells a process to have its kernels from here; nothing where processes cannot be forked.

    environment: that of the kernels, as far as packages read it when they are imported. first: a
    file that is run before the first kernel.
    """
    # macOS can fork, but not every library there survives it.
    if sys.platform != "linux":
        yield {}
        return
    # Of a folder of ours: whoever may connect may run code as us.
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        address = str(Path(folder, "kernels"))
        listener.bind(address)
        # A kernel that is asked for while packages are imported waits.
        listener.listen()
        command = [sys.executable, "-P", __file__, str(listener.fileno())]
        server = subprocess.Popen(
            [*command, str(first)] if first else command,
            env={"MPLBACKEND": BACKEND, **environment},
            stdin=subprocess.PIPE,
            pass_fds=[listener.fileno()],
        )
        try:
            yield {ADDRESS: address}
        finally:
            # It ends with its standard input, and all kernels with it.
            server.communicate()


def serve(listener: socket.socket, tether: int) -> None:
    """Fork a kernel for each that asks; end it when its connection, or the tether, is closed."""
    kernels: dict[socket.socket, int] = {}
    with selectors.DefaultSelector() as selector:
        selector.register(tether, selectors.EVENT_READ, "tether")
        selector.register(listener, selectors.EVENT_READ, "listener")
        while ready := selector.select():
            for key, _ in ready:
                if key.data == "tether":
                    return _end(kernels.values())
                if key.data == "listener":
                    connection, _ = listener.accept()
                    kernels[connection] = _forked(connection, [listener, *kernels])
                    selector.register(connection, selectors.EVENT_READ, connection)
                else:
                    selector.unregister(key.data)
                    _end([kernels.pop(key.data)])
                    key.data.close()


def _forked(connection: socket.socket, others: Iterable[socket.socket]) -> int:
    """The number of a new kernel, which who asked for it is told, too."""
    with connection.makefile() as lines:
        wanted = lines.readline()
    kernel = os.fork()
    if not kernel:
        os.setpgid(0, 0)
        for each in (connection, *others):
            each.close()
        # Who asked may be gone already.
        raise SystemExit(_become_kernel(**json.loads(wanted)) if wanted else 0)
    # Here, too: whichever process comes first.
    with suppress(OSError):
        os.setpgid(kernel, kernel)
    with suppress(OSError):
        connection.sendall(f"{kernel}\n".encode())
    return kernel


def _end(kernels: Iterable[int]) -> None:
    """End these, and all that they started, and take leave of them."""
    for kernel in kernels:
        # Until it is waited for, nobody else has its number.
        with suppress(ProcessLookupError):
            os.killpg(kernel, signal.SIGKILL)
        os.waitpid(kernel, 0)


def _become_kernel(file: str, cwd: str, environment: dict[str, str]) -> None:
    from ipykernel.kernelapp import launch_new_instance

    signal.signal(signal.SIGINT, signal.default_int_handler)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update({"MPLBACKEND": BACKEND, **environment})
    # What it was before is remembered.
    tempfile.tempdir = None
    launch_new_instance(argv=["-f", file, f"--IPKernelApp.parent_handle={os.getppid()}"])


if __name__ == "__main__":
    # Ctrl-C is for who started this; it closes the tether.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for module in WARM:
        import_module(module)
    number, *files = sys.argv[1:]
    for file in files:
        runpy.run_path(file, run_name="__main__")
    serve(socket.socket(fileno=int(number)), 0)
