"""What a function of one variable costs when biases are paid for, and the cheapest through points.

**Three conventions**, each half the squares of the weights and of the hidden biases of a network
with one hidden layer; they differ in what goes free at the output:

  output="free"     the output bias is free: the default of biases="paid";
  output="paid"     the output bias c pays c^2 / 2 too, as in PyTorch's weight_decay;
  output="linear"   the output bias and a linear term s x are free.

**A unit.** a [w x + b]_+ may be rescaled until it pays |a| sqrt(w^2 + b^2). It bends at t = -b/w,
by m = a |w|, so it pays |m| rho(t), with rho(t) = sqrt(1 + t^2), whichever side it faces.

**A function** f with bends m_j at t_j and slopes s_-, s_+ at the ends. Units at t_j add up to m_j.

  linear  sum rho(t_j) |m_j|: one unit a bend is enough, the free line does the rest. This is the
          formula of Boursier & Flammarion (2023).
  free    that, and (|s_- + s_+| - sum |m_j|)_+. Let the part q_j of the bend m_j face left: then
          sum q_j = -s_-, and |q_j| + |m_j - q_j| = |m_j| as long as q_j is between 0 and m_j. So
          sum q_j can be anything between -sum (m_j)_- and sum (m_j)_+ for nothing, and what is
          missing to -s_-, half of (|s_- + s_+| - sum |m_j|)_+, is bought by pairs of units
          h ([x - t]_+ - [t - x]_+) = h (x - t) for 2 |h| rho(t), cheapest at t = 0. The cost with
          free biases is the same sum with 1 for rho(t_j) (Savarese et al. 2019, Theorem 3.1):
          biases cost sum (rho(t_j) - 1) |m_j|, a plain surcharge.
  paid    sum rho(t_j) |m_j| and what `output_bias` finds: there constants are not free either.

**Points.** Let g(t) = sum_n beta_n [x_n - t]_+ for weights beta of the points, and G(t) the line
that it is left of them. A network through them pays at least sum beta_n y_n (in "paid": less
S^2 / 2) if |g| <= rho and |g - G| <= rho everywhere; in "linear" G = 0, in "free" G is a constant,
in "paid" it has the slope -S, S = sum beta_n. Between two points g is a line p + q t, and
(p + q t) / rho(t) = (p cos + q sin)(atan t) is a sinusoid of the angle atan t, so its largest value
is known in closed form: `dual_bounds` makes a proof of any beta.

**The curve of lines.** The line s x - i is the point (s, i) of a plane. The lines of f, from its
first piece to its last, trace a curve there; a bend m at t is the step m (1, t), of the length
|m| rho(t): in "linear" the cost of f is the **length** of its curve. All lines through the point
(x_n, y_n) are a line in that plane, so the cheapest function is a shortest path from line to line.
A chord below the strictly convex rho touches it at most once: between two points f bends at most
once, and it does not where the points turn one way before and the other way after. So a run of
points that turn the same way falls into *stretches*: k points with k - 1 bends, one between each
two (k = 1: a bend at the point). `stretches` finds the best of each length, and `shortest_path`
chooses among them.

**Free output, without a linear term.** "free" costs no less than "linear", and as much where the
path above has |s_- + s_+| <= sum |m|: always if the points are not monotone. (If G > 0 at an
optimum, bends up face right and bends down face left, so every unit increases, and so does f.)
Elsewhere, and in "paid", `cone_programme` proposes a function and beta.

**The way through the room.** `arguments` has the words. `functions` prices a function, by its bends
and with `output_bias`. `interpolation` asks the two methods and keeps the best of both ends: a path
is written by its slope at each point (`lines`), and `tangents` has the proof that belongs to it;
what cones propose is mended and priced by `repairs`; `one_point` is for one.
"""
