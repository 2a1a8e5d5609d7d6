"""Where torch computes: a device at the door."""

from typing import Any

__all__ = ["checked_device"]


def checked_device(device: Any) -> str:
    """The name of a device that torch has here; ValueError for any other. Loads torch."""
    import torch

    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:
        # torch lists all that it could have been compiled for, behind the first sentence.
        says = str(error).splitlines()[0][:100]
        raise ValueError(
            f'device must be one that torch has here, such as "cpu", not {device!r}: {says}'
        ) from None
    return str(device)
