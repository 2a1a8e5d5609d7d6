"""The Python side of the drawings: what a notebook shows, what a page shows, and which points are
refused.
"""

import json
import subprocess
import sys
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

from repcost import (
    cheapest_network,
    cost_per_layer,
    forces,
    interpolate_line,
    linear_layers_cost,
    prune,
)
from repcost.constructions import facing_away
from repcost.datasets import two_rays
from repcost.shallow import merged, unit_atoms
from repcost_book.kernel.widgets import (
    DepthWidget,
    ForcesWidget,
    HiddenLayer,
    Knots,
    LineWidget,
    Merging,
    MergingWidget,
    Priced,
    PricesWidget,
    RaysWidget,
    TwoRays,
    prices,
)
from repcost_book.kernel.widgets.base import Drawing, has_look, parts
from repcost_book.kernel.widgets.depth import ZIGZAG
from repcost_book.kernel.widgets.line import MOST_POINTS
from repcost_book.kernel.widgets.line import allowed_points as allowed_on_line
from repcost_book.kernel.widgets.merging import (
    ALL,
    DIRECTIONS,
    GAP,
    LIMIT,
    PROGRAMME,
    WAVE,
    allowed_points,
)
from repcost_book.pages.sphinx_ext import WIDGET

LIVE = "application/vnd.jupyter.widget-view+json"


class Marked(HTMLParser):
    """The state in the attribute that the script looks for, read as a browser reads it."""

    def __init__(self, html: str):
        super().__init__()
        self.state, self.tags, self.words = {}, [], ""
        self.feed(html)

    @property
    def points(self):
        return self.state["points"]

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        found = dict(attrs).get("data-state")
        self.state = json.loads(found) if found else self.state

    def handle_data(self, data):
        self.words += data


def shown(widget: Drawing) -> dict:
    bundle = widget._repr_mimebundle_()
    assert bundle is not None
    return bundle[0]


def test_a_notebook_gets_a_live_view_and_a_page_gets_html():
    widget = LineWidget([[0, 0], [1, 1], [2, 3]])
    data = shown(widget)
    assert data[LIVE]["model_id"] == widget.model_id
    assert Marked(data["text/html"]).points == widget.points == [[0, 0], [1, 1], [2, 3]]
    assert (
        data["text/plain"]
        == repr(widget)
        == ("LineWidget([[0.0, 0.0], [1.0, 1.0], [2.0, 3.0]], 'free')")
    )


def test_the_html_is_one_element_that_loads_nothing():
    assert Marked(shown(LineWidget())["text/html"]).tags == ["div", "p"]


def test_its_words_tell_what_would_be_seen():
    words = Marked(shown(LineWidget([[0, 0], [1, 1], [2, 3]]))["text/html"]).words
    assert "(0, 0), (1, 1), (2, 3)" in words and "costs 2" in words and "many others" in words
    assert "it alone" in Marked(shown(LineWidget([[0, 0], [1, 1], [2, 0]]))["text/html"]).words


def test_the_html_is_the_same_in_every_run():
    assert (
        shown(LineWidget([[0.1, 1 / 3]]))["text/html"]
        == shown(LineWidget([[0.1, 1 / 3]]))["text/html"]
    )


def test_floats_reach_the_script_unrounded():
    points = [[0.1, 1 / 3], [0.1 + 2**-54, 1e-300], [1e5, -2 / 3]]
    assert Marked(shown(LineWidget(points))["text/html"]).points == points


def test_the_cost_is_the_librarys_and_follows_the_points():
    widget = LineWidget()
    assert widget.cost.value == 3.5
    widget.points = [[0, 0], [1, 1], [2, 3]]
    assert widget.cost.value == interpolate_line([0, 1, 2], [0, 1, 3]).cost.value == 2
    with pytest.raises(AttributeError):
        setattr(widget, "cost", 1)  # noqa: B010


def test_biases_may_pay():
    widget = LineWidget([[0, 0], [1, 1], [2, 0]], biases="paid")
    right = interpolate_line([0, 1, 2], [0, 1, 0], biases="paid")
    assert widget.cost.value == pytest.approx(right.cost.value, rel=1e-12)
    assert widget.cost.lower > LineWidget(widget.points).cost.upper
    assert f"costs {right.cost.value:.4g}" in Marked(shown(widget)["text/html"]).words
    widget.biases = "free"
    assert widget.cost.value == 2
    with pytest.raises(ValueError, match="biases"):
        widget.biases = "none"


def test_trained_curves_are_told_beside_the_state():
    html = shown(LineWidget(biases="paid", trained=[[[0, 0.123456], [1, 2]]]))["text/html"]
    assert "data-given=" in html and "0.1235" in html
    assert "data-given" not in shown(LineWidget(biases="paid"))["text/html"]


def test_points_make_the_round_trip():
    widget, heard = LineWidget(), []
    widget.observe(lambda change: heard.append(change["new"]), "points")
    widget.set_state({"points": [[0, 0.125], [1, 1]]})  # as the view sends it
    assert (
        widget.points == heard[-1] == widget.get_state("points")["points"] == [[0, 0.125], [1, 1]]
    )


def test_any_pairs_in_any_order_will_do():
    widget = LineWidget(np.array([[2, 3], [0, 0]]))
    assert widget.points == [[0, 0], [2, 3]]
    widget.points = ((5, 1), (4, 2))
    assert widget.points == [[4, 2], [5, 1]]
    assert all(type(number) is float for point in widget.points for number in point)


def test_two_widgets_do_not_share_points():
    one, other = LineWidget(), LineWidget()
    one.points = [[0, 0]]
    assert len(other.points) == 6


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([], "at least one pair"),
        ([1, 2, 3], "at least one pair"),
        ([[1, 2, 3]], "at least one pair"),
        ([[1, 2], [3]], "pairs of numbers"),
        ([["a", 2]], "pairs of numbers"),
        ([[0, float("nan")]], "NaN or infinity"),
        ([[float("inf"), 0]], "NaN or infinity"),
        ([[1, 0], [0, 2], [1, 5]], "same x"),
        ([[n, 0] for n in range(MOST_POINTS + 1)], f"1 to {MOST_POINTS} pairs"),
    ],
)
def test_points_that_cannot_be_drawn_are_refused(points, words):
    with pytest.raises(ValueError, match=words):
        allowed_on_line(points)
    with pytest.raises(ValueError, match=words):
        LineWidget(points)
    widget = LineWidget()
    with pytest.raises(ValueError, match=words):
        widget.points = points
    assert len(widget.points) == 6, "a refused assignment changes nothing"


# ---- Two rays ----


def test_the_rays_are_those_of_the_figures():
    f, g, best = TwoRays(0.55, 0.75).networks
    X, y = two_rays(0.55 * np.pi, heights=(1.125, -0.375), offset=0)
    for network in (f, g, best):
        assert np.allclose(network(X), y, atol=1e-12)
    (g_row, _), (w1, w2) = g.W, f.W
    assert np.allclose(g_row, (w1 - w2) / np.linalg.norm(w1 - w2))
    two, three = ([cost.value for cost in TwoRays(0.52, 0.75).costs(depth)] for depth in (2, 3))
    assert np.argsort(two).tolist() == [0, 2, 1] and np.argsort(three).tolist() == [2, 0, 1]


def test_no_other_direction_is_cheaper():
    rays = TwoRays(0.6, 0.8)
    theta = 0.4 * np.pi
    total = [1.2 / np.cos(at) + 0.3 / np.cos(theta - at) for at in np.linspace(0, theta, 1001)]
    assert rays.costs(2)[2].value <= min(total) < rays.costs(2)[2].value + 1e-6


def test_angle_and_share_make_the_round_trip():
    widget, heard = RaysWidget(), []
    widget.observe(lambda change: heard.append(change["new"]), ["angle", "share"])
    widget.set_state({"angle": 0.6, "share": 0.5})  # as the view sends it
    assert heard == [0.6, 0.5] and widget.state == {"angle": 0.6, "share": 0.5}
    assert widget.rays == TwoRays(0.6, 0.5)
    assert repr(widget) == shown(widget)["text/plain"] == "RaysWidget(0.6, 0.5)"


def test_its_words_tell_the_costs():
    words = Marked(shown(RaysWidget(0.52))["text/html"]).words
    assert "R_3: along the rays 1.6012, along w_0 1.6178, best direction 1.5717." in words


@pytest.mark.parametrize(
    "angle, share", [(0.5, 0.5), (1, 0.5), (0.6, 0), (0.6, 1), (float("nan"), 0.5), (0.6, -1)]
)
def test_rays_that_cannot_be_drawn_are_refused(angle, share):
    with pytest.raises(ValueError, match="must be between"):
        TwoRays(angle, share)
    with pytest.raises(ValueError, match="must be between"):
        RaysWidget(angle, share)
    widget = RaysWidget()
    with pytest.raises(ValueError, match="must be between"):
        widget.angle, widget.share = angle, share


# ---- Merging ----


def test_merging_keeps_the_outputs_and_the_norm_falls():
    x, y = np.array(WAVE).T
    nets = [Merging(WAVE, steps).network for steps in (*range(Merging(WAVE).pairs + 1), PROGRAMME)]
    assert all(np.allclose(net(x[:, None])[:, 0], y, atol=1e-12) for net in nets)
    assert [net.widths[1] for net in nets] == [*range(47, 12, -1), 5]
    assert np.all(np.diff([net.squared_norm for net in nets]) < 1e-14)


def test_all_pairs_merged_are_the_units_that_the_library_merges():
    merging = Merging(WAVE, ALL)
    inputs = np.column_stack([merging.X, np.ones(len(merging.X))])
    start = merging.start
    W, A = merged(
        inputs,
        *unit_atoms(np.column_stack([start.weights[0], start.biases[0]]), start.weights[1].T),
    )
    net = merging.network
    ours = np.column_stack([net.weights[0], net.biases[0]]) * net.weights[1].T
    theirs = W * A
    assert np.allclose(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)], atol=1e-12)
    incoming = np.sum(net.weights[0] ** 2, axis=1) + net.biases[0] ** 2
    assert np.allclose(net.weights[1][0] ** 2, incoming), "balanced"


def test_the_start_has_the_least_outer_weights_and_no_unit_that_no_point_sees():
    merging = Merging(WAVE)
    at = 2 * np.pi * (np.arange(DIRECTIONS) + 0.25) / DIRECTIONS
    features = np.maximum(merging.X * np.cos(at) + np.sin(at), 0)
    least = np.linalg.pinv(features) @ np.array(WAVE)[:, 1]
    assert np.allclose(np.sum(merging.start.weights[1] ** 2), np.abs(least).sum())
    assert (merging.start.preactivations(merging.X)[0] > 0).any(axis=0).all()
    assert merging.start.widths[1] == 47


def test_the_programme_is_the_librarys():
    merging = Merging(WAVE, PROGRAMME)
    assert merging.network.squared_norm == prune(merging.start, merging.X).squared_norm


def test_points_and_steps_make_the_round_trip():
    widget, heard = MergingWidget(), []
    widget.observe(lambda change: heard.append(change["new"]), ["points", "steps"])
    widget.set_state({"points": [[0, 0.125], [1, 1]], "steps": 7})  # as the view sends it
    assert heard == [[[0, 0.125], [1, 1]], 7] and widget.merging == Merging(((0, 0.125), (1, 1)), 7)
    assert (
        repr(widget)
        == shown(widget)["text/plain"]
        == "MergingWidget([[0.0, 0.125], [1.0, 1.0]], 7)"
    )


def test_its_words_tell_the_three_stages():
    words = Marked(shown(MergingWidget([[-1, 1], [1, 1]]))["text/html"]).words
    assert (
        "at the start 45 units" in words
        and "merged 3 units" in words
        and "programme 1 unit of 2." in words
    )


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([[0, 0]], "2 to 6 pairs"),
        ([[n / 3, 0] for n in range(-3, 4)], "2 to 6 pairs"),
        ([[0, 0], [LIMIT + 0.1, 0]], "must lie between"),
        ([[0, 0], [1, -LIMIT - 0.1]], "must lie between"),
        ([[0, 0], [GAP - 0.01, 0]], "nearer than"),
        ([[0, 0], [0, 1]], "same x"),
    ],
)
def test_points_that_cannot_be_merged_are_refused(points, words):
    for act in (allowed_points, MergingWidget, Merging):
        with pytest.raises(ValueError, match=words):
            act(points)
    widget = MergingWidget()
    with pytest.raises(ValueError, match=words):
        widget.points = points


def test_all_points_at_zero_need_no_unit():
    assert all(
        Merging(((-1, 0), (1, 0)), steps).network.widths == (1, 0, 1)
        for steps in (0, 3, ALL, PROGRAMME)
    )


@pytest.mark.parametrize("steps", [-1, PROGRAMME + 1])
def test_steps_that_there_are_not_are_refused(steps):
    with pytest.raises(ValueError, match="steps must be between"):
        Merging(WAVE, steps)
    with pytest.raises(ValueError, match="steps must be between"):
        MergingWidget(WAVE, steps)


def test_script_and_python_agree_on_the_units_and_the_bounds():
    for line in (
        f"const DIRECTIONS = {DIRECTIONS};",
        f"const LIMIT = {LIMIT}, GAP = {GAP};",
        "const FEWEST_POINTS = 2, MOST_POINTS = 6;",
    ):
        assert line in MergingWidget._esm


# ---- Depth ----

FUNCTIONS = [
    ZIGZAG,
    ((-1, -1), (1, 1)),
    ((-1, 0), (-0.5, 1), (0, 1), (1, -2)),
    ((-1, 2), (0.25, 1), (1, 0.5)),
]


@pytest.mark.parametrize("points", FUNCTIONS)
def test_the_networks_are_the_function_and_its_mirror_image(points):
    nets, at = Knots(points).networks, np.linspace(-1, 1, 401)
    values = np.interp(at, *np.array(points).T)
    for n, net in enumerate(nets):
        assert np.allclose(net(at), values if 2 * n < len(nets) else values[::-1], atol=1e-12)


@pytest.mark.parametrize("points", FUNCTIONS)
@pytest.mark.parametrize("depth", [2, 3, 20])
def test_no_library_network_of_the_sort_is_cheaper(points, depth):
    cost = Knots(points).cost(depth)
    assert cost.lower == pytest.approx(sum(Knots(points).steepest) ** (2 / depth), rel=1e-12)
    uppers = [cost_per_layer(net, depth, ([-1], [1])).upper for net in Knots(points).networks]
    assert cost.lower <= cost.upper == min(uppers)


def test_knots_and_depth_make_the_round_trip():
    widget, heard = DepthWidget(), []
    widget.observe(lambda change: heard.append(change["new"]), ["points", "depth"])
    widget.set_state({"points": [[-1, 0.125], [1, 1]], "depth": 7})  # as the view sends it
    assert heard == [[[-1, 0.125], [1, 1]], 7] and widget.knots == Knots(((-1, 0.125), (1, 1)))
    assert widget.cost.upper == widget.knots.cost(7).upper
    assert (
        repr(widget) == shown(widget)["text/plain"] == "DepthWidget([[-1.0, 0.125], [1.0, 1.0]], 7)"
    )


def test_its_words_tell_both_sides():
    words = Marked(shown(DepthWidget([[-1, 0], [0, 1], [1, 0]], 4))["text/html"]).words
    assert (
        "2.0000 to 2.5000 at depth 2, 1.4142 to 1.6642 at depth 4, 1.0219 to 1.0375 at depth 64."
        in words
    )


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([[-1, 0]], "2 to 6 pairs"),
        ([[x, 0] for x in np.linspace(-1, 1, 7)], "2 to 6 pairs"),
        ([[-1, 0], [0.5, 0]], "end at x = 1"),
        ([[0, 0], [1, 0]], "begin at x = -1"),
        ([[-1, 0], [1, 2.1]], "must have y between"),
        ([[-1, 0], [0, 0], [0.1, 0], [1, 0]], "nearer than"),
    ],
)
def test_functions_that_cannot_be_drawn_are_refused(points, words):
    for act in (DepthWidget, Knots):
        with pytest.raises(ValueError, match=words):
            act(points)
    widget = DepthWidget()
    with pytest.raises(ValueError, match=words):
        widget.points = points


@pytest.mark.parametrize("depth", [1, 257])
def test_depths_beside_the_slider_are_refused(depth):
    with pytest.raises(ValueError, match="depth must be between"):
        DepthWidget(ZIGZAG, depth)


def test_script_and_python_agree_on_the_knots_and_depths():
    for line in ("const LIMIT = 2, GAP = 0.125;", "const SHALLOWEST = 2, DEEPEST = 256;"):
        assert line in DepthWidget._esm


# ---- Forces ----


def test_the_arrows_are_the_librarys_forces():
    layer = HiddenLayer([[-0.5, 0.25], [1, 0.5], [0.5, -1], [0.25, 0.75]], "exclusive or")
    right = forces(layer.Z, layer.S_previous, layer.Z_next, 1.0, tikhonov=0.1)
    assert np.array_equal(layer.forces, right)
    pull, push = layer.per_neuron
    assert np.allclose(pull, [z @ force for z, force in zip(layer.Z.T, right[0].T, strict=True)])
    assert np.all(pull > 0) and np.all(push >= 0), "one pulls inwards, one pushes outwards"


def test_points_and_data_make_the_round_trip():
    widget = ForcesWidget("exclusive or")
    moved = [[0, 0.5], [1, 1], [0, 1], [1, 0]]
    widget.set_state({"points": moved})  # as the view sends it
    assert widget.layer == HiddenLayer(moved, "exclusive or")
    assert "neuron 1 is pulled by" in Marked(shown(widget)["text/html"]).words


@pytest.mark.parametrize(
    ("points", "words"),
    [([[0, 0]], "4 or 6"), ([[0, 9]] * 4, "between"), ([["a", 1]], "pairs of numbers")],
)
def test_layers_that_cannot_be_drawn_are_refused(points, words):
    with pytest.raises(ValueError, match=words):
        ForcesWidget("exclusive or", points)
    with pytest.raises(ValueError, match="setting"):
        ForcesWidget("four classes")


# ---- Prices ----

FIVE = ((-5, 0), (-2, 1.5), (0.5, -1), (2, 0), (5, 1))


@pytest.mark.parametrize("points", [prices.HIGH, prices.LOW, FIVE])
@pytest.mark.parametrize("depth", [3, 20])
def test_each_price_holds_what_the_library_finds_otherwise(points, depth):
    ends, (x, y) = Priced(points).ends(depth), np.array(points).T
    linear = linear_layers_cost(cheapest_network(Priced(points).function), depth)
    assert ends["layers"] == pytest.approx((linear.lower, linear.upper), rel=1e-9)
    nets = [*facing_away(x, y), *facing_away(-x, y)]
    deep = [cost_per_layer(net, depth, ([-5], [5])) for net in nets]
    # Formulas: not above both slopes' price from below, nor below the networks that they price.
    assert max(cost.lower for cost in deep) <= ends["deep"][0] * (1 + 1e-12)
    assert min(cost.upper for cost in deep) <= ends["deep"][1] * (1 + 1e-12)
    assert ends["deep"][1] < 1.02 * min(cost.upper for cost in deep)
    for less, more in (("linear", "hidden"), ("hidden", "paid"), ("free", "hidden")):
        assert ends[less][0] <= ends[more][1]


def test_of_two_hats_prices_prefer_one_each():
    told = PricesWidget().preferences
    assert (told["free"], told["paid"], told["deep"], told["rank"]) == (
        *("kept", "drawn", "not known", "neither"),
    )
    swapped = PricesWidget(prices.LOW, prices.HIGH).preferences
    assert (swapped["free"], swapped["paid"], swapped["deep"]) == ("drawn", "kept", "not known")
    assert set(PricesWidget(FIVE, FIVE).preferences.values()) == {"neither"}


def test_a_constant_has_rank_zero():
    flat = Priced(tuple((x, 0.5) for x in (-5, -1, 0, 1, 5))).ends(4)
    assert flat["rank"] == (0, 0) and flat["free"] == (0, 0) and flat["paid"][1] < 0.126
    assert flat["deep"] == (0, pytest.approx(0.25 / 4))


def test_both_functions_make_the_round_trip():
    widget, heard = PricesWidget(), []
    widget.observe(lambda change: heard.append(change["new"]), ["points", "kept", "depth"])
    moved = [list(point) for point in FIVE]
    widget.set_state({"points": moved, "depth": 7})  # as the view sends it
    assert heard == [moved, 7] and widget.kept == [list(point) for point in prices.LOW]
    words = Marked(shown(PricesWidget())["text/html"]).words
    assert "biases free: 4 and 3.25; hidden biases paid: 4.828 and 10.31" in words


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (prices.HIGH[:4], "5 to 5 pairs"),
        (((-4, 0), *prices.HIGH[1:]), "begin at x = -5"),
        (((-5, 2.5), *prices.HIGH[1:]), "must have y between"),
        ((*prices.HIGH[:3], (0.1, 0), (5, 0)), "nearer than"),
    ],
)
def test_functions_without_a_price_there_are_refused(points, words):
    for act in (PricesWidget, Priced, lambda kept: PricesWidget(FIVE, kept)):
        with pytest.raises(ValueError, match=words):
            act(points)
    with pytest.raises(ValueError, match="depth must be between"):
        PricesWidget(depth=2)


def test_script_and_python_agree_on_the_prices():
    for line in (
        "const LIMIT = 2, SIDE = 5, GAP = 0.25, COUNT = 5;",
        "const SHALLOWEST = 3, DEEPEST = 64;",
        *(f'["{name}", "' for name in prices.NAMES),
    ):
        assert line in PricesWidget._esm


# ---- All widgets ----

WIDGETS = [DepthWidget, ForcesWidget, LineWidget, MergingWidget, PricesWidget, RaysWidget]


@pytest.mark.parametrize("widget", WIDGETS)
def test_a_notebook_gets_the_very_scripts_of_the_pages(widget):
    static = files("repcost_book.kernel.widgets") / "static"
    for ending, text in ((".js", widget._esm), (".css", widget._css)):
        names = [name for name in parts(widget.kind) if ending == ".js" or has_look(name)]
        scripts = [(static / f"{name}{ending}").read_text() for name in names]
        assert text.startswith("".join(scripts))
        assert "export" not in "".join(scripts) and "import " not in "".join(scripts), (
            "pages open them from files"
        )


@pytest.mark.parametrize("widget", WIDGETS)
def test_the_script_and_python_agree_on_the_state(widget):
    names = ", ".join(f'"{name}"' for name in widget.names)
    assert f'common.define("{widget.kind}", [{names}], mount' in widget._esm
    assert all(widget().trait_metadata(name, "sync") for name in widget.names)
    assert Marked(shown(widget())["text/html"]).state == widget().state


@pytest.mark.parametrize("widget", WIDGETS)
def test_pages_know_it_by_its_kind(widget):
    assert WIDGET.findall(shown(widget())["text/html"]) == [widget.kind]


def test_script_and_python_agree_on_what_is_too_crowded():
    assert f"const MOST_POINTS = {MOST_POINTS};" in LineWidget._esm


def test_importing_the_book_does_not_import_it():
    code = "import sys, repcost_book; sys.exit('anywidget' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
