"""The steepest neuron among too many patterns to list: branch and bound, with proofs.

**What is bounded.** For one multiplier v the height of a neuron is f(w) = sum_i v_i relu(u_i.w),
and its maximum over the unit ball is asked for. (The u_i are the points at length one, their
lengths are in v.) Written otherwise, it is how far the zonotope of the points with v_i > 0 reaches
away from that of the others. What makes it hard are the points with v_i > 0 alone: for the others
v_i relu is concave.

**A node** is a part of the ball: it says of every point within which range [low_i, high_i] the
product z_i = u_i.w lies. Branching cuts a range at zero.

**Its bound.** Take any numbers theta, and let q = sum_i theta_i u_i. Then f(w) is the sum of
v_i relu(z_i) - theta_i z_i, and of q.w, so that on the node

    f(w)  <=  sum_i max over z in [low_i, high_i] of (v_i relu(z) - theta_i z)  +  |q|.

Each of these maxima is attained at an end of the range, or at zero. This holds for whatever theta:
none has to obey anything, and a poor one costs width, never truth (`weak_duals`). What an ascent
finds for theta is only a proposal. In the limit it is the dual of the concave programme in which
secants stand in for the relus of v_i > 0, and at a leaf, where each of their signs is known, it
is a distance from a point to a zonotope: the very maximum.

**Ranges.** Only neurons above a target are looked for. So q.w is at least the target minus the sum
above, which is a cap of the ball; with the half-spaces that were branched on it bounds every z_i,
again by explicit multipliers. And no term of the sum may lie further below its maximum than the
bound lies above the target (`ranges`). The narrower the ranges, the better the bound.

**Best first.** `tree` takes the nodes with the highest bounds, a batch at a time, so that every
step is a few products of matrices; while those that wait fill a gigabyte, the last that came.
Nodes below the target are done. When it stops before, the highest bound of those that are left is
still proven.

**Several outputs.** Each direction of the outputs is a scalar function; `outputs` asks for a few
hundred of them, in which way the steepest neuron may point, in the same batches.

**Rounding.** The u_i and v_i are taken as the floats that they are, and `points` adds what they
differ from the data. The sum of N maxima and the length of q are off by less than a multiple of
N + r units of sum_i (|v_i| + |theta_i|), which every bound includes (`weak_duals.allowance`).
Ranges are widened by as much, and their multipliers are put together anew before they count.
"""

from repcost.shallow.branching.ascent import climbed
from repcost.shallow.branching.outputs import proved_for_outputs
from repcost.shallow.branching.points import UnitPoints
from repcost.shallow.branching.tree import Proof, proved

__all__ = ["Proof", "UnitPoints", "climbed", "proved", "proved_for_outputs"]
