"""What a given network pays and what it has learned, at given inputs: for a model of one's own.

`measure` takes any module of torch, a DeepNet or a TwoLayer, and puts three kinds of numbers into a
`Report`. `compare` puts reports beside each other, and a `Watch` makes them along a training:

- what the network pays: the squared weights, and how much of them is slack, which goes away when
  channels or whole layers are rescaled without changing the function;
- what it has learned: in how many directions the values of each layer vary over the points, where
  the fewest are (the bottleneck), and the singular values of its derivative at each point;
- what it does not need: units that are zero at all points, or proportional to others there.

The way of a module: `admission` refuses by name what cannot be read, `reading` makes a small graph
of operations of what torch.export says of it (`exporting`, `graphs`, `kinds`; `folding` for batch
normalisation), and that is compared with the model itself (`outputs`, `checked`). Which channels
may be rescaled is found by running the operations on `labels` (`labelling`, and the rules of each
operation), and the cheapest of all rescalings by Newton's method on `orbits`. `walking` sends the
points through, `values` sums up what comes, and `derivatives` differentiates. What no graph can be
had of is measured by hooks (`hooked`).

`prune` makes a smaller module of one that is a chain of layers (`chains`, `narrowing`).
"""

from repcost.report.comparing import Comparison, compare
from repcost.report.layers import Layer
from repcost.report.measuring import measure
from repcost.report.pruning import Pruned, prune
from repcost.report.reports import Report
from repcost.report.watching import Watch

__all__ = ["Comparison", "Layer", "Pruned", "Report", "Watch", "compare", "measure", "prune"]
