"""What the two layers beside a hidden one do to it: attraction from below, repulsion from above.

Item 4 of section 3.1 of Jacot et al. (2022), with points as rows; derived on the first page
of this room.
"""

from repcost.arrays import ArrayLike
from repcost.representations.layer_between import LayerBetween, PerUnit, divided, put_back
from repcost.scalars import nonnegative_number
from repcost.scales import exponent_of, times_power


def forces(
    Z: ArrayLike, S_previous: ArrayLike, Z_next: ArrayLike, bias: float, *, tikhonov: float = 0.0
) -> tuple[PerUnit, PerUnit]:
    """(attraction, repulsion): the derivatives by Z of |S_previous^+ Z|^2 and of |S^+ Z_next|^2.

    Here S = [relu(Z), beta 1]; item 4 of section 3.1 of Jacot et al. (2022). S_previous
    (N, m + 1) carries its bias column, Z_next is (N, n_next), and both answers are (N, n) as Z.
    In terms of covariances they are 2 K^+ Z and -2 relu'(Z) * (K_S^+ K_next K_S^+ relu(Z)).

    relu'(0) is 0 here. Where K_S is singular, the second is a derivative for Z_next in Im S
    only, and along motions that keep the rank of S, as the term jumps where it changes.
    `tikhonov` t > 0 puts K + t for both K: derivatives of Tr K_Z (K + t)^-1, which jump at
    the kinks only.

    Range: any finite entries whose forces are floats; others are refused. Directions of S below
    1e-10 of its largest count as rounding.

    >>> layer = [[1.0], [2.0]], [[1.0, 0.0], [2.0, 0.0]], [[3.0], [6.0]]
    >>> attraction, repulsion = forces(*layer, bias=0.0)
    >>> attraction.round(12).tolist(), repulsion.round(12).tolist()
    ([[0.4], [0.8]], [[-3.6], [-7.2]])
    """
    layer = LayerBetween.checked(Z, S_previous, Z_next, bias)
    tikhonov = nonnegative_number(tikhonov, "tikhonov")
    # G = K_S^+ Z_next is the derivative's only inverse: it stands there twice.
    G, exponent = divided(layer.Z_next, layer.S, tikhonov)
    size = exponent_of(layer.S)
    # The last column of S is the constant, which no unit moves.
    on_activations = G @ (G.T @ times_power(layer.S[:, :-1], -size))
    # A silent unit is not pushed, and one at its kink counts as silent.
    repulsion = -2 * (layer.Z > 0) * on_activations
    name = "the square of Z_next over the cube of [relu(Z), bias]"
    return layer.attraction(tikhonov), put_back(repulsion, 2 * exponent + size, name)
