/* The cheapest functions of one variable where hidden biases pay and the output bias is free: the programme of
   repcost.interpolate_line(..., biases="paid"), solved here. No document: line-widget.js and others draw it.

   A bend m at t costs sqrt(1 + t^2) |m|. A proof from below is a function g, straight between the points and zero from
   the last on, that no price exceeds: |g(t)| and |g(t) - g(x_1)| are at most sqrt(1 + t^2). On an interval a line stays
   below that root exactly if at both ends it is at most u_1 + u_2 t for some |u| <= 1. So there is a disc for each
   interval, each side that units face and each sign of their bends; and what a disc is worth to the best g is a unit:
   its bend, and its bend times its place. Newton's method with a barrier finds both. */
(function () {
  "use strict";

  const CLOSE = 1e-8, SHRINK = 0.06, SETTLED = 1e-12, STEPS = 30;

  /* The solution of a system of linear equations, rows and right side, by elimination with pivots. */
  function solution(rows, right) {
    const n = right.length, all = rows.map((row, i) => [...row, right[i]]);
    for (let k = 0; k < n; k += 1) {
      let best = k;
      for (let i = k + 1; i < n; i += 1) if (Math.abs(all[i][k]) > Math.abs(all[best][k])) best = i;
      [all[k], all[best]] = [all[best], all[k]];
      for (let i = k + 1; i < n; i += 1) {
        const factor = all[i][k] / all[k][k];
        if (factor) for (let j = k; j <= n; j += 1) all[i][j] -= factor * all[k][j];
      }
    }
    const found = right.slice();
    for (let k = n - 1; k >= 0; k -= 1) {
      let rest = all[k][n];
      for (let j = k + 1; j < n; j += 1) rest -= all[k][j] * found[j];
      found[k] = rest / all[k][k];
    }
    return found;
  }

  /* The discs: at both ends of an interval its place (1, t) / sqrt(1 + t^2), and what g is there over that root, as
     [index, factor] pairs. `facing` right, a unit prices g; facing left, g - g(x_1). */
  function discs(xs) {
    const last = xs.length - 1, roots = xs.map((x) => Math.hypot(1, x)), found = [];
    const place = (n) => (n < 0 ? [0, -1] : n > last ? [0, 1] : [1 / roots[n], xs[n] / roots[n]]);
    const read = (n, facing, sign) => {
      if (n < 0 || n > last) return [];
      const own = n < last ? [[n, sign / roots[n]]] : [];
      return facing > 0 ? own : [...own, [0, -sign / roots[n]]];
    };
    for (const facing of [1, -1]) {
      for (const sign of [1, -1]) {
        for (let n = facing > 0 ? -1 : 0; n <= (facing > 0 ? last - 1 : last); n += 1) {
          const ends = [n, n + 1].map((end) => ({ place: place(end), reads: read(end, facing, sign) }));
          const middle = [0, 1].map((axis) => ends[0].place[axis] + ends[1].place[axis]), size = Math.hypot(...middle);
          found.push({ facing, sign, ends, u: middle.map((part) => part / size / 2) });
        }
      }
    }
    return found;
  }

  const dot = (u, [p, q]) => u[0] * p + u[1] * q;
  const value = (reads, g) => reads.reduce((sum, [n, factor]) => sum + factor * g[n], 0);

  /* What a disc adds to a Newton step, its own u eliminated: for its two ends the gradient and the Hessian; and later
     the step of u. */
  function reduced({ u, ends }, g) {
    const room = 1 - dot(u, u), slack = ends.map(({ place, reads }) => dot(u, place) - value(reads, g));
    let [a, b, d] = [2 / room + 4 * (u[0] / room) ** 2, 4 * (u[0] / room) * (u[1] / room), 2 / room + 4 * (u[1] / room) ** 2];
    const gradient = u.map((part) => (2 * part) / room);
    ends.forEach(({ place: [p, q] }, e) => {
      const weight = 1 / slack[e];
      gradient[0] -= p * weight;
      gradient[1] -= q * weight;
      a += (p * weight) ** 2;
      b += p * weight * q * weight;
      d += (q * weight) ** 2;
    });
    const whole = a * d - b * b, solve = ([p, q]) => [(d * p - b * q) / whole, (a * q - b * p) / whole];
    const cross = ends.map(({ place }, e) => place.map((part) => -part / slack[e] / slack[e]));
    const [byGradient, byCross] = [solve(gradient), cross.map(solve)];
    return {
      slack, room, gradient: slack.map((s, e) => 1 / s - dot(cross[e], byGradient)),
      hessian: slack.map((s, e) => slack.map((_, f) => (e === f ? 1 / s / s : 0) - dot(cross[e], byCross[f]))),
      own: gradient, step: (moves) => [0, 1].map((axis) => -byGradient[axis] - byCross[0][axis] * moves[0] - byCross[1][axis] * moves[1]),
    };
  }

  /* What is minimised for one strength of the barrier; infinite outside. */
  function height(all, g, gain, barrier) {
    let sum = 0;
    for (const { u, ends } of all) {
      const room = 1 - dot(u, u), slack = ends.map(({ place, reads }) => dot(u, place) - value(reads, g));
      if (!(room > 0 && slack[0] > 0 && slack[1] > 0)) return Infinity;
      sum -= Math.log(room) + Math.log(slack[0]) + Math.log(slack[1]);
    }
    return sum - gain.reduce((total, by, n) => total + by * g[n], 0) / barrier;
  }

  /* One Newton step: what is there after it, and how far it still was from the minimum. */
  function step(all, g, gain, barrier) {
    const rows = g.map(() => new Array(g.length).fill(0)), right = gain.map((part) => part / barrier), slope = right.slice();
    const parts = all.map((disc) => reduced(disc, g));
    all.forEach(({ ends }, k) => ends.forEach(({ reads }, e) => reads.forEach(([n, factor]) => {
      right[n] -= factor * parts[k].gradient[e];
      slope[n] -= factor / parts[k].slack[e];
      ends.forEach((other, f) => other.reads.forEach(([m, also]) => { rows[n][m] += factor * also * parts[k].hessian[e][f]; }));
    })));
    const moves = solution(rows, right);
    const steps = all.map(({ ends }, k) => parts[k].step(ends.map(({ reads }) => value(reads, moves))));
    const falls = moves.reduce((sum, by, n) => sum + by * slope[n], 0) - steps.reduce((sum, by, k) => sum + dot(by, parts[k].own), 0);
    const after = (by) => [
      all.map((disc, k) => ({ ...disc, u: disc.u.map((part, axis) => part + by * steps[k][axis]) })),
      g.map((part, n) => part + by * moves[n]),
    ];
    const before = falls > 1e-3 ? height(all, g, gain, barrier) : Infinity;
    for (let by = 1; by > 1e-10; by *= 0.6) {
      const [next, moved] = after(by), there = height(next, moved, gain, barrier);
      if (there < (before === Infinity ? before : before - 0.1 * by * falls)) return [next, moved, falls];
    }
    return [all, g, Infinity]; // floats give out
  }

  /* The cheapest function through points [[x, y], ...] by increasing x:
     cost, from below, to CLOSE; bends [[t, price], ...] that are seen; knots; at(x), its values;
     off, by how much floats missed the points before that was mended. */
  function solve(points) {
    const xs = points.map(([x]) => x), ys = points.map(([, y]) => y), count = xs.length - 1;
    const slopes = xs.slice(1).map((x, n) => (ys[n + 1] - ys[n]) / (x - xs[n]));
    const turns = slopes.map((slope, n) => slope - (n ? slopes[n - 1] : 0));
    const scale = Math.max(...turns.map(Math.abs), 0);
    if (!scale) return { cost: 0, bends: [], knots: [], at: () => ys[0], off: 0 };
    const gain = turns.map((turn) => turn / scale);
    const worth = (g) => gain.reduce((sum, by, n) => sum + by * g[n], 0);
    let best = settled(discs(xs), turns.map(() => 0), gain, 1);
    for (let barrier = SHRINK; 4 * best.all.length * best.barrier > CLOSE * worth(best.g); barrier *= SHRINK) {
      const next = settled(best.all, best.g, gain, barrier);
      if (!next) break; // floats give out
      best = next;
    }
    return told(unitsOf(best), points, scale, worth(best.g));
  }

  function settled(all, g, gain, barrier) {
    for (let n = 0, falls = 1; n < STEPS; n += 1) {
      [all, g, falls] = step(all, g, gain, barrier);
      if (falls < SETTLED) return { all, g, barrier };
      if (falls === Infinity) return null;
    }
    return null;
  }

  /* What the prices of the discs are: bends, and where. */
  function unitsOf({ all, g, barrier }) {
    return all.map(({ facing, sign, u, ends }) => {
      const [m, mt] = [0, 1].map((axis) => ends.reduce((sum, { place, reads }) =>
        sum + (barrier * place[axis]) / (dot(u, place) - value(reads, g)), 0));
      return { facing, sign, m, mt };
    });
  }

  /* What floats leave between the sum of the units and the points, goes straight from point to point. */
  function told(units, points, scale, proved) {
    const sum = (x) => scale * units.reduce((total, { facing, sign, m, mt }) => {
      const ramp = facing * (m * x - mt);
      return total + (ramp > 0 ? sign * ramp : 0);
    }, 0);
    const rest = points.map(([x, y]) => y - sum(x)), last = points.length - 1;
    const left = (x) => {
      const n = points.findIndex(([from]) => from > x);
      if (n <= 0) return rest[n < 0 ? last : 0];
      const [from, to] = [points[n - 1][0], points[n][0]];
      return rest[n - 1] + ((x - from) / (to - from)) * (rest[n] - rest[n - 1]);
    };
    const price = ({ m, mt }) => Math.hypot(m, mt), all = units.reduce((total, unit) => total + price(unit), 0);
    const seen = units.filter((unit) => price(unit) > 1e-4 * all && unit.m > 1e-9 * Math.abs(unit.mt));
    const bends = joined(seen.map((unit) => [unit.mt / unit.m, scale * price(unit)]));
    const off = Math.max(...rest) - Math.min(...rest);
    return { cost: scale * proved, bends, knots: bends.map(([t]) => t), at: (x) => sum(x) + left(x), off };
  }

  /* A bend at a point comes out as two, of the intervals beside it. */
  function joined(bends) {
    const found = [];
    for (const [t, by] of bends.sort((one, other) => one[0] - other[0])) {
      const last = found[found.length - 1];
      if (last && t - last[0] < 1e-4 * Math.hypot(1, t)) last[1] += by;
      else found.push([t, by]);
    }
    return found;
  }

  window.repcostPaid = { solve };
})();
