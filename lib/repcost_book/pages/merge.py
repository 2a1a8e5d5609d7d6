"""One chapter as a page: the prose and tags of its source, with the outputs of its run."""

import nbformat
from nbformat import NotebookNode

from repcost.devices import WORTH_A_GPU
from repcost_book.kernel.outputs import FIGURE, METADATA_KEY
from repcost_book.pages.settled import LedgerError
from repcost_book.pages.signs import line_of_a_check
from repcost_book.runner.chapters import code_cells, is_added, tags

# The cells that only set a chapter up, by their tags: one line under the title has them all.
SETUP = ("parameters", "injected-parameters", "imports", "glue")
# Whose code `repcost_book.pages.folding` puts under a name of its own; of all others, too.
FOLDED = (*SETUP, "figure", "solution")
LIVE_VIEW = "application/vnd.jupyter.widget-view+json"
# What the line below a chapter says in words of its own; it lists the rest as parameters.
TOLD_APART = {"profile", "seconds", "key", "versions", "sizes", "machine", "cpu_seconds", "work"}
# And what is for those who collect runs, or take a chapter away.
TOLD_APART |= {"parameters", "commit", "results", "needs_torch"}


def merge(source: NotebookNode, executed: NotebookNode) -> NotebookNode:
    """The source with the outputs of the run, the injected parameters, and a line about the run."""
    ran = iter(code_cells(executed))
    injected = [_as_run(cell) for cell in executed.cells if is_added(cell)]
    cells = []
    for cell in source.cells:
        cells.append(cell)
        if cell.cell_type == "code":
            _take_outputs(cell, next(ran))
            caption_in_cell(cell)
        if "parameters" in tags(cell):
            cells.extend(injected)
    source.cells = [*cells, _about_this_run(executed.metadata["repcost"])]
    source.metadata["repcost"] = executed.metadata["repcost"]
    return source


def caption_in_cell(cell: NotebookNode) -> None:
    """Move the caption from the metadata of an output, where `figure` leaves it, to the cell's."""
    # There myst-nb looks for it.
    for output in cell.get("outputs", []):
        found = output.get("metadata", {}).get(METADATA_KEY, {}).get("figure")
        if found:
            about = {"caption": found["caption"], "name": found["name"]}
            cell.metadata["mystnb"] = {"figure": about, "image": {"alt": found["alt"]}}


def _take_outputs(cell: NotebookNode, ran: NotebookNode) -> None:
    if ran.source != cell.source:
        said = f"the outputs of cell {cell.id} belong to other code"
        raise LedgerError(f"{said}; run the chapter again")
    cell.outputs = [_as_shown(output) for output in ran.outputs]
    cell.execution_count = ran.execution_count
    if "glue" in tags(cell):
        # Values, which the text shows in their places.
        cell.metadata["tags"] = [*tags(cell), "remove-output"]


def _as_run(cell: NotebookNode) -> NotebookNode:
    cell.metadata = nbformat.from_dict({"tags": ["injected-parameters"]})
    cell.id = "injected-parameters"
    return cell


def _as_shown(output: NotebookNode) -> NotebookNode:
    # The model of a live widget is gone with the kernel; the page shows the HTML beside its view,
    # and needs no widget manager. What figures have beside their pictures are files.
    if "data" not in output:
        return output
    beside = [FIGURE, *([LIVE_VIEW] if "text/html" in output.data else [])]
    data = {kind: value for kind, value in output.data.items() if kind not in beside}
    if "check" in output.get("metadata", {}).get(METADATA_KEY, {}):
        data["text/html"] = line_of_a_check(data["text/html"])
    return NotebookNode({**output, "data": NotebookNode(data)})


def _about_this_run(about: NotebookNode) -> NotebookNode:
    parameters = [f"{name} {value}" for name, value in about.items() if name not in TOLD_APART]
    took = f"{about.seconds:.0f}\N{NO-BREAK SPACE}s"
    run = ", ".join([f"{about.profile} profile", *parameters, took])
    versions = [f"{name} {number}" for name, number in about.versions.items()]
    lines = [
        # Four backticks, because three may stand inside.
        f"````{{admonition}} {run[0].upper()}{run[1:]}",
        ":class: repcost-about dropdown",
        _sizes(about.sizes),
        _where(about),
        f"Versions: {', '.join(versions)}; key `{about.key[:12]}`.",
        "````",
    ]
    return nbformat.v4.new_markdown_cell("\n".join(lines), id="about-this-run")


def _sizes(sizes: NotebookNode) -> str:
    told = [f"{name}: {quick} (paper profile: {paper})" for name, (quick, paper) in sizes.items()]
    return f"Sizes: {'; '.join(told)}." if told else "The same sizes in every profile."


def _where(about: NotebookNode) -> str:
    """What was done where and how long it took, steps of all sizes together."""
    kinds: dict[str, list[NotebookNode]] = {}
    for work in about.work:
        kind = f"`{work.what}` in {work.dtype} on {work.device}"
        kinds.setdefault(kind, []).append(work)
    told = [f"{kind} ({_amount(of)})" for kind, of in kinds.items()]
    machine = f"Computed on {about.machine}"
    if not told:
        return f"{machine}; nothing here is for a GPU."
    least = [f"{flops:.0e} in {dtype}" for dtype, flops in WORTH_A_GPU.items()]
    rule = f"by device auto, the paper profile gives a GPU steps of {' or '.join(least)} operations"
    return f"{machine}: {', '.join(told)}; {rule}."


def _amount(of: list[NotebookNode]) -> str:
    seconds, largest = sum(work.seconds for work in of), max(work.flops for work in of)
    return f"{seconds:.1f} s, {sum(work.steps for work in of)} steps, the largest of {largest:.0e}"
