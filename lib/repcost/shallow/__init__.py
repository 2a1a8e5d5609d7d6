"""Networks with one hidden layer of any width: their least loss and cost, with a certificate.

**What is computed.** A network with one hidden layer takes the point x to
sum_k a_k relu(<w_k, [x, beta]>) + beta b, and training with L2 regularisation minimises

    1/N sum_i |f(x_i) - y_i|^2  +  strength (sum_k |w_k|^2 + sum_k |a_k|^2 + |b|^2)

over the weights and, here, over the number of neurons too. `shallow_optimum` finds this
minimum, `certify_shallow` says how far a given network is from it, and `shallow_cost` is the
least sum of squares alone, of a network that takes every x_i to y_i. Whoever looks for a cost
of data and not of a function, or adds one, is in the right room.

**Any width makes it convex.** Multiply w_k by c > 0 and divide a_k by c: the network stays
what it was, and |w_k|^2 + |a_k|^2 is least, and equal to 2 |w_k| |a_k|, where both are of one
size. So one may take w_k of length one, an *atom*, and pay 2 |a_k| for its outer weight. Let
Xt be the inputs with their column beta, let s_k = relu(Xt w_k) be what the atom k gives at
the N points, the columns of S, and let rho = N strength. Divided by the strength, the loss is

    |Y - S A - beta 1 b^T|^2 / rho  +  2 sum_k |a_k|  +  |b|^2,

a convex function of A and b. What this takes is an S with a column for each point of a sphere.

**The dual.** Let R be the residual, Y - S A - beta 1 b^T. Its square is the greatest value of
a concave function, |R|^2 / rho = max over V of 2 <V, R> - rho |V|^2, reached at V = R / rho.
Put this in, and minimise over the weights first. The output bias leaves -beta^2 |V^T 1|^2.
Each outer weight leaves the least value of 2 |a_k| - 2 <V^T s_k, a_k>, which is zero if |V^T
s_k| <= 1 and minus infinity if not. What remains is the dual:

    maximise  2 <V, Y> - rho |V|^2 - beta^2 |V^T 1|^2
    such that |V^T relu(Xt w)| <= 1  for all unit w.

A V that obeys all constraints has a value below every loss, and this is the certificate. For
any V at all, some multiple of it obeys them, once the maximum of |V^T relu(Xt w)| is known.

**The way there.** `problem` states the two problems in units in which the data are of size one.
`oracle` finds the maximum: `arrangements` lists in whole numbers which neurons are active at the
same points, `faces` gives each set of them its geometry, `tops` the highest point. Where they are
too many, `branching` searches for it and proves that nothing is much higher, for few outputs, and
`products` bounds it for as many as one likes. `master` buys
the neurons whose constraints are violated, solves for the outer weights of all that it has, and
repeats until none is worth its price; `descent` now and then moves all weights at once, and `ends`
has what is proved of it. `optimum` and `certificates` say the result in the units of the data,
rounded outward. For `shallow_cost` the strength goes to zero, in `interpolation`, and `repair`
prices what is then left to interpolate.

**Few neurons are enough.** The outputs of a network, and its covariances, are sums over
neurons, and a sum in p dimensions needs no more than p of its terms, by Carathéodory's
theorem (`caratheodory`). `merging` makes one neuron of several that are alike, `pruning`
keeps the outputs of a network, `thinning` the covariances of a layer.
"""

from repcost.shallow.caratheodory import basic_weights
from repcost.shallow.certificates import certify_shallow
from repcost.shallow.interpolation import shallow_cost
from repcost.shallow.master import least_network, weighted
from repcost.shallow.merging import merged, unit_atoms
from repcost.shallow.optimum import ShallowOptimum, shallow_optimum
from repcost.shallow.oracle import Oracle
from repcost.shallow.peaks import Peaks
from repcost.shallow.problem import ShallowProblem
from repcost.shallow.rounds import column_generation, frank_wolfe
from repcost.shallow.thinning import thinned

__all__ = [
    "Oracle",
    "Peaks",
    "ShallowOptimum",
    "ShallowProblem",
    "basic_weights",
    "certify_shallow",
    "column_generation",
    "frank_wolfe",
    "least_network",
    "merged",
    "shallow_cost",
    "shallow_optimum",
    "thinned",
    "unit_atoms",
    "weighted",
]
