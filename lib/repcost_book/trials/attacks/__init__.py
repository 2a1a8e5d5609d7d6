"""The attacks, by the name of the function that each is for."""

from repcost_book.trials.attacks.fits import FITS
from repcost_book.trials.attacks.layers import LAYERS
from repcost_book.trials.attacks.lines import LINES
from repcost_book.trials.attacks.shallow import SHALLOW
from repcost_book.trials.fuzz import Attack

ATTACKS: dict[str, Attack] = {attack.name: attack for attack in (*LINES, *FITS, *SHALLOW, *LAYERS)}
