"""Brackets of ranks, where the cover by cliques and the search for a layer meet."""

import pytest
from tests.shallow_problems import balanced_blocks

from repcost import cp_rank


@pytest.mark.parametrize("N", [6, 10, 16])
@pytest.mark.benchmark(group="cp_rank of the balanced blocks")
def test_cp_rank(benchmark, N):
    rank = benchmark.pedantic(cp_rank, (balanced_blocks(N),), rounds=3)
    assert rank.lower == N**2 // 4
