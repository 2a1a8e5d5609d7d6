"""What is released is the same whoever makes it, and speaks of one version everywhere."""

import sys

import pytest
import yaml

from repcost import __version__
from repcost_book.runner.project import Project
from repcost_book.trials import release as trial
from repcost_book.trials.release import Release, core, disagreements, example

HERE = Project.here()


@pytest.fixture
def small(tmp_path):
    """A project of one module, which is quick to build."""
    root = tmp_path / "small"
    (root / "lib" / "small").mkdir(parents=True)
    (root / "lib" / "small" / "__init__.py").write_text("ANSWER = 4\n")
    (root / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "small"\nversion = "1.0"\nrequires-python = ">=3.11"\n'
        "dependencies = []\n"
        '[tool.hatch.build.targets.wheel]\npackages = ["lib/small"]\n'
    )
    (root / "README.md").write_text("```python\nimport small\nassert small.ANSWER == 4\n```\n")
    made = Release(Project(root), tmp_path / "dist")
    made.build()
    return made


def test_made_again_it_is_the_same(small, monkeypatch):
    assert small.made_differently() == []
    assert (small.wheel.name, small.sdist.name) == (
        "small-1.0-py3-none-any.whl",
        "small-1.0.tar.gz",
    )
    monkeypatch.setattr(trial, "DATED", {"SOURCE_DATE_EPOCH": "987654321"})
    assert small.made_differently() == [small.wheel.name, small.sdist.name]


def test_the_example_runs_in_an_environment_of_its_own(small, monkeypatch):
    pytest.importorskip("uv")
    # Without an index: what a small project needs is here.
    monkeypatch.setenv("UV_OFFLINE", "1")
    assert small.alone(sys.executable, "highest") == ""
    readme = small.project.root / "README.md"
    readme.write_text("```python\nimport small, numpy\n```\n")
    assert "No module named 'numpy'" in small.alone(sys.executable, "highest")


def test_the_example_is_the_first_of_the_readme():
    assert "function_cost(network)" in example(HERE) and "import torch" not in example(HERE)
    assert any(line.startswith("numpy>=") for line in core(HERE))


def test_files_that_speak_of_another_version_are_named(tmp_path):
    project = Project(tmp_path)
    (tmp_path / "CITATION.cff").write_text("version: 1.2.3\ndate-released: 2030-01-02\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 (2030-01-02)\n\n- All.\n")
    assert not list(disagreements(project, "1.2.3"))
    named = list(disagreements(project, "1.2.4"))
    assert len(named) == 2 and "CITATION.cff" in named[0] and "CHANGELOG.md" in named[1]
    (tmp_path / "CHANGELOG.md").write_text("## 1.2.3 (2030-01-03)\n")
    assert "another date" in next(disagreements(project, "1.2.3"))


def test_the_citation_has_the_version_of_the_package():
    citation = yaml.safe_load((HERE.root / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__


def test_the_recipe_for_conda_says_the_same():
    recipe = yaml.safe_load((HERE.root / "tools" / "conda" / "recipe.yaml").read_text("utf-8"))
    assert recipe["context"]["version"] == __version__
    _, *ours = recipe["requirements"]["run"]
    assert [line.replace(" ", "") for line in ours] == core(HERE)
