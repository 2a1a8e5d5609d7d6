"""The scaled loss of shallow networks of any width, and its convex dual.

For unit atoms w_k, s_k = relu(Xt w_k) and outer weights a_k the loss of a balanced network, over strength, is
    |S A + beta 1 b^T - Y|^2 / rho + 2 sum_k |a_k| + |b|^2,        rho = N strength,
and its dual is   max 2 <V, Y> - rho |V|^2 - beta^2 |V^T 1|^2   subject to |V^T relu(Xt w)| <= 1 for all unit w.
Jacot et al. (2022), section 3, write the primal in covariances; rho = 0 is their representation cost.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.arrays import with_bias
from repcost.rounding import UNIT
from repcost.shallow.oracle import Oracle
from repcost.shallow.pruning import Atoms, Outer

Multiplier = Float[np.ndarray, "N m"]


@dataclass(frozen=True, eq=False)
class Problem:
    """The scaled loss, in units in which Xt and Y are of size one: Xt (N, r) has the bias column,
    beta is the output's.

    unit: what one unit of this scaled loss is worth; inputs: the unit of Xt.
    """

    Xt: Float[np.ndarray, "N r"]
    Y: Float[np.ndarray, "N m"]
    rho: float
    beta: float
    unit: float
    inputs: float
    oracle: Oracle

    @classmethod
    def scaled(
        cls, X: Float[np.ndarray, "N d"], Y: Multiplier, strength: float, bias: float
    ) -> "Problem":
        """Units are powers of two, so that scaling does not round; their product is one of four,
        for its root.
        """
        # A column of zeros would be one more direction for the oracle to list.
        Xt = with_bias(X, bias) if bias else np.array(X)
        x, y = np.frexp(np.abs(Xt).max(initial=0.0))[1], np.frexp(np.abs(Y).max(initial=0.0))[1]
        y += (x + y) % 2
        inputs, outputs, root = 2.0**x, 2.0**y, 2.0 ** ((x + y) // 2)
        rho = len(X) * strength / (inputs * outputs)
        Xt = Xt / inputs
        return cls(Xt, Y / outputs, rho, bias / root, outputs / inputs, inputs, Oracle(Xt))

    def hidden(self, W: Atoms) -> Float[np.ndarray, "N k"]:
        return np.maximum(self.Xt @ W.T, 0.0)

    def output_bias(self, W: Atoms, A: Outer) -> Float[np.ndarray, " m"]:
        """The best b for the other weights."""
        left = (self.Y - self.hidden(W) @ A).sum(axis=0)
        return (
            self.beta * left / (self.rho + len(self.Y) * self.beta**2) if self.beta else 0.0 * left
        )

    def residual(self, W: Atoms, A: Outer) -> Multiplier:
        return self.Y - self.hidden(W) @ A - self.beta * self.output_bias(W, A)

    def value(self, W: Atoms, A: Outer) -> float:
        """The scaled loss of a network with unit atoms, rho > 0."""
        penalty = 2 * np.linalg.norm(A, axis=1).sum() + (self.output_bias(W, A) ** 2).sum()
        return float((self.residual(W, A) ** 2).sum() / self.rho + penalty)

    def multiplier(self, W: Atoms, A: Outer) -> Multiplier:
        return self.residual(W, A) / self.rho

    def lower_bound(self, V: Multiplier, steepest: float) -> tuple[float, Multiplier]:
        """The dual value of the best feasible multiple of V, rounded down, and that multiple.

        `steepest` is at least max |V^T relu(Xt w)|, so that multiples between -1/steepest and
        1/steepest are feasible.
        """
        size = np.abs(V).max()
        if not size:
            return 0.0, V
        V, steepest = V / size, steepest / size
        limit = (1 - 8 * UNIT) / steepest if steepest else np.inf
        gain, loss = float((V * self.Y).sum()), self._quadratic(V)
        # Both signs: a residual that points the wrong way still bounds the minimum, by its mirror
        # image.
        V = V * np.clip(gain / loss if loss else np.copysign(np.inf, gain), -limit, limit)
        terms = 2 * np.abs(V * self.Y).sum() + self._quadratic(np.abs(V))
        value = 2 * (V * self.Y).sum() - self._quadratic(V) - 2 * (self.Y.size + 20) * UNIT * terms
        return (float(value), V) if value > 0 else (0.0, 0.0 * V)

    def _quadratic(self, V: Multiplier) -> float:
        return float(self.rho * (V**2).sum() + self.beta**2 * (V.sum(axis=0) ** 2).sum())
