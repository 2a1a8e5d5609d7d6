"""Powers of two apart from digits: the quick ways give what the plain ones do, to the last bit."""

import math

import numpy as np
import pytest

from repcost.conversions import as_floats
from repcost.scales import exponent_of, times_power

# Normal and subnormal, with and without a tie where the last bits go.
DIGITS = np.array([0.0, -0.0, 1.0, -1.5, 1 + 2.0**-52, 2.0**-1022, 5e-324, -3e-310, 1.7e308])
FLOATS = [
    np.random.default_rng(0).normal(size=(3, 4)),
    np.array([[-3.0, 2.0], [0.0, -0.0]]),
    np.array([1e308, -1.7e308]),
    np.array([5e-324]),
    np.zeros((0, 2)),
    np.zeros(3),
]


@pytest.mark.parametrize("exponent", [*range(-1080, 1081, 40), -1074, 1023, -3000, 3000])
def test_products_with_powers_of_two_are_those_of_ldexp(exponent):
    with np.errstate(over="ignore", under="ignore"):
        found, wanted = times_power(DIGITS, exponent), np.ldexp(DIGITS, exponent)
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("array", FLOATS)
def test_the_exponent_is_that_of_the_largest(array):
    largest = float(np.abs(array).max(initial=0.0))
    assert exponent_of(array) == exponent_of(-array) == math.frexp(largest)[1]
    assert exponent_of(array, 2.0**600) == max(math.frexp(largest)[1], 601)
    assert exponent_of(array, -(2.0**600)) == max(math.frexp(largest)[1], 601)


@pytest.mark.parametrize("array", FLOATS)
def test_arrays_of_floats_are_copied_as_they_are(array):
    for given in (array, np.asfortranarray(array), array[::-1], array.astype(">f8")):
        found = as_floats(given, "x")
        assert found.dtype == np.float64 and found.dtype.isnative
        assert found.tobytes() == given.astype(np.float64).tobytes()
        assert not np.shares_memory(found, given) and found.flags.writeable
