/* Two rays of points: from which angle on a network pays less by units along one line, for each number of layers. What units
   along the rays cost is stored, from the library. See live-widget.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets;

  /* Costs along w_0, and the angle from which they are below those along the rays, in units of pi: the first one where they
     always are, null where they never are. */
  function solve({ angles, weights, rays }, L) {
    const sum = weights.reduce((total, weight) => total + weight, 0), along = rays[L - 2];
    const aligned = angles.map((angle) => (sum / Math.cos((Math.PI * (1 - angle)) / 2)) ** (2 / L));
    const ahead = aligned.map((cost, n) => along[n] - cost), n = ahead.findIndex((by) => by > 0);
    const crossing = () => angles[n - 1] + ((angles[n] - angles[n - 1]) * -ahead[n - 1]) / (ahead[n] - ahead[n - 1]);
    const from = n < 0 ? null : n ? crossing() : angles[0];
    return { along, aligned, from };
  }

  window.repcostAligned = { solve };
  common.live("aligned", (given) => {
    const { angles, rays } = given, highest = Math.max(...angles.flatMap((_, n) => [rays[0][n], solve(given, 2).aligned[n]]));
    const curve = (costs) => angles.map((angle, n) => [angle, costs[n]]);
    return {
      slider: { label: "Layers L", low: 2, high: rays.length + 1, step: 1, value: Math.round },
      view: { x: [angles[0], 1, "angle of the rays, in units of π"], y: [0.9, highest * 1.03, "cost"] },
      legend: [["main", "units along the rays"], ["other", "units along w₀"], ["here", "where w₀ takes over"]],
      shown: (L) => String(L),
      draw(L) {
        const { along, aligned, from } = solve(given, L);
        const here = from === null ? [] : [["here", [[from, 0], [from, 10]]]];
        const words = `With ${L} layers ` + (from === null
          ? "the units along the rays cost less at every angle: sharing a line is worth nothing."
          : from === angles[0] ? "units along one line cost less at every angle that is more than a right one."
            : `units along one line cost less from ${from.toFixed(3)} π on; below, there is a window for the rays.`);
        return { curves: [["main", curve(along)], ["other", curve(aligned)], ...here], dots: [], words };
      },
    };
  });
})();
