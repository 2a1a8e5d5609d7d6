"""Layers that hardly reach a direction of the points: where the repaired Appendix B.1 is tight.

Where a layer sends nothing at a point, the next one receives nothing there. Nearby it
sends a little, of which large weights make something: reaching 1 - eps from what is within eps of
nothing takes the norm (1 - eps) / eps at least (Jacot et al. 2022, Appendix B.1, repaired).
"""

import numpy as np
from jaxtyping import Float

from repcost.scalars import generator, positive_number, whole_number

UNITS = 3


def hardly_sent(
    eps: float, points: int, rng: np.random.Generator
) -> tuple[Float[np.ndarray, "points 3"], Float[np.ndarray, "points 1"]]:
    """What a layer sends, at the first point within eps of nothing, and what it makes of that.

    (S, Z) with Z = S w for some w, and Z between 1 - eps and 1 at the first point. The other points
    are sent anything, so the cost |S^+ Z|^2 is larger than its bound as it happens.

    >>> S, Z = hardly_sent(0.1, 6, np.random.default_rng(0))
    >>> round(float(np.linalg.norm(S[0])), 12), bool(0.9 <= Z[0, 0] <= 1)
    (0.1, True)
    """
    eps, points = positive_number(eps, "eps"), whole_number(points, "points", 1)
    rng = generator(rng)
    first = rng.uniform(size=UNITS)
    first *= eps / np.linalg.norm(first)
    S = np.vstack([first, rng.uniform(size=(points - 1, UNITS))])
    w = rng.normal(size=UNITS)
    # The least change of w with which the first point receives what it should.
    w += (1 - eps * rng.uniform() - w @ first) / eps**2 * first
    return S, (S @ w)[:, None]
