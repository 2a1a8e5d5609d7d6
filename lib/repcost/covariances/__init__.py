"""Covariances of hidden layers: what they cost, and how many units they take.

**The cost.** Let a layer receive Z (N, n) at N points and send S = [relu(Z), beta 1] to the next.
The regularised loss depends on a layer through two matrices of size N only: |S_below^+ Z|^2 is
Tr Z^T (S_below S_below^T)^+ Z = Tr K K_below^+, where K = Z Z^T is the covariance before the
activation and K_below = S_below S_below^T the one after the activation below. The sum over the
layers, Tr K_l (K_{l-1}^sigma)^+, is `covariance_cost`: the second reformulation of Jacot et al.
(2022). In K it is linear, in K_sigma convex, and no width stands in it. Where the columns of Z
leave the span of what the layer below sends, no weights give them, and the cost is infinite.

**Linear networks.** Without activation each K_l is the K_sigma of the same layer, and the best
layers share the work: the matrix from inputs to outputs has singular values s, and each of the L
layers takes the factor s^(1/L) of each. So K_l = X (X^+ K_L X^{+T})^(l/L) X^T, which are the
`linear_covariances`.

**How many units.** All units of a layer together give two sums, K = sum_k z_k z_k^T and
sum_k relu(z_k) relu(z_k)^T, which is K_sigma without its beta^2. How few units give these two
is the `covariance_rank`. For units that are nowhere negative the two sums are one matrix, and
the number is its `cp_rank`, the rank of a completely positive matrix. Both numbers are hard
to find, so they are bracketed.

From below (`pairs`): no fewer units than the rank of each sum. And where the second sum has a zero,
no unit is active at both points. So the points where a unit is active form a clique in the graph of
the entries that are not zero, and all units together cover every edge. The least number of cliques
that cover a graph is the optimum of an integer programme (`cliques`). From above (`layer_search`):
a Z found by least squares, whose covariances are then measured.

Two things beside these: how many dimensions such pairs have (`dimensions`), and a case where
all minimisers are known, a graph with two sides (`bipartite`).

Floats are known up to rounding, and ranks jump. So everything is proven for all pairs of
matrices within a tolerance of the given ones.
"""

from repcost.covariances.bipartite import (
    Descents,
    bipartite_covariance,
    bipartite_edges,
    bipartite_ends,
    bipartite_least_loss,
    edge_rows,
    nonnegative_descents,
)
from repcost.covariances.cost import covariance_cost
from repcost.covariances.dimensions import derivative_rank
from repcost.covariances.linear_networks import linear_covariances
from repcost.covariances.pairs import CovariancePair
from repcost.covariances.ranks import covariance_rank, cp_rank

__all__ = [
    "CovariancePair",
    "Descents",
    "bipartite_covariance",
    "bipartite_edges",
    "bipartite_ends",
    "bipartite_least_loss",
    "covariance_cost",
    "covariance_rank",
    "cp_rank",
    "derivative_rank",
    "edge_rows",
    "linear_covariances",
    "nonnegative_descents",
]
