/* What a layer costs, against 1 / L: both sides run into the rank along straight lines. Stored from the library. See
   live-widget.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets, { shown } = common;

  /* How far the two ends are from the rank, and that times L, which settles. */
  function solve({ depths, lower, upper, rank }, L) {
    const n = depths.indexOf(L), over = [lower[n] - rank, upper[n] - rank];
    return { lower: lower[n], upper: upper[n], times: over.map((by) => by * L) };
  }

  window.repcostPerLayer = { solve };
  common.live("perlayer", (given) => {
    const { depths, lower, upper, rank } = given, nearest = (at) => Math.round(at);
    const curve = (costs) => depths.map((L, n) => [1 / L, costs[n]]);
    const most = Math.max(...upper), least = Math.min(rank, ...lower);
    return {
      slider: { label: "Depth L", low: 0, high: depths.length - 1, step: 1, value: (at) => depths[nearest(at)], place: (L) => depths.indexOf(L) },
      view: { x: [0, 1 / depths[0], "1 / L"], y: [least - 0.1 * (most - least), most + 0.05 * (most - least), "cost of a layer"] },
      ticks: { x: [[0, "0"], ...[16, 8, 4].map((L) => [1 / L, `1/${L}`])] },
      legend: [["main", "an explicit network"], ["other", "no network costs less"], ["rest", "the rank"]],
      shown: (L) => String(L),
      draw(L) {
        const { lower: low, upper: high, times } = solve(given, L);
        return {
          curves: [["rest", [[0, rank], [1, rank]]], ["other", curve(lower)], ["main", curve(upper)], ["here", [[1 / L, -100], [1 / L, 100]]]],
          dots: [["other", [1 / L, low]], ["main", [1 / L, high]]],
          words: `At depth ${L} a layer costs ${low.toFixed(4)} to ${high.toFixed(4)}, and the rank is ${rank}. What is over it, times L, is ` +
            `${shown(times[0])} to ${shown(times[1])}: it settles, so the rest falls like 1/L.`,
        };
      },
    };
  });
})();
