"""Kernels that are forked: separate, ours cold, and mortal."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import psutil
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import write_connection_file
from nbformat import v4
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, start_new_kernel

from repcost_book.runner import tethered
from repcost_book.runner.environment import patience, repeatable
from repcost_book.runner.execute import Limits, execute
from repcost_book.runner.warm_kernels import ADDRESS, warm_kernels
from tests.waiting import is_gone, until
from tests.warm_kernels import Unpainted

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")
ASKED = "import os, sys; print(os.getcwd(), 'torch' in sys.modules, 'repcost' in sys.modules)"


@contextmanager
def _kernel(folder: Path):
    """The manager and the client of a kernel, started as nbval starts one."""
    manager, client = start_new_kernel(kernel_name=CURRENT_ENV_KERNEL_NAME, cwd=str(folder))
    try:
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(tmp_path) -> Iterator:
    with _kernel(tmp_path) as kernel:
        yield kernel


def _printed(client: BlockingKernelClient, code: str) -> str:
    """What the code writes, or the name of its error."""
    said = []

    def hear(message: dict) -> None:
        said.append(message["content"].get("text", "") + message["content"].get("ename", ""))

    client.execute_interactive(code, allow_stdin=False, output_hook=hear, timeout=60)
    return "".join(said).strip()


def test_it_is_warm_and_of_us_nothing_is_imported(kernel, tmp_path):
    manager, client = kernel
    assert isinstance(manager.provisioner, Unpainted)
    assert _printed(client, ASKED) == f"{tmp_path} True False"
    # What the server has imported is no name of a notebook.
    assert _printed(client, "torch") == "NameError"


SAVED = """import io, matplotlib.pyplot as plt
figure, file = plt.subplots()[0], io.BytesIO()
figure.savefig(file, format='png'); plt.close(figure); print(len(file.getvalue()))"""


def test_it_paints_nothing_where_a_cold_one_does(kernel):
    assert _printed(kernel[1], SAVED) == "0"
    cold = subprocess.run([sys.executable, "-c", SAVED], capture_output=True, text=True)
    assert int(cold.stdout) > 1000


def test_kernels_share_nothing(kernel, tmp_path):
    _, client = kernel
    with _kernel(tmp_path) as (_, other):
        changed = "import math; math.pi = 3; found = 1; print(math.pi)"
        assert _printed(client, changed) == "3"
        assert _printed(other, "import math; print(math.pi)").startswith("3.14")
        assert _printed(other, "found") == "NameError"


def test_one_that_was_killed_is_known_to_be_gone(kernel):
    manager, client = kernel
    process = psutil.Process(int(_printed(client, "import os; print(os.getpid())")))
    assert manager.is_alive()
    process.kill()
    until(lambda: is_gone(process.pid))
    assert not manager.is_alive()


# The kernels of a run


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, str]]:
    with warm_kernels(repeatable()) as told:
        yield told


def _children() -> set[int]:
    return {each.pid for each in psutil.Process().children(recursive=True)}


def _notebook(code: str) -> str:
    return nbformat.writes(v4.new_notebook(cells=[v4.new_code_cell(code)]))


def _executed(code: str, setting: dict[str, str], seconds: int = 0) -> tuple[str, str | None]:
    """What a chapter of one cell prints, and why it failed."""
    seconds = seconds or round(patience(60))
    out = execute(_notebook(code), {}, Limits(seconds, seconds), setting=setting)
    cells = nbformat.reads(out.notebook, as_version=4).cells if out.notebook else []
    outputs = [output for cell in cells[1:-1] for output in cell.outputs]
    return "".join(output.get("text", "") for output in outputs).strip(), out.failure


def test_the_name_of_the_address_is_known_on_both_sides():
    assert tethered.ADDRESS == ADDRESS


def test_a_chapter_finds_the_packages_imported_and_its_own_environment(server):
    asked = "import os, sys; print('torch' in sys.modules, os.environ.get('OF_THIS_ONE'))"
    assert _executed(asked, server) == ("True None", None)
    assert _executed(asked, {**server, "OF_THIS_ONE": "1"}) == ("True 1", None)


def test_what_a_kernel_started_ends_with_its_chapter(server):
    left = "import subprocess; print(subprocess.Popen(['sleep', '1000']).pid)"
    printed, failure = _executed(left, server)
    assert failure is None
    _, alive = psutil.wait_procs(_still(int(printed)), timeout=10)
    assert alive == []


def test_a_kernel_ends_with_a_chapter_that_takes_too_long(server):
    before = _children()
    _, failure = _executed("while True: pass", server, seconds=5)
    assert failure and "longer than 5 s" in failure
    new = [psutil.Process(pid) for pid in _children() - before if psutil.pid_exists(pid)]
    assert psutil.wait_procs(new, timeout=10)[1] == []


def test_a_kernel_that_is_killed_is_said_to_be_dead(server):
    killed = f"import os; os.kill(os.getpid(), {signal.SIGKILL.value})"
    assert "the kernel died" in str(_executed(killed, server)[1])


def test_all_kernels_end_with_whoever_started_their_server():
    """With a `kill -9`, which leaves no time for anything."""
    code = "import os, sys, time\nfrom repcost_book.runner.warm_kernels import warm_kernels\n"
    code += (
        "with warm_kernels(os.environ) as told: print(*told.values(), flush=True); time.sleep(99)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout
        address = run.stdout.readline().strip()
        server = psutil.Process(run.pid).children()[0]
        file, _ = write_connection_file()
        with socket.socket(socket.AF_UNIX) as asking, asking.makefile() as answer:
            asking.connect(address)
            wanted = {"file": file, "cwd": ".", "environment": dict(os.environ)}
            asking.sendall(json.dumps(wanted).encode() + b"\n")
            kernel = psutil.Process(int(answer.readline()))
            run.kill()
            assert psutil.wait_procs([server, kernel], timeout=20)[1] == []
    Path(file).unlink()


def _still(pid: int) -> list[psutil.Process]:
    return [psutil.Process(pid)] if psutil.pid_exists(pid) else []
