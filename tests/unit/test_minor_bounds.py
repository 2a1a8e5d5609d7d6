"""What minors in floats are said to be off by, against fractions: never more, and not far more."""

import numpy as np
import pytest
from numpy.random import default_rng

from repcost.regions.minors import Minors, alternating, expansion, meeting
from repcost.regions.pairs import minors, summed
from tests.shares_of_bounds import EXACTLY, pairs, share, value


def exact_minors(rows):
    """By the same expansion, in fractions."""
    found = rows[0]
    for order, row in enumerate(rows[1:], start=2):
        columns, left = expansion(row.shape[-1], order)
        found = (row[..., columns] * found[..., left] * alternating(order)).sum(axis=-1)
    return found


# What a bound would be without one of its three parts.
def _rows_known(before, row, error):
    return before.with_row(row, 0 * error)


def _minors_known(before, row, error):
    return Minors(before.values, 0 * before.off, before.rows).with_row(row, error)


@pytest.mark.parametrize("order", [2, 3])
def test_minors_are_off_by_no_more_than_they_say(order):
    """Rows that are wrong by as much as they may be, in the worst direction of many."""
    rng = default_rng(order)
    rows = [rng.normal(size=(800, 4)) for _ in range(order)]
    # Half of them nearly depend on each other.
    rows[1][::2] = rows[0][::2] * (1 + 2.0**-45 * rng.normal(size=(400, 4)))
    errors = [2.0 ** rng.integers(-60, -30, 800) for _ in range(order)]
    shaken = [
        EXACTLY(row) + EXACTLY(error)[:, None] * rng.choice([-1, 1], row.shape)
        for row, error in zip(rows, errors, strict=True)
    ]
    exact = exact_minors(shaken)
    before = Minors(rows[0], np.broadcast_to(errors[0][:, None], rows[0].shape))
    for row, error in zip(rows[1:-1], errors[1:-1], strict=True):
        before = before.with_row(row, error)
    found = before.with_row(rows[-1], errors[-1])
    assert 0.5 < share(exact, found.values, found.off) <= 1
    for loosened in (_rows_known, _minors_known):
        wrong = loosened(before, rows[-1], errors[-1])
        assert share(exact, wrong.values, wrong.off) > 1


def test_without_a_bound_for_rounding_minors_are_wrong(monkeypatch):
    rng = default_rng(0)
    rows, known = [rng.normal(size=(500, 4)) for _ in range(3)], [np.zeros(500)] * 3
    exact = exact_minors([EXACTLY(row) for row in rows])[:, ::-1] * alternating(4)[::-1]
    values, off = meeting(rows, known)
    assert 0.1 < share(exact, values, off) <= 1
    monkeypatch.setattr("repcost.regions.minors.UNIT", 0.0)
    assert share(exact, *meeting(rows, known)) > 1


def test_minors_and_sums_of_pairs():
    rng = default_rng(1)
    rows = [[pairs(rng, 500) for _ in range(4)] for _ in range(3)]
    exact = exact_minors([np.stack([value(each) for each in row], axis=1) for row in rows])
    for found, known in zip(minors(rows), exact.T, strict=True):
        assert share(known - EXACTLY(found.low), found.high, found.off) <= 1
    counts = np.array([1, 2, 7, 490])
    total, terms = summed(rows[0][0], counts), value(rows[0][0])
    known = np.array([part.sum() for part in np.split(terms, counts.cumsum()[:-1])])
    assert share(known - EXACTLY(total.low), total.high, total.off) <= 1
