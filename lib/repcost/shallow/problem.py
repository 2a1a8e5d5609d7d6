"""The scaled loss of shallow networks of any width, and its convex dual.

For unit atoms w_k, s_k = relu(Xt w_k) and outer weights a_k the loss over strength, with
every neuron's incoming and outer weights of one size, is

    |S A + beta 1 b^T - Y|^2 / rho + 2 sum_k |a_k| + |b|^2,        rho = N strength,

and its dual is

    max 2 <V, Y> - rho |V|^2 - beta^2 |V^T 1|^2   subject to |V^T relu(Xt w)| <= 1 for all unit w.

The first page of this room derives one from the other. Jacot et al. (2022), section 3, write
the primal in covariances; rho = 0 is their representation cost.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.arrays import with_bias
from repcost.rounding import TINY, UNIT
from repcost.scales import exponent_of, lengths, rounded_down
from repcost.shallow.merging import Atoms, Outer
from repcost.shallow.oracle import Oracle

Inputs = Float[np.ndarray, "N r"]
Multiplier = Float[np.ndarray, "N m"]

# The scaled strengths, as exponents of two, for which no square of a residual or a multiplier
# leaves the range of floats.
_WEAKEST, _STRONGEST = -450, 450


@dataclass(frozen=True, eq=False)
class ShallowProblem:
    """The scaled loss and its dual, in units in which the data are of size one.

    Xt (N, r): the inputs, the bias column among them. Y (N, m): the targets.
    rho, beta: N strength and the bias of the outputs, both in the scaled units.
    unit: what one unit of this scaled loss is worth, over strength; inputs: the unit of Xt.
    strength: what a lower end may be multiplied by. The loss rises with the strength, and over the
        strength it falls. So where `rho` had to be kept in the range of floats, this is the lesser
        of the given strength and the one that `rho` stands for.
    oracle: finds the neurons whose dual constraints V violates most.

    >>> problem = ShallowProblem.scaled(np.eye(2), np.eye(2), 0.1, bias=0.0)
    >>> W, A = np.eye(2), 0.5 * np.eye(2)
    >>> V = problem.multiplier(W, A)
    >>> round(problem.value(W, A), 12)
    4.5
    >>> lower, feasible = problem.lower_bound(V, problem.oracle.peaks(V).bound)
    >>> round(lower, 12), feasible.round(12).tolist()
    (3.6, [[2.0, 0.0], [0.0, 2.0]])
    """

    Xt: Float[np.ndarray, "N r"]
    Y: Float[np.ndarray, "N m"]
    rho: float
    beta: float
    unit: float
    inputs: float
    oracle: Oracle
    strength: float = 0.0

    @classmethod
    def scaled(
        cls, X: Float[np.ndarray, "N d"], Y: Multiplier, strength: float, bias: float
    ) -> "ShallowProblem":
        """The problem of the data X (N, d), Y (N, m) in units that are powers of two.

        Such units do not round. The product of the two is a power of four, so its root, the
        unit of the bias, does not round either.
        """
        # A column of zeros would be one more direction for the oracle to list.
        Xt = with_bias(X, bias) if bias else np.array(X)
        x, y = exponent_of(Xt), exponent_of(Y)
        y += (x + y) % 2
        inputs, outputs, root = 2.0**x, 2.0**y, 2.0 ** ((x + y) // 2)
        rho, strength = _within_range(len(X), strength, -(x + y))
        Xt = Xt / inputs
        oracle = Oracle(Xt)
        beta, unit = bias / root, outputs / inputs
        return cls(Xt, Y / outputs, rho, beta, unit, inputs, oracle, strength)

    def worth_at_least(self, scaled: float) -> float:
        """A scaled lower end in the units of the data, rounded down."""
        digits, exponent = np.frexp(self.strength)
        unit = exponent_of(self.unit) - 1
        # Down by more than these products are rounded.
        return rounded_down(float(scaled * digits * (1 - 8 * UNIT)), int(exponent) + unit)

    def hidden(self, W: Atoms) -> Float[np.ndarray, "N k"]:
        """What the atoms give at the points: S, a column each."""
        return np.maximum(self.Xt @ W.T, 0.0)

    def output_bias(self, W: Atoms, A: Outer) -> Float[np.ndarray, " m"]:
        """The best b for the other weights."""
        left = (self.Y - self.hidden(W) @ A).sum(axis=0)
        if not self.beta:
            return 0.0 * left
        return self.beta * left / (self.rho + len(self.Y) * self.beta**2)

    def residual(self, W: Atoms, A: Outer) -> Multiplier:
        """What the network with the best output bias leaves of the targets."""
        return self.Y - self.hidden(W) @ A - self.beta * self.output_bias(W, A)

    def value(self, W: Atoms, A: Outer) -> float:
        """The scaled loss of a network with unit atoms, rho > 0."""
        # Twice the outer weights: an atom's incoming ones are as large, once balanced.
        penalty = 2 * lengths(A).sum() + (self.output_bias(W, A) ** 2).sum()
        return float((self.residual(W, A) ** 2).sum() / self.rho + penalty)

    def multiplier(self, W: Atoms, A: Outer) -> Multiplier:
        """The V of a network; at the optimum it solves the dual."""
        return self.residual(W, A) / self.rho

    def lower_bound(self, V: Multiplier, steepest: float) -> tuple[float, Multiplier]:
        """The dual value of the best feasible multiple of V, rounded down, and that multiple.

        `steepest` is at least max |V^T relu(Xt w)|, so that multiples between -1/steepest and
        1/steepest are feasible.
        """
        size = np.abs(V).max()
        if not size:
            return 0.0, V
        # At size one no square of V overflows.
        V = V / size
        multiple, exponent = np.frexp(self._best_multiple(V, steepest / size))
        V, exponent = V * multiple, int(exponent)
        # In units of 2^exponent, so that a small multiple has squares too.
        gain, loss = 2 * (V * self.Y).sum(), self._quadratic(V)
        value = float(gain - np.ldexp(loss, exponent) - self._rounding(V, exponent))
        if value <= TINY:
            return 0.0, 0.0 * V
        return rounded_down(value, exponent), np.ldexp(V, exponent)

    def _best_multiple(self, V: Multiplier, steepest: float) -> float:
        """The t for which 2 t <V, Y> - t^2 (quadratic part of V) is largest, as far as allowed."""
        limit = (1 - 8 * UNIT) / steepest if steepest else np.inf
        gain, loss = float((V * self.Y).sum()), self._quadratic(V)
        # Both signs: a residual that points the wrong way still bounds the minimum, by its mirror
        # image.
        return float(np.clip(gain / loss if loss else np.copysign(np.inf, gain), -limit, limit))

    def _rounding(self, V: Multiplier, exponent: int) -> float:
        """More than the sums of the dual value of V 2^exponent are off, over 2^exponent."""
        quadratic = np.ldexp(self._quadratic(np.abs(V)), exponent)
        terms = 2 * np.abs(V * self.Y).sum() + quadratic
        return 2 * (self.Y.size + 20) * UNIT * terms

    def _quadratic(self, V: Multiplier) -> float:
        return float(self.rho * (V**2).sum() + self.beta**2 * (V.sum(axis=0) ** 2).sum())


def _within_range(points: int, strength: float, exponent: int) -> tuple[float, float]:
    """rho = points strength 2^exponent, or the nearest in range; and what a lower end is worth."""
    if not strength:
        return 0.0, 0.0
    digits, own = np.frexp(strength)
    rho, exponent = float(points * digits), exponent + int(own)
    if exponent < _WEAKEST:
        # As strong as this, the loss over the strength is no more than what is asked for.
        return float(np.ldexp(rho, _WEAKEST)), strength
    if exponent > _STRONGEST:
        return float(np.ldexp(rho, _STRONGEST)), float(np.ldexp(strength, _STRONGEST - exponent))
    return float(np.ldexp(rho, exponent)), strength
