"""The kernels of the reference notebooks, which are forked: separate, ours cold, and mortal."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, start_new_kernel

from tests.warm_kernels import Warm

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
    assert isinstance(manager.provisioner, Warm)
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
    psutil.wait_procs([process], timeout=10)
    assert not manager.is_alive()
