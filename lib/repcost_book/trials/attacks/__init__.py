"""The attacks, by the name of the function that each is for."""

from repcost_book.trials.attacks.linear_layers import LINEAR_LAYERS
from repcost_book.trials.attacks.lines import LINES
from repcost_book.trials.fuzz import Attack

ATTACKS: dict[str, Attack] = {attack.name: attack for attack in (*LINES, *LINEAR_LAYERS)}
