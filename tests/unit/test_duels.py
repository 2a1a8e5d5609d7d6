"""What benchmarks measure with: turns, exponents and memory. Nothing here depends on speed."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks import duels
from benchmarks.duels import Rival, duel, spread
from benchmarks.growth import exponent, grown, peak_bytes


def rounds_of(benchmark, rounds):
    """As pytest-benchmark does it: the set-up before each round."""

    def pedantic(run, setup, rounds):
        for _ in range(rounds):
            setup()
            run()

    return SimpleNamespace(extra_info=benchmark, pedantic=pedantic)


def test_ours_and_theirs_take_turns(monkeypatch):
    monkeypatch.setattr(duels, "_often", lambda run: 1)
    turns, told = [], {}
    rivals = [Rival("a", lambda: turns.append("a")), Rival("b", lambda: turns.append("b") or 7)]
    found = duel(rounds_of(told, 3), lambda: turns.append("ours") or 5, *rivals, rounds=3, steps=4)
    assert turns == ["a", "b", "ours"] * 3
    assert found == [5, None, 7]
    assert told["times"] == 4 and told["proved"]
    assert [(each["what"], each["proved"]) for each in told["rivals"]] == [
        ("a", False),
        ("b", False),
    ]


def test_the_spread_is_that_of_the_median():
    assert spread([2.0, 1.0, 1.5]) == 0.5


def test_the_exponent_is_that_of_a_power():
    sizes = [10, 40, 90]
    assert exponent(sizes, [3.0 * size**1.5 for size in sizes]) == pytest.approx(1.5)
    assert exponent(sizes, [1.0, 1.0, 1.0]) == pytest.approx(0.0)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux keeps the largest")
def test_memory_is_that_of_the_largest_size():
    found = grown(lambda size: lambda: np.ones(size).sum(), [10**5, 10**6, 4 * 10**6], rounds=1)
    assert 30e6 < found["bytes"] < 60e6
    assert len(found["seconds"]) == 3
    assert (peak_bytes(lambda: None) or 0) < 5e6
