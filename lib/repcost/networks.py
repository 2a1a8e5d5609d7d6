"""Networks with one hidden layer as plain arrays: the network of every chapter on two layers."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int

from repcost.arrays import ArrayLike, as_rows, finite_array, same_length
from repcost.scalars import real_number
from repcost.scales import exponents_of_rows, lengths

# Smaller floats than this have fewer digits; multiplied by 2^_UP they have all of them.
_NORMAL, _UP = 2.0**-1000, 900


@dataclass(frozen=True, eq=False)
class TwoLayer:
    """x -> sum_k a_k [<w_k, x> + b_k]_+ + c, one hidden layer of ReLU units; points are rows.

    W: (K, d) the units' directions; a: (K,) outer weights; b: (K,) biases; c: output bias. Biases
    that are not given are zero.
    Equation (1) of Savarese et al. (2019).

    >>> hat = TwoLayer([[1.0], [1.0], [1.0]], [1.0, -2.0, 1.0], [1.0, 0.0, -1.0])
    >>> hat([-1.0, 0.0, 0.5]).tolist()
    [0.0, 1.0, 0.5]
    """

    W: Float[np.ndarray, "K d"]
    a: Float[np.ndarray, " K"]
    b: Float[np.ndarray, " K"]
    c: float = field(default=0.0)

    def __init__(self, W: ArrayLike, a: ArrayLike, b: ArrayLike | None = None, c: float = 0.0):
        arrays = {"W": finite_array(W, "W", 2), "a": finite_array(a, "a", 1)}
        arrays["b"] = finite_array(np.zeros(len(arrays["a"])) if b is None else b, "b", 1)
        same_length(**arrays)
        # Frozen means that only the constructor may do this.
        for name, value in (*arrays.items(), ("c", real_number(c, "c"))):
            object.__setattr__(self, name, value)

    @property
    def width(self) -> int:
        return self.W.shape[0]

    @property
    def dimension(self) -> int:
        return self.W.shape[1]

    def __call__(self, X: ArrayLike) -> Float[np.ndarray, " n"]:
        """Values at the rows of X, (n, d); one variable also takes (n,)."""
        X = points_for(as_rows(X) if self.dimension == 1 else X, self.dimension)
        # ReLU by its definition: a TwoLayer has no other activation.
        return np.maximum(X @ self.W.T + self.b, 0.0) @ self.a + self.c

    @property
    def weight_cost(self) -> float:
        """C(theta) of Savarese et al. (2019), eq. (3): half the squared weights, biases free."""
        with np.errstate(over="ignore"):  # infinite beyond the range of floats
            return float(np.sum(self.a**2) / 2 + np.sum(self.W**2) / 2)

    @property
    def path_norm(self) -> float:
        """sum_k |a_k| |w_k| of eq. (5): the least weight cost that rescaling the units reaches."""
        norms = lengths(self.W)
        # Lengths below all normal floats have few digits: they are taken from larger rows.
        few = (norms < _NORMAL) & self.W.any(axis=1)
        with np.errstate(over="ignore"):  # infinite beyond the range of floats
            rest = np.abs(self.a[few]) * 2.0**-_UP @ lengths(np.ldexp(self.W[few], _UP))
            return float(np.abs(self.a) @ np.where(few, 0.0, norms)) + float(rest)

    def balanced(self) -> "TwoLayer":
        """The same function with |a_k| = |w_k| in every unit, so that weight_cost = path_norm.

        Lemma 1 of Savarese et al. (2019). Biases are free here; `repcost.rebalance` is for those
        who count them. Units with a_k = 0 go away; a unit with w_k = 0 is the constant
        a_k [b_k]_+ and moves into c.
        """
        # a -> a / s, w -> s w, b -> s b keeps the function; s^2 = |a| / |w| makes them equal.
        constant = ~self.W.any(axis=1)
        keep = ~constant & (self.a != 0)
        # At size one, where floats have all their digits.
        sizes, a_sizes = exponents_of_rows(self.W[keep]), np.frexp(self.a[keep])[1]
        W = np.ldexp(self.W[keep], -sizes[:, None])
        a = np.ldexp(self.a[keep], -a_sizes)
        scale, exponent = _root_of_quotient(np.abs(a), lengths(W), a_sizes - sizes)
        with np.errstate(over="ignore"):
            moved = float(self.a[constant] @ np.maximum(self.b[constant], 0.0))
            digits, size = np.frexp(self.b[keep])
            biases = np.ldexp(scale * digits, exponent + size)
        if not np.isfinite([moved + self.c, *biases]).all():
            raise ValueError(
                "balanced biases are beyond the range of floats; divide b and c by a power of two"
            )
        return TwoLayer(
            np.ldexp(scale[:, None] * W, (exponent + sizes)[:, None]),
            np.ldexp(a / scale, a_sizes - exponent),
            biases,
            self.c + moved,
        )


def _root_of_quotient(
    x: Float[np.ndarray, " K"], y: Float[np.ndarray, " K"], power: Int[np.ndarray, " K"]
) -> tuple[Float[np.ndarray, " K"], Int[np.ndarray, " K"]]:
    """The root of 2^power x / y as a number near one and a power of two: it may be no float."""
    (x, x_exponent), (y, y_exponent) = np.frexp(x), np.frexp(y)
    half, rest = np.divmod(power + x_exponent - y_exponent, 2)
    return np.sqrt(np.ldexp(x / y, rest)), half


def points_for(X: ArrayLike, dimension: int) -> Float[np.ndarray, "n d"]:
    """X as rows of so many entries; ValueError if they are not."""
    X = finite_array(X, "X", 2)
    if X.shape[1] != dimension:
        raise ValueError(
            f"X has {X.shape[1]} columns, but the network takes {dimension}; points are rows"
        )
    return X
