/* One unit a [w x]_+, made s times as large on the way in and 1 / s times on the way out: what it costs. See live-widget.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets, { shown } = common;

  /* What is paid on the way in and out. */
  const solve = ({ a, w }, s) => ({ into: (s * w) ** 2 / 2, out: (a / s) ** 2 / 2, least: Math.abs(a * w), best: Math.sqrt(Math.abs(a / w)) });
  const TICKS = [0.2, 0.5, 1, 2, 5].map((s) => [Math.log2(s), String(s)]);

  window.repcostRescaling = { solve };
  common.live("rescaling", (given) => {
    const scales = common.listed(Math.log2(0.2), Math.log2(5), 120), here = (s) => [Math.log2(s), total(s)];
    const total = (s) => { const { into, out } = solve(given, s); return into + out; };
    const curve = (price) => scales.map((at) => [at, price(solve(given, 2 ** at))]);
    return {
      slider: { label: "Scale s", low: Math.log2(0.2), high: Math.log2(5), step: 0.125, value: (at) => 2 ** at, place: Math.log2 },
      view: { x: [Math.log2(0.2), Math.log2(5), "scale s"], y: [0, 5, "cost"] }, ticks: { x: TICKS },
      legend: [["main", "the unit"], ["other", "on the way in, ½ s²|w|²"], ["third", "on the way out, ½ a²/s²"]],
      shown: (s) => shown(s),
      draw(s) {
        const { into, out, least, best } = solve(given, s), over = (100 * (into + out - least)) / least;
        const curves = [["main", curve((each) => each.into + each.out)], ["other", curve((each) => each.into)], ["third", curve((each) => each.out)]];
        return {
          curves, dots: [["main", here(s)], ["other", [Math.log2(s), into]], ["third", [Math.log2(s), out]]],
          words: `The function is the same at every scale. Here it costs ${shown(into + out)}, ${over < 0.05 ? "the least that it can" : `${over.toFixed(1)} % more than it must`}: ` +
            `|a| |w| = ${shown(least)}, at s = ${shown(best)}, where the two parts are equal.`,
        };
      },
    };
  });
})();
