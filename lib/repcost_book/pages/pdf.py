"""The whole book on paper: printed twice, as nobody knows page numbers before the first time."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from repcost_book.pages.whole import root, whole
from repcost_book.runner.files import write
from repcost_book.runner.project import Project

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
INSTALL = "install Chromium (Debian: apt-get install chromium), or set CHROMIUM to where it is"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
PRINT = ["--no-pdf-header-footer", "--generate-pdf-document-outline"]
# In seconds; the whole book takes two minutes on a machine with nothing else to do.
PATIENCE = 1800
# Numbers may move what they stand in front of once more, and then rest.
ROUNDS = 4


# In the first page of the book, where the offer stands once there is one (`front.hero`).
MARK = "<!-- the book as a PDF -->"
OFFER = re.compile(rf"{re.escape(MARK)}(?:<a [^>]*data-pdf.*?</a>)?", re.S)


class PrintingFailed(RuntimeError):
    """Chromium printed nothing, or nothing that can be numbered."""


def chromium() -> str | None:
    """Where Chromium is: CHROMIUM, or the first of its usual names."""
    names = [os.environ.get("CHROMIUM", ""), *NAMES]
    return next((found for found in map(shutil.which, filter(None, names)) if found), None)


def make_pdf(project: Project, browser: str) -> Path:
    """Print the pages that are built as one book; the numbers of its contents are true."""
    document = project.html / "whole.html"
    book = project.html / "book.pdf"
    numbers: dict[str, int] = {}
    try:
        for _ in range(ROUNDS):
            write(document, whole(project, numbers))
            printed = _print(browser, document)
            before, numbers = numbers, first_pages(printed)
            if numbers == before:
                write(book, printed)
                offer(project)
                return book
    finally:
        document.unlink(missing_ok=True)
    raise PrintingFailed(f"the page numbers of the contents did not settle in {ROUNDS} rounds")


def offer(project: Project) -> None:
    """Let the first page lead to the PDF, with its size."""
    size = (project.html / "book.pdf").stat().st_size / 1e6
    link = '<a href="../../book.pdf" data-pdf><b>On paper</b>'
    _write_offer(project, f"{link}<span>The whole book as a PDF, {size:.0f} MB</span></a>")


def withdraw(project: Project) -> None:
    """Pages that are made again are not those that were printed."""
    (project.html / "book.pdf").unlink(missing_ok=True)
    _write_offer(project, "")


def _write_offer(project: Project, link: str) -> None:
    page = project.html / f"{root(project)}.html"
    if page.is_file():
        text = page.read_text(encoding="utf-8")
        write(page, OFFER.sub(lambda found: MARK + link, text))


def _print(browser: str, document: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        paper = Path(folder, "book.pdf")
        own = [f"--user-data-dir={folder}", f"--print-to-pdf={paper}"]
        command = [browser, *FLAGS, *PRINT, *own, document.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode or not paper.is_file():
            raise PrintingFailed(f"{browser} printed nothing: {done.stderr.strip()[-400:]}")
        return paper.read_bytes()


# What Chromium writes of the structure of a PDF is plain text, one object after the other.
OBJECT = re.compile(rb"(\d+) 0 obj\n(<<.*?)\nendobj", re.S)
KIDS = re.compile(rb"/Kids\s*\[([^\]]*)\]")
PLACE = re.compile(rb"/([^\s/\[\]<>()]+)\s*\[(\d+) 0 R\s*/XYZ")


def first_pages(pdf: bytes) -> dict[str, int]:
    """The page, counted from 1, of every place that something in the document links to."""
    objects = {int(number): text for number, text in OBJECT.findall(pdf)}
    roots = [
        text for text in objects.values() if b"/Type /Pages" in text and b"/Parent" not in text
    ]
    if len(roots) != 1:
        raise PrintingFailed("the PDF has no tree of pages that can be read")
    pages = {number: at for at, number in enumerate(_leaves(roots[0], objects), start=1)}
    places = [place for text in objects.values() for place in PLACE.findall(text)]
    return {_name(name): pages[int(page)] for name, page in places if int(page) in pages}


def _leaves(node: bytes, objects: dict[int, bytes]) -> list[int]:
    """The numbers of the pages below a node, in their order."""
    found: list[int] = []
    for kid in re.findall(rb"(\d+) 0 R", kids[1] if (kids := KIDS.search(node)) else b""):
        below = objects.get(int(kid), b"")
        found += _leaves(below, objects) if b"/Type /Pages" in below else [int(kid)]
    return found


def _name(name: bytes) -> str:
    """In the names of a PDF signs that are no letters are written as #XX."""
    return re.sub(rb"#([0-9A-Fa-f]{2})", lambda found: bytes([int(found[1], 16)]), name).decode()
