"""`python -m repcost_book COMMAND`: everything the Makefile does, for those without make."""

import argparse
import ast
import os
import subprocess
import sys
import webbrowser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from repcost_book.runner.project import Project

# What `test` looks at while the pages are made.
LOOKS = ["ruff check", "ruff format --check", "basedpyright", "codespell_lib"]


def main(arguments: list[str] | None = None) -> None:
    parser = _parser()
    options, options.rest = parser.parse_known_args(arguments)
    if options.rest and options.command not in PASSING_ON:
        parser.error(f"unknown arguments: {' '.join(options.rest)}")
    try:
        options.command(Project.here(), options)
    except KeyboardInterrupt:
        raise SystemExit(
            "\nStopped; the kernels were stopped too. What had finished is kept."
        ) from None


def book(project: Project, options: argparse.Namespace) -> None:
    _need("jupyter_book", "book")
    from repcost_book.pages.build import build

    page = build(project, _request(options))
    print(f"\nOpen {page.as_uri()}")


def run(project: Project, options: argparse.Namespace) -> None:
    _need("papermill", "book")
    from repcost_book.pages.build import report_failures
    from repcost_book.runner.runs import run, summary

    results = run(project, _request(options))
    print(summary(results))
    report_failures(project, results)
    for ran in results:
        print(f"  {os.path.relpath(ran.notebook)}")


def chapters(project: Project, options: argparse.Namespace) -> None:
    _need("jupytext", "book")
    import json

    from repcost_book.runner.chapters import chapters

    print(json.dumps([chapter.name for chapter in chapters(project, options.only)]))


def serve(project: Project, options: argparse.Namespace) -> None:
    book(project, options)
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    server = ThreadingHTTPServer(
        ("127.0.0.1", options.port), partial(SimpleHTTPRequestHandler, directory=project.html)
    )
    address = f"http://127.0.0.1:{server.server_port}/"
    print(f"Serving {address} (Ctrl-C stops)")
    if options.open:
        webbrowser.open(address)
    server.serve_forever()


def test(project: Project, options: argparse.Namespace) -> None:
    _need("nbval", "test")
    from repcost_book.runner.environment import repeatable

    python, failed = [sys.executable, "-m"], []

    def step(name: list[str], environment: dict[str, str] | None = None) -> None:
        print(f"\n--- {' '.join(name)}", flush=True)
        if _call([*python, *name], project.root, environment):
            failed.append(" ".join(name))

    if not options.rest:
        # Making the pages leaves a core free for most of the time.
        kept = {
            "cwd": project.root,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.STDOUT,
            "text": True,
        }
        with ThreadPoolExecutor(max_workers=1) as beside:
            looks = {
                name: beside.submit(subprocess.run, [*python, *name.split()], **kept)
                for name in LOOKS
            }
            step(["repcost_book", "book"])
        for name, look in looks.items():
            print(f"\n--- {name}\n{look.result().stdout}", flush=True)
            failed += [name] * bool(look.result().returncode)
    step(["pytest", "-n", str(options.jobs), "--dist", "loadfile", *options.rest], repeatable())
    if failed:
        raise SystemExit(f"\nFailed: {', '.join(failed)}")


def references(project: Project, options: argparse.Namespace) -> None:
    _need("papermill", "book")
    from repcost_book.pages.build import report_failures
    from repcost_book.runner.references import make_references
    from repcost_book.runner.runs import Request, run, summary

    results = run(project, Request(jobs=options.jobs))
    print(summary(results))
    report_failures(project, results)
    changed = make_references(project)
    print("Changed: " + ", ".join(changed) if changed else "All references are as they were.")


def bench(project: Project, options: argparse.Namespace) -> None:
    _need("pytest_benchmark", "test")
    from repcost_book.pages.benchmarks import record
    from repcost_book.runner.environment import repeatable

    report = project.build / "benchmarks.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    where = (
        []
        if any(Path(argument.partition("::")[0]).exists() for argument in options.rest)
        else ["benchmarks"]
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        *where,
        "--benchmark-only",
        "-p",
        "no:xdist",
        "-p",
        "no:jaxtyping",
    ]
    command += ["-o", "addopts=--benchmark-disable-gc --benchmark-timer=time.process_time"]
    # One thread for both sides, as in the chapters.
    if _call([*command, f"--benchmark-json={report}", *options.rest], project.root, repeatable()):
        raise SystemExit("A benchmark failed; the table in the book stays as it was.")
    if options.rest:
        print("Only a run of all benchmarks enters the book.")
    else:
        record(report, project.benchmarks)
        print(f"Recorded in {os.path.relpath(project.benchmarks)}")


def lab(project: Project, options: argparse.Namespace) -> None:
    _need("jupyterlab", "lab")
    import json

    from repcost_book.runner.environment import fast
    from repcost_book.runner.files import write

    # A chapter is Markdown; with this a double click opens it as the notebook it is.
    settings = {
        "@jupyterlab/docmanager-extension:plugin": {
            "defaultViewers": {"markdown": "Jupytext Notebook"}
        },
        "@jupyterlab/apputils-extension:notification": {
            "fetchNews": "false",
            "checkForUpdates": False,
        },
    }
    write(
        project.build / "lab" / "labconfig" / "default_setting_overrides.json", json.dumps(settings)
    )
    environment = {**fast(), "JUPYTER_CONFIG_PATH": str(project.build / "lab")}
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--ServerApp.root_dir",
        str(project.book),
        *options.rest,
    ]
    sys.exit(_call(command, project.root, environment))


def lock(project: Project, options: argparse.Namespace) -> None:
    _need("uv", "test")
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "pyproject.toml",
        "--all-extras",
        "--universal",
    ]
    command += [
        "--python-version",
        "3.11",
        "--no-header",
        "--no-annotate",
        "--quiet",
        "-o",
        "requirements.lock",
    ]
    sys.exit(_call(command + (["--upgrade"] if options.upgrade else []), project.root))


def clean(project: Project, options: argparse.Namespace) -> None:
    import shutil

    shutil.rmtree(project.build, ignore_errors=True)


# What these do not know they hand to pytest or JupyterLab.
PASSING_ON = (test, bench, lab)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m repcost_book", description="Run, build and test the book."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(function: Callable, says: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(function.__name__, help=says, description=says)
        sub.set_defaults(command=function)
        return sub

    _add_run_options(command(book, "run every chapter that changed, then make the pages"))
    one = command(run, "run chapters, without making the pages")
    _add_run_options(one)
    listing = command(chapters, "the names of the chapters as JSON, for other programmes")
    for sub in (one, listing):
        sub.add_argument(
            "only",
            nargs="*",
            metavar="CHAPTER",
            help="such as savarese-2019/cost; all if none is named",
        )
    serving = command(serve, "make the pages and serve them on this machine")
    serving.add_argument(
        "--port", type=int, default=8000, help="0 picks a free one (default: %(default)s)"
    )
    serving.add_argument("--open", action="store_true", help="open a browser")
    _add_run_options(serving)
    testing = command(
        test,
        "lint, types, spelling, the pages, tests and references; with pytest's arguments pytest alone",
    )
    command(references, "make the reference notebooks again from the quick run")
    command(
        bench, "benchmarks: ours against theirs, as ratios in one run; takes pytest's arguments too"
    )
    command(
        lab,
        "JupyterLab on the chapters, which open by a double click; takes JupyterLab's arguments too",
    )
    command(lock, "resolve requirements.lock again").add_argument(
        "--upgrade", action="store_true", help="newest versions"
    )
    command(clean, "remove everything that was built")
    for sub in (testing, commands.choices["references"]):
        sub.add_argument(
            "--jobs",
            "-j",
            type=int,
            default=os.cpu_count() or 1,
            help="at once (default: the cores)",
        )
    return parser


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile", choices=["quick", "paper"], default="quick", help="default: %(default)s"
    )
    parser.add_argument(
        "--jobs",
        "-j",
        type=int,
        default=os.cpu_count() or 1,
        help="chapters at once, or tasks of one alone (default: the cores)",
    )
    parser.add_argument("--force", action="store_true", help="run also what has not changed")
    parser.add_argument(
        "-p",
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a parameter, such as seed=3",
    )
    parser.add_argument("--cell-timeout", type=int, metavar="S", help="seconds a cell may take")
    parser.add_argument(
        "--chapter-timeout", type=int, metavar="S", help="seconds a chapter may take"
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="a Dask scheduler (tcp://...) whose workers run the chapters",
    )


def _request(options: argparse.Namespace):
    from repcost_book.runner.execute import Limits
    from repcost_book.runner.runs import LIMITS, Request

    usual = LIMITS[options.profile]
    return Request(
        profile=options.profile,
        only=getattr(options, "only", []),
        parameters=dict(_parameter(text) for text in options.parameter),
        jobs=options.jobs,
        force=options.force,
        limits=Limits(options.cell_timeout or usual.cell, options.chapter_timeout or usual.chapter),
        scheduler=options.scheduler,
    )


def _parameter(text: str) -> tuple[str, int | float | str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise SystemExit(f"--parameter takes NAME=VALUE, not {text!r}")
    if name == "profile":
        raise SystemExit("the profile has an option of its own: --profile")
    try:
        number = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
    return name, number if isinstance(number, int | float) else value


def _need(module: str, extra: str) -> None:
    if find_spec(module) is None:
        remedy = f"{Path(sys.executable).name} -m pip install -c requirements.lock -e '.[torch,book,test,{extra}]'"
        raise SystemExit(
            f"This command needs the packages of the extra [{extra}]; install them with\n  {remedy}"
        )


def _call(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> int:
    return subprocess.run(command, cwd=folder, env=environment).returncode


if __name__ == "__main__":
    main()
