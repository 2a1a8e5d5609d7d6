"""What users bring, as float64: converted without loss, or refused with what to do.

Numbers that float64 cannot hold would silently become other numbers, and a certificate for those
is none for the ones that were meant. So every conversion here is exact.
"""

from fractions import Fraction
from reprlib import repr as short
from typing import Any

import numpy as np
from jaxtyping import Float

# Below this size every whole number is a float, and no other whole number rounds to one of them.
_EXACT_WHOLE = 2**53

# What float() would take, though it is no real number: it drops the imaginary part of numpy's
# complex numbers, and reads text.
_NO_NUMBERS = bool | np.bool_ | complex | np.complexfloating | str | bytes
_WORDS = {"U": "text", "S": "text", "T": "text", "M": "dates", "m": "times", "V": "records"}

_FLOAT64 = np.dtype(np.float64)

Floats = Float[np.ndarray, "..."]


def as_floats(value: Any, name: str, what: str = "an array of real numbers") -> Floats:
    """A new float64 array of the same numbers; ValueError that names argument and remedy."""
    if type(value) is np.ndarray and value.dtype == _FLOAT64:
        # As most arrays are; what follows would come to the same.
        return value.copy(order="K")
    try:
        plain = _plain(value, name, what)
        array = np.asarray(plain)
        if array.dtype.kind == "O" or _may_have_rounded(plain, array):
            array = np.asarray(plain, dtype=object)
    except _Refused:
        raise
    # Objects with methods of their own may raise anything when they are asked for numbers.
    except Exception as error:
        raise _Refused(f"{name} must be {what}; numpy says: {error}") from None
    kind = array.dtype.kind
    if kind == "b":
        raise _Refused(f"{name} must be {what}, not True and False; multiply by 1.0")
    if kind == "c":
        raise _Refused(f"{name} must be {what}, not complex; give its real part")
    if kind not in "iufO":
        raise _Refused(f"{name} must be {what}, not {_WORDS.get(kind, kind)}; convert it first")
    return _exact(array, name, what)


class _Refused(ValueError):
    """An error that names its argument already."""


def _plain(value: Any, name: str, what: str) -> Any:
    """The same without tensors and masks, also inside of lists, where numpy would drop them."""
    if type(value) in (np.ndarray, float, int):
        return value
    if isinstance(value, list | tuple):
        kinds = set(map(type, value))
        if kinds & {bool, np.bool_}:
            raise _Refused(f"{name} must be {what}, but holds True or False; write 1.0 or 0.0")
        return value if kinds <= {int, float} else [_plain(part, name, what) for part in value]
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.getmaskarray(value).any():
            raise _Refused(f"{name} has masked entries; remove or fill those first")
        return value.data
    if isinstance(value, bytearray):
        raise _Refused(f"{name} must be {what}, not bytes; convert it first")
    # scipy's matrices, and whatever else has zeros that it does not store.
    if hasattr(value, "toarray") and not isinstance(value, np.ndarray):
        raise _Refused(f"{name} is sparse; give {name}.toarray()")
    is_tensor = hasattr(value, "detach") and hasattr(value, "cpu") and not isinstance(value, type)
    return _from_torch(value, name) if is_tensor else value


def _from_torch(tensor: Any, name: str) -> np.ndarray:
    """A tensor of any device, precision and history as a numpy array of the same numbers."""
    if tensor.is_nested:
        raise _Refused(f"{name} is a nested tensor; give {name}.to_padded_tensor(0.0)")
    if "strided" not in str(tensor.layout):
        raise _Refused(f"{name} is sparse; give {name}.to_dense()")
    if tensor.is_quantized:
        raise _Refused(f"{name} is quantised; give {name}.dequantize()")
    if tensor.is_meta:
        raise _Refused(f"{name} is on the meta device, where tensors have no numbers; load it")
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg()
    # numpy does not have all of torch's floats; each of them is a float64.
    return (tensor.double() if tensor.is_floating_point() else tensor).numpy()


def _may_have_rounded(given: Any, array: np.ndarray) -> bool:
    """Whether numpy may have rounded whole numbers of Python's to put them beside floats."""
    is_numpys = isinstance(given, np.ndarray | np.generic)
    return array.dtype.kind == "f" and not is_numpys and _reaches(array, _EXACT_WHOLE)


def _exact(array: np.ndarray, name: str, what: str) -> Floats:
    if array.dtype == object:
        floats = [_exact_float(entry, name, what) for entry in array.ravel().tolist()]
        return np.array(floats, dtype=np.float64).reshape(array.shape)
    with np.errstate(over="ignore", under="ignore"):
        floats = np.array(array, dtype=np.float64)
    wide = array.dtype.kind in "iu" and array.dtype.itemsize == 8
    if wide and any(int(f) != w for f, w in _beyond(floats, array)):
        raise _Refused(f"{name} holds whole numbers beyond 2**53 that no float is; scale it")
    finer = array.dtype.kind == "f" and array.dtype.itemsize > 8
    if finer and not np.array_equal(floats, array, equal_nan=True):
        raise _Refused(f"{name} holds numbers that no float64 is; round it first")
    return floats


def _beyond(floats: np.ndarray, whole: np.ndarray) -> list[tuple[float, int]]:
    if not _reaches(floats, _EXACT_WHOLE):
        return []
    large = np.abs(floats) >= _EXACT_WHOLE
    return list(zip(floats[large].tolist(), whole[large].tolist(), strict=True))


def _reaches(floats: np.ndarray, size: int) -> bool:
    # Not by absolute values, which would be one more array.
    return bool(floats.size and (floats.max() >= size or floats.min() <= -size))


def _exact_float(entry: Any, name: str, what: str) -> float:
    """A number of Python's, or of another library, that is a float64 exactly."""
    if type(entry) is float:
        return entry
    if isinstance(entry, _NO_NUMBERS):
        raise _Refused(f"{name} must be {what}, but holds {short(entry)}; convert it first")
    try:
        number = float(entry)
        same = number != number or abs(number) == float("inf") or Fraction(number) == entry
    except OverflowError:
        raise _Refused(f"{name} holds {short(entry)}, larger than floats go; scale it") from None
    except Exception:
        held = "None" if entry is None else f"a {type(entry).__name__}, {short(entry)}"
        raise _Refused(f"{name} must be {what}, but holds {held}; give numbers only") from None
    if not same:
        raise _Refused(f"{name} holds {short(entry)}, which equals no float; round it first")
    return number
