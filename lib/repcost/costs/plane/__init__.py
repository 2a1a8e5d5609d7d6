"""Interpolating points of the plane: what the cheapest network pays, and how that is proved.

Given are points x_1, ..., x_n of the plane and values y_1, ..., y_n. A network goes through them:

    f(x) = sum_k a_k [<w_k, x> + b_k]_+ + c,    the w_k being the rows of W = W_(L-1) ... W_1.

It has L layers of weights, and all but the last two are linear: they only multiply. It pays
(|a|^2 + sum_i |W_i|_F^2) / L, and biases are free. R_L is the infimum of what such networks pay, of
any width. `interpolate_plane` encloses it between two numbers: the upper one is paid by a network,
the lower one is proved by prices of the points. This page shows why, fact by fact.

>>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
>>> two, three = interpolate_plane(X, y), interpolate_plane(X, y, 3)
>>> f"{two.cost.value:.6f}"  # the exclusive or costs twice the square root of two
'2.828427'
>>> f"{two.certificate @ y:.6f}"  # and the prices of the points prove it
'2.828427'
>>> f"{three.cost.value:.6f} {three.cost.value**1.5:.6f}"  # R_3^(3/2) is never less (Fact 9)
'2.000000 2.828427'

Two layers: a convex problem
----------------------------

**Fact 1, units pay their length.** Multiplying w_k and b_k by t > 0 and dividing a_k by t changes
nothing but the payment, and the best t pays |a_k| |w_k|. So a unit pays the length of the vector
m_k = a_k w_k, and R_2 is the least sum of such lengths.

**Fact 2, thresholds lie on points.** Keep the direction v of a unit and move its bias b. Between
two values of b at which a point changes sides, everything the unit does at the points is linear in
b, so the unit is there a mean of two units with thresholds on points, and pays the same. If all
points are in front of it, it is a unit with threshold on the hindmost point, and a constant. So it
is enough to look at units [<v, x - x_j>]_+ and at constants (`ThresholdUnits`).

**Fact 3, the circle of directions falls into arcs.** Turn v around x_j. A point x_i changes sides
only where v is at right angles to x_i - x_j, so between at most 2 (n - 1) such directions the same
points are in front (`Arcs`). On an arc the unit is linear in v: two units of one arc and one sign
may be added as vectors, and the sum is no longer than both together. So the infinitely many units
are one vector in each arc, for each sign, and

    R_2 = min sum |v|    over one v per arc and sign, within its arc, with the given values

is a cone programme of finite size (`units_on_arcs`). Its solver only proposes.

**Fact 4, prices prove.** Let each point have a price alpha_i, let the prices add up to 0, and let
no unit earn more than it pays: |sum_i alpha_i [<v, x_i> + b]_+| <= |v| for all v and b. Then every
interpolant has

    sum_i alpha_i y_i = sum_k a_k sum_i alpha_i [<w_k, x_i> + b_k]_+ <= sum_k |a_k| |w_k|,

because the constant c earns nothing. So R_2 >= sum_i alpha_i y_i (`proven_cost`). Whatever prices a
solver returns, divided by the most that any unit earns they are a proof (`feasible_prices`), and
the best prices, the dual of the programme of Fact 3, prove R_2 itself.

**Fact 5, the most that any unit earns is known exactly.** By Fact 2 the threshold may lie on a
point, and on an arc the earnings are <v, g> with g = sum of alpha_i (x_i - x_j) over the points in
front. Among unit vectors v their size is largest at g or -g, if the arc holds one of them, and else
at an end of the arc. That is one formula for each of about 2 n^2 arcs (`earnings`). From one arc
to the next a single point passes the line, so all g around a point are the partial sums of 2 n
terms (`Turns`), and pricing all arcs takes about n^2 operations and numbers. Each addition
rounds its own result once, and these results are known: their sum bounds what rounding does.

**Fact 6, few units, and prices for all.** Among finitely many units the cheapest interpolant is a
linear programme. Its optimal prices either prove it to be the best of all units, or Fact 5 finds
units that earn too much: of all directions around a point those that earn more than their
neighbours join, and it is solved again (`vertices`). A vertex needs no interior, so this is exact
to the last digits where data are degenerate. Elsewhere a best direction lies inside its arc, and
each round halves the angle to it. So programmes only run until a thousandth of the cost is left.
Then hardly any arc can have a unit: one that earns much less than 1 has none. The programme of
Fact 3 is solved on the others, and Fact 5 looks at all arcs again (`cheapest_units`). The prices
that end in the certificate are divided by the most that any unit on any arc earns, so no proof
depends on which arcs were thought to matter.

**Fact 7, the last digits.** An interior method leaves a little mass everywhere. Units of one sign
that have the same points in front, and on their line, are one; those whose share of the mass is
less than what they fail to earn are none (`Patterns`). Two units on one line that look both ways
differ by a linear function, as [t]_+ - [-t]_+ = t, so mass may move from one to the other; a vertex
of these choices leaves it on one side but for two pairs. What is left satisfies equations: along
its own direction a unit earns its length, a unit that is held by two points earns its length too,
prices add up to 0, and the values are those that are given. A few steps of Newton's method solve
them to rounding (`sharpened`); where they do not, the vertices of Fact 6 go on.

**Fact 8, the upper end belongs to an interpolant.** What a network lacks at the points is computed
in whole numbers. Units along one direction u in which no two points meet interpolate any values, so
where much is lacking some of these make up for it, and what is left by rounding is filled by hats:
one of height r over a point, along a direction in which all others are at least `gap` away, has the
slopes r/gap, -r/gap and so pays 4 r/gap. Hats need not be built to be paid for (`repaired`), and
each point has a direction of its own, in which its neighbours are far.

More layers: a metric, and then two layers
------------------------------------------

**Fact 9, the linear layers choose a metric.** For rows m_k the cheapest linear layers pay Phi_L,

    Phi_L^(L/2) = inf over T > 0, tr T = 1, of  sum_k |T^(-(L-2)/2) m_k|.

The *allotment* T says how the linear layers divide a budget of 1 among directions; a unit is cheap
along directions with a large share. (Equation (11) of Ongie & Willett (2022) has the Schatten
quasi-norm, q = 2/(L-1), of the matrix with rows m_k / lambda_k. By Hoelder's inequality that is the
least Frobenius norm of rows T^(-(L-2)/2) m_k / lambda_k, and the best lambda of length 1 adds the
lengths up, by Cauchy's.) Now write m = A v with the *point map* A = T^((L-2)/2), a symmetric
matrix. Then <m, x> = <v, A x>, and the unit pays |v|: with T given it is the problem of two layers
through the points A x_i (`Arcs.moved`, `ThresholdUnits.moved`), so Facts 1 to 8 apply, and

    R_L^(L/2) = inf over T of  R_2 of the points T^((L-2)/2) x_i.

As T is at most 1, no unit becomes shorter than m, so R_L^(L/2) >= R_2: prices for two layers prove
something about all depths.

**Fact 10, parallel units.** If all m_k are multiples of u, then T may be as near to u u^T as one
likes, and R_L^(L/2) of such networks is R_2 of the values as a function of the one variable <u, x>
(Corollary 3.6 of Ongie & Willett). Often this is the best of all; it is where the search starts
(`best_parallel`).

**Fact 11, the best allotment for given units** is T = Z^(1/(L-1)), divided by its trace, with
Z = sum_k m_k m_k^T / share_k, where share_k is the share of the unit in the sum of Fact 9
(`point_map_of_best_allotment`). The best units for the metric, the best metric for the units, and
so on, makes good networks (`polished`), but nothing says that they are the best.

The other parametrisation, in which a bound is possible
-------------------------------------------------------

**Fact 12, the form.** Put P = T^(-(L-2)). Then |T^(-(L-2)/2) m|^2 = m^T P m: the *form* P says what
a unit pays, where T says what it is allotted. The way back is T = P^(-1/(L-2)), and A = P^(-1/2)
without any L. Let V(P) be the square of the least sum of sqrt(m_k^T P m_k) over all interpolants,
which is R_2^2 of the points P^(-1/2) x_i. Twice the form is twice V. So the condition tr T = 1 may
be divided out,

    R_L^L = inf over P > 0 of  V(P) / N(P),    N(P) = (tr P^(-1/(L-2)))^(-(L-2)),

since P / N(P) belongs to a T of trace 1. All of the data are in V, all of the depth is in N.

**Fact 13, V is concave.** For given units m_k^T P m_k is linear in P, and (sum_k sqrt(q_k))^2 is a
concave function of numbers q_k >= 0: it is the sum of all sqrt(q_k q_l), and a geometric mean is
concave. V is the least of these functions over all interpolants, hence concave as well. So what V
is at least at the corners of a polygon of forms, it is at least everywhere in the polygon. In T
nothing of the kind is true: there V may lie below its values at the corners.

**Fact 14, the forms of trace 1 are a disc.** They are

    P = (1/2) (identity - r [[cos phi, sin phi], [sin phi, -cos phi]]),    0 <= r < 1,

with the angle phi and the distance `edge` = 1 - r from the edge of the disc as coordinates
(`DiscForm`). The eigenvalues are edge/2, in the direction at angle phi/2, and 1 - edge/2 across.
N depends on `edge` alone (`form_size`): it is concave, it rises with `edge`, and N/edge falls from
1/2. Towards the edge V and N vanish together: one direction becomes free, and units turn parallel.

**Fact 15, four corners bound a box.** Let a box be the forms between two angles and two distances
from the edge (`MetricBox`), with a number for each corner that V there is known to reach. Two
chords join the corners at equal distances. From chord to chord V lies above a linear function, and
from a chord to the edge as well, where V is at least 0. N lies below each of its tangents. A chord
comes nearer to the centre than its arc, at most by the cosine of half the angle between its ends.
Its depth is a concave function along it, below each tangent too, and where it is deepest V is no
longer that of the lower end. And a quotient of linear functions is least at an end, so V / N has a
lower bound that holds on the whole box (`box_bound`).

**Fact 16, branch and bound.** Boxes that cover the disc prove R_L^L >= the least of their bounds.
Halve the box of least bound, bound its halves with certified values of V (Fact 4 at the points
P^(-1/2) x_i), polish what looks promising, and repeat (`MetricSearch`). The lower end rises, the
upper end falls, and both are proved at every moment, so the search may stop at any.

Facts 1 to 7 are in `directions`, `turns`, `arcs`, `prices`, `units`, `vertices`, `cone_programme`,
`patterns`, `sharpening` and `two_layers`; Facts 8 and 10 in `repairs` and `parallel_units`; Facts 9
and 11 to 16 in `metrics`, `polishing`, `boxes` and `search`. `samples` keeps the way back to the
points as given; `interpolation` joins everything.
"""

from repcost.costs.plane.interpolation import PlaneInterpolant, interpolate_plane

__all__ = ["PlaneInterpolant", "interpolate_plane"]
