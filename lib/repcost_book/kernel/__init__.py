"""What runs inside a chapter; it imports from no other room.

A chapter begins with `run = Run(profile, seed, device)`, which tells it how much to compute, and
hands `run.device` on to what computes in batches (`placing`). It measures something and calls
`check`, which settles a claim of the ledger or raises. It shows a `figure`, keeps numbers for its
prose with `glue`, and reads what takes too long for a reader with `run.recorded`. The widgets are
not imported here: they bring much with them.

Nothing of this reaches the pages by a file or a global. A kernel speaks through the outputs of its
cells (`outputs` has the words it uses), because it may run on another machine; and it is spoken to
through its parameters and its environment (`workers`).
"""

from repcost_book.kernel.checks import check
from repcost_book.kernel.figures import figure
from repcost_book.kernel.run import Run
from repcost_book.kernel.values import glue

__all__ = ["Run", "check", "figure", "glue"]
