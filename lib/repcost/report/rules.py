"""All rules of `rule_table`: to import them is to enter them."""

from repcost.report import rules_of_layers, rules_of_moves, rules_of_pairs
from repcost.report.rule_table import RULES
from repcost.report.rules_of_moves import moved, one_result, same

__all__ = ["RULES", "moved", "one_result", "same"]

# Named, so that nobody takes the imports for idle ones.
_ROOMS = rules_of_layers, rules_of_moves, rules_of_pairs
