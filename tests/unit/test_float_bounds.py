"""What floats are said to be off by, against fractions: never more, and not far more."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.random import default_rng

from repcost.regions.pairs import Pair, minor, quotient
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.shapes import Polygons
from repcost.regions.tables import ranges
from repcost.regions.two_floats import RightFactor
from tests.hostile_plane import drawn, hostile, of_all_sizes, shaken, thirds
from tests.hostile_space import hostile as hostile_space
from tests.shares_of_bounds import EXACTLY, pairs, share, value, with_rests


def subdivision(net, box=None):
    d = net.widths[0]
    return Subdivision(net, *np.array(box or ([-1] * d, [1] * d), dtype=float))


@pytest.mark.parametrize("n", [0, 1, 2, 7, 64, 300])
@pytest.mark.filterwarnings("error")
def test_products_of_two_floats(n):
    rng = default_rng(n)
    W = rng.normal(size=(3, n)) * 2.0 ** rng.integers(-40, 40, (3, n))
    R = pairs(rng, (2, 3, n))
    # One product cancels but for its last digits.
    if n == 64:
        W[0, ::2], W[0, 1::2] = 1 / 3, -1 / 3
        R = with_rests(rng, np.repeat(R.high[..., ::2], 2, axis=-1) * (1 + 2.0**-50))
    factor = RightFactor(W)
    high, low, off = factor(factor.sliced(R.high, R.low, R.off))
    exact = np.array([[EXACTLY(W) @ row for row in rows] for rows in value(R)])
    # What R itself is off by is not seen here: half of the bound of that is enough.
    assert share(exact - EXACTLY(low), high, off) <= 1
    largest = np.abs(R.high).max(axis=-1, initial=0.0)[..., None] * np.abs(W).max(1, initial=0.0)
    assert (off <= n * largest * 2.0**-85 + 1e-280).all()


@pytest.mark.filterwarnings("error")
def test_pairs():
    rng = default_rng(0)
    a, b, p, q = (pairs(rng, 2000) for _ in range(4))
    # A third of the differences and minors cancel.
    near = np.arange(2000) % 3 == 0
    b = with_rests(rng, np.where(near, a.high, b.high))
    q = with_rests(rng, np.where(near, p.high * (1 + 2.0**-51), q.high))
    of = [value(each) for each in (a, b, p, q)]
    found = {
        "difference": (a - b, of[0] - of[1]),
        "sum": (a + b, of[0] + of[1]),
        "product": (a.times(1 / 3), of[0] * Fraction(1 / 3)),
        "minor": (minor(a, p, b, q), of[0] * of[2] - of[1] * of[3]),
    }
    for pair, exact in found.values():
        assert share(exact - EXACTLY(pair.low), pair.high, pair.off) <= 1
    some = np.flatnonzero(p.high)
    ratio = quotient(a[some], p[some])
    exact = value(a)[some] / value(p)[some]
    assert share(exact - EXACTLY(ratio.low), ratio.high, ratio.off) <= 1
    assert (ratio.off <= np.abs(ratio.high) * 2.0**-90 + 1e-280).all()


def test_rounding_is_sure_or_says_so():
    off = np.array([2.0**-60, 2.0**-60, 2.0**-60, 0.0, 1e-290, 0.0])
    pair = Pair(
        np.array([1.0, 1.0, 1.0, 0.0, 0.0, 2.0**-1010]),
        np.array([2.0**-54, 2.0**-53, 2.0**-53 - 2.0**-61, 0.0, 0.0, 0.0]),
        off,
    )
    # Halfway between floats, nearly so, perhaps zero, and where moving may lose digits.
    assert pair.rounded(0)[1].tolist() == [True, False, False, True, False, False]


NETS = {
    "random": drawn(2, 12, 12, 12, 2),
    "leaky": drawn(2, 8, 8, 8, 2, slope=-0.3),
    "deep": drawn(2, *[6] * 10, 2, slope=0.3),
    "thirds": thirds(8, 0),
    "shaken": shaken(1e-15, 0),
    "of all sizes": of_all_sizes(0, 0.3),
    "of space": drawn(3, 6, 6, 6, 2),
    "of space, leaky and deep": drawn(3, *[4] * 8, 2, slope=0.3),
    "of space, thirds": thirds(6, 0, d=3),
    "of space, of all sizes": of_all_sizes(0, 0.3, d=3),
}


@pytest.mark.parametrize("name", [*NETS])
@pytest.mark.parametrize("doubled", [False, True])
@pytest.mark.filterwarnings("error")
def test_rows_are_off_by_no_more_than_they_say(name, doubled):
    found = subdivision(NETS[name])
    layer, top = found.net.depth - 1, found.middle.top
    cells = np.unique(default_rng(0).integers(0, len(found), 12))
    rows = found.rows.again(layer, cells, doubled=doubled)
    shifts = [Fraction(2) ** int(e - top) for e in (*found.middle.exponents[0], 0)]
    largest = 0.0
    for place, cell in enumerate(cells.tolist()):
        exact = found.plane.whole.outputs(cell)
        known = (exact.rows * np.array(shifts, dtype=object) / Fraction(2) ** exact.exponent).T
        low = 0 if rows.low is None else EXACTLY(rows.low[place])
        off = rows.off[place if len(rows.off) > 1 else 0]
        largest = max(largest, share(known - low, rows.high[place], off))
    assert largest <= 1


@pytest.mark.parametrize("name", [*NETS])
def test_single_units_have_the_same_rows(name):
    found = subdivision(NETS[name])
    lines = found.plane.lines
    layer = found.net.depth - 2
    mine = np.flatnonzero(lines["layer"] == layer)[:20]
    cells, units = lines["cell"][mine], lines["unit"][mine]
    order = np.argsort(cells, kind="stable")
    cells, units = cells[order], units[order]
    one = found.unit_rows(layer, cells, units)
    rows = found.rows.again(layer, cells, doubled=True)
    assert rows.low is not None
    at = np.arange(len(cells)), slice(None), units
    gap = (one.high - rows.high[at]) + (one.low - rows.low[at])
    assert (np.abs(gap) <= (one.off + rows.off[at]) * (1 + 1e-9)).all()


@pytest.mark.parametrize("name", ["thirds", "shaken by 1e-15", "of all sizes", "one ulp apart"])
@pytest.mark.parametrize("cases", [hostile, hostile_space])
def test_signs_next_to_their_bound_are_those_of_whole_numbers(name, cases):
    for seed in range(3):
        found = subdivision(*cases(seed)[name])
        plane, rng = found.plane, default_rng(seed)
        lines, points = (rng.integers(0, len(t), 3000) for t in (plane.lines, plane.points))
        values = np.abs((plane.lines["entries"][lines] * plane.points["H"][points]).sum(axis=1))
        closest = np.argsort(values)[:300]
        sides = plane.sides(points[closest], lines[closest])
        pairs = zip(points[closest].tolist(), lines[closest].tolist(), strict=True)
        assert sides.tolist() == [plane.whole.side(*pair) for pair in pairs]


@pytest.mark.parametrize("cases", [hostile, hostile_space])
def test_points_are_off_by_no_more_than_they_say(cases):
    """All of their numbers together, times the sizes that the bound is for."""
    for seed in range(3):
        for name in ("thirds", "shaken by 1e-15", "one ulp apart", "far box"):
            found = subdivision(*cases(seed)[name])
            points = found.plane.points
            for point in range(min(len(points), 60)):
                *X, W = found.plane.whole.point(point)
                exponents = found.plane.exponents.tolist()
                exact = [
                    Fraction(n, W) / Fraction(2) ** e for n, e in zip(X, exponents, strict=True)
                ]
                *H, size = map(Fraction, points["H"][point].tolist())
                # Homogeneous: with the same W, the place is off by two of the errors.
                gap = sum(abs(x * size - h) for x, h in zip(exact, H, strict=True))
                g = Fraction(float(points["g"][point]))
                assert gap <= 2 * g * (1 + sum(map(abs, exact)))


def test_lists_in_one_array():
    boxes = Polygons(np.array([3, 4]), np.arange(7), 2 * np.arange(7))
    assert boxes.following.tolist() == [1, 2, 0, 4, 5, 6, 3]
    assert boxes.of(np.array([1])).points.tolist() == [3, 4, 5, 6]
    assert ranges(np.array([], dtype=int), np.array([], dtype=int)).tolist() == []
