/* What singular values cost a linear network of depth L, for each of its layers: the power 2 / L. See live-widget.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets, { shown } = common;
  const solve = ({ values }, L) => {
    const prices = values.map((value) => value ** (2 / L));
    return { prices, sum: prices.reduce((total, price) => total + price, 0) };
  };

  window.repcostPowers = { solve };
  common.live("powers", (given) => {
    const { values } = given, most = Math.max(...values), places = common.listed(0, most, 200).map((x) => (x * x) / most);
    return {
      slider: { label: "Depth L", low: 2, high: 64, step: 1, value: Math.round },
      view: { x: [0, most, "singular value"], y: [0, most, "price for each layer"] },
      legend: [["main", "the power 2/L"], ["rest", "two layers: the value itself"], ["point", "the singular values here"]],
      shown: (L) => String(L),
      draw(L) {
        const { prices, sum } = solve(given, L), rank = values.filter((value) => value > 0).length;
        return {
          curves: [["rest", [[0, 0], [most, most]]], ["main", places.map((x) => [x, x ** (2 / L)])]],
          dots: values.map((value, n) => ["point", [value, prices[n]]]),
          words: `With ${L} layers the values ${values.map(shown).join(", ")} cost ${prices.map(shown).join(", ")}, together ${shown(sum)}. ` +
            (L > 20 ? `Large and small ones cost nearly the same: the sum is about the rank, ${rank}.` : "The deeper, the less it matters how large a value is."),
        };
      },
    };
  });
})();
