"""The attacks, by the name of the function that each is for."""

from repcost_book.trials.attacks.lines import LINES
from repcost_book.trials.attacks.margins import MARGINS
from repcost_book.trials.attacks.networks import NETWORKS
from repcost_book.trials.attacks.ranks import RANKS
from repcost_book.trials.attacks.regions import REGIONS
from repcost_book.trials.fuzz import Attack

_ALL = (*LINES, *MARGINS, *NETWORKS, *RANKS, *REGIONS)
ATTACKS: dict[str, Attack] = {attack.name: attack for attack in _ALL}
