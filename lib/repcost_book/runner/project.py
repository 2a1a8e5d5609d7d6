"""Where things are: the checkout that holds the book, and the folders inside `_build`."""

from dataclasses import dataclass
from pathlib import Path

# In this one place; a test compares them with CITATION.cff.
REPOSITORY = "https://github.com/repcost/repcost"
YEAR = 2026


@dataclass(frozen=True)
class Project:
    """A checkout: sources in book/, everything made from them in _build/."""

    root: Path

    @classmethod
    def here(cls) -> "Project":
        """The checkout around the working directory, or the one this package is installed from."""
        # From the inside out, so that a checkout inside another is its own.
        for folder in (Path.cwd(), *Path.cwd().parents, *Path(__file__).resolve().parents):
            if (folder / "_toc.yml").is_file() and (folder / "book").is_dir():
                return cls(folder)
        where = "run this inside a checkout of the repository (the folder that has _toc.yml)"
        raise SystemExit(f"No book found: {where}.")

    @property
    def book(self) -> Path:
        return self.root / "book"

    @property
    def contents(self) -> Path:
        """The table of contents."""
        return self.root / "_toc.yml"

    @property
    def ledger(self) -> Path:
        """The statements, as their authors write them."""
        return self.root / "lib" / "repcost_book" / "kernel" / "statements.yml"

    @property
    def readings(self) -> Path:
        """How long each chapter takes to read, and what it takes for read."""
        return self.book / "chapters.yml"

    @property
    def build(self) -> Path:
        return self.root / "_build"

    @property
    def running(self) -> Path:
        """The lock of the one run there may be, and which processes it has started."""
        return self.build / "running"

    @property
    def own(self) -> Path:
        """What the programmes that the book uses keep, instead of in the reader's home."""
        return self.build / "own"

    @property
    def stage(self) -> Path:
        """The mirror of the sources that jupyter-book reads, with the chapters executed."""
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
    def paper_references(self) -> Path:
        return self.root / "tests" / "reference" / "paper"

    @property
    def benchmarks(self) -> Path:
        """What the last whole run of the benchmarks measured."""
        return self.root / "results" / "benchmarks.json"

    @property
    def doubt(self) -> Path:
        """How many faults the checks of each chapter noticed."""
        return self.root / "results" / "doubt.json"

    @property
    def paper_runs(self) -> Path:
        """How long the chapters took at the papers' own sizes."""
        return self.root / "results" / "paper-runs.json"

    def executed(self, profile: str) -> Path:
        return self.build / "executed" / profile
