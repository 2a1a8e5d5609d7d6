/* Two functions of one variable, one of them drawn by hand and one kept, with every price of theirs that is a formula, and
   which of the two each price prefers. See widget-common.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets;
  const { make, set, within, corners } = common;

  /* ---- Mathematics: no document, no window. As on the book's pages on biases that pay and on the depth that is needed. ---- */

  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const positive = (value) => Math.max(value, 0);
  const slopesOf = (points) => points.slice(1).map(([x, y], n) => (y - points[n][1]) / (x - points[n][0]));

  /* What the function is made of: its bends [t, m], its slopes, and its height at zero. */
  function made(points) {
    const slopes = slopesOf(points), bends = points.slice(1, -1).map(([t], n) => [t, slopes[n + 1] - slopes[n]]);
    const piece = within(points.findIndex(([x]) => x >= 0) - 1, 0, slopes.length - 1), [x, y] = points[piece];
    return { slopes, bends, height: y - slopes[piece] * x };
  }

  const byPlace = (bends) => sum(bends.map(([t, m]) => Math.hypot(1, t) * Math.abs(m)));

  /* The largest value of a concave function between two numbers, to rounding: near a smooth top it is off by the square
     of what its place is off. */
  function top(f, low, high) {
    const part = (Math.sqrt(5) - 1) / 2;
    for (let n = 0; n < 80; n += 1) {
      const [left, right] = [high - part * (high - low), low + part * (high - low)];
      if (f(left) < f(right)) low = left;
      else high = right;
    }
    return f((low + high) / 2);
  }

  /* What the output and the slopes at the ends cost beside the bends, where everything is paid: the maximum over p of
     p . v - sum [m (p_1 + p_2 t)]_+ - p_2^2 / 2. For a given p_2 it is piecewise linear in p_1. */
  function ofOutput({ bends, slopes, height }) {
    const v = [-slopes[0], height - sum(bends.map(([t, m]) => m * positive(-t)))];
    const worth = (p, q) => p * v[0] + q * v[1] - sum(bends.map(([t, m]) => positive(m * (p + q * t)))) - (q * q) / 2;
    return top((q) => {
      const far = Math.sqrt(4 - q * q), turns = bends.map(([t]) => within(-q * t, -far, far));
      return Math.max(...[-far, far, ...turns].map((p) => worth(p, q)));
    }, -1, 1);
  }

  /* Networks of one hidden layer that are the function between its first and last point: the sum of their bends, weighted
     by their biases, and the constant beside them. Their units face away from a piece, or from a knot where it turns. */
  function facingAway(points) {
    const slopes = slopesOf(points), inner = made(points).bends, [start] = points[0];
    const price = (skipped) => byPlace(inner.filter((_, n) => n !== skipped));
    const ofPieces = slopes.map((slope, n) => ({
      bends: price() + Math.abs(slope) * Math.hypot(1, start), c: points[n][1] - slope * (points[n][0] - start),
    }));
    const turns = inner.map((_, n) => n).filter((n) => slopes[n] * slopes[n + 1] < 0);
    return [...ofPieces, ...turns.map((n) => ({
      bends: price(n) + (Math.abs(slopes[n]) + Math.abs(slopes[n + 1])) * Math.hypot(1, inner[n][0]), c: points[n + 1][1],
    }))];
  }

  /* A layer of L, from above: the values are shifted, handed on, and shifted back by a last bias. */
  function carried({ bends, c }, values, L) {
    const [down, up] = [positive(c - Math.min(...values)), positive(Math.max(...values) - c)];
    return Math.min(...[[down, c - down], [up, c + up]].map(([m, left]) => (bends + m) ** (2 / L) + left ** 2 / L));
  }

  function deep(points, slopes, L) {
    const mirrored = points.map(([x, y]) => [-x, y]).reverse(), values = points.map(([, y]) => y);
    const up = positive(Math.max(...slopes)), down = positive(-Math.min(...slopes));
    const nets = [points, mirrored].flatMap(facingAway);
    return [(up + down) ** (2 / L), Math.min(...nets.map((net) => carried(net, values, L)))];
  }

  /* Every price [from below, from above] at L layers. */
  function solve(points, L) {
    const { slopes, bends, height } = made(points), total = sum(bends.map(([, m]) => Math.abs(m)));
    const free = Math.max(total, Math.abs(slopes[0] + slopes[slopes.length - 1])), linear = byPlace(bends);
    const paid = linear + ofOutput({ bends, slopes, height }), rank = slopes.some((slope) => slope !== 0) ? 1 : 0;
    const known = { free, hidden: free + linear - total, linear, paid, layers: free ** (2 / L), rank };
    return {
      ...Object.fromEntries(Object.entries(known).map(([name, value]) => [name, [value, value]])),
      deep: deep(points, slopes, L),
    };
  }

  /* "drawn" or "kept", whichever is the cheaper; "neither"; or "not known". */
  function preferred(one, other) {
    const close = 1e-9 * (1 + Math.abs(one[1]) + Math.abs(other[1]));
    if (one[1] < other[0] - close) return "drawn";
    if (other[1] < one[0] - close) return "kept";
    return one[1] - one[0] < close && other[1] - other[0] < close ? "neither" : "not known";
  }

  /* ---- Words ---- */

  const ROWS = [
    ["free", "biases free"], ["hidden", "hidden biases paid"], ["linear", "these, a line free"],
    ["paid", "all biases paid"], ["layers", "linear layers"], ["deep", "layers of ReLUs"], ["rank", "both ranks"],
  ];
  const digits = (number) => number.toFixed(3);
  const range = ([low, high]) => (digits(low) === digits(high) ? digits(high) : `${digits(low)}–${digits(high)}`);
  const told = (key, ends) => (key === "rank" ? String(ends[0]) : range(ends));

  function describe(choices, depth) {
    const named = (which) => ROWS.filter(([key]) => choices[key] === which).map(([, text]) => text);
    const sides = ["drawn", "kept"].map((which) => {
      const found = named(which);
      return `The ${which} one is preferred by ${found.length ? `${found.length}: ${found.join("; ")}` : "none"}.`;
    });
    return `${sides.join(" ")} At ${depth} layers.`;
  }

  /* ---- Drawing and interaction ---- */

  const LIMIT = 2, SIDE = 5, GAP = 0.25, COUNT = 5;
  const SHALLOWEST = 3, DEEPEST = 64;
  // Steps are powers of two, so that floats add them exactly.
  const STEPS = [{ grid: 1 / 8, step: 1 / 8, leap: 1 / 2 }, { grid: 1 / 16, step: 1 / 16, leap: 1 / 4 }];
  const HIGH = [[-5, 0], [-1, 0], [0, 1], [1, 0], [5, 0]];
  const LOW = [[-5, 0], [2, 0], [3, 0.8125], [4, 0], [5, 0]];
  const SLOPE = [[-5, -1.875], [-2, -0.75], [0, 0], [2, 0.75], [5, 1.875]];
  const SMALL = [[-5, 0], [-1, 0], [0, 0.125], [1, 0], [5, 0]];
  const WAVES = [[-5, 0], [-2.5, 1], [0, 0], [2.5, 1], [5, 0]], CLIFF = [[-5, 0], [-1, 0], [0, 0], [0.25, 1.25], [5, 1.25]];
  const EXAMPLES = [["Two hats", HIGH, LOW], ["Line and hat", SLOPE, SMALL], ["Waves and cliff", WAVES, CLIFF]];
  const moved = (by) => HIGH.map(([x, y], n) => (n % 4 ? [x + by, y] : [x, y]));
  const STORIES = [
    { name: "Who pays for the place", stages: [
      [{ points: HIGH, kept: LOW, depth: 16 }, "Two hats. Free biases prefer the kept one, which is lower."],
      [{ points: moved(3), kept: LOW }, "In the same place every price of one hidden layer prefers the lower one."],
      [{ points: HIGH, kept: LOW }, "At zero the high one is cheaper for all prices with paid biases."],
    ] },
    { name: "A line for nothing", stages: [
      [{ points: SLOPE, kept: SMALL, depth: 16 }, "A line, and a small hat that is cheaper than it."],
      [{ points: SLOPE, kept: HIGH }, "A high hat costs more, by every price of one hidden layer."],
      [{ points: SLOPE, kept: SMALL }, "Only beside a free line is the line cheaper than the small one: it costs nothing there."],
    ] },
    { name: "Deeper", stages: [
      [{ points: WAVES, kept: CLIFF, depth: 3 }, "Slow waves and a cliff, in three layers."],
      [{ points: WAVES, kept: CLIFF, depth: 16 }, "With more layers both cost less for each."],
      [{ points: WAVES, kept: CLIFF, depth: 64 }, "In the end each costs its rank, which is one for both."],
    ] },
  ];
  const HELP = "Drag the knots of the solid line. On the keyboard: Tab to a knot and use the arrows, with Shift for larger " +
    "steps. The two ends move only up and down, and beyond them the functions go on straight.";
  const NOTE = "The first four prices are half the squares of one hidden layer and the output, the next two the squares of L layers over L. Of layers " +
    "of ReLUs only two ends are known: from below the steepest slopes, from above the bends.";
  const SIZE = { width: 340, height: 250, left: 30, right: 14, top: 10, bottom: 32 };
  const ROOM = { x: 5.3, y: 2.12 }; // half of what is shown

  const FRAME = { left: SIZE.left, right: SIZE.width - SIZE.right, top: SIZE.top, bottom: SIZE.height - SIZE.bottom };
  const across = FRAME.right - FRAME.left, upward = FRAME.bottom - FRAME.top;
  const toScreen = ([x, y]) => [FRAME.left + (across * (x / ROOM.x + 1)) / 2, FRAME.bottom - (upward * (y / ROOM.y + 1)) / 2];
  const toPlane = ([h, v]) => [ROOM.x * ((2 * (h - FRAME.left)) / across - 1), ROOM.y * ((2 * (FRAME.bottom - v)) / upward - 1)];

  function mount(root, start, onchange) {
    const copy = (state) => common.cloned({ points: state.points, kept: state.kept, depth: state.depth });
    const held = common.holder(root, start, onchange, copy);
    const change = (part, note) => held.change(copy({ ...held.get(), ...part }), note);
    const parts = build(root);
    const knots = common.points(parts.svg, parts.knots, {
      get: () => held.get().points, put: (points) => change({ points }), redraw: () => draw(), toScreen, toPlane, room, name: "Knot",
    });

    /* The ends stay where they are in x. */
    function room(n) {
      const isEnd = n === 0 || n === COUNT - 1, [x] = held.get().points[n];
      const [low, high] = isEnd ? [x, x] : [-SIDE, SIDE];
      return { x: { low, high, ...STEPS[0] }, y: { low: -LIMIT, high: LIMIT, ...STEPS[1] }, gap: GAP };
    }

    let choices;
    function draw() {
      const { points, kept, depth } = held.get(), both = [points, kept].map((each) => solve(each, depth));
      set(parts.graph, { points: corners(points.map(toScreen)) });
      set(parts.kept, { points: corners(kept.map(toScreen)) });
      knots.draw();
      const isOne = common.same(points, kept); // of one function nothing is preferred, whatever is known of it
      choices = Object.fromEntries(ROWS.map(([key]) => [key, isOne ? "neither" : preferred(both[0][key], both[1][key])]));
      for (const [key] of ROWS) {
        const { numbers, verdict } = parts.rows[key];
        both.forEach((prices, n) => {
          numbers[n].textContent = told(key, prices[key]);
          numbers[n].classList.toggle("repcost-prices-least", choices[key] === ["drawn", "kept"][n]);
        });
        verdict.textContent = choices[key];
      }
      parts.depth.input.value = Math.log2(depth);
      set(parts.depth.input, { "aria-valuetext": `${depth} layers` });
      parts.depth.shown.textContent = depth;
    }

    const turn = (depth) => change({ depth: within(Math.round(depth), SHALLOWEST, DEEPEST) });
    const { input } = parts.depth;
    input.addEventListener("input", () => turn(2 ** Number(input.value)));
    const times = (sign, isLarge) => {
      const { depth } = held.get(), next = depth * (isLarge ? 2 : 2 ** 0.25) ** sign;
      turn(sign > 0 ? Math.max(depth + 1, next) : Math.min(depth - 1, next));
    };
    common.rangeKeys(input, times, () => turn(SHALLOWEST), () => turn(DEEPEST));
    common.button(parts.buttons, "Keep this one", () => change({ kept: held.get().points }, "Kept. "));
    common.button(parts.buttons, "Swap", () => change({ points: held.get().kept, kept: held.get().points }, "Swapped. "));
    for (const [name, points, kept] of EXAMPLES) common.button(parts.buttons, name, () => change({ points, kept }, `${name}. `));
    common.tools(parts.buttons, root, held);
    common.button(parts.buttons, "Reset", () => held.change(copy(start), "Back to the start. "));
    common.stories(parts.stories, held, start, STORIES, { whole: ["depth"] });
    common.terms(root, held);
    return held.begin({ draw, summary: () => describe(choices, held.get().depth) });
  }

  /* The elements of one widget. */
  function build(root) {
    const parts = { rows: {} }, name = common.uniqueName("prices"), viewBox = `0 0 ${SIZE.width} ${SIZE.height}`;
    const both = make("div", { class: "repcost-prices-both" }, root), left = make("div", {}, both), right = make("div", {}, both);
    const line = (svg, key) => make("line", { class: `repcost-prices-${key}`, x1: 1, x2: 29, y1: 6, y2: 6 }, svg);
    common.legend(left, [["graph", "drawn", "drawn"], ["kept", "kept", "kept"]], "0 0 30 12", line, { "aria-hidden": true });
    parts.svg = make("svg", { viewBox, role: "group", "aria-label": "Knots that can be moved", "aria-describedby": `${name}-help` }, left);
    const axes = make("g", { class: "repcost-widget-axes", "aria-hidden": true }, parts.svg);
    common.axes(axes, { x: [-4, -2, 0, 2, 4], y: [-2, -1, 0, 1, 2] }, toScreen, FRAME);
    for (const [key, term] of [["kept", "kept"], ["graph", "drawn"]]) {
      parts[key] = make("polyline", { class: `repcost-prices-${key}`, "data-term": term, "aria-hidden": true }, parts.svg);
    }
    parts.knots = make("g", {}, parts.svg);
    const table = make("table", { class: "repcost-prices-table" }, right), head = make("tr", {}, make("thead", {}, table));
    for (const [text, term] of [["Price", ""], ["drawn", "drawn"], ["kept", "kept"], ["prefers", ""]]) {
      make("th", { scope: "col", text, ...(term ? { "data-term": term } : {}) }, head);
    }
    const body = make("tbody", {}, table);
    for (const [key, text] of ROWS) {
      const row = make("tr", {}, body);
      make("th", { scope: "row", text }, row);
      parts.rows[key] = { numbers: [0, 1].map(() => make("td", {}, row)), verdict: make("td", {}, row) };
    }
    parts.depth = common.range(root, "Layers", { min: Math.log2(SHALLOWEST), max: Math.log2(DEEPEST), step: "any" });
    parts.buttons = make("div", { class: "repcost-widget-buttons" }, root);
    parts.stories = make("div", {}, root);
    make("p", { id: `${name}-help`, class: "repcost-widget-help", text: HELP }, root);
    make("p", { class: "repcost-widget-help", text: NOTE }, root);
    return parts;
  }

  window.repcostPrices = { solve, preferred };
  const allows = ({ points, kept, depth }) => Number.isInteger(depth) && depth >= SHALLOWEST && depth <= DEEPEST &&
    [points, kept].every((each) => common.arePoints(each, { fewest: COUNT, most: COUNT, gap: GAP, far: SIDE }) &&
      each[0][0] === -SIDE && each[COUNT - 1][0] === SIDE && each.every(([, y]) => Math.abs(y) <= LIMIT));
  common.define("prices", ["points", "kept", "depth"], mount, allows);
})();
