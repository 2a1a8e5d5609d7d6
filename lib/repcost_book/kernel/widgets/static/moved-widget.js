/* Points that move along the line: with free biases their cost stays, with paid ones it does not. See live-widget.js and
   paid-widget.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets, { shown } = common;
  const solve = ({ points }, c) => window.repcostPaid.solve(points.map(([x, y]) => [x + c, y]));

  window.repcostMoved = { solve };
  common.live("moved", (given) => {
    const { points, free } = given, xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
    const [low, high] = [Math.min(...xs) - 0.8, Math.max(...xs) + 0.8], room = 0.25 * (Math.max(...ys) - Math.min(...ys));
    return {
      slider: { label: "Moved by c", low: -4, high: 4, step: 0.125 },
      view: { x: [low, high, "x, moved back by c"], y: [Math.min(...ys) - room, Math.max(...ys) + room, "f(x)"] },
      legend: [["main", "the cheapest function"], ["point", "its bends"], ["point-data", "the points"]],
      shown: (c) => shown(c),
      draw(c) {
        const { cost, knots, at } = solve(given, c), seen = knots.filter((t) => t - c > low && t - c < high);
        const places = [low, ...seen.map((t) => t - c), ...xs, high].sort((one, other) => one - other);
        return {
          curves: [["main", places.map((x) => [x, at(x + c)])]],
          dots: [...points.map((point) => ["point-data", point]), ...seen.map((t) => ["point", [t - c, at(t)]])],
          words: `Moved by ${shown(c)}, the points cost ${shown(cost)} where hidden biases pay; wherever they are, ${shown(free)} where they are free. ` +
            "The bends stay as near to zero as the points let them.",
        };
      },
    };
  });
})();
