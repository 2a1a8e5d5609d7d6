"""The numbers of a figure are those that were drawn, whatever drew them."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Circle

from repcost_book.kernel.drawn import drawn

X, Y = np.array([0.5, 1.0, 2.0]), np.array([1.0, np.nan, 1 / 3])
HALF, GRID = np.array([[0.25, 2.0], [1 / 3, 5.0]]), np.arange(3.0)


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def shown(ax) -> list[dict]:
    """What is told of the axes, as a reader of the file has it: strict JSON."""
    ax.figure.canvas.draw()
    (axes,) = json.loads(json.dumps(drawn(ax.figure), allow_nan=False))
    return axes["shown"]


def test_a_line_keeps_all_digits_and_its_gaps(ax):
    ax.semilogy(X, Y, color="red", label="cost")
    (line,) = shown(ax)
    assert line == {
        "kind": "line",
        "label": "cost",
        "colour": "#ff0000",
        "x": [0.5, 1.0, 2.0],
        "y": [1.0, None, 1 / 3],
    }


def test_axes_say_what_they_measure_and_where_they_end(ax):
    ax.set(title="T", xlabel="layers", ylabel="cost", xlim=(0, 4), yscale="log", ylim=(1, 10))
    ax.set_xticks([1, 2], ["one", "two"])
    (axes,) = drawn(ax.figure)
    names = {"ticks": [1, 2], "names": ["one", "two"]}
    x = {"label": "layers", "scale": "linear", "from": 0.0, "to": 4.0, **names}
    y = {"label": "cost", "scale": "log", "from": 1.0, "to": 10.0}
    assert (axes["title"], axes["x"], axes["y"]) == ("T", x, y)


DRAWN = {
    "points with values": (
        lambda ax: ax.scatter(X, X**2, c=X, label="nets"),
        {"kind": "points", "label": "nets", "x": [*X], "y": [*X**2], "values": [*X]},
    ),
    "bars": (
        lambda ax: ax.bar([1, 2], [3.0, 1 / 3], 0.5, color="k", label="units"),
        {"kind": "bars", "label": "units", "colour": "#000000", "x": [0.75, 1.75], "y": [0, 0]}
        | {"width": [0.5, 0.5], "height": [3.0, 1 / 3]},
    ),
    "an image": (
        lambda ax: ax.imshow(HALF, extent=(0, 2, -1, 1)),
        {"kind": "image", "extent": [0, 2, -1, 1], "origin": "upper", "values": HALF.tolist()},
    ),
    "a line across the picture": (
        lambda ax: ax.axhline(1 / 3, color="k"),
        {"kind": "line", "parts of the picture": ["x"], "colour": "#000000"}
        | {"x": [0, 1], "y": [1 / 3, 1 / 3]},
    ),
    "an annotation": (
        lambda ax: ax.annotate("here", (1 / 3, 2), xytext=(0, 0)),
        {"kind": "text", "text": "here", "x": 1 / 3, "y": 2},
    ),
    "arrows": (
        lambda ax: ax.quiver(X, X, -X, 2 * X),
        {"kind": "arrows", "x": [*X], "y": [*X], "u": [*-X], "v": [*2 * X]},
    ),
}


@pytest.mark.parametrize("what", DRAWN)
def test_what_is_drawn_is_told(ax, what):
    draw, wanted = DRAWN[what]
    draw(ax)
    assert shown(ax) == [wanted]


def test_an_area_is_told_by_its_corners(ax):
    ax.fill_between(X, -X, X)
    (area,) = shown(ax)
    (piece,) = area["pieces"]
    corners = [(x, sign * x) for x in X for sign in (-1, 1)]
    assert {*corners} <= {*zip(piece["x"], piece["y"], strict=True)}


def test_a_band_of_an_axis_says_that_its_height_is_that_of_the_picture(ax):
    ax.axvspan(1, 2, color="k")
    (band,) = shown(ax)
    assert band["kind"] == "outline" and band["parts of the picture"] == ["y"]
    assert {*band["x"]} == {1, 2} and {*band["y"]} == {0, 1}


def test_a_circle_lies_where_it_is_drawn(ax):
    ax.add_patch(Circle((3, 4), 2))
    (circle,) = shown(ax)
    assert (min(circle["x"]), max(circle["x"])) == pytest.approx((1, 5))
    assert (min(circle["y"]), max(circle["y"])) == pytest.approx((2, 6))


@pytest.mark.parametrize("way, kind", [("contour", "lines of levels"), ("contourf", "bands")])
def test_levels_have_the_lines_along_them(ax, way, kind):
    getattr(ax, way)(GRID, GRID, np.add.outer(GRID, GRID), levels=[0.5, 1.5, 2.5])
    (levels,) = shown(ax)
    assert levels["kind"].startswith(kind) and levels["levels"] == [0.5, 1.5, 2.5]
    first = levels["pieces"][0]
    values = np.add(first["x"], first["y"])
    assert first["of"] == 0 and values.min() == pytest.approx(0.5)
    assert values.max() == pytest.approx(0.5 if way == "contour" else 1.5)


def test_a_line_of_a_level_in_two_parts_is_two_pieces(ax):
    ax.contour([0, 1, 2], [0, 1], [[1, 0, 1], [1, 0, 1]], levels=[0.5])
    (level,) = shown(ax)
    assert [{*piece["x"]} for piece in level["pieces"]] == [{0.5}, {1.5}]
    assert [piece["of"] for piece in level["pieces"]] == [0, 0]


def test_a_mesh_has_its_corners_and_the_key_of_its_colours_no_numbers(ax):
    mesh = ax.pcolormesh(GRID, GRID, HALF)
    ax.figure.colorbar(mesh).set_label("cost")
    axes, key = drawn(ax.figure)
    (told,) = axes["shown"]
    assert told["values"] == HALF.tolist() and told["x"][0] == [*GRID]
    assert key["is"] == "key of colours" and key["y"]["label"] == "cost"
    assert "shown" not in key
