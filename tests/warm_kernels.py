"""Kernels for nbval that are forked, as those of `book` are, and that do not paint.

References have no pictures that could be compared, and `book`, which `make test` begins with,
paints each figure of the same code. That would be a sixth of the time here.
"""

import atexit
import os
import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo

from repcost_book.runner.tethered import Warm, have_kernels_from
from repcost_book.runner.warm_kernels import warm_kernels

PAINTS_NOTHING = Path(__file__).with_name("paints_nothing.py")


def use_warm_kernels() -> None:
    """Kernels that this process starts from now on are forked, where processes can be."""
    if sys.platform == "linux":
        have_kernels_from(Unpainted)


class Unpainted(Warm):
    """A kernel of a server that starts with the first of them."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        kwargs["env"] = {**(kwargs.get("env") or os.environ), **_server()}
        return await super().launch_kernel(cmd, **kwargs)


@cache
def _server() -> dict[str, str]:
    server = ExitStack()
    atexit.register(server.close)
    return server.enter_context(warm_kernels(os.environ, PAINTS_NOTHING))
