"""What L2 regularisation makes of hidden layers: representations, the forces on them, two descents.

**From weights to representations.** Let layer l receive Z_l and send on S_l = [sigma(Z_l),
beta 1], a row for each of N points; then Z_l = S_{l-1} W_l^T, the biases divided by beta
being the last column of W_l. Among all W with the same Z_l = S_{l-1} W^T there is one of
least size, the pseudo-inverse (S_{l-1}^+ Z_l)^T: any other one adds a part that is orthogonal
to it and to everything that the points send, and so changes nothing at these points. Weight
decay removes that part, as no data defend it. What is left of the regularised loss is a
function of the hidden representations alone,

    C(Z_L) + strength sum_l |S_{l-1}^+ Z_l|^2,    Im Z_l in Im S_{l-1} for every l,

the first reformulation of Jacot et al. (2022), Proposition 1. `Representations` has its
terms, `representations` takes them from a network, and `residual_weights` is what the data do
not see.

**Two forces on each layer.** Z_l stands in two terms. In |S_{l-1}^+ Z_l|^2 it wants to be small, in
the geometry of the layer below: its gradient 2 (S_{l-1} S_{l-1}^T)^+ Z_l is the *attraction*. In
|S_l^+ Z_{l+1}|^2 it stands in the pseudo-inverse: the larger the activations, the smaller the
weights that the next layer needs, and minus this gradient pushes them apart. With K_S = S_l S_l^T
and for columns of Z_{l+1} that stay in the span, the derivative of Tr Z_{l+1}^T K_S^+ Z_{l+1} in
the direction dK is -Tr G^T dK G, where G = K_S^+ Z_{l+1}. Put dK = dS S^T + S dS^T and
dS = sigma'(Z_l) * dZ in: the *repulsion* is -2 sigma'(Z_l) * (G G^T sigma(Z_l)). Both are given by
`forces`; at a local minimum they cancel, which `force_balance` measures, with the slopes at the
kinks that suit each unit best.

**Two descents.** A gradient step on the Z_l leaves the spans, and the loss jumps where the
rank of an S_l changes. `descend` projects after every step. `descend_smoothed` replaces the
cost of a layer by Tr Z^T (S S^T + t)^-1 Z, the least |W|^2 + |Z - S W^T|^2 / t over all W,
which is smooth off the kinks, and lets t go to zero.
"""

from repcost.representations.attraction import forces
from repcost.representations.augmented import augmented_weights, network_of, passage
from repcost.representations.equilibrium import ForceBalance, force_balance
from repcost.representations.hidden_layers import Representations
from repcost.representations.network_weights import representations, residual_weights
from repcost.representations.projected_descent import descend
from repcost.representations.rays import class_scatter, merged_rays, on_rays
from repcost.representations.representation_loss import Descent
from repcost.representations.smoothed_descent import descend_smoothed
from repcost.representations.spectra import (
    SecondDirections,
    centred_spectra,
    handed_on,
    second_directions,
)

__all__ = [
    "Descent",
    "ForceBalance",
    "Representations",
    "SecondDirections",
    "augmented_weights",
    "centred_spectra",
    "class_scatter",
    "descend",
    "descend_smoothed",
    "force_balance",
    "forces",
    "handed_on",
    "merged_rays",
    "network_of",
    "on_rays",
    "passage",
    "representations",
    "residual_weights",
    "second_directions",
]
