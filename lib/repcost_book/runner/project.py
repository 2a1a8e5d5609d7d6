"""Where things are: the checkout that holds the book, and the folders inside `_build`."""

from dataclasses import dataclass
from pathlib import Path

# The repository's address, in this one place.
REPOSITORY = "https://github.com/repcost/repcost"


@dataclass(frozen=True)
class Project:
    """A checkout: sources in book/, everything made from them in _build/."""

    root: Path

    @classmethod
    def here(cls) -> "Project":
        """The checkout around the working directory, or else the one this package is installed from
        (editable).
        """
        for folder in (Path.cwd(), *Path.cwd().parents, *Path(__file__).resolve().parents):
            if (folder / "_toc.yml").is_file() and (folder / "book").is_dir():
                return cls(folder)
        raise SystemExit(
            "No book found: run this inside a checkout of the repository (the folder that has _toc.yml)."
        )

    @property
    def book(self) -> Path:
        return self.root / "book"

    @property
    def build(self) -> Path:
        return self.root / "_build"

    @property
    def stage(self) -> Path:
        """The mirror of the sources that jupyter-book reads, with executed chapters in place of
        their sources.
        """
        return self.build / "stage"

    @property
    def html(self) -> Path:
        return self.build / "html"

    @property
    def lock(self) -> Path:
        return self.root / "requirements.lock"

    @property
    def references(self) -> Path:
        return self.root / "tests" / "reference" / "quick"

    @property
    def benchmarks(self) -> Path:
        """What the last whole run of the benchmarks measured."""
        return self.root / "results" / "benchmarks.json"

    @property
    def paper_runs(self) -> Path:
        """How long the chapters took at the papers' own sizes."""
        return self.root / "results" / "paper-runs.json"

    def executed(self, profile: str) -> Path:
        return self.build / "executed" / profile
