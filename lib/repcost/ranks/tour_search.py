"""A short open tour, made from any: the best moves first, until none shortens it any more."""

from repcost.ranks.edge_exchanges import exchanged, exchanges
from repcost.ranks.open_paths import OpenPath, Order
from repcost.ranks.segment_transfers import transferred, transfers
from repcost.ranks.spanning_trees import Points, nearest


def shortened(points: Points, order: Order) -> Order:
    """The tour after no exchange or transfer between neighbours shortens it further."""
    path, near = OpenPath(points, order), nearest(points)
    moves_made = 1
    while moves_made:
        moves_made = sum(exchanged(path, move) for move in exchanges(path, near))
        moves_made += sum(transferred(path, move) for move in transfers(path, near))
    return path.order[1:-1]
