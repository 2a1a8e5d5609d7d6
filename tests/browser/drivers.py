"""Firefox and WebKit as far as they can be driven without a package for it: to a page, and to what
a script says there. Firefox listens to Marionette, WebKit's driver to WebDriver.
"""

import itertools
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.error import URLError
from urllib.request import Request, urlopen

# In seconds: a browser that starts, and a page that opens.
PATIENCE = 120


class Driven(Protocol):
    def open(self, address: str) -> None: ...

    def run(self, script: str) -> Any: ...


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def _process(command: list[str], **environment: str) -> Iterator[None]:
    quiet = subprocess.DEVNULL
    started = subprocess.Popen(command, env=os.environ | environment, stdout=quiet, stderr=quiet)
    try:
        yield
    finally:
        started.terminate()
        started.wait(PATIENCE)


class Firefox:
    """A line of JSON with its length before it, there and back."""

    def __init__(self, port: int):
        self.answers = _connected(port)
        self.numbers = itertools.count(1)
        self._read()
        self._ask("WebDriver:NewSession", {})

    def open(self, address: str) -> None:
        self._ask("WebDriver:Navigate", {"url": address})

    def run(self, script: str) -> Any:
        return self._ask("WebDriver:ExecuteScript", {"script": script, "args": []})["value"]

    def _ask(self, name: str, parameters: dict) -> Any:
        message = json.dumps([0, next(self.numbers), name, parameters]).encode()
        self.answers.sendall(f"{len(message)}:".encode() + message)
        _, _, error, result = self._read()
        assert error is None, error
        return result

    def _read(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            length += self.answers.recv(1)
        text = b""
        while len(text) < int(length[:-1]):
            text += self.answers.recv(int(length[:-1]) - len(text))
        return json.loads(text)


def _connected(port: int) -> socket.socket:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), PATIENCE)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


class WebKit:
    """WebDriver over HTTP."""

    def __init__(self, port: int, browser: str):
        self.server = f"http://127.0.0.1:{port}/session"
        options = {"webkitgtk:browserOptions": {"binary": browser, "args": ["--automation"]}}
        answer = self._started({"capabilities": {"alwaysMatch": options}})
        self.server += f"/{answer['sessionId']}"

    def _started(self, wanted: dict) -> Any:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self._post("", wanted)
            except URLError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def open(self, address: str) -> None:
        self._post("/url", {"url": address})

    def run(self, script: str) -> Any:
        return self._post("/execute/sync", {"script": script, "args": []})

    def end(self) -> None:
        urlopen(Request(self.server, method="DELETE"), timeout=PATIENCE).close()

    def _post(self, path: str, body: dict) -> Any:
        headers = {"Content-Type": "application/json"}
        request = Request(self.server + path, json.dumps(body).encode(), headers)
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]


@contextmanager
def firefox(folder: Path) -> Iterator[Driven]:
    """Firefox without a window; None of the reader's own settings."""
    port = _free_port()
    (folder / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    path = shutil.which("firefox-esr") or shutil.which("firefox") or ""
    command = [path, "--headless", "--marionette", "--no-remote", "--profile", str(folder)]
    with _process(command, HOME=str(folder)):
        driven = Firefox(port)
        yield driven
        driven.answers.close()


@contextmanager
def webkit(folder: Path) -> Iterator[Driven]:
    """WebKitGTK's small browser, on a display that nobody sees."""
    port, display = _free_port(), f":{os.getpid() % 1000 + 100}"
    screen = [shutil.which("Xvfb") or "", display, "-screen", "0", "1300x900x24"]
    driver = [shutil.which("WebKitWebDriver") or "", f"--port={port}"]
    own = {"DISPLAY": display, "HOME": str(folder), "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
    with _process(screen), _process(driver, **own):
        driven = WebKit(port, str(small_browser()))
        yield driven
        driven.end()


def small_browser() -> Path | None:
    return next(Path("/usr").glob("lib*/**/webkit2gtk-4.*/MiniBrowser"), None)


def missing(name: str) -> str:
    """What is not here, and how to get it; empty if all is."""
    if name == "Firefox":
        is_here = shutil.which("firefox-esr") or shutil.which("firefox")
        return "" if is_here else "no Firefox here: apt-get install firefox-esr"
    is_here = shutil.which("WebKitWebDriver") and shutil.which("Xvfb") and small_browser()
    return "" if is_here else "no WebKit here: apt-get install webkit2gtk-driver xvfb"
