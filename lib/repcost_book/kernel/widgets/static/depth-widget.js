/* What a layer of a deep network costs for a function whose knots the reader moves, from two sides, against the depth.
   See widget-common.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets;
  const { make, set, within, corners } = common;

  /* ---- Mathematics: no document, no window. As in the book's chapter infinite-depth. ---- */

  const slopesOf = (points) => points.slice(1).map(([x, y], n) => (y - points[n][1]) / (x - points[n][0]));
  const sum = (values) => values.reduce((total, value) => total + value, 0);

  /* Where f, which increases, changes sign, to 1e-8: near its minimum a cost is off by the square of that. */
  function zero(f, low, high) {
    while (high - low > 1e-8) {
      const middle = (low + high) / 2;
      if (f(middle) < 0) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  /* Networks {units: [{w, a, b}], c} that are the function on [-1, 1], with units that face away from a piece or from a
     knot where it turns. All their w are 1 or -1. */
  function facingAway(points) {
    const slopes = slopesOf(points), inner = points.slice(1, -1).map(([x], n) => [x, slopes[n + 1] - slopes[n]]);
    const away = (from, skipped) => inner.flatMap(([x, a], n) => {
      if (n === skipped) return [];
      const w = n >= from ? 1 : -1;
      return [{ w, a, b: -w * x }];
    });
    const found = slopes.map((slope, n) => ({
      units: [{ w: 1, a: slope, b: 1 }, ...away(n)], c: points[n][1] - slope * (points[n][0] + 1),
    }));
    inner.forEach(([x], n) => {
      if (slopes[n] * slopes[n + 1] >= 0) return;
      const both = [{ w: 1, a: slopes[n + 1], b: -x }, { w: -1, a: -slopes[n], b: x }];
      found.push({ units: [...both, ...away(n, n)], c: points[n + 1][1] });
    });
    return found;
  }

  /* What is left of each network when all scales but one are eliminated: sizes |a| |(w, b)| and their sum; what the
     units read if their input is x + 1; and how far the output without its bias must be shifted. Those of f(-x) cost
     the same, but carry their input otherwise. */
  function parts(points) {
    const mirrored = points.map(([x, y]) => [-x, y]).reverse(), values = points.map(([, y]) => y);
    return [points, mirrored].flatMap(facingAway).map(({ units, c }) => {
      const used = units.filter(({ a }) => a !== 0);
      const up = Math.max(c - Math.min(...values), 0), down = Math.max(Math.max(...values) - c, 0);
      return {
        c, sizes: used.map(({ a, b }) => Math.abs(a) * Math.hypot(1, b)), shift: Math.min(up, down), sign: up <= down ? 1 : -1,
        read: used.map(({ w, a, b }) => [Math.abs(a), (b - w) ** 2]),
      };
    });
  }

  /* The number that is passed on is scaled by e^v, and layers share what is left: the least over v, which is convex. */
  function least(cost, rise) {
    return cost(zero(rise, -40, 40));
  }

  /* Passing on the output, shifted: a hidden layer, a layer that adds it up, and L - 2 that only scale it. */
  function carriedOutput({ c, sizes, shift, sign }, L) {
    const total = sum(sizes), rest = L - 2;
    if (!total) return c * c;
    const cost = (v) => 2 * total * Math.exp(v) + shift ** 2 * Math.exp(2 * v) + rest * Math.exp((-2 * v) / rest);
    const rise = (v) => total * Math.exp(v) + shift ** 2 * Math.exp(2 * v) - Math.exp((-2 * v) / rest);
    return least(cost, rise) + (c - sign * shift) ** 2;
  }

  /* Passing on the input, as x + 1. */
  function carriedInput({ c, sizes, read }, L) {
    const rest = L - 2, first = 2 ** (1 / rest);
    if (!sizes.length) return c * c;
    const over = (v, term) => { const w = Math.exp(-2 * v); return read.reduce((total, [a, b]) => total + term(a, w, b), 0); };
    const cost = (v) => rest * first * Math.exp((2 * v) / rest) + 2 * over(v, (a, w, b) => a * Math.sqrt(w + b));
    const rise = (v) => first * Math.exp((2 * v) / rest) - over(v, (a, w, b) => (a * w) / Math.sqrt(w + b));
    return least(cost, rise) + c * c;
  }

  const carriedUnits = ({ c, sizes }, L) => L * sum(sizes.map((size) => size ** (2 / L))) + c * c;

  const CLOSE = 1e-9; // costs that differ by less, relatively, are called equal
  const CARRIED = ["its output", "its input", "all hidden units"];

  /* From above: the least squared norm of these networks with L layers, divided by L, and what it passes on. */
  function above(found, L) {
    const ways = L > 2 ? [carriedOutput, carriedInput, carriedUnits] : [(part) => 2 * sum(part.sizes) + part.c ** 2];
    const costs = ways.map((way) => Math.min(...found.map((part) => way(part, L))) / L);
    const upper = Math.min(...costs);
    return { upper, carried: L > 2 ? CARRIED[costs.findIndex((cost) => cost <= upper * (1 + CLOSE))] : null };
  }

  /* From below: the steepest slope up and the steepest slope down, together. */
  const below = (both, L) => both ** (2 / L);
  const steepestOf = (points) => { const slopes = slopesOf(points); return [Math.max(0, ...slopes), -Math.min(0, ...slopes)]; };

  const MARGIN = 0.1; // this near to one is called near

  /* The least depth from which on both sides are near one. A layer more of a network that passes on one number costs
     one, so from above this holds for all larger depths as well; from below it is clear. */
  function nearFrom(found, both) {
    if (!both) return null;
    const narrow = (L) => Math.min(...found.map((part) => Math.min(carriedOutput(part, L), carriedInput(part, L))));
    const isNear = (L) => below(both, L) >= 1 - MARGIN && narrow(L) <= (1 + MARGIN) * L;
    let low = 2, high = 3;
    while (!isNear(high)) { low = high; high *= 2; }
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (isNear(middle)) high = middle;
      else low = middle;
    }
    return high;
  }

  /* Both sides at the given depths. */
  function solve(points, depths) {
    const found = parts(points), steepest = steepestOf(points), both = sum(steepest);
    const sides = depths.map((L) => ({ depth: L, lower: below(both, L), ...above(found, L) }));
    return { sides, steepest, both, near: nearFrom(found, both) };
  }

  /* ---- Words ---- */

  const digits = (number) => number.toFixed(4);

  function describe({ steepest, both, near, sides }, depth) {
    const { lower, upper, carried } = sides.find((side) => side.depth === depth);
    const [up, down] = steepest.map(common.shown);
    const steep = Math.min(...steepest) ? `The steepest slopes are ${up} up and ${down} down.` : `The steepest slope is ${common.shown(both)}.`;
    const slope = both ? steep : "The function is a constant.";
    const passed = carried && both ? ` The network from above passes on ${carried}.` : "";
    const here = `At depth ${depth} a layer costs between ${digits(lower)} and ${digits(upper)}.${passed}`;
    const deep = near ? `From depth ${near} on, both sides are within 10 % of one, the limit.`
      : "In the limit a layer costs nothing: a constant has rank zero.";
    return [slope, here, deep];
  }

  /* ---- Drawing and interaction ---- */

  const LIMIT = 2, GAP = 0.125;
  const SHALLOWEST = 2, DEEPEST = 256;
  const DEPTHS = [2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256];
  // Steps are powers of two, so that floats add them exactly.
  const STEPS = [{ grid: 1 / 32, step: 1 / 32, leap: 1 / 8 }, { grid: 1 / 16, step: 1 / 16, leap: 1 / 4 }];
  const EXAMPLES = [
    ["Line", [[-1, -1], [1, 1]]],
    ["Tent", [[-1, 0], [0, 1], [1, 0]]],
    ["Step", [[-1, -1], [-0.0625, -1], [0.0625, 1], [1, 1]]],
    ["Zigzag", [[-1, -0.5], [-0.5, 1], [0, -1], [0.5, 1], [1, 0.5]]],
  ];
  const [LINE, , STEP] = EXAMPLES.map(([, points]) => points), FLAT = [[-1, -0.25], [1, 0.25]];
  const STORIES = [
    { name: "A steep step", stages: [
      [{ points: STEP, depth: 2 }, "Two layers pay for the slope of 16 in full."],
      [{ points: STEP, depth: 16 }, "More layers share it."],
      [{ points: STEP, depth: 256 }, "In the end steepness is nearly forgotten: what is left is handing on one number."],
    ] },
    { name: "Not steep, not free", stages: [
      [{ points: LINE, depth: 2 }, "A slope of one. The values must be shifted before ReLUs let them pass."],
      [{ points: LINE, depth: 64 }, "That, too, is shared among more layers."],
    ] },
    { name: "A flat function", stages: [
      [{ points: LINE, depth: 16 }, "The slope is one."],
      [{ points: FLAT, depth: 16 }, "A flatter line: now a layer costs less than one."],
      [{ points: FLAT, depth: 256 }, "Deeper, it rises to one: small slopes are forgotten like large ones."],
      [{ points: [[-1, 0], [1, 0]], depth: 256 }, "Only a constant costs nothing: its rank is zero."],
    ] },
  ];
  const LEGEND = [["upper", "an explicit network"], ["lower", "power 2/L of steepest up + down", "steepest"], ["limit", "the limit"]];
  const HELP = "Drag the knots. On the keyboard: Tab to a knot and use the arrows, with Shift for larger steps. The two " +
    "ends move only up and down.";
  const NOTE = "Both axes of the right picture are logarithmic; what is below 0.01, as for a constant, is drawn at its " +
    "lower edge. The upper curve is of explicit networks; cheaper ones may exist.";
  const SIZE = { width: 340, height: 250, left: 36, right: 16, top: 10, bottom: 38 };

  const along = (part) => SIZE.left + part * (SIZE.width - SIZE.left - SIZE.right);
  const upward = (part) => SIZE.height - SIZE.bottom - part * (SIZE.height - SIZE.top - SIZE.bottom);
  const ROOM = { x: 1.06, y: 2.12 }; // half of what is shown
  const toScreen = ([x, y]) => [along((x / ROOM.x + 1) / 2), upward((y / ROOM.y + 1) / 2)];
  function toPlane([h, v]) {
    const [left, bottom] = [along(0), upward(0)], [right, top] = [along(1), upward(1)];
    return [ROOM.x * ((2 * (h - left)) / (right - left) - 1), ROOM.y * ((2 * (v - bottom)) / (top - bottom) - 1)];
  }
  const FRAME = { left: along(0), right: along(1), top: upward(1), bottom: upward(0) };

  /* 1, 2, 5, 10, ... and their inverses, between two numbers and just beyond. */
  function decades(low, high) {
    const found = [];
    for (let power = -2; power <= 3; power += 1) found.push(...[1, 2, 5].map((digit) => Number(`${digit}e${power}`)));
    const first = found.filter((tick) => tick <= low).length - 1, last = found.findIndex((tick) => tick >= high);
    return found.slice(Math.max(first, 0), last + 1);
  }

  function mount(root, start, onchange) {
    const copy = ({ points, depth }) => ({ points: points.map((point) => point.slice()), depth });
    const held = common.holder(root, start, onchange, copy);
    const change = (part, note) => held.change({ ...held.get(), ...part }, note);
    const parts = build(root);
    const knots = common.points(parts.svg, parts.knots, {
      get: () => held.get().points, put: (points) => change({ points }), redraw: () => draw(), toScreen, toPlane,
      room, name: "Knot",
    });

    /* Changes */

    /* The ends stay where they are in x. */
    function room(n) {
      const { points } = held.get(), isEnd = n === 0 || n === points.length - 1, [x] = points[n];
      const [low, high] = isEnd ? [x, x] : [-1, 1];
      return { x: { low, high, ...STEPS[0] }, y: { low: -LIMIT, high: LIMIT, ...STEPS[1] }, gap: GAP };
    }

    const turn = (depth) => change({ depth: within(Math.round(depth), SHALLOWEST, DEEPEST) });

    /* Drawing */

    let answer;
    function draw() {
      const { points, depth } = held.get();
      const depths = [...new Set([...DEPTHS, depth])].sort((one, other) => one - other);
      answer = solve(points, depths);
      const words = describe(answer, depth);
      set(parts.graph, { points: corners(points.map(toScreen)) });
      const slopes = slopesOf(points);
      steepestOf(points).forEach((steep, k) => {
        const n = steep ? slopes.indexOf(k ? -steep : steep) : 0;
        const [[x1, y1], [x2, y2]] = points.slice(n, n + 2).map(toScreen);
        // Without a slope that way, a line of no length.
        set(parts.steepest[k], { x1, y1, ...(steep ? { x2, y2 } : { x2: x1, y2: y1 }) });
      });
      knots.draw();
      drawChart(words);
      parts.depth.input.value = Math.log2(depth);
      set(parts.depth.input, { "aria-valuetext": `depth ${depth}` });
      parts.depth.shown.textContent = depth;
      parts.words.forEach((element, n) => { element.textContent = words[n]; });
    }

    function drawChart(words) {
      const { sides } = answer, here = sides.find(({ depth }) => depth === held.get().depth);
      const shownTicks = decades(Math.min(0.5, ...sides.map(({ lower }) => lower)), Math.max(5, ...sides.map(({ upper }) => upper)));
      const [low, high] = [shownTicks[0], shownTicks[shownTicks.length - 1]];
      const place = (depth, cost) => [
        along(Math.log(depth / SHALLOWEST) / Math.log(DEEPEST / SHALLOWEST)),
        upward(Math.log(within(cost, low, high) / low) / Math.log(high / low)),
      ];
      const [lower, upper] = ["lower", "upper"].map((name) => sides.map((side) => place(side.depth, side[name])));
      set(parts.band, { points: corners([...lower, ...upper.slice().reverse()]) });
      set(parts.lower, { points: corners(lower) });
      set(parts.upper, { points: corners(upper) });
      const toScreen = ([depth, cost]) => place(depth || SHALLOWEST, cost || 1);
      common.axes(parts.axes, { x: [2, 4, 8, 16, 32, 64, 128, 256], y: shownTicks }, toScreen, FRAME);
      const limit = place(SHALLOWEST, answer.both ? 1 : low)[1];
      set(parts.limit, { x1: along(0), x2: along(1), y1: limit, y2: limit });
      const [at, top] = place(here.depth, here.upper), [, bottom] = place(here.depth, here.lower);
      set(parts.here, { x1: at, x2: at, y1: upward(0), y2: upward(1) });
      set(parts.dots[0], { cx: at, cy: bottom });
      set(parts.dots[1], { cx: at, cy: top });
      set(parts.chart, { "aria-label": `Cost of a layer against the depth from 2 to 256, from two sides. ${words.join(" ")}` });
    }

    /* What the reader does */

    const { input } = parts.depth;
    input.addEventListener("input", () => turn(2 ** Number(input.value)));
    const times = (sign, isLarge) => {
      const { depth } = held.get(), next = depth * (isLarge ? 2 : 2 ** 0.25) ** sign;
      turn(sign > 0 ? Math.max(depth + 1, next) : Math.min(depth - 1, next));
    };
    common.rangeKeys(input, times, () => turn(SHALLOWEST), () => turn(DEEPEST));
    for (const [name, points] of EXAMPLES) common.button(parts.buttons, name, () => change(copy({ ...held.get(), points }), `${name}. `));
    common.tools(parts.buttons, root, held);
    common.stories(parts.stories, held, start, STORIES, { whole: ["depth"] });
    common.terms(root, held);
    common.button(parts.buttons, "Reset", () => change(copy(start), "Back to the start. "));
    return held.begin({ draw, summary: () => describe(answer, held.get().depth).join(" ") });
  }

  /* The elements of one widget. What is seen at once is hidden from screen readers: they are told the same in a status,
     when the drawing has come to rest. */
  function build(root) {
    const parts = {}, name = common.uniqueName("depth"), viewBox = `0 0 ${SIZE.width} ${SIZE.height}`;
    const both = make("div", { class: "repcost-depth-both" }, root);
    const left = make("div", {}, both), right = make("div", {}, both);
    make("p", { class: "repcost-depth-title", text: "The function, to drag" }, left);
    parts.svg = make("svg", { viewBox, role: "group", "aria-label": "Knots that can be moved", "aria-describedby": `${name}-help` }, left);
    const axes = make("g", { class: "repcost-widget-axes", "aria-hidden": true }, parts.svg);
    common.axes(axes, { x: [-1, -0.5, 0, 0.5, 1], y: [-2, -1, 0, 1, 2] }, toScreen, FRAME);
    make("text", { x: along(0.5), y: upward(0) + 33, "text-anchor": "middle", text: "x" }, axes);
    parts.graph = make("polyline", { class: "repcost-depth-graph", "aria-hidden": true }, parts.svg);
    parts.steepest = [0, 1].map(() => make("line", { class: "repcost-depth-steepest", "data-term": "steepest", "aria-hidden": true }, parts.svg));
    parts.knots = make("g", {}, parts.svg);

    make("p", { class: "repcost-depth-title", text: "What a layer costs, R / L" }, right);
    parts.chart = make("svg", { viewBox, role: "img" }, right);
    parts.axes = make("g", { class: "repcost-widget-axes" }, parts.chart);
    const title = make("g", { class: "repcost-widget-axes" }, parts.chart);
    make("text", { x: along(0.5), y: upward(0) + 33, "text-anchor": "middle", text: "depth L" }, title);
    parts.band = make("polygon", { class: "repcost-depth-band" }, parts.chart);
    parts.limit = make("line", { class: "repcost-depth-limit" }, parts.chart);
    parts.here = make("line", { class: "repcost-depth-here" }, parts.chart);
    for (const key of ["lower", "upper"]) parts[key] = make("polyline", { class: `repcost-depth-${key}`, ...(key === "lower" ? { "data-term": "steepest" } : {}) }, parts.chart);
    parts.dots = ["lower", "upper"].map((key) => make("circle", { r: 4.5, class: `repcost-depth-dot-${key}` }, parts.chart));
    const line = (svg, key) => make("line", { class: `repcost-depth-${key}`, x1: 1, x2: 29, y1: 6, y2: 6 }, svg);
    common.legend(right, LEGEND, "0 0 30 12", line, { "aria-hidden": true });

    parts.depth = common.range(root, "Depth", { min: Math.log2(SHALLOWEST), max: Math.log2(DEEPEST), step: "any" });
    parts.words = common.words(root, 3);
    parts.buttons = make("div", { class: "repcost-widget-buttons" }, root);
    parts.stories = make("div", {}, root);
    make("p", { id: `${name}-help`, class: "repcost-widget-help", text: HELP }, root);
    make("p", { class: "repcost-widget-help", "aria-hidden": true, text: NOTE }, root);
    return parts;
  }

  window.repcostDepth = { solve };
  const allows = ({ points, depth }) => Number.isInteger(depth) && depth >= SHALLOWEST && depth <= DEEPEST &&
    common.arePoints(points, { fewest: 2, most: 6, gap: GAP, far: LIMIT }) && points[0][0] === -1 && points[points.length - 1][0] === 1;
  common.define("depth", ["points", "depth"], mount, allows);
})();
