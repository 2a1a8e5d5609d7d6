"""Brackets of ranks, where the cover by cliques and the search for a layer meet."""

import numpy as np
import pytest
from tests.shallow_problems import balanced_blocks

from repcost import cp_rank


@pytest.mark.parametrize("N", [6, 10, 16])
@pytest.mark.benchmark(group="cp_rank of the balanced blocks")
def test_cp_rank(benchmark, N):
    rank = benchmark.pedantic(cp_rank, (balanced_blocks(N),), rounds=3)
    assert rank.lower == N**2 // 4


@pytest.mark.parametrize("kept", [0.3, 0.6, 1.0])
@pytest.mark.benchmark(group="cp_rank of random products of size 10, by the share of entries kept")
def test_random_products(benchmark, kept):
    rng = np.random.default_rng(0)
    B = rng.random((10, 15)) * (rng.random((10, 15)) < kept)
    rank = benchmark.pedantic(cp_rank, (B @ B.T,), rounds=3)
    assert 10 <= rank.lower <= rank.upper <= 15
