"""Pins, requirements and environments say the same; the wheel works where nothing else is."""

import subprocess
import sys
import tomllib

import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

import repcost
from repcost_book.runner.project import Project
from tests.wheel import install_wheel

ROOT = Project.here().root
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CORE = PYPROJECT["project"]["dependencies"]
EXTRAS = PYPROJECT["project"]["optional-dependencies"]
LOCK = [
    Requirement(line)
    for line in (ROOT / "requirements.lock").read_text().splitlines()
    if line[:1].isalnum()
]
WATCHED = ["numpy", "scipy", "clarabel", "jupyter-book", "sphinx", "myst-nb", "papermill", "nbval"]
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text())


def pinned(name: str) -> list[Version]:
    """The versions the lock has for a package, one per marker."""
    found = [pin for pin in LOCK if _normal(pin.name) == _normal(name)]
    return [Version(str(pin.specifier).removeprefix("==")) for pin in found]


def _normal(name: str) -> str:
    return name.lower().replace("_", "-")


@pytest.mark.parametrize(
    "text", sorted({*CORE, *(line for each in EXTRAS.values() for line in each)})
)
def test_every_requirement_is_pinned_within_its_range(text):
    requirement = Requirement(text)
    versions = pinned(requirement.name)
    assert versions, f"{requirement.name} is not in requirements.lock; run make lock"
    assert all(requirement.specifier.contains(version) for version in versions)


def test_the_lock_pins_and_names_no_place():
    assert all(str(pin.specifier).startswith("==") and pin.url is None for pin in LOCK)
    assert "+" not in str(pinned("torch")[0]), "a local build of torch is not for other machines"


def test_the_hashes_are_those_of_the_pins():
    path = ROOT / "requirements.hashes"
    if not path.is_file():
        pytest.skip("at the floors there are no hashes")
    entries = path.read_text().replace(" \\\n", " ").splitlines()
    pins, hashes = zip(*(entry.split(" --hash=", 1) for entry in entries), strict=True)
    lock = (ROOT / "requirements.lock").read_text().splitlines()
    assert [pin.strip() for pin in pins] == lock, "make lock makes both"
    each = [one.split(":") for several in hashes for one in several.split(" --hash=")]
    assert all(kind == "sha256" and len(value.strip()) == 64 for kind, value in each)


def test_the_conda_environment_installs_this_project_by_the_lock():
    *conda, pip = ENVIRONMENT["dependencies"]
    python = next(line for line in conda if line.startswith("python="))
    allowed = SpecifierSet(PYPROJECT["project"]["requires-python"])
    assert allowed.contains(python.removeprefix("python="))
    assert pip["pip"][0] == "-c requirements.lock"
    extras = pip["pip"][1].removeprefix("-e .[").removesuffix("]").split(",")
    assert {"torch", "book"} <= set(extras) <= set(EXTRAS)


def test_this_environment_follows_the_lock():
    """Otherwise the tests say nothing about what readers install."""
    from importlib.metadata import version

    here = default_environment()
    wrong = {
        pin.name: version(pin.name)
        for pin in LOCK
        if pin.name in WATCHED
        if not pin.marker or pin.marker.evaluate({k: str(v) for k, v in here.items()})
        if not pin.specifier.contains(version(pin.name))
    }
    assert not wrong


# Everything that a bare `pip install repcost` would not bring.
BARE = """
import sys
EXTRA = 'IPython matplotlib torch jupytext papermill nbformat psutil sphinx'.split()
class OnlyTheCore:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in EXTRA:
            raise ImportError(f'{name} is not installed')
sys.meta_path.insert(0, OnlyTheCore())
sys.path = [p for p in sys.path if not p.endswith('lib')]
sys.path.insert(0, sys.argv[1])
import repcost, repcost_book
assert repcost.__file__.startswith(sys.argv[1]) and repcost_book.__file__.startswith(sys.argv[1])
cost = repcost.function_cost(repcost.PiecewiseLinear([0.0], [-1, 1]))
repcost_book.check('savarese-2019/abstract', 'the formula is half the sum of squared weights',
    lambda formula: abs(cost.value - formula([1, 1, 1, 1])), lambda weights: sum(weights) / 2,
    at_most=0, wrong={'the whole sum': sum}, apart=1)
print(repcost.__version__)
"""


def test_the_wheel_alone(tmp_path):
    place = install_wheel(tmp_path)
    assert not list(place.rglob("tests"))
    # Without these, type checkers take all names of the packages for anything.
    assert all((place / name / "py.typed").is_file() for name in ("repcost", "repcost_book"))
    done = subprocess.run(
        [sys.executable, "-c", BARE, str(place)], cwd=place, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("✓ savarese-2019/abstract")
    assert done.stdout.splitlines()[-1] == repcost.__version__


def test_binder_installs_what_the_lab_needs_at_the_pins_and_no_gpu():
    lines = (ROOT / "binder" / "requirements.txt").read_text().splitlines()
    asked = [line for line in lines if not line.startswith("#")]
    index, pins, packages = asked
    assert index == "--extra-index-url https://download.pytorch.org/whl/cpu"
    assert pins == "-c ../requirements.lock" and (ROOT / "requirements.lock").is_file()
    extras = packages.removeprefix("-e .[").removesuffix("]").split(",")
    assert set(extras) == {"torch", "book", "lab"} <= EXTRAS.keys()
    python = (ROOT / "binder" / "runtime.txt").read_text().strip().removeprefix("python-")
    assert SpecifierSet(PYPROJECT["project"]["requires-python"]).contains(python)
