"""Phi_L: what a finite network costs when its one ReLU layer is preceded by linear layers.

**What is computed.** The network sum_k a_k [<w_k, x> + b_k]_+ may be written with L layers, of
which all but the last two are linear. Ongie & Willett (2022), equations (11) and (14), show
that the least weights that do so depend on the rows m_k = a_k w_k only. With M the matrix of
these rows,

    Phi_L^(L/2) = min over |lambda| = 1 of |D_lambda^(-1) M|_q,    q = 2/(L-1),

where |.|_q is the Schatten quasi-norm, (sum_j s_j^q)^(1/q) over the singular values, and
D_lambda the diagonal matrix of lambda. Here L is any whole number from 2 on; L = 2 is the sum
of the |m_k|.

**A fixed point.** Let lambda_k^2 = c_k / sum(c) for positive c, let alpha = (L-2)/(L-1), and

    G = sum_k m_k m_k^T / c_k,    so    Phi_L^L = min over c of sum(c) (tr G^(1-alpha))^(L-1),

because sum_j s_j^q of D_c^(-1/2) M is tr G^(1-alpha). The derivative by c_k is zero where
c_k^2 is in one proportion to m_k^T G^(-alpha) m_k for all k. If c is multiplied by t, the two
grow by t^2 and t^alpha, so some t makes the proportion 1: the minimum is where c is its own
image c' under

    c'_k = sqrt(m_k^T G^(-alpha) m_k).

**Why it contracts.** If each c_k grows by a factor of at most e^s, G shrinks to no less than
e^(-s) G. The power alpha < 1 is operator monotone (Loewner), so G^(-alpha) grows by at most
e^(alpha s), and c' by at most e^(kappa s) with kappa = alpha/2 < 1/2. So log c moves by the
factor kappa nearer to the fixed point in every step, in the sup norm and in Hilbert's metric
(the oscillation of log c), however badly M is conditioned. Cohen & Peng (STOC 2015) find the
Lewis weights of l_1 by the same map at alpha = 1, the limit of infinite depth, where it
contracts by 1/2.

**The certificate.** Nothing above is assumed of the floats that come out. Whatever c > 0 and
whatever basis V the iteration ended with, both ends follow from these facts, each a function
of its own.

  Fact 1. Every c gives an upper end: Phi_L <= sum(c)^(1/L) (tr G^(1-alpha))^((L-1)/L).
  Fact 2. The minimum is near. With t = -(log c)/2, g(t) = log |diag(e^t) M|_q + log(sum
    e^(-2t))/2 is convex, and its minimum is log Phi_L^(L/2). Its gradient is p - h with the
    shares p_k of c'_k^2/c_k and h_k of c_k; these sum to 0, so g lies above its minimum by at
    most half the sum of |p_k - h_k| times the oscillation of the way from t to the minimum. In
    Hilbert's metric that way is at most 1/(1-kappa) times the first step (Banach), and t is
    half of log c.
  Fact 3. Lengths tell singular values. If X V = B D^(1/2) with diagonal D and
    |B^T B - 1| <= eta < 1, the squared singular values of X V are those of D times numbers
    in [1 - eta, 1 + eta] (Ostrowski).
  Fact 4. A basis that is nearly orthonormal changes them little: if |V^T V - 1| <= nu, those
    of X V and X agree up to factors sqrt(1 +- nu), whatever c. So do the costs of the rows M V
    and M, up to (1 +- nu)^(1/L).
  Fact 5. If X has as many independent directions as X V has columns, what V misses stretches:
    X = (X V) T with T = V^T + (X V)^+ (X - X V V^T), a factor of at most |T|.
  Fact 6. If that is not known, it adds at most |X - X V V^T|_q^q to sum s_j^q, because q <= 1
    (Rotfel'd).
  Fact 7. The image c' of the rows M V is known up to a small relative error: by fact 3,
    (X V)^T (X V) lies between (1 -+ eta) D, and so do the powers of both, by operator monotony.
    Fact 2 is used for these rows, and fact 4 leads back to M.
  Fact 8. A sum of powers is rounded by a few units, and by |log| of what is raised to a power.
  Fact 9. Rows left out cost little: networks side by side cost no more than the sum of their
    costs, and no less than one of them; so a row left out adds |m_k|^(2/L) at most and takes
    nothing.

**Directions.** Small powers of singular values feel a direction that rounding adds or removes:
by eps^(2/L), which is 2 % at depth 20. So the number of directions is decided once, on rows of
unit length, and proved in whole numbers where that is affordable. Where it is not, the lower
end is the cost with the rounding removed, and the upper end adds what rounding may cost (fact
6).

**The way through the room.** `scaled_rows` splits M into directions and powers of two,
exactly; `directions` counts them; `coordinates` writes the rows in a basis of their span,
plainly, or graded for rows of very different size; `contraction` finds c; `frames`,
`power_sums` and `certificate` prove both ends; `routes` chooses the coordinates. Where no
certificate is narrow, `magnitudes` says what sizes alone prove, and the Bracket says why. `phi` has
the public functions, `networks` the weights that attain the cost, `metrics` the linear map after
which it is a path norm, `simple_bounds` what the paper bounds it by, and `arguments` what is told
to who gives arrays instead of a network.
"""

from repcost.costs.linear_layers.metrics import best_metric, metric_lengths
from repcost.costs.linear_layers.networks import LinearLayersNetwork, linear_layers_network
from repcost.costs.linear_layers.phi import (
    linear_layers_cost,
    linear_layers_costs,
    optimal_shares,
)
from repcost.costs.linear_layers.simple_bounds import linear_layers_bound, polar_bound

__all__ = [
    "LinearLayersNetwork",
    "best_metric",
    "linear_layers_bound",
    "linear_layers_cost",
    "linear_layers_costs",
    "linear_layers_network",
    "metric_lengths",
    "optimal_shares",
    "polar_bound",
]
