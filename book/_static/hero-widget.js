/* The first page: ten points, what weight decay draws through them, and what that costs; see widget-common.js.

   Free biases: the closed form of line-widget.js. Paid biases: paid-widget.js. Added layers are linear: the same curve,
   and its cost to the power 2 / L. */
(function () {
  "use strict";

  const common = window.repcostWidgets, line = window.repcostLine, paid = window.repcostPaid.solve;
  const { make, set, within } = common;
  const FAR = 2.5, HIGH = 1.25; // what the drawing shows
  const LEFT = [-1.8, -1.4, -1, -0.6, -0.2, 0.2, 0.6, 1, 1.4, 1.8];
  const PRESETS = {
    "ten points": [0.12, 0.62, 0.7, 0.1, -0.46, -0.3, 0.3, 0.72, 0.4, -0.06],
    "convex": [0.95, 0.42, 0.02, -0.26, -0.42, -0.46, -0.36, -0.12, 0.28, 0.86],
    "a slope": [-0.8, -0.62, -0.45, -0.27, -0.1, 0.08, 0.26, 0.43, 0.6, 0.78],
    "zigzag": [0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5],
  };
  const preset = (name) => PRESETS[name].map((y, n) => [LEFT[n], y]);

  /* ---- Mathematics ---- */

  function free(points) {
    const answer = line.solve(points), { knots, slopes } = answer.spline;
    const bends = knots.map((t, n) => [t, Math.abs(slopes[n + 1] - slopes[n])]);
    // Where the slopes at the ends decide, the line itself costs the rest.
    return { ...answer, bends, at: (x) => line.evaluate(answer.spline, x), knots };
  }

  const answerTo = ({ points, isPaid }) => (isPaid ? paid(points) : free(points));
  const priced = ({ cost }, { layers, isPaid }) => (isPaid ? cost : cost ** (2 / layers));

  /* ---- Words ---- */

  const counted = ({ layers, isPaid }) => {
    if (isPaid) return "the least weights and biases that draw this";
    return layers > 2 ? `the least weights a layer, ${layers} layers` : "the least weights that draw this";
  };

  /* The convention, in the library's own words (repcost.conventions); an added layer shares in the squares. */
  const convention = ({ layers, isPaid }) => {
    if (isPaid) return "half the squares, hidden biases paid, output bias free";
    return `${["half the", "a third of the", "a quarter of the"][layers - 2]} squares, biases free`;
  };

  function why(answer, { layers, isPaid }) {
    if (isPaid) return "A bend costs more the further it lies from zero (dashed), so bends move inwards and are shared. " +
      "For more than two layers this book has no formula.";
    if (layers > 2) {
      return `The added layer${layers > 3 ? "s are" : " is"} linear: the same curve, and its cost to the power 2/${layers}.`;
    }
    if (answer.slopeSum > answer.variation) {
      return "It hardly bends, yet it is not free: the slopes at its two ends add up to more than its bends.";
    }
    return answer.isUnique
      ? "Each bar is a bend, by how much the slope changes there. The cost is their sum."
      : "All functions in the shaded band cost the same: only the sum of the bends counts, not where they are.";
  }

  /* ---- Drawing ---- */

  function mount(root, start, onchange) {
    const copy = (state) => ({ ...state, points: state.points.map((point) => point.slice()) });
    const held = common.holder(root, start, onchange, copy);
    const parts = build(root);
    let height = 0;
    const width = common.widthOf(root, () => draw());
    const axis = (most) => ({ low: -most, high: most, grid: 2 ** -7, step: 2 ** -5, leap: 2 ** -2 });
    const room = { x: axis(FAR - 0.1), y: axis(HIGH), gap: 2 ** -4 };
    const handles = common.points(parts.svg, parts.points, {
      get: () => held.get().points, put: (points, note) => change({ points }, note), redraw: () => draw(),
      toScreen, toPlane, room: () => room,
    });

    const change = (next, note) => held.change({ ...held.get(), ...next }, note);
    const middle = () => (height - 34) / 2;
    function toScreen([x, y]) { return [(width.get() / 2) * (1 + x / FAR), middle() - (y / HIGH) * (middle() - 34)]; }
    function toPlane([h, v]) { return [((2 * h) / width.get() - 1) * FAR, ((middle() - v) / (middle() - 34)) * HIGH]; }
    const path = (places) => common.corners(places.map(toScreen));

    function draw() {
      const state = held.get(), answer = answerTo(state);
      height = Math.round(within(window.innerHeight * 0.42, 210, 380));
      set(parts.svg, { viewBox: `0 0 ${width.get()} ${height}`, height });
      const places = [-9, ...answer.knots.filter((x) => Math.abs(x) < 9), 9];
      set(parts.curve, { points: path(places.map((x) => [x, answer.at(x)])) });
      drawBand(answer);
      drawBends(answer);
      handles.draw();
      parts.price.textContent = priced(answer, state).toFixed(2);
      parts.counted.textContent = counted(state);
      parts.convention.textContent = convention(state);
      parts.why.textContent = why(answer, state);
      for (const [button, isOn] of parts.choices) set(button, { "aria-pressed": isOn(state) });
      parts.layers.forEach((button, n) => set(button, { "aria-disabled": state.isPaid && n > 0 }));
    }

    /* As many places as there are pixels to tell apart. */
    function drawBand({ band }) {
      const places = band ? Array.from({ length: 301 }, (_, n) => -FAR + (n * FAR) / 150) : [];
      const ends = places.map((x) => [x, ...band(x)]);
      const around = [...ends.map(([x, low]) => [x, low]), ...ends.reverse().map(([x, , high]) => [x, high])];
      set(parts.band, { points: path(around) });
    }

    function drawBends({ bends }) {
      const floor = height - 6, tallest = Math.max(4, ...bends.map(([, by]) => by));
      const thick = within(width.get() / 60, 8, 22), [zero] = toScreen([0, 0]);
      set(parts.floor, { x1: 0, x2: width.get(), y1: floor, y2: floor });
      const isNarrow = width.get() < 700, left = Math.max(18, (width.get() - 1168) / 2);
      set(parts.label, { x: left, y: floor - (isNarrow ? 0.2 * height + 8 : 6) });
      set(parts.zero, { x1: zero, x2: zero, y1: 0, y2: floor });
      parts.bars.replaceChildren();
      for (const [t, by] of bends) {
        const tall = (by / tallest) * height * 0.2, [h] = toScreen([t, 0]);
        make("rect", { x: h - thick / 2, y: floor - tall, width: thick, height: tall }, parts.bars);
      }
    }

    function build(within) {
      const found = { choices: [], layers: [] };
      const price = make("p", { class: "repcost-hero-price", "aria-hidden": true }, within);
      found.price = make("strong", {}, price);
      const told = make("span", {}, price);
      found.counted = make("span", {}, told);
      found.convention = make("span", { class: "repcost-hero-convention" }, told);
      found.svg = make("svg", { role: "group", "aria-label": "Ten points that can be moved" }, within);
      for (const [name, kind] of [["band", "polygon"], ["zero", "line"], ["floor", "line"], ["bars", "g"], ["curve", "polyline"]]) {
        found[name] = make(kind, { class: `repcost-hero-${name}`, "aria-hidden": true }, found.svg);
      }
      found.label = make("text", { class: "repcost-hero-label", "aria-hidden": true }, found.svg);
      found.label.textContent = "how much it bends";
      found.points = make("g", {}, found.svg);
      const row = make("div", { class: "repcost-widget-buttons repcost-hero-row" }, within);
      group(row, "Biases", [["free", { isPaid: false }], ["paid", { isPaid: true, layers: 2 }]], found.choices);
      found.layers = group(row, "Layers", [2, 3, 4].map((layers) => [String(layers), { layers }]), found.choices);
      const tries = make("span", { class: "repcost-hero-group repcost-hero-tries", role: "group", "aria-label": "Try" }, row);
      make("span", { text: "Try", "aria-hidden": true }, tries);
      for (const name of Object.keys(PRESETS)) {
        common.button(tries, name, () => change({ points: preset(name) }, `${name}. `));
      }
      found.why = make("p", { class: "repcost-hero-why", "aria-hidden": true }, row);
      found.summary = () => `${found.counted.textContent}: ${found.price.textContent} (${found.convention.textContent}). ${found.why.textContent}`;
      return found;
    }

    function group(row, label, options, choices) {
      const span = make("span", { class: "repcost-hero-group", role: "group", "aria-label": label }, row);
      make("span", { text: label, "aria-hidden": true }, span);
      return options.map(([text, next]) => {
        const button = common.button(span, text, () => change(next, ""));
        choices.push([button, (state) => Object.entries(next).every(([key, value]) => state[key] === value)]);
        return button;
      });
    }

    return held.begin({ draw, summary: parts.summary, stop: () => width.stop() });
  }

  window.repcostHero = { free, paid, priced, PRESETS };
  const allows = ({ points, layers, isPaid }) => common.arePoints(points, { fewest: 10, most: 10, far: FAR }) &&
    [2, 3, 4].includes(layers) && !(isPaid && layers > 2);
  common.define("hero", ["points", "isPaid", "layers"], mount, allows);
})();
