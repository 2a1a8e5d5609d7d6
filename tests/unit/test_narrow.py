"""Figures for narrow screens: which panels stand where, and what they say again."""

import matplotlib.pyplot as plt
import pytest

from repcost.plotting import STYLE
from repcost_book.kernel.narrow import TALLER, WIDE, make_narrow, smallest_letters


@pytest.fixture(autouse=True)
def _look():
    with plt.style.context(STYLE):
        yield
    plt.close("all")


def drawn(*shape, **how):
    """A figure whose panels have their place, row and column, as title."""
    fig, axes = plt.subplots(*shape, squeeze=False, **how)
    for row, across in enumerate(axes):
        for column, ax in enumerate(across):
            ax.plot([0, 1], [0, 1])
            ax.set_title(f"{row} {column}")
    axes[0, 0].set_ylabel("value")
    return fig


def arranged(fig) -> list[list[str]]:
    """The titles as they stand on paper, from above, row by row."""
    fig.canvas.draw()
    rows: dict[float, list] = {}
    for ax in fig.axes:
        box = ax.get_position()
        rows.setdefault(round(box.y0, 3), []).append((box.x0, ax.get_title()))
    return [[title for _, title in sorted(rows[y])] for y in sorted(rows, reverse=True)]


ARRANGED = {
    "panels below each other": ((1, 2), 7.4, [["0 0"], ["0 1"]]),
    "columns keep their rows": (
        (2, 3),
        7.4,
        [["0 0"], ["1 0"], ["0 1"], ["1 1"], ["0 2"], ["1 2"]],
    ),
    "small panels in twos": ((1, 5), 7.4, [["0 0", "0 1"], ["0 2", "0 3"], ["0 4"]]),
    "one stays": ((1, 1), 6.4, [["0 0"]]),
    "what fits stays": ((1, 2), 4.0, [["0 0", "0 1"]]),
}


@pytest.mark.parametrize("name", ARRANGED)
def test_where_panels_stand(name):
    shape, width, expected = ARRANGED[name]
    fig = drawn(*shape, figsize=(width, 3))
    before = arranged(fig)
    assert make_narrow(fig) == (before != expected)
    assert arranged(fig) == expected
    wide, tall = fig.get_size_inches()
    assert wide == WIDE and 3 <= tall <= 3 * len(expected) * TALLER


def test_images_without_numbers_keep_their_places():
    fig = drawn(2, 6, figsize=(5.2, 2))
    for ax in fig.axes:
        ax.set_axis_off()
    assert not make_narrow(fig) and len(arranged(fig)) == 2
    assert smallest_letters(fig) is None


@pytest.mark.parametrize("name", ["label", "title"])
def test_a_scale_of_colours_lies_below(name):
    fig = drawn(1, 2, figsize=(7.4, 3))
    filled = fig.axes[0].contourf([[0.0, 1], [1, 2]])
    bar = fig.colorbar(filled, ax=fig.axes[:2], ticks=[0, 1, 2])
    bar.set_label("f(x)") if name == "label" else bar.ax.set_title("f(x)")
    make_narrow(fig)
    fig.canvas.draw()
    *panels, scale = fig.axes
    assert scale.get_xlabel() == "f(x)"
    assert [label.get_text() for label in scale.get_xticklabels()] == ["0", "1", "2"]
    assert scale.get_position().y1 < min(ax.get_position().y0 for ax in panels)
    # Panels have nearly the whole width now, of which the upright scale would take a fifth.
    assert all(ax.get_position().width > 0.8 for ax in panels)


def test_a_shared_scale_is_told_again():
    fig = drawn(1, 2, figsize=(7.4, 3), sharey=True)
    second = fig.axes[1]
    hidden = [label.get_visible() for label in second.get_yticklabels()]
    make_narrow(fig)
    assert not any(hidden) and second.get_ylabel() == "value"
    assert all(label.get_visible() for label in second.get_yticklabels())
    # Control: scales of their own are not the first one's.
    fig = drawn(1, 2, figsize=(7.4, 3))
    make_narrow(fig)
    assert fig.axes[1].get_ylabel() == ""


def test_a_legend_beside_a_panel_stands_above_it():
    fig = drawn(1, 1, figsize=(6.4, 3))
    (ax,) = fig.axes
    ax.legend(["a line with many words"], loc="center left", bbox_to_anchor=(1, 0.5))
    make_narrow(fig)
    fig.canvas.draw()
    legend = ax.get_legend()
    assert legend is not None
    above, right = legend.get_window_extent(), ax.get_window_extent()
    assert above.y0 >= right.y1 and above.x1 <= fig.bbox.width
    assert fig.get_size_inches()[1] > 3


def test_panels_of_no_grid_stay_where_they_are():
    fig = plt.figure(figsize=(7.4, 3), layout="none")
    for left in (0.1, 0.6):
        fig.add_axes((left, 0.1, 0.3, 0.8))
    assert not make_narrow(fig) and fig.axes[1].get_position().x0 == 0.6


def test_the_smallest_letters_are_found():
    fig = drawn(1, 2, figsize=(7.4, 3))
    assert smallest_letters(fig) == 10
    fig.axes[1].tick_params(labelsize=6)
    assert smallest_letters(fig) == 6
