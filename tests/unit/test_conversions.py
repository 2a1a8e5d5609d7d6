"""Arrays and numbers at the door: the same numbers come in, or nothing does."""

import time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from repcost.arrays import as_rows, distinct_rows, finite_array, listed, points_on_line
from repcost.conversions import as_floats
from repcost.scalars import (
    bias_constant,
    flag,
    generator,
    nonnegative_number,
    one_of,
    positive_number,
    real_number,
    relative_tolerance,
    whole_depth,
    whole_number,
    whole_numbers,
)

torch = pytest.importorskip("torch")
THIRD = Fraction(1, 3)
ONES = torch.ones(2)


class Mute:
    """It answers, but not with a number."""

    def __float__(self):
        raise RuntimeError("no")


def itself() -> list:
    own: list = []
    own.append(own)
    return own


KEPT = {
    "half precision": (np.array([1.1, 2], dtype=np.float16), [1.099609375, 2.0]),
    "single precision": (np.float32(0.1), float(np.float32(0.1))),
    "more than double": (np.array([1, 2], dtype=np.longdouble), [1.0, 2.0]),
    "no axes": (np.array(3), 3.0),
    "a scalar of numpy": (np.int64(-(2**63)), -(2.0**63)),
    "other byte order": (np.array([1.0, 2.0], dtype=">f8"), [1.0, 2.0]),
    "every second one": (np.arange(6.0)[::2], [0.0, 2.0, 4.0]),
    "decimals": ([Decimal("0.5"), 1], [0.5, 1.0]),
    "fractions": ([Fraction(1, 2), Fraction(3, 4)], [0.5, 0.75]),
    "objects": (np.array([1, 2.5, Fraction(1, 2)], dtype=object), [1.0, 2.5, 0.5]),
    "whole numbers that are floats": ([2**53 + 2, 2**70, 0.5], [2.0**53 + 2, 2.0**70, 0.5]),
    "both signs": ([2**63, -1], [2.0**63, -1.0]),
    "a range": (range(3), [0.0, 1.0, 2.0]),
    "nothing": ([], []),
    "nothing, with axes": (np.zeros((0, 3)), np.zeros((0, 3))),
    "zeros with signs": ([-0.0, Fraction(0)], [-0.0, 0.0]),
    "a matrix of numpy": (np.asmatrix([[1, 2]]), [[1.0, 2.0]]),
    "a mask that hides nothing": (np.ma.array([1.0, 2.0]), [1.0, 2.0]),
    "a tensor": (torch.arange(3), [0.0, 1.0, 2.0]),
    "a tensor without axes": (torch.tensor(1.5), 1.5),
    "a parameter": (torch.nn.Parameter(ONES), [1.0, 1.0]),
    "bfloat16": ((ONES * 0.1).bfloat16(), [0.10009765625] * 2),
    "eight bits": (ONES.to(torch.float8_e4m3fn), [1.0, 1.0]),
    "half a tensor": (ONES.half(), [1.0, 1.0]),
    "minus, not yet done": (torch.tensor([1 + 2j]).conj().imag, [-2.0]),
    "a list of tensors": ([ONES.clone().requires_grad_(), ONES], [[1.0, 1.0], [1.0, 1.0]]),
    "a list of arrays": ([np.ones(2), [1, 2]], [[1.0, 1.0], [1.0, 2.0]]),
}


@pytest.mark.parametrize("name", KEPT)
def test_the_same_numbers_come_in(name):
    given, wanted = KEPT[name]
    floats = as_floats(given, "this")
    assert type(floats) is np.ndarray and floats.dtype == np.float64
    np.testing.assert_array_equal(floats, wanted)
    np.testing.assert_array_equal(np.signbit(floats), np.signbit(wanted))


REFUSED: dict[str, tuple[Any, str]] = {
    "more than double": (np.array([1], dtype=np.longdouble) / 3, "no float64 is; round it"),
    "beyond double": (np.array([np.longdouble("1e400")]), "no float64 is"),
    "below double": (np.array([np.longdouble("1e-400")]), "no float64 is"),
    "one of many whole numbers": ([2**53 + 1, 0.5], "9007199254740993, which equals no float"),
    "whole numbers that become one": ([2**53 + 1, 2**53], "beyond 2.*53 that no float is"),
    "unsigned": (np.array([2**64 - 1], dtype=np.uint64), "beyond 2.*53"),
    "a huge one": ([10**400, 1.0], "larger than floats go; scale it"),
    "a third": ([THIRD], "which equals no float; round it first"),
    "a tenth": (Decimal("0.1"), "equals no float"),
    "no decimal": (Decimal("sNaN"), "must be an array of real numbers"),
    "yes": (np.array([True]), "multiply by 1.0"),
    "yes among numbers": ([[1.0, True]], "holds True or False"),
    "yes among objects": (np.array([Fraction(1, 2), np.True_], dtype=object), "convert it first"),
    "complex": ([1 + 0j], "give its real part"),
    "complex among objects": (np.array([np.complex64(1 + 2j)], dtype=object), "convert it first"),
    "text": ("1.5", "not text; convert it first"),
    "text of numbers": (["1", "2"], "not text"),
    "text among objects": (np.array(["1"], dtype=object), "convert it first"),
    "bytes": (bytearray(b"abc"), "not bytes"),
    "dates": (np.array(["2020-01-01"], dtype="M8[D]"), "not dates"),
    "times": (np.array([1], dtype="m8[s]"), "not times"),
    "records": (np.zeros(2, dtype=[("a", float)]), "not records"),
    "nothing at all": (None, "holds None; give numbers only"),
    "a hole": ([None, 1.0], "holds None"),
    "ragged": ([[1, 2], [3]], "numpy says: setting an array element"),
    "itself": (itself(), "must be an array"),
    "a dictionary": ({1: 2}, "holds a dict"),
    "a generator": ((i for i in range(3)), "holds a generator"),
    "a function": (len, "give numbers only"),
    "a class": (torch.Tensor, "must be an array"),
    "mute": ([Mute()], "holds a Mute"),
    "masked": (np.ma.array([1.0, 2.0], mask=[False, True]), "masked entries"),
    "masked inside": ([np.ma.array([1.0, 2.0], mask=[False, True])], "masked entries"),
    "the mask": ([1.0, np.ma.masked], "masked entries"),
    "sparse": (sparse.csr_array(np.eye(2)), r"give this\.toarray\(\)"),
    "sparse inside": ([sparse.coo_matrix(np.eye(2))], "is sparse"),
    "a sparse tensor": (torch.eye(2).to_sparse(), r"give this\.to_dense\(\)"),
    "a tensor of nothing": (torch.ones(2, device="meta"), "on the meta device"),
    "a complex tensor": (torch.tensor([1j]).conj(), "give its real part"),
    "a tensor of yes": (torch.tensor([True]), "multiply by 1.0"),
    "whole numbers of torch": (torch.tensor([2**62 + 1]), "beyond 2.*53"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_others_are_refused_with_a_remedy(name):
    given, says = REFUSED[name]
    with pytest.raises(ValueError, match=rf"^this .*{says}") as caught:
        as_floats(given, "this")
    assert len(str(caught.value)) < 300


# Torch says that both are on trial, or on the way out.
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_nested_and_quantised_tensors_are_refused():
    with pytest.raises(ValueError, match="this is a nested tensor"):
        as_floats(torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), "this")
    with pytest.raises(ValueError, match=r"give this\.dequantize\(\)"):
        as_floats(torch.quantize_per_tensor(ONES, 0.1, 0, torch.qint8), "this")


def test_tables_of_pandas():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"one": [1, 2], "other": [0.5, 2.5]})
    assert as_floats(table, "table").tolist() == [[1.0, 0.5], [2.0, 2.5]]
    assert as_floats(table["one"], "column").tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="table"):
        as_floats(table.assign(one=["a", "b"]), "table")
    with pytest.raises(ValueError, match="equals no float"):
        as_floats(pandas.DataFrame({"one": [2**53 + 1], "other": [0.5]}), "table")


def test_what_comes_in_is_nobody_elses():
    for given in (np.ones(3), torch.ones(3, dtype=torch.float64)):
        floats = finite_array(given, "this", 1)
        given[0] = 7.0
        assert floats[0] == 1.0 and not floats.flags.writeable


def test_axes_are_counted():
    assert points_on_line([[1.0], [2.0]]).tolist() == [1.0, 2.0]
    assert as_rows([1.0, 2.0]).shape == (2, 1) and as_rows([[1.0, 2.0]]).shape == (1, 2)
    with pytest.raises(ValueError, match="x must have 1 axis"):
        points_on_line([[1.0, 2.0]])
    with pytest.raises(ValueError, match="X must have 1 or 2 axes"):
        as_rows(1.0)
    with pytest.raises(ValueError, match="x must be an array"):
        points_on_line([[1.0], [2.0, 3.0]])
    for wrong in ("text", {}, 3, None, np.array(1.0), sparse.eye_array(2)):
        with pytest.raises(ValueError, match="parts must be a list of arrays"):
            listed(wrong, "parts", "arrays")


@pytest.mark.parametrize("door", [real_number, positive_number, nonnegative_number])
@pytest.mark.parametrize("wrong", [None, "1", True, 1j, [1.0], np.nan, np.inf, 10**400, Mute()])
def test_numbers_are_numbers(door, wrong):
    with pytest.raises(ValueError, match=r"\bthis\b"):
        door(wrong, "this")


@pytest.mark.parametrize("three", [3, 3.0, np.int8(3), np.array(3), torch.tensor(3), Fraction(3)])
def test_three_is_three(three):
    # Seeds may have more digits than a float.
    assert whole_numbers([2**60 + 1, three], "seeds", 0) == (2**60 + 1, 3)
    assert whole_number(three, "this", 0) == whole_depth(three) == bias_constant(three) == 3
    assert type(whole_number(three, "this", 0)) is int


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: positive_number(0, "p", "take one"), "p must be positive and finite.*; take one"),
        (lambda: nonnegative_number(-1, "p"), "p must be zero or positive"),
        (lambda: whole_number(2.5, "n", 0), "n must be a whole number, at least 0, not 2.5"),
        (lambda: whole_number(4, "n", 0, 3, of="layers"), "whole number of layers, from 0 to 3"),
        (lambda: whole_depth(1), "depth must be a whole number of layers of weights, at least 2"),
        (lambda: whole_depth(10**400), "depth holds .*larger than floats go"),
        (lambda: whole_depth(10**200), "depth must be at most 9,007,199,254,740,992"),
        (lambda: whole_depth(10**7, built=True), "depth must be at most 1,000,000"),
        (lambda: bias_constant(-1), "bias must be .*0 means a network without biases"),
        (lambda: relative_tolerance(1, "0.1"), "rtol must be between 0 and 1.*0.1 is the default"),
        (lambda: relative_tolerance(0.5, "0.1", most=0.2), "rtol must be between 0 and 0.2"),
        (lambda: whole_numbers([1, 0.5], "seeds", 0), "seeds.1. must be a whole number.*, not 0.5"),
        (lambda: whole_numbers([], "seeds", 0), "seeds must be a list of whole numbers"),
        (lambda: flag(1, "progress"), "progress must be True or False, not 1"),
        (lambda: one_of("x", "loss", ("a", "b")), 'loss must be "a" or "b", not .x.'),
        (lambda: generator(0), "rng must be a numpy Generator.*default_rng"),
    ],
)
def test_doors_say_what_is_wrong(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_floats_of_numpy_are_only_copied():
    """A million of them take about as long as a copy and a look at each."""
    x = np.random.default_rng(0).normal(size=1_000_000)
    doors = min(seconds(lambda: finite_array(x, "x", 1)) for _ in range(20))
    plain = min(seconds(lambda: np.isfinite(np.array(x)).all()) for _ in range(20))
    assert doors < 3 * plain


def seconds(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@pytest.mark.parametrize("first", [[3, 1, 2, 0], [1, 1, 0, 1], [0.0, -0.0, 0.0, 1.0], []])
def test_distinct_rows_are_those_of_numpy(first):
    """Whether the first entries are all different, or not, or equal but for a sign."""
    rows = np.array([first, [5, 5, 5, 5][: len(first)]]).T
    theirs = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    for own, other in zip(distinct_rows(rows), theirs, strict=True):
        assert own.tolist() == other.ravel().reshape(own.shape).tolist()
        assert own.dtype == other.dtype
