"""The commands that run chapters and make pages."""

import argparse
import json
import os
import webbrowser
from functools import partial
from pathlib import Path

from repcost_book.commands.command import Command, Options
from repcost_book.commands.options import add_jobs, add_only, add_run_options, request
from repcost_book.runner.project import Project


def book(project: Project, options: Options) -> None:
    """Make the pages, and say which one to open."""
    from repcost_book.pages.build import build

    page = build(project, request(options))
    print(f"\nOpen {page.as_uri()}")


def run(project: Project, options: Options) -> None:
    """Run chapters, and say where the executed notebooks are."""
    from repcost_book.pages.build import report_failures
    from repcost_book.runner.runs import run, summary

    results = run(project, request(options))
    print(summary(results))
    report_failures(project, results)
    for ran in results:
        print(f"  {os.path.relpath(ran.notebook)}")


def chapters(project: Project, options: Options) -> None:
    """Print names on one line, as the workflows on GitHub read them."""
    from repcost_book.runner.chapters import chapters
    from repcost_book.runner.gpus import uses_gpu
    from repcost_book.runner.paper_runs import noted

    found = chapters(project, options.only)
    if options.gpu:
        noted_runs = noted(project.paper_runs)
        found = [chapter for chapter in found if uses_gpu(chapter, noted_runs)]
    print(json.dumps([chapter.name for chapter in found]))


def gpu(project: Project, options: Options) -> None:
    """Say what there is to compute on, and what a GPU should bring; keep that in docs/."""
    from repcost.devices import available
    from repcost_book.pages.gpu import gpu_table, with_table
    from repcost_book.runner.chapters import chapters
    from repcost_book.runner.files import write
    from repcost_book.runner.paper_runs import noted

    table = gpu_table(chapters(project), noted(project.paper_runs))
    print(f"Here torch computes on: {', '.join(available())}.\n\n{table}")
    page = project.root / "docs" / "GPU.md"
    if write(page, with_table(page.read_text(encoding="utf-8"), table)):
        print(f"Changed: {os.path.relpath(page)}")


def serve(project: Project, options: Options) -> None:
    """Make the pages, and serve them until somebody stops it."""
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    # For this machine alone: nobody asked for a server that others can reach.
    here = ("127.0.0.1", options.port)
    handler = partial(SimpleHTTPRequestHandler, directory=project.html)
    try:
        # First of all: the pages may take minutes, and it is a pity to learn it after that.
        server = ThreadingHTTPServer(here, handler)
    except OSError as error:
        said = f"Port {options.port} cannot be used ({error.strerror})"
        raise SystemExit(f"{said}; give another with --port, or --port 0 for a free one.") from None
    book(project, options)
    address = f"http://127.0.0.1:{server.server_port}/"
    print(f"Serving {address} (Ctrl-C stops)")
    if options.open:
        webbrowser.open(address)
    server.serve_forever()


def references(project: Project, options: Options) -> None:
    """Run the quick profile, or take what is executed of the paper profile; make references."""
    from repcost_book.runner.references import make_paper_references, make_references

    if options.profile == "paper":
        changed = make_paper_references(project)
    else:
        _run_everything(project, options)
        changed = make_references(project)
    print("Changed: " + ", ".join(changed) if changed else "All references are as they were.")


def collect(project: Project, options: Options) -> None:
    """Take over what the jobs of the paper profile made; make the pages if nothing is missing."""
    from repcost_book.pages.build import publish
    from repcost_book.runner.collecting import collect, missing

    collected = collect(project, options.folders)
    print(f"Collected {len(collected)} chapters: {', '.join(collected)}")
    lacking = missing(project)
    if lacking:
        remedy = "collect them too, or run them with --profile paper"
        print(f"No pages were made, as {len(lacking)} are missing: {', '.join(lacking)}; {remedy}.")
    else:
        print(f"\nOpen {publish(project, 'paper').as_uri()}")


def pdf(project: Project, options: Options) -> None:
    """Make the pages, print them as one book, and say where it is."""
    from repcost_book.pages.build import build
    from repcost_book.pages.pdf import INSTALL, chromium, make_pdf

    browser = chromium()
    if browser is None:
        raise SystemExit(f"The book is printed by Chromium, which is not here: {INSTALL}.")
    build(project, request(options))
    print(f"\nOpen {make_pdf(project, browser).as_uri()}")


def draw_map(project: Project, options: Options) -> None:
    """Lay the map of statements out again, and keep that for the pages."""
    from shutil import which

    from repcost_book.kernel.ledger import statements
    from repcost_book.pages.map_layout import KEPT, laid_out
    from repcost_book.runner.files import write

    if which("dot") is None:
        raise SystemExit("The map is laid out by Graphviz, which is not here: install graphviz.")
    is_new = write(KEPT, laid_out(statements()).text())
    print(f"{'Changed' if is_new else 'As it was'}: {os.path.relpath(KEPT)}")


def _run_everything(project: Project, options: Options) -> None:
    from repcost_book.pages.build import report_failures
    from repcost_book.runner.runs import Request, run, summary

    results = run(project, Request(jobs=options.jobs))
    print(summary(results))
    report_failures(project, results)


def _add_profile(parser: argparse.ArgumentParser) -> None:
    says = "paper: of the chapters executed in it, without running any (default: %(default)s)"
    parser.add_argument("--profile", choices=["quick", "paper"], default="quick", help=says)


def _add_folders(parser: argparse.ArgumentParser) -> None:
    says = "an unpacked artifact of a job, or a folder of such"
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help=says)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, not {text!r}")
    return int(text)


def _add_gpu(parser: argparse.ArgumentParser) -> None:
    says = "only those that have work for a GPU in the paper profile"
    parser.add_argument("--gpu", action="store_true", help=says)


def _add_serving(parser: argparse.ArgumentParser) -> None:
    port = "0 picks a free one (default: %(default)s)"
    parser.add_argument("--port", type=_port, default=8000, help=port)
    parser.add_argument("--open", action="store_true", help="open a browser")


COMMANDS = (
    Command(
        "book",
        "run every chapter that changed, then make the pages",
        book,
        needs=("jupyter_book", "book"),
        add_options=(add_run_options,),
    ),
    Command(
        "run",
        "run chapters, without making the pages",
        run,
        needs=("papermill", "book"),
        add_options=(add_run_options, add_only),
    ),
    Command(
        "chapters",
        "the names of the chapters as JSON, for other programmes",
        chapters,
        needs=("jupytext", "book"),
        add_options=(add_only, _add_gpu),
    ),
    Command(
        "gpu",
        "what torch computes on here, and what a GPU should bring to each chapter",
        gpu,
        needs=("jupytext", "book"),
    ),
    Command(
        "serve",
        "make the pages and serve them on this machine",
        serve,
        needs=("jupyter_book", "book"),
        add_options=(_add_serving, add_run_options),
    ),
    Command(
        "references",
        "make the references again, from the quick run or from what is executed of the paper's",
        references,
        needs=("papermill", "book"),
        add_options=(add_jobs, _add_profile),
    ),
    Command(
        "pdf",
        "make the pages, then the whole book as one PDF (needs Chromium)",
        pdf,
        needs=("jupyter_book", "book"),
        add_options=(add_run_options,),
    ),
    Command("map", "lay the map of statements out again (needs Graphviz)", draw_map),
    Command(
        "collect",
        "take over executed chapters and results of jobs that ran the paper profile",
        collect,
        needs=("jupyter_book", "book"),
        add_options=(_add_folders,),
    ),
)
