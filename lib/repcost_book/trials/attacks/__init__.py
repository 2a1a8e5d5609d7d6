"""The attacks, by the name of the function that each is for."""

from repcost_book.trials.attacks.functions import FUNCTIONS
from repcost_book.trials.attacks.linear_layers import LINEAR_LAYERS
from repcost_book.trials.attacks.lines import LINES
from repcost_book.trials.attacks.plane import PLANE
from repcost_book.trials.fuzz import Attack

ATTACKS: dict[str, Attack] = {
    attack.name: attack for attack in (*LINES, *FUNCTIONS, *LINEAR_LAYERS, *PLANE)
}
