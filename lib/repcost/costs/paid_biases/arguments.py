"""The words for who pays, and the convention that each is."""

from typing import Any, Literal, get_args

from repcost.conventions import (
    HALF_OF_WEIGHTS_AND_BIASES,
    HALF_WITH_HIDDEN_BIASES,
    HALF_WITH_HIDDEN_BIASES_BESIDE_A_LINE,
    Convention,
)
from repcost.scalars import one_of

Biases = Literal["free", "paid"]
Output = Literal["free", "paid", "linear"]

COUNTS: dict[Output, Convention] = {
    "free": HALF_WITH_HIDDEN_BIASES,
    "paid": HALF_OF_WEIGHTS_AND_BIASES,
    "linear": HALF_WITH_HIDDEN_BIASES_BESIDE_A_LINE,
}


def output_of(biases: Any, output: Any) -> Output | None:
    """What goes free at the output where hidden biases are paid; None where all biases are free."""
    paid = one_of(biases, "biases", get_args(Biases)) == "paid"
    word = one_of(output, "output", get_args(Output))
    if not paid and word != "free":
        raise ValueError(f'output must be "free" where biases are; "{word}" needs biases="paid"')
    return next(known for known in get_args(Output) if known == word) if paid else None
