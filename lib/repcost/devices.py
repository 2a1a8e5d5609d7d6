"""Devices at the door: where torch is to compute, and whether it can."""

from reprlib import repr as short
from typing import Any

__all__ = ["torch_device"]


def torch_device(device: Any) -> str:
    """`device` as text: "cpu", or what torch knows by that name and has; ValueError if not."""
    # The usual case, without torch.
    if isinstance(device, str) and device == "cpu":
        return device
    import torch

    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    # Each backend that is missing has an error of its own.
    except Exception as error:
        # torch lists all that it could have been compiled for, behind the first words.
        reason = str(error).partition("\n")[0][:100]
        known = 'device must be "cpu" or one that torch has here'
        raise ValueError(f"{known}, not {short(device)}: {reason}") from None
    if found.type == "meta":
        raise ValueError('device must not be "meta", where tensors have no numbers; take "cpu"')
    return str(found)
