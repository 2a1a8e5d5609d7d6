"""The set-up of the environment where something is wrong; that it works, all see who use it."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from repcost_book.runner import locks
from repcost_book.runner.project import Project
from tests.mishaps import Talking, holding, mounted

ROOT = Project.here().root
SCRIPT = ROOT / "tools" / "setup.py"
AS_OLD = (
    "import sys; sys.version_info = (3, 9, 6); exec(open(sys.argv[1], encoding='utf-8').read())"
)
# Nothing listens at this port, and nothing but this index is asked.
NO_NETWORK = {
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
    "PIP_RETRIES": "1",
}
OF_PIP = ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PYTHONPATH")


def checkout(folder: Path) -> Path:
    """So much of a checkout as the set-up needs; its script."""
    folder.mkdir(exist_ok=True)
    for file in (SCRIPT, Path(locks.__file__)):
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True)
        shutil.copy(file, copy)
    (folder / "requirements.lock").touch()
    project = '[project]\nname = "small"\nversion = "1"\n[build-system]\nrequires = ["hatchling"]\n'
    (folder / "pyproject.toml").write_text(project + 'build-backend = "hatchling.build"\n')
    return folder / SCRIPT.relative_to(ROOT)


def set_up(script: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    folder = script.parents[1]
    command = [sys.executable, str(script), str(folder / "env"), str(folder / "env/done"), "torch"]
    environment = {name: value for name, value in os.environ.items() if name not in OF_PIP}
    told = {**environment, **variables}
    return subprocess.run([*command, *options], env=told, capture_output=True, text=True)


def test_an_older_python_can_read_it_and_is_told_what_to_do():
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6))
    command = [sys.executable, "-c", AS_OLD, str(SCRIPT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    says = "Python 3.11 or newer is needed, and this is 3.9.6: give one with make ... PYTHON3="
    assert done.stderr.startswith(says) and done.stderr.count("\n") == 1


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
def test_make_takes_the_python_it_is_given():
    command = ["make", "-n", "setup", "PYTHON3=/there/python3.13", "VENV=/nowhere"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "/there/python3.13 tools/setup.py /nowhere /nowhere/.ready-" in said


def test_the_second_of_two_waits_and_then_has_nothing_to_do(tmp_path):
    script = checkout(tmp_path)
    stamp = tmp_path / "done"
    with holding(tmp_path / "_build" / "setup" / "lock") as first:
        second = Talking(sys.executable, str(script), str(tmp_path / "env"), str(stamp), "torch")
        assert (
            second.word() == f"Another set-up is going on (process {first.pid}); waiting for it ..."
        )
        assert second.process.poll() is None
        stamp.touch()
    assert second.word() == "" and second.process.wait() == 0
    assert not (tmp_path / "env").exists()
    second.end()


def test_a_full_disk_is_named_and_nothing_half_is_left(tmp_path):
    with mounted(tmp_path / "disk", "size=600k"):
        done = set_up(checkout(tmp_path / "disk"))
        assert done.returncode == 1 and done.stderr.startswith("The disk is full: make room")
        left = {path.name for path in (tmp_path / "disk" / "_build").rglob("*")}
        assert not (tmp_path / "disk" / "env").exists() and left == {"setup", "lock"}


def test_a_network_that_does_not_answer_is_named(tmp_path):
    script = checkout(tmp_path)
    make = [sys.executable, "-m", "venv", "--without-pip", "--system-site-packages"]
    subprocess.run([*make, str(tmp_path / "env")], check=True)
    (inside,) = [*tmp_path.glob("env/bin/python"), *tmp_path.glob("env/Scripts/python.exe")]
    if subprocess.run([str(inside), "-m", "pip", "--version"], capture_output=True).returncode:
        pytest.skip("the Python of this environment has no pip")
    done = set_up(script, "--add", **NO_NETWORK)
    assert done.returncode == 1 and done.stderr.startswith("The packages could not be fetched")
    assert not (tmp_path / "env" / "done").exists()
    assert not (tmp_path / "_build" / "setup" / "temporary").exists()
