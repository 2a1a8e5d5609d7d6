"""The steepest neuron from products of what it gives: a bound for hundreds of points, any outputs.

**The bound.** Let |w| <= 1, let s = relu(Xt w) be what a neuron gives at the N points, and t =
relu(-Xt w) what its mirror image gives; y = (s, t) is both. Then no product y_i y_j is negative,
every s_i t_i is zero, and t = s - Xt w. Let P be any symmetric matrix of 2N rows that has no
negative entry, but for the P_ij at the pairs s_i t_i, which may have any sign. So y^T P y >= 0.
If now, for some number lambda,

    lambda |w|^2  -  |V^T s|^2  -  y^T P y  >=  0      for all real s and w, with t = s - Xt w,

then |V^T s|^2 <= lambda |w|^2 <= lambda for every neuron. The condition says of one symmetric
matrix of N + d rows, M(lambda, P), that it has no negative eigenvalue (`form`). This is weak
duality, of the relaxation that asks of the mean of y y^T only that it has neither a negative entry
nor a negative eigenvalue: P are the prices of the products. The least lambda is often the square of
the steepest neuron, or nearly so, where points are not many more than dimensions. In few dimensions
it may be several times as large, and there `branching` does better.

**The search.** The least lambda is near the minimum of

    rho log(lambda)  -  log det M(lambda, P),       rho = (N + r) / share,

over all P that are allowed. Every point of the domain is a proof, and at a minimum lambda is at
most 1 / (1 - share) times the least one: there M^-1, over rho, is a mean of y y^T as the relaxation
asks for, and what it lacks of lambda is as many times lambda / rho as M has rows. The potential
does not know in which units V is, so the way from a poor lambda takes no schedule but that of the
share (`multipliers`). The entries of P are many and most are zero at the end, so steps are those of
a limited memory of gradients with entries held at zero (`steps`).

**The proof.** `proof` forms M anew from the P that was found, in all d dimensions, bounds what is
rounded in each entry, and takes that and what a Cholesky factorisation may be off from its
diagonal. If it has a factor then, M has no negative eigenvalue. Nothing of the search counts.
"""

from repcost.shallow.products.proof import height_by_products

__all__ = ["height_by_products"]
