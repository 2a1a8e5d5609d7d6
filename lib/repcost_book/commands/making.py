"""The commands that run chapters and make pages."""

import argparse
import json
import os
import webbrowser
from functools import partial

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
    page = project.root / "docs" / "gpu.md"
    if write(page, with_table(page.read_text(encoding="utf-8"), table)):
        print(f"Changed: {os.path.relpath(page)}")


def serve(project: Project, options: Options) -> None:
    """Make the pages, and serve them until somebody stops it."""
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    book(project, options)
    # For this machine alone: nobody asked for a server that others can reach.
    here = ("127.0.0.1", options.port)
    server = ThreadingHTTPServer(here, partial(SimpleHTTPRequestHandler, directory=project.html))
    address = f"http://127.0.0.1:{server.server_port}/"
    print(f"Serving {address} (Ctrl-C stops)")
    if options.open:
        webbrowser.open(address)
    server.serve_forever()


def references(project: Project, options: Options) -> None:
    """Run the quick profile, and make the reference notebooks of it."""
    from repcost_book.pages.build import report_failures
    from repcost_book.runner.references import make_references
    from repcost_book.runner.runs import Request, run, summary

    results = run(project, Request(jobs=options.jobs))
    print(summary(results))
    report_failures(project, results)
    changed = make_references(project)
    print("Changed: " + ", ".join(changed) if changed else "All references are as they were.")


def _add_gpu(parser: argparse.ArgumentParser) -> None:
    says = "only those that have work for a GPU in the paper profile"
    parser.add_argument("--gpu", action="store_true", help=says)


def _add_serving(parser: argparse.ArgumentParser) -> None:
    port = "0 picks a free one (default: %(default)s)"
    parser.add_argument("--port", type=int, default=8000, help=port)
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
        "make the reference notebooks again from the quick run",
        references,
        needs=("papermill", "book"),
        add_options=(add_jobs,),
    ),
)
