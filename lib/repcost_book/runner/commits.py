"""Which commit a checkout is at, as a run notes it."""

import re
import subprocess
from pathlib import Path

# Behind the commit, where the checkout is not what the commit has.
CHANGED = " with changes"
# What numbers come from; a run itself changes results/.
SOURCES = ("book", "lib", "requirements.lock")


def commit(root: Path) -> str:
    """The commit, and whether its sources were changed since; empty where there is none."""
    head = _git(root, "rev-parse", "HEAD")
    if not is_commit(head):
        return ""
    changed = _git(root, "status", "--porcelain", "--", *SOURCES)
    return head + CHANGED * bool(changed)


def is_commit(text: str) -> bool:
    """Whether this is a commit, without changes."""
    return re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", text) is not None


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    # A copy of the sources may well lie where there is no git.
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
