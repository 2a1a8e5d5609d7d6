"""What a given network pays and what it has learned, at given inputs: for a model of one's own.

`measure` reads the model (`models`: a Sequential of torch, a DeepNet or a TwoLayer), evaluates it
at the points, and puts three kinds of numbers into a `Report`. A module of torch can compute
something else than its layers say, so what may do so is refused by name (`unchanged`), and the
model's own outputs are compared with those of what was read (`outputs`). The numbers:

- what the network pays: the squared weights, and how much of them is slack, which goes away when
  single neurons or whole layers are rescaled without changing the function;
- what it has learned: in how many directions the values of each layer vary over the points, where
  the fewest are (the bottleneck), and the singular values of its derivative at each point;
- what it does not need: neurons that are zero at all points, or proportional to others there.

The numbers themselves are computed in `measurements`, each in a function of a few lines, and
`views` shows them as text, as a table, as a drawing or as plain lists.
"""

from repcost.report.measuring import Report, measure

__all__ = ["Report", "measure"]
