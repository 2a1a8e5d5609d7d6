"""Neurons that are alike, made one: the same outputs at the points, no more cost."""

import numpy as np
from jaxtyping import Float, Int

from repcost.arrays import distinct_rows
from repcost.scales import exponents_of_rows, lengths

Atoms = Float[np.ndarray, "k r"]
Outer = Float[np.ndarray, "k m"]
# Another number of neurons than there was.
OtherNeurons = tuple[Float[np.ndarray, "other r"], Float[np.ndarray, "other m"]]
# The first of each group, and the group of each row.
Groups = tuple[Int[np.ndarray, " g"], Int[np.ndarray, " k"]]


def unit_atoms(W: Atoms, A: Outer) -> OtherNeurons:
    """The neurons that do something, their incoming weights at length one.

    Row k of W (k, r) is what neuron k takes from its inputs, row k of A (k, m) what it gives
    to the outputs. The length moves from one to the other, and no output changes.

    >>> W, A = unit_atoms(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[2.0], [1.0]]))
    >>> W.tolist(), A.tolist()
    ([[0.6, 0.8]], [[10.0]])
    """
    # Without weights on either side a neuron gives nothing, and has no direction.
    alive = W.any(axis=1) & A.any(axis=1)
    W, A = W[alive], A[alive]
    # At size one first: squares of small weights would vanish, those of large ones overflow.
    into, out = exponents_of_rows(W)[:, None], exponents_of_rows(A)[:, None]
    W = np.ldexp(W, -into)
    size = np.linalg.norm(W, axis=1)[:, None]
    with np.errstate(over="ignore", under="ignore"):
        A = np.ldexp(np.ldexp(A, -out) * size, into + out)
    # What is below all floats gives nothing either.
    left = A.any(axis=1)
    return (W / size)[left], A[left]


def merged(inputs: Float[np.ndarray, "N r"], W: Atoms, A: Outer) -> OtherNeurons:
    """Neurons of one direction as one, then those active at the same points with aligned outputs.

    W (k, r) holds atoms, as `unit_atoms` returns them; the outputs at the `inputs` (N, r)
    stay. Where two neurons are active at the same points and their outer weights have one
    direction, the sum of the two is a neuron with the sum of their incoming weights, and by
    the triangle inequality it costs no more.

    >>> W = np.array([[0.6, 0.8], [0.8, 0.6], [-1.0, 0.0]])
    >>> W, A = merged(np.eye(2), W, np.array([[5.0], [5.0], [1.0]]))
    >>> (W[1] * A[1]).round(9).tolist(), W[0].tolist()
    ([7.0, 7.0], [-1.0, 0.0])
    """
    W, A = _merged_directions(W, A)
    size = lengths(A)[:, None]
    first, group = mergeable(inputs, W, A / size)
    return unit_atoms(_sums(size * W, group), (A / size)[first])


def mergeable(inputs: Float[np.ndarray, "N r"], W: Atoms, A: Outer) -> Groups:
    """The neurons that can be made one: active at the same inputs, with the same row in A.

    Active at the same points, they are the same linear map there, so incoming weights add up.

    >>> W, A = np.array([[1.0, 2.0], [-1.0, 0.0], [2.0, 1.0]]), np.ones((3, 1))
    >>> first, group = mergeable(np.eye(2), W, A)
    >>> first.tolist(), group.tolist()
    ([1, 0], [1, 0, 1])
    """
    active = (W @ inputs.T > 0).astype(float)
    return _groups(np.column_stack([active, A]))


def _merged_directions(W: Atoms, A: Outer) -> OtherNeurons:
    first, group = _groups(W)
    return unit_atoms(W[first], _sums(A, group))


def _groups(rows: Float[np.ndarray, "k c"]) -> Groups:
    """The groups of rows that agree to eleven digits."""
    # Adding zero makes 0.0 of -0.0, which would be a row of its own.
    keys = rows.round(11) + 0.0
    return distinct_rows(keys)[1:]


def _sums(rows: Float[np.ndarray, "k c"], group: Int[np.ndarray, " k"]) -> Float[np.ndarray, "g c"]:
    sums = np.zeros((group.max(initial=-1) + 1, rows.shape[1]))
    np.add.at(sums, group, rows)
    return sums
