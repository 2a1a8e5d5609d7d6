/* The best fit for each strength of weight decay, stored from the library: how many knots are kept. See live-widget.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets, { shown } = common;

  window.repcostStrengths = { solve: ({ fits }, at) => fits[at] };
  common.live("strengths", (given) => {
    const { points, fits, strongest } = given, [low, high] = [fits[0].values[0][0], fits[0].values[fits[0].values.length - 1][0]];
    const ys = points.map(([, y]) => y), room = 0.2 * (Math.max(...ys) - Math.min(...ys));
    return {
      slider: { label: "Strength of weight decay", low: 0, high: fits.length - 1, step: 1, value: Math.round },
      view: { x: [low, high, "x"], y: [Math.min(...ys) - room, Math.max(...ys) + room, "f(x)"] },
      legend: [["main", "the best fit"], ["point", "its knots"], ["point-data", "the points"]],
      shown: (at) => `${shown(fits[at].strength)}, ${shown((100 * fits[at].strength) / strongest)} % of the strongest`,
      draw(at) {
        const { values, knots, cost, error } = fits[at], many = knots.length === 1 ? "1 knot" : `${knots.length || "no"} knots`;
        return {
          curves: [["main", values]], dots: [...points.map((point) => ["point-data", point]), ...knots.map((knot) => ["point", knot])],
          words: `It keeps ${many}, costs ${shown(cost)}, and misses the points by ${shown(error)} in the root of the mean square.` +
            (cost < 1e-9 ? " From here on nothing is worth learning but a constant." : ""),
        };
      },
    };
  });
})();
