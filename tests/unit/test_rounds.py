"""Two ways to the least loss of shallow networks, against the certified optimum of the library."""

import numpy as np
import pytest

from repcost import shallow_optimum
from repcost.shallow import column_generation, frank_wolfe

X = np.linspace(-1, 1, 7)[:, None]
Y = np.hstack([np.cos(np.pi * X), np.sin(2 * np.pi * X)])


@pytest.mark.parametrize("bias", [0.0, 1.0])
@pytest.mark.parametrize("rounds", [column_generation, frank_wolfe])
def test_the_least_loss_lies_between_the_ends_of_every_round(rounds, bias):
    ends = rounds(X, Y, 0.02, 25, bias=bias)
    best = shallow_optimum(X, Y, 0.02, bias=bias).loss
    assert ends.shape == (25, 2)
    assert (ends[:, 0] <= best.upper).all() and (ends[:, 1] >= best.lower).all()


def test_column_generation_comes_together_and_the_steps_do_not():
    bought, stepped = column_generation(X, Y, 0.02, 25), frank_wolfe(X, Y, 0.02, 25)
    best = shallow_optimum(X, Y, 0.02).loss.value
    assert bought[-1] == pytest.approx(best, rel=1e-8)
    assert stepped[-1, 1] - stepped[-1, 0] > 1e-3 * best
    assert (np.diff(stepped[:, 1]) < 1e-12).all()


def test_without_units_the_upper_end_is_the_best_constant():
    (_, upper), *_ = column_generation(X, Y, 0.02, 1)
    b = Y.sum(axis=0) / (len(X) + len(X) * 0.02)
    assert upper == pytest.approx(np.mean(np.sum((Y - b) ** 2, axis=1)) + 0.02 * np.sum(b**2))
    assert frank_wolfe(X, Y, 0.02, 1)[0, 1] == pytest.approx(upper)
