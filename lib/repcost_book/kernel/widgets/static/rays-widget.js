/* Three networks through points on two rays; the reader changes the angle of the rays and how they share the weights.
   See widget-common.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets;
  const { make, set, within, corners } = common;

  /* ---- Mathematics: no document, no window. As in the book's chapters two-rays and tilting. ---- */

  const WEIGHT = 1.5; // A_1 + A_2: with a share of 3/4 and angles of 0.55 pi and 0.52 pi, Figure 2
  const BEND = 0.6; // the distance from the origin at which each ray bends
  const FIRST_RAY = Math.atan2(1, 2);

  /* Where f, which increases from low to high, changes sign: to the last bit. */
  function zero(f, low, high) {
    for (;;) {
      const middle = (low + high) / 2;
      if (middle <= low || middle >= high) return middle;
      if (f(middle) < 0) low = middle;
      else high = middle;
    }
  }

  /* R_3 of the units along the rays: the largest (A cos x)^(2/3) + (B sin(theta + x))^(2/3), which is concave in x. */
  function alongTheRays(theta, A, B) {
    const ratio = Math.cbrt((A / B) ** 2);
    const falls = (x) => (ratio * Math.sin(x)) / Math.cbrt(Math.cos(x)) - Math.cos(theta + x) / Math.cbrt(Math.sin(theta + x));
    const x = zero(falls, 0, Math.PI / 2 - theta);
    return Math.cbrt((A * Math.cos(x)) ** 2) + Math.cbrt((B * Math.sin(theta + x)) ** 2);
  }

  /* The direction, as an angle from the first ray, with the least sum of outer weights, which is convex in it. */
  function bestTilt(theta, A, B) {
    const rises = (at) => (A * Math.sin(at)) / Math.cos(at) ** 2 - (B * Math.sin(theta - at)) / Math.cos(theta - at) ** 2;
    return zero(rises, 0, theta);
  }

  const halfWay = (angle) => (Math.PI * (1 - angle)) / 2;

  /* At which angle the direction half way begins to cost less with three layers than the units along the rays. */
  function crossing(share) {
    const ahead = (angle) => {
      const f = alongTheRays(2 * halfWay(angle), share, 1 - share);
      return f - Math.cbrt(1 / Math.cos(halfWay(angle)) ** 2);
    };
    return zero(ahead, 0.5, 1);
  }

  /* The condition of Proposition 5.2, t + t^3 <= 8 share (1 - share) with t = tan(theta/2): how far it is fulfilled, and
     the angle from which on it is. */
  function promise(angle, share) {
    const t = Math.tan(halfWay(angle));
    return 8 * share * (1 - share) - t - t ** 3;
  }
  const promised = (share) => zero((angle) => promise(angle, share), 0.5, 1);

  const direction = (at) => [Math.cos(at), Math.sin(at)];
  const dot = (one, other) => one[0] * other[0] + one[1] * other[1];

  /* The units of `rays` turned to u or -u, with the values they had on their own ray. */
  function turned(rays, u) {
    return rays.map(({ w, a, b }) => {
      const s = dot(w, u), size = Math.abs(s);
      return { w: u.map((part) => Math.sign(s) * part), a: a / size, b: b * size };
    });
  }

  /* The networks: units {w, a, b} along the rays, along w_0, along the best direction; two and three: their R_2, R_3. */
  function solve({ angle, share }) {
    if (!(angle > 0.5 && angle < 1)) throw new Error("the angle must be between 0.5 and 1, in units of pi");
    if (!(share > 0 && share < 1)) throw new Error("the share must be between 0 and 1");
    const theta = 2 * halfWay(angle), A = WEIGHT * share, B = WEIGHT * (1 - share);
    const tilt = bestTilt(theta, A, B), tilts = [theta / 2, tilt];
    const rays = [[0, A], [Math.PI * angle, -B]].map(([at, a]) => ({ w: direction(FIRST_RAY + at), a, b: -BEND }));
    const sums = tilts.map((at) => A / Math.cos(at) + B / Math.cos(theta - at));
    return {
      angle, share, tilt,
      networks: [rays, ...tilts.map((at) => turned(rays, direction(FIRST_RAY - at)))],
      two: [A + B, ...sums],
      three: [alongTheRays(theta, A, B), ...sums.map((sum) => Math.cbrt(sum ** 2))],
      isPromised: promise(angle, share) >= 0,
    };
  }

  const evaluate = (units, x) => units.reduce((sum, { w, a, b }) => sum + a * Math.max(dot(w, x) + b, 0), 0);

  /* ---- Contours: the function is linear on each piece, so bands of heights are polygons ---- */

  /* The part of a convex polygon where h >= 0; h is linear. */
  function clip(polygon, h) {
    const found = [];
    polygon.forEach((corner, n) => {
      const before = polygon[(n + polygon.length - 1) % polygon.length], [from, to] = [h(before), h(corner)];
      if ((from < 0) !== (to < 0)) {
        const part = from / (from - to);
        found.push([0, 1].map((axis) => before[axis] + part * (corner[axis] - before[axis])));
      }
      if (to >= 0) found.push(corner);
    });
    return found;
  }

  const STEP = 0.1, LEVELS = 7; // bands of heights around multiples of STEP, from -LEVELS to LEVELS; beyond, the last

  /* [{level, corners}] of the function with these units on the square [-size, size]^2. */
  function bands(units, size) {
    let pieces = [{ corners: [[-size, -size], [size, -size], [size, size], [-size, size]], on: [] }];
    for (const unit of units) {
      const h = (x) => dot(unit.w, x) + unit.b;
      pieces = pieces.flatMap(({ corners, on }) => [
        { corners: clip(corners, h), on: [...on, unit] }, { corners: clip(corners, (x) => -h(x)), on },
      ]).filter(({ corners }) => corners.length > 2);
    }
    return pieces.flatMap(({ corners, on }) => {
      const height = (x) => on.reduce((sum, { w, a, b }) => sum + a * (dot(w, x) + b), 0);
      const levels = corners.map((corner) => within(Math.round(height(corner) / STEP), -LEVELS, LEVELS));
      const found = [];
      for (let level = Math.min(...levels); level <= Math.max(...levels); level += 1) {
        const low = level > -LEVELS ? (x) => height(x) - (level - 0.5) * STEP : () => 1;
        const high = level < LEVELS ? (x) => (level + 0.5) * STEP - height(x) : () => 1;
        const part = clip(clip(corners, low), high);
        if (part.length > 2) found.push({ level, corners: part });
      }
      return found;
    });
  }

  /* ---- Words ---- */

  const NAMES = ["along the rays", "along w₀", "best direction"];
  const CLOSE = 1e-9; // costs that differ by less, relatively, are called equal

  const digits = (number) => number.toFixed(4);
  const isLeast = (cost, costs) => cost <= Math.min(...costs) * (1 + CLOSE);
  const percent = (cost, costs) => `+${(100 * (cost / Math.min(...costs) - 1)).toFixed(2)} %`;

  const degrees = ({ angle, tilt }) => ((halfWay(angle) - tilt) * 180) / Math.PI;

  function describe(answer) {
    const { angle, share, three } = answer, off = Math.abs(degrees(answer));
    const versus = Math.abs(three[1] / three[0] - 1) <= CLOSE ? "as much as" : three[1] < three[0] ? "less than" : "more than";
    const because = answer.isPromised ? "as Proposition 5.2 promises"
      : versus === "less than" ? "though Proposition 5.2 does not promise it" : "and Proposition 5.2 promises nothing here";
    const where = off < 0.005 ? "The best direction is w₀."
      : `The best direction is ${off.toFixed(2)} degrees from w₀, nearer to the ${share > 0.5 ? "first" : "second"} ray, ` +
        "the heavier one.";
    return [
      `Rays ${Number(angle.toFixed(4))} π apart; the first has ${Number((100 * share).toFixed(2))} % of the weight.`,
      `With two layers the units along the rays cost least.`,
      `With three, w₀ costs ${versus} the rays, ${because}; the best direction costs least. ${where}`,
    ];
  }

  function summary(answer) {
    const list = (costs) => NAMES.map((name, n) => `${name} ${digits(costs[n])}`).join(", ");
    const [here, two, three] = describe(answer);
    return `${here} ${two} R₂: ${list(answer.two)}. ${three} R₃: ${list(answer.three)}.`;
  }

  /* ---- Drawing and interaction ---- */

  const RANGE = { angle: { low: 0.505, high: 0.995 }, share: { low: 0.02, high: 0.98 } };
  const GRID = 200, STEPS = { small: 0.005, large: 0.05 }; // of the sliders, the keys and the map
  const EXAMPLES = [
    ["Figure 2 (a)", { angle: 0.55, share: 0.75 }],
    ["Figure 2 (b)", { angle: 0.52, share: 0.75 }],
    ["Figure 3", { angle: 2 / 3, share: 0.5 }],
  ];
  // Of the maps of heights, from below to above: viridis, as in the figures of the book.
  const HEIGHTS = [
    "#440154", "#481b6d", "#46327e", "#3f4788", "#365c8d", "#2e6e8e", "#277f8e", "#21918c",
    "#1fa187", "#2db27d", "#4ac16d", "#73d056", "#a0da39", "#d0e11c", "#fde725",
  ];
  const PICTURE = { side: 200, size: 1.15, along: [0.2, 0.4, 0.6, 0.8, 1] };
  const MAP = { width: 330, height: 250, left: 42, right: 22, top: 10, bottom: 40 };
  const HELP = "Drag the dot in the map, or click where it should go. Or use the two sliders; on the keyboard the arrows, " +
    "with Shift for larger steps, Page Up, Page Down, Home and End.";
  const STORIES = [
    { name: "Equal rays", stages: [
      [{ angle: 2 / 3, share: 0.5 }, "Both rays weigh the same, and w₀ is the best direction with three layers."],
      [{ angle: 0.52, share: 0.5 }, "Nearly at a right angle, the order is the same."],
      [{ angle: 0.95, share: 0.5 }, "And nearly on one line, too."],
    ] },
    { name: "The window", stages: [
      [{ angle: 0.52, share: 0.75 }, "One ray is heavier: w₀ costs more than the rays. The best direction does not."],
      [{ angle: 0.53, share: 0.75 }, "The angle grows, and w₀ wins too, before the proposition promises it."],
      [{ angle: 0.6, share: 0.75 }, "Here the proposition says so."],
    ] },
    { name: "One heavy ray", stages: [
      [{ angle: 0.55, share: 0.75 }, "The heavier ray draws the best direction a little to its side."],
      [{ angle: 0.55, share: 0.98 }, "With nearly all the weight, it has it nearly for itself: w₀ is far too dear now."],
    ] },
  ];
  const NOTE = "The map compares w₀ with the rays, with three layers. Height is shown by colour, from −0.75 (dark) " +
    "to 0.75 (bright), points by white dots, and directions of units by arrows. Bars: how much above the least of the three.";
  const MAP_LABEL = "Map of all angles and shares. Along w₀ is cheaper with three layers than along the rays above a curve, " +
    "which touches 0.5 π at equal shares and rises to π where one ray has all the weight. Proposition 5.2 promises it in a " +
    "smaller region above.";

  const KEY = [["sure", "w₀ cheaper: Proposition 5.2"], ["also", "w₀ cheaper too"], ["rest", "rays cheaper"]];

  const toMap = ({ angle, share }) => [
    MAP.left + share * (MAP.width - MAP.left - MAP.right),
    MAP.top + (1 - angle) * 2 * (MAP.height - MAP.top - MAP.bottom),
  ];
  const fromMap = ([h, v]) => ({
    share: (h - MAP.left) / (MAP.width - MAP.left - MAP.right),
    angle: 1 - (v - MAP.top) / (2 * (MAP.height - MAP.top - MAP.bottom)),
  });
  const toPicture = ([x, y]) => [x, -y].map((part) => (0.5 + part / (2 * PICTURE.size)) * PICTURE.side);
  const onGrid = (value, { low, high }) => within(Math.round(value * GRID) / GRID, low, high);

  function mount(root, start, onchange) {
    const held = common.holder(root, start, onchange, ({ angle, share }) => ({ angle, share }));
    const { get, change } = held;
    let answer = solve(get());
    const parts = build(root);

    /* Changes */

    const move = ({ angle, share }) => change({ angle: onGrid(angle, RANGE.angle), share: onGrid(share, RANGE.share) });

    /* What the reader has not touched stays as it is, also off the grid. From outside the range nothing goes the other
       way than asked. */
    function turn(name, value) {
      const next = onGrid(value, RANGE[name]);
      const now = get()[name];
      if ((next - now) * (value - now) >= 0) change({ ...get(), [name]: next });
    }

    /* Drawing */

    function draw() {
      answer = solve(get());
      const [h, v] = toMap(get());
      set(parts.dot, { transform: `translate(${h.toFixed(2)},${v.toFixed(2)})` });
      for (const name of ["angle", "share"]) drawSlider(name);
      parts.columns.forEach((column, n) => drawColumn(column, n));
      const words = describe(answer);
      parts.words.forEach((element, n) => { element.textContent = words[n]; });
      set(parts.map, { "aria-label": `${MAP_LABEL} The dot: ${words[0]}` });
    }

    function drawSlider(name) {
      const { angle, share } = get();
      const text = name === "angle" ? `${Number(angle.toFixed(4))} π` : `${Number((100 * share).toFixed(2))} %`;
      parts[name].input.value = get()[name];
      set(parts[name].input, { "aria-valuetext": text });
      parts[name].shown.textContent = text;
    }

    function drawColumn({ heights, rays, units, rows }, n) {
      const network = answer.networks[n];
      heights.replaceChildren();
      for (const { level, corners: polygon } of bands(network, PICTURE.size)) {
        const colour = HEIGHTS[level + LEVELS];
        make("polygon", { points: corners(polygon.map(toPicture)), fill: colour, stroke: colour, "data-level": level }, heights);
      }
      rays.replaceChildren();
      answer.networks[0].forEach(({ w: [x, y] }, which) => {
        const at = (t, aside = 0) => toPicture([t * x - aside * y, t * y + aside * x]);
        const [x2, y2] = at(2), [h, v] = at(1, which ? 0.16 : -0.16);
        make("line", { x1: PICTURE.side / 2, y1: PICTURE.side / 2, x2, y2, "data-term": which ? "second" : "first" }, rays);
        for (const t of PICTURE.along) make("circle", { cx: at(t)[0], cy: at(t)[1], r: 3 }, rays);
        make("text", { x: h, y: v + 4, "text-anchor": "middle", text: which + 1 }, rays);
      });
      units.replaceChildren();
      for (const { w } of network) arrow(w, units);
      for (const [key, costs] of [["two", answer.two], ["three", answer.three]]) {
        const least = isLeast(costs[n], costs);
        rows[key].value.textContent = digits(costs[n]);
        rows[key].excess.textContent = least ? "least" : percent(costs[n], costs);
        rows[key].row.classList.toggle("repcost-rays-least", least);
        rows[key].bar.style.width = `${(100 * (costs[n] / Math.min(...costs) - 1)) / 0.42}%`;
      }
    }

    function arrow(w, parent) {
      const at = (along, aside) => toPicture([along * w[0] - aside * w[1], along * w[1] + aside * w[0]]);
      const place = (...given) => at(...given).map((part) => part.toFixed(1)).join(",");
      const d = `M${place(0, 0)}L${place(0.42, 0)}M${place(0.3, 0.08)}L${place(0.44, 0)}L${place(0.3, -0.08)}`;
      make("path", { d, class: "repcost-rays-halo" }, parent);
      make("path", { d }, parent);
    }

    /* What the reader does */

    const pointer = common.draggable(parts.map, (place) => {
      const [h, v] = toMap(get()), off = [h - place[0], v - place[1]];
      return (now) => move(fromMap([now[0] + off[0], now[1] + off[1]]));
    });
    pointer.addHandle(parts.dot);
    parts.ground.addEventListener("click", (event) => move(fromMap(common.place(parts.map, event))));
    for (const name of ["angle", "share"]) {
      const { input } = parts[name], { low, high } = RANGE[name];
      input.addEventListener("input", () => turn(name, Number(input.value)));
      const by = (sign, isLarge) => turn(name, get()[name] + sign * (isLarge ? STEPS.large : STEPS.small));
      common.rangeKeys(input, by, () => turn(name, low), () => turn(name, high));
    }
    for (const [name, state] of EXAMPLES) common.button(parts.buttons, name, () => change(state, `${name}. `));
    common.tools(parts.buttons, root, held);
    common.stories(parts.stories, held, start, STORIES);
    common.terms(root, held);
    common.button(parts.buttons, "Reset", () => change({ angle: start.angle, share: start.share }, "Back to the start. "));
    return held.begin({ draw, summary: () => summary(answer) });
  }

  /* The elements of one widget. What is seen at once is hidden from screen readers: they are told the same in a status,
     when the drawing has come to rest. */
  function build(root) {
    const parts = {}, name = common.uniqueName("rays");
    const top = make("div", { class: "repcost-rays-top" }, root);
    buildMap(parts, make("div", { class: "repcost-rays-left" }, top));
    const side = make("div", { class: "repcost-rays-side" }, top);
    for (const [key, text] of [["angle", "Angle of the rays"], ["share", "Weight of the first ray"]]) {
      const { low, high } = RANGE[key];
      parts[key] = common.range(side, text, { min: low, max: high, step: "any", "aria-describedby": `${name}-help` });
      if (key === "share") set(parts[key].input.parentNode, { "data-term": "first" });
    }
    const columns = make("div", { class: "repcost-rays-columns", "aria-hidden": true }, root);
    parts.columns = NAMES.map((text) => buildColumn(columns, text));
    parts.words = common.words(root, 3);
    parts.buttons = make("div", { class: "repcost-widget-buttons" }, root);
    parts.stories = make("div", {}, root);
    make("p", { id: `${name}-help`, class: "repcost-widget-help", text: HELP }, root);
    make("p", { class: "repcost-widget-help", "aria-hidden": true, text: NOTE }, root);
    return parts;
  }

  /* Shares are sampled more closely near the edges, where the curves are steep. */
  function buildMap(parts, parent) {
    parts.map = make("svg", { viewBox: `0 0 ${MAP.width} ${MAP.height}`, class: "repcost-rays-map", role: "img" }, parent);
    const shares = Array.from({ length: 81 }, (_, n) => (1 - Math.cos((Math.PI * n) / 80)) / 2);
    const curve = (boundary) => shares.map((share, n) => toMap({ share, angle: n % 80 ? boundary(share) : 1 }));
    const [sure, also] = [promised, crossing].map(curve);
    const [[left, top], [right, bottom]] = [toMap({ share: 0, angle: 1 }), toMap({ share: 1, angle: 0.5 })];
    parts.ground = make("g", { class: "repcost-rays-ground" }, parts.map);
    make("rect", { x: left, y: top, width: right - left, height: bottom - top, class: "repcost-rays-rest" }, parts.ground);
    make("polygon", { points: corners([...also, ...sure.slice().reverse()]), class: "repcost-rays-also" }, parts.ground);
    make("polygon", { points: corners(sure), class: "repcost-rays-sure" }, parts.ground);
    make("polyline", { points: corners(also), class: "repcost-rays-equal" }, parts.ground);
    const axes = make("g", { class: "repcost-widget-axes" }, parts.map);
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const [h] = toMap({ share, angle: 0.5 });
      make("text", { x: h, y: bottom + 15, "text-anchor": "middle", text: `${100 * share} %` }, axes);
    }
    for (const angle of [0.5, 0.6, 0.7, 0.8, 0.9, 1]) {
      const [, v] = toMap({ share: 0, angle });
      make("text", { x: left - 5, y: v + 4, "text-anchor": "end", text: angle === 1 ? "π" : `${angle} π` }, axes);
    }
    make("text", { x: (left + right) / 2, y: bottom + 32, "text-anchor": "middle", text: "weight of the first ray" }, axes);
    parts.dot = make("g", { class: "repcost-rays-dot" }, parts.map);
    make("circle", { class: "repcost-widget-target", r: 18 }, parts.dot);
    make("circle", { class: "repcost-rays-point", r: 8 }, parts.dot);
    const area = (svg, kind) => make("rect", { x: 1, y: 1, width: 18, height: 10, class: `repcost-rays-${kind}` }, svg);
    common.legend(parent, KEY, "0 0 20 12", area, { "aria-hidden": true });
  }

  function buildColumn(parent, text) {
    const column = make("div", { class: "repcost-rays-column" }, parent);
    make("p", { class: "repcost-rays-name", text }, column);
    const svg = make("svg", { viewBox: `0 0 ${PICTURE.side} ${PICTURE.side}`, class: "repcost-rays-picture" }, column);
    const [heights, rays, units] = ["heights", "rays", "units"].map((part) => make("g", { class: `repcost-rays-${part}` }, svg));
    const rows = {};
    const table = make("div", { class: "repcost-rays-costs" }, column);
    for (const [key, title] of [["two", "R₂"], ["three", "R₃"]]) {
      const row = make("div", { class: "repcost-rays-cost" }, table);
      make("span", { text: title }, row);
      const value = make("b", {}, row), excess = make("em", {}, row);
      const bar = make("i", {}, make("span", { class: "repcost-widget-track" }, row));
      rows[key] = { row, value, excess, bar };
    }
    return { heights, rays, units, rows };
  }

  window.repcostRays = { solve, evaluate, bands, crossing, promised };
  const allows = ({ angle, share }) => angle > 0.5 && angle < 1 && share > 0 && share < 1;
  common.define("rays", ["angle", "share"], mount, allows);
})();
