"""Networks that are wider than they need be: how few units would do is known beforehand."""

import numpy as np
import pytest

from repcost import prune
from repcost.experiments.few_rays import wide_of_ranks, with_shared_rays
from repcost.representations import merged_rays, representations

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("rays", [1, 2, 3])
def test_units_on_rays_merge_and_no_fewer_do(rays):
    found = with_shared_rays(rays, RNG)
    *hidden, outputs = found.preactivations
    for Z in hidden:
        assert Z.shape == (4, 7) and np.linalg.matrix_rank(Z) == rays
        # Positive multiples: what a unit receives has one direction for each ray.
        unit = Z / np.linalg.norm(Z, axis=0)
        assert len({tuple(column.round(9)) for column in unit.T}) == rays
    few = [merged_rays(Z, np.arange(7) % rays) for Z in hidden]
    narrow = found.with_layers([*few, outputs]).network
    assert narrow.widths == (2, rays, rays, 2)
    assert narrow(found.X) == pytest.approx(outputs, abs=1e-9)
    theirs = representations(narrow, found.X)
    assert theirs.covariances[0][0] == pytest.approx(found.covariances[0][0], rel=1e-9)


@pytest.mark.parametrize(("rays", "rank"), [(2, 1), (3, 2), (2, 4)])
def test_ranks_of_what_is_sent_and_of_the_outputs(rays, rank):
    net, X = wide_of_ranks(rays, rank, RNG)
    sent = np.maximum(net.preactivations(X)[0], 0)
    ranks = [np.linalg.matrix_rank(A) for A in (sent, net(X))]
    assert ranks == [rays, min(rays, rank)]
    assert prune(net, X).widths[1] <= rays * rank
