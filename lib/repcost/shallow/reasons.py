"""Why a bracket is wider than was asked for, in words that are printed with it."""

from repcost.shallow.oracle import MOST_FACES, Oracle


def no_list_of_faces() -> str:
    """For the oracle that had to bound its maximum instead of listing the faces."""
    return f"over {MOST_FACES:,} faces, so spectral norms stand in for the exact maximum"


def not_certified_by_faces(steps: int) -> str:
    """The same for a certificate, after so many steps of the bound by products."""
    if not steps:
        return f"{no_list_of_faces()}; certify_shallow(..., steps=1000) may narrow it"
    return f"over {MOST_FACES:,} faces, so prices of products stand in for the exact maximum"


def proof_ended(nodes: int) -> str:
    """For branch and bound that was stopped, or found nothing more to ask."""
    return f"the proof ended before; it may take {nodes:,} nodes"


def not_met(rtol: float, oracle: Oracle, otherwise: str = "float64 gives out before") -> str:
    """For a gap above `rtol`."""
    cause = otherwise if oracle.is_exact else no_list_of_faces()
    return f"rtol {rtol:g} is not met: {cause}"
