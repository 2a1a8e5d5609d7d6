"""What users bring, as float64: converted without loss, or refused with what to do.

Numbers that float64 cannot hold would silently become other numbers, and a certificate for those
is none for the ones that were meant. So every conversion here is exact.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float

# Up to here every whole number is a float.
_EXACT_WHOLE = 2**53


Floats = Float[np.ndarray, "..."]


def as_floats(value: Any, name: str, what: str = "an array of real numbers") -> Floats:
    """A new float64 array of the same numbers; ValueError that names argument and remedy."""
    plain = _unmasked(_from_torch(value, name), name)
    # scipy's matrices, and whatever else has zeros that it does not store.
    if hasattr(plain, "toarray") and not isinstance(plain, np.ndarray):
        raise ValueError(f"{name} is sparse; give {name}.toarray()")
    try:
        array = np.asarray(plain)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be {what}: {error}") from None
    kind = array.dtype.kind
    if kind == "b":
        raise ValueError(f"{name} must be {what}, not True and False; multiply by 1.0")
    if kind == "c":
        raise ValueError(f"{name} must be {what}, not complex; give its real part")
    if kind not in "iufO":
        raise ValueError(f"{name} must be {what}, not {_described(array)}; convert it first")
    if kind == "O" or _may_have_rounded(plain, array):
        array = np.asarray(plain, dtype=object)
    return _exact(array, name, what)


def _from_torch(value: Any, name: str) -> Any:
    """A tensor of any device, precision and history as a numpy array of the same numbers."""
    if not (hasattr(value, "detach") and hasattr(value, "cpu")):
        return value
    if "strided" not in str(value.layout):
        raise ValueError(f"{name} is sparse; give {name}.to_dense()")
    tensor = value.detach().cpu()
    # numpy has no such floats; each of them is a float32.
    return (tensor.float() if "bfloat16" in str(tensor.dtype) else tensor).numpy()


def _unmasked(value: Any, name: str) -> Any:
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.getmaskarray(value).any():
            raise ValueError(f"{name} has masked entries; remove or fill those first")
        return value.data
    return value


def _may_have_rounded(given: Any, array: np.ndarray) -> bool:
    """Whether numpy may have rounded whole numbers of Python's to put them beside floats."""
    return (
        array.dtype.kind == "f"
        and not isinstance(given, np.ndarray | np.generic)
        and bool((np.abs(array) > _EXACT_WHOLE).any())
    )


def _exact(array: np.ndarray, name: str, what: str) -> Floats:
    if array.dtype == object:
        floats = [_exact_float(entry, name, what) for entry in array.ravel().tolist()]
        return np.array(floats, dtype=np.float64).reshape(array.shape)
    floats = np.array(array, dtype=np.float64)
    wide = array.dtype.kind in "iu" and array.dtype.itemsize == 8
    if wide and any(int(f) != int(w) for f, w in _beyond(floats, array)):
        raise ValueError(f"{name} holds whole numbers beyond 2**53 that no float is; scale it")
    finer = array.dtype.kind == "f" and array.dtype.itemsize > 8
    if finer and not np.array_equal(floats, array, equal_nan=True):
        raise ValueError(f"{name} holds numbers that no float64 is; round it first")
    return floats


def _beyond(floats: np.ndarray, whole: np.ndarray) -> list[tuple[float, int]]:
    large = np.abs(floats) > _EXACT_WHOLE
    return list(zip(floats[large].tolist(), whole[large].tolist(), strict=True))


def _exact_float(entry: Any, name: str, what: str) -> float:
    """A number of Python's, or of another library, that is a float64 exactly."""
    if isinstance(entry, bool | complex | str | bytes):
        raise ValueError(f"{name} must be {what}, but holds {entry!r}; convert it first")
    try:
        number = float(entry)
        same = number != number or abs(number) == float("inf") or Fraction(number) == entry
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be {what}, but holds {entry!r}: {error}") from None
    if not same:
        raise ValueError(f"{name} holds {entry!r}, which no float is; round it first")
    return number


def _described(array: np.ndarray) -> str:
    words = {"U": "text", "S": "text", "M": "dates", "m": "times", "V": "records"}
    return words.get(array.dtype.kind, str(array.dtype))
