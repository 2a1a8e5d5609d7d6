"""A bound of the steepest neuron that is had at once, for any number of points and outputs.

Twice the height of a neuron is at most |V^T Xt w| + |V^T |Xt w||, as relu(t) = (t + |t|) / 2. So
half of |V^T Xt| + |V| |Xt| in spectral norms bounds it. Where all points lean one way, as images
do, one direction makes |Xt| large, and it is better taken by itself: let e be a unit vector and
w = a e + b with b orthogonal to it. Then relu(Xt w) = relu(a Xt e) + Xt b / 2 + delta / 2 with
|delta_i| <= |xt_i.b|, as relu rises by something between nothing and all of xt_i.b. Hence

    |V^T relu(Xt w)|  <=  |a| h + |b| k  <=  (h^2 + k^2)^(1/2)

for the greater h of |V^T relu(Xt e)| and |V^T relu(-Xt e)|, and k the bound above for Xt without e.
"""

import numpy as np
from jaxtyping import Float

Multiplier = Float[np.ndarray, "N m"]


class CoarseBound:
    """This bound, but for its rounding, for the points Xt (N, r) and any multiplier.

    With V = Xt relu takes nothing away, and half of the bound is what is attained:

    >>> points = np.array([[1.0], [1.0]])
    >>> CoarseBound(points).of(points)
    2.0
    """

    def __init__(self, Xt: Float[np.ndarray, "N r"]):
        self.left, self.sizes, right = np.linalg.svd(Xt, full_matrices=False)
        self._whole = Xt
        along = Xt @ right[0]
        self._leading = np.maximum(np.stack([along, -along]), 0.0)
        self._rest = Xt - along[:, None] * right[0]
        self._rest_size = float(np.linalg.norm(self._rest, 2))

    def of(self, V: Multiplier) -> float:
        size = np.linalg.norm(V, 2)
        plain = (np.linalg.norm(V.T @ self._whole, 2) + size * self.sizes[0]) / 2
        rest = (np.linalg.norm(V.T @ self._rest, 2) + size * self._rest_size) / 2
        leading = np.linalg.norm(self._leading @ V, axis=1).max()
        return float(min(plain, np.hypot(leading, rest)))
