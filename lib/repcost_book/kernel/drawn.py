"""What a figure shows, as numbers: its axes, and on each the lines, points, bars, areas, images.

Numbers are those that were handed to Matplotlib, unrounded. Where a coordinate is no number of the
axis, as the ends of a line across the whole picture, it is a part of the axis from 0 to 1, and the
entry says so. What is no number, as a gap in a line, is null: JSON for every reader.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Entry = dict[str, Any]


def drawn(fig: "Figure") -> list[Entry]:
    """An entry for each axes of the figure, in the order in which they were made."""
    return [_axes(ax) for ax in fig.axes]


def _axes(ax: "Axes") -> Entry:
    axes: Entry = {"title": ax.get_title()} if ax.get_title() else {}
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        low, high = axis.get_view_interval()
        axes[name] = {"label": axis.get_label_text(), "scale": axis.get_scale()}
        axes[name] |= {"from": float(low), "to": float(high), **_names(axis)}
    # A bar of colours has that name, and is drawn by Matplotlib itself.
    is_key = ax.get_label() == "<colorbar>"
    return axes | {"is": "key of colours"} if is_key else axes | {"shown": [*_shown(ax)]}


def _names(axis: Any) -> Entry:
    """The places that have names instead of numbers."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter

    named = isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter)
    if not named or not isinstance(axis.get_major_locator(), FixedLocator):
        return {}
    texts = [label.get_text() for label in axis.get_ticklabels()]
    return {"ticks": _numbers(axis.get_ticklocs()), "names": texts}


def _shown(ax: "Axes") -> Iterator[Entry]:
    from matplotlib.container import BarContainer

    bars = [each for each in ax.containers if isinstance(each, BarContainer)]
    of_bars = {patch for each in bars for patch in each.patches}
    yield from (_line(line) for line in ax.lines)
    yield from (_bars(each) for each in bars)
    yield from (_outline(patch) for patch in ax.patches if patch not in of_bars)
    yield from (_collection(each) for each in ax.collections)
    yield from (_image(image) for image in ax.images)
    yield from (_text(text) for text in ax.texts if text.get_text())


def _line(line: Any) -> Entry:
    x, y = line.get_data()
    colour = {"colour": _colour(line.get_color())}
    return _about("line", line) | colour | {"x": _numbers(x), "y": _numbers(y)}


def _bars(bars: Any) -> Entry:
    corners = {"x": "get_x", "y": "get_y", "width": "get_width", "height": "get_height"}
    sides = {
        side: _numbers([getattr(patch, get)() for patch in bars.patches])
        for side, get in corners.items()
    }
    colours = {_colour(patch.get_facecolor()) for patch in bars.patches}
    said = {"colour": colours.pop()} if len(colours) == 1 else {}
    return _entry("bars", bars.get_label()) | said | sides


def _outline(patch: Any) -> Entry:
    """A polygon, a circle, a band: its corners, those of curves included."""
    points = patch.get_patch_transform().transform(patch.get_path().vertices)
    colour = {"colour": _colour(patch.get_facecolor() if patch.fill else patch.get_edgecolor())}
    return _about("outline", patch) | colour | _points(points)


def _collection(many: Any) -> Entry:
    from matplotlib.collections import PathCollection, QuadMesh
    from matplotlib.contour import ContourSet
    from matplotlib.quiver import Quiver

    if isinstance(many, Quiver):
        arrows = {"u": _numbers(many.U), "v": _numbers(many.V)}
        return _about("arrows", many) | _points(many.XY) | arrows
    if isinstance(many, ContourSet):
        filled = "bands between levels" if many.filled else "lines of levels"
        return _about(filled, many) | {"levels": _numbers(many.levels), **_pieces(many)}
    if isinstance(many, QuadMesh):
        corners = np.moveaxis(np.asarray(many.get_coordinates()), -1, 0)
        found = {"x": _numbers(corners[0]), "y": _numbers(corners[1])}
        return _about("mesh", many) | found | _values(many)
    if isinstance(many, PathCollection):
        return _about("points", many) | _points(many.get_offsets()) | _values(many)
    return _about("pieces", many) | _pieces(many) | _values(many)


def _pieces(many: Any) -> Entry:
    """Lines or areas, each by its corners; "of" counts to what it belongs, from 0."""
    return {
        "pieces": [
            {"of": number, **_points(piece)}
            for number, path in enumerate(many.get_paths())
            for piece in _parts(path)
        ]
    }


def _parts(path: Any) -> list[np.ndarray]:
    """A path may lift the pen: what it draws between, one by one."""
    if path.codes is None or not len(path.codes):
        return [path.vertices]
    begins = np.flatnonzero(path.codes == path.MOVETO)
    return np.split(path.vertices, begins[1:])


def _image(image: Any) -> Entry:
    extent = {"extent": _numbers(image.get_extent()), "origin": image.origin}
    return _about("image", image) | extent | {"values": _numbers(image.get_array())}


def _text(text: Any) -> Entry:
    # An annotation points at something; other texts stand where they are.
    points = getattr(text, "xycoords", None) == "data"
    x, y = text.xy if points else text.get_position()
    about = _entry("text", "") if points else _about("text", text)
    return about | {"text": text.get_text(), "x": _plain(x), "y": _plain(y)}


def _values(many: Any) -> Entry:
    """What is told by colours."""
    values = many.get_array()
    return {} if values is None else {"values": _numbers(values)}


def _points(points: Any) -> Entry:
    x, y = np.ma.asarray(points).reshape(-1, 2).T
    return {"x": _numbers(x), "y": _numbers(y)}


def _about(kind: str, artist: Any) -> Entry:
    """Kind and label, and along which axis its coordinates are parts of the picture."""
    numbers = artist.get_transform().contains_branch_seperately(artist.axes.transData)
    parts = [axis for axis, is_number in zip("xy", numbers, strict=True) if not is_number]
    # Points and arrows are small drawings, put where their offsets say.
    offsets = getattr(artist, "get_offset_transform", None)
    if parts == ["x", "y"] and offsets and artist.axes.transData in (offsets(),):
        parts = []
    said = {"parts of the picture": parts} if parts else {}
    return _entry(kind, str(artist.get_label())) | said


def _entry(kind: str, label: str) -> Entry:
    # Labels that nobody gave begin with an underscore.
    return {"kind": kind} | ({"label": label} if label and not label.startswith("_") else {})


def _colour(colour: Any) -> str:
    from matplotlib.colors import to_hex

    return to_hex(colour)


def _numbers(values: Any) -> list:
    """As nested lists of numbers, with None for what is none; dates and words as text."""
    found = np.ma.filled(np.ma.asarray(values).astype(object), None)
    return _plain(found.tolist())


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    if isinstance(value, int | np.integer | None):
        return value if value is None else int(value)
    return str(value)
