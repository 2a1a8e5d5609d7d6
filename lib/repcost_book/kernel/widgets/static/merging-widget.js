/* The units of a wide network of one variable, and how they become few; the reader moves the points and merges.
   See widget-common.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets;
  const { make, set, shown, within, corners, ticks } = common;

  /* ---- Mathematics: no document, no window. What Merging does in widgets/merging.py. ---- */

  const DIRECTIONS = 61; // odd: then opposite directions bend at different places, at least one in every gap
  const LIMIT = 1.5, GAP = 0.25; // of the points: how far out, and how near to each other, they may be
  const ALL = DIRECTIONS - 1, PROGRAMME = DIRECTIONS; // steps: so many pairs cannot be; then the linear programme
  const NOTHING = 1e-12;

  const angles = Array.from({ length: DIRECTIONS }, (_, k) => (2 * Math.PI * (k + 0.25)) / DIRECTIONS);
  const directions = angles.map((at) => [Math.cos(at), Math.sin(at)]);

  const input = ([c, d], x) => c * x + d;
  const relu = (v, x) => Math.max(input(v, x), 0);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const size = ([c, d]) => Math.hypot(c, d);

  /* A unit is {v, sign}: sign * [v.(x, 1)]_+, which costs 2 |v| when it is balanced. */
  const evaluate = (units, x) => sum(units.map(({ v, sign }) => sign * relu(v, x)));
  const costOf = (units) => 2 * sum(units.map(({ v }) => size(v)));
  const bend = ([c, d]) => -d / c;

  /* A x = b, square, with pivots. */
  function linear(A, b) {
    const rows = A.map((row, i) => [...row, b[i]]);
    rows.forEach((_, i) => {
      let best = i;
      for (let j = i; j < rows.length; j += 1) if (Math.abs(rows[j][i]) > Math.abs(rows[best][i])) best = j;
      [rows[i], rows[best]] = [rows[best], rows[i]];
      rows.forEach((row, j) => {
        if (j === i) return;
        const factor = row[i] / rows[i][i];
        for (let m = i; m < row.length; m += 1) row[m] -= factor * rows[i][m];
      });
    });
    return rows.map((row, i) => row[row.length - 1] / row[i]);
  }

  /* Through the points with the least sum of squares of the outer weights: where training these alone from zero ends. */
  function wide(points) {
    const features = points.map(([x]) => directions.map((v) => relu(v, x)));
    const gram = features.map((one) => features.map((other) => sum(one.map((part, k) => part * other[k]))));
    const residual = linear(gram, points.map(([, y]) => y));
    const outer = directions.map((_, k) => sum(features.map((row, i) => row[k] * residual[i])));
    return directions
      .map((v, k) => ({ v: v.map((part) => part * Math.abs(outer[k])), sign: Math.sign(outer[k]) }))
      .filter(({ v }) => size(v) > NOTHING);
  }

  /* The points that see the unit, and its sign. */
  const sector = (points, { v, sign }) => points.map(([x]) => (input(v, x) > 0 ? "1" : "0")).join("") + sign;

  /* The first `steps` pairs, in the order of the directions: the vectors add up. parts: what a unit was made of. */
  function merge(points, units, steps) {
    const found = [], first = {};
    let done = 0;
    for (const unit of units) {
      const key = sector(points, unit), into = first[key], alone = { ...unit, parts: [unit.v] };
      if (!into) first[key] = alone;
      if (into && done < steps) {
        into.v = into.v.map((part, axis) => part + unit.v[axis]);
        into.parts.push(unit.v);
        done += 1;
      } else found.push(alone);
    }
    return found;
  }

  /* min sum(w) with columns w = target, w >= 0: by pivots, with the smallest number first, which never goes in circles.
     Returns w. There must be a solution. */
  function programme(columns, target) {
    const rows = target.length, many = columns.length;
    const unit = (i) => target.map((_, j) => (i === j ? Math.sign(target[i]) || 1 : 0));
    const all = [...columns, ...target.map((_, i) => unit(i))];
    let table = target.map((y, i) => [...all.map((column) => column[i]), y].map((part) => part * (y < 0 ? -1 : 1)));
    const basis = target.map((_, i) => many + i);
    const pivot = (row, enter) => {
      table[row] = table[row].map((part) => part / table[row][enter]);
      table = table.map((other, j) => (j === row ? other : other.map((part, k) => part - other[enter] * table[row][k])));
      basis[row] = enter;
    };
    const descend = (price) => {
      for (;;) {
        const gain = (k) => price(k) - sum(basis.map((member, i) => price(member) * table[i][k]));
        const enter = columns.findIndex((_, k) => !basis.includes(k) && gain(k) < -1e-11);
        if (enter < 0) return;
        const ratios = table.map((row) => (row[enter] > 1e-11 ? row[many + rows] / row[enter] : Infinity));
        const least = Math.min(...ratios);
        if (least === Infinity) return;
        let leave = -1;
        ratios.forEach((ratio, i) => {
          if (ratio <= least + 1e-13 && (leave < 0 || basis[i] < basis[leave])) leave = i;
        });
        pivot(leave, enter);
      }
    };
    descend((k) => (k < many ? 0 : 1));
    basis.forEach((member, i) => {
      const enter = member < many ? -1 : columns.findIndex((_, k) => !basis.includes(k) && Math.abs(table[i][k]) > 1e-9);
      if (enter >= 0) pivot(i, enter);
    });
    descend((k) => (k < many ? 1 : 0));
    const solved = linear(target.map((_, i) => basis.map((k) => all[k][i])), target);
    return columns.map((_, k) => (basis.includes(k) ? Math.max(solved[basis.indexOf(k)], 0) : 0));
  }

  /* What is left when units may change their size alone. */
  function fewest(points, units) {
    const columns = units.map((unit) => points.map(([x]) => (unit.sign * relu(unit.v, x)) / size(unit.v)));
    const weights = programme(columns, points.map(([, y]) => y));
    return units
      .map(({ v, sign }, k) => ({ v: v.map((part) => (part * weights[k]) / size(v)), sign, parts: [] }))
      .filter(({ v }) => size(v) > NOTHING);
  }

  /* The largest change between the first and the last point: at a bend, since both functions are linear elsewhere. */
  function change(points, before, after) {
    const [low, high] = [points[0][0], points[points.length - 1][0]];
    const bends = [...before, ...after].map(({ v }) => bend(v)).filter((x) => x > low && x < high);
    return Math.max(0, ...bends.map((x) => Math.abs(evaluate(before, x) - evaluate(after, x))));
  }

  /* Points [[x, y], ...] and a number of steps: of pairs merged; ALL of them; PROGRAMME is one step more.
     before, merged, units: at the start, with all pairs merged, now; pairs: how many can be merged in all. */
  function solve({ points, steps }) {
    const before = wide(points), merged = merge(points, before, ALL);
    const pairs = before.length - merged.length, last = fewest(points, merged);
    const units = steps >= PROGRAMME ? last : merge(points, before, steps);
    const costs = { before: costOf(before), merged: costOf(merged), now: costOf(units) };
    return { points, steps, before, merged, last, units, pairs, costs, change: change(points, before, units) };
  }

  /* ---- Words ---- */

  const isLast = ({ steps }) => steps >= PROGRAMME;
  const count = ({ length }) => (length === 1 ? "1 unit" : `${length || "No"} units`);
  const digits = (number) => number.toFixed(3);

  function percent({ costs }) {
    const part = costs.before ? 100 * (1 - costs.now / costs.before) : 0;
    return part < 0.005 ? "" : `, ${part.toFixed(2)}\u00a0% less than at the start`;
  }

  function progress(answer) {
    const done = Math.min(answer.steps, answer.pairs);
    return isLast(answer) ? "linear programme" : `${done} of ${answer.pairs} merges done`;
  }

  function describe(answer) {
    const { points, steps, pairs, units, costs } = answer, N = points.length;
    const left = `${count(units)}, with the sum of squares ${digits(costs.now)}${percent(answer)}.`;
    const possible = pairs === 1 ? "1 merge is possible" : `${pairs} merges are possible`;
    const why = isLast(answer) ? `The linear programme leaves ${N === units.length ? "one unit a point" : "no more than one unit a point"}: N = ${N}.`
      : !steps && pairs ? `${possible}: of units in one sector with one sign.`
      : steps < pairs ? `${steps} of ${pairs} merges done.`
      : `No sector has two units of one sign, so merging ends: at most 4N − 2 = ${4 * N - 2} are left. The linear programme can do more.`;
    const same = answer.change > 1e-9
      ? `At the points nothing has changed. Between them the function has moved, by ${shown(answer.change)} at most.`
      : "The function between the points is that of the start.";
    return [left, why, same];
  }

  /* ---- Drawing and interaction ---- */

  const FEWEST_POINTS = 2, MOST_POINTS = 6;
  const AXIS = { low: -LIMIT, high: LIMIT, grid: 1 / 32, step: 1 / 16, leap: 1 / 4 };
  const ROOM = { x: AXIS, y: AXIS, gap: GAP };
  const VIEW = { x: { low: -2, high: 2 }, y: { low: -1.5, high: 1.5 } };
  const GRAPH = { width: 420, height: 330, left: 40, right: 8, top: 10, bottom: 66 };
  const RUG = { right: 296, left: 314 }; // heights of the rows of units that face right and left
  const PLANE = { side: 320, radius: 142 };
  const HELP = "Drag the points. On the keyboard: Tab to a point and use the arrows (with Shift, larger steps), Page Up, Page " +
    "Down, Home and End; Delete removes it. The slider merges pair by pair; its last position is the linear programme.";
  const LEGEND = [["now", "the network now"], ["before", "at the start"], ["up", "unit with output weight above 0"], ["down", "below 0 (hollow)"]];
  const WAVE = [[-1.25, 0.75], [-0.5, -0.25], [0, 0.5], [0.5, 0.75], [1.25, -0.5]];
  const PRESETS = {
    Wave: WAVE,
    Tent: [[-1, 0], [0, 1], [1, 0]],
    Slope: [[-1, -0.75], [0, 0], [1, 0.75]],
    Zigzag: [[-1.25, 0.5], [-0.75, -0.5], [-0.25, 0.5], [0.25, -0.5], [0.75, 0.5], [1.25, -0.5]],
  };
  const STORIES = [
    { name: "One merge", stages: [
      [{ points: PRESETS.Tent, steps: 0 }, "Each unit is a vector on the right. Two in one sector are on at the same points."],
      [{ points: PRESETS.Tent, steps: 1 }, "So one unit can do what both did: their sum, drawn thick, with the two as a thin chain. The straight way is shorter, so it is cheaper."],
      [{ points: PRESETS.Tent, steps: 4 }, "And so on, pair by pair. At the points the outputs stay as they are."],
    ] },
    { name: "All merges", stages: [
      [{ points: WAVE, steps: 0 }, "Five points, and many units."],
      [{ points: WAVE, steps: 35 }, "Sector by sector they become one. Their number falls below 4N, their squares hardly change."],
    ] },
    { name: "The programme", stages: [
      [{ points: WAVE, steps: ALL }, "All pairs that can be merged are merged."],
      [{ points: WAVE, steps: PROGRAMME }, "The linear programme goes on, to as many units as there are points, or fewer: at once, since it changes all of them."],
    ] },
  ];
  const NOTE = "Left, below: where units bend and which way they face; larger is dearer. Right: each unit is a vector, its " +
    "slope and its height at x = 0. Line n has the units that bend at point n; in the grey sector no point sees a unit. " +
    "Thin chains are the vectors that a unit was merged from: the straight way is shorter.";

  const onScreen = ([x, y]) => [
    GRAPH.left + ((x - VIEW.x.low) / (VIEW.x.high - VIEW.x.low)) * (GRAPH.width - GRAPH.left - GRAPH.right),
    GRAPH.top + ((VIEW.y.high - y) / (VIEW.y.high - VIEW.y.low)) * (GRAPH.height - GRAPH.top - GRAPH.bottom),
  ];
  const inView = ([h, v]) => [
    VIEW.x.low + ((h - GRAPH.left) / (GRAPH.width - GRAPH.left - GRAPH.right)) * (VIEW.x.high - VIEW.x.low),
    VIEW.y.high - ((v - GRAPH.top) / (GRAPH.height - GRAPH.top - GRAPH.bottom)) * (VIEW.y.high - VIEW.y.low),
  ];
  const inPlane = ([c, d], scale) => [PLANE.side / 2 + c * scale, PLANE.side / 2 - d * scale];
  const colour = ({ sign }) => (sign > 0 ? "up" : "down");

  function mount(root, start, onchange) {
    const copy = ({ points, steps }) => ({ points: points.map((point) => point.slice()), steps });
    const held = common.holder(root, start, onchange, copy);
    const { get } = held, change = (part, note) => held.change({ ...get(), ...part }, note);
    let answer = null;
    const parts = build(root);
    const handles = common.points(parts.graph, parts.points, {
      get: () => get().points, put: (points, note) => change({ points }, note), redraw: () => draw(),
      toScreen: onScreen, toPlane: inView, newPoint, least: FEWEST_POINTS, room: () => ROOM,
    });

    /* Changes */

    const step = (steps, note) => change({ steps }, note);

    /* The middle of the widest gap, or beyond an end. */
    function newPoint() {
      const { points } = get();
      if (points.length >= MOST_POINTS) return null;
      const between = common.middle(points, GAP);
      if (between) return between;
      const [[low, left], [high, right]] = [points[0], points[points.length - 1]];
      if (high + 2 * GAP <= LIMIT) return [high + 2 * GAP, right];
      return low - 2 * GAP >= -LIMIT ? [low - 2 * GAP, left] : null;
    }

    /* Drawing */

    function draw() {
      answer = solve(get());
      set(parts.before, { points: corners(graph(answer.before)) });
      set(parts.now, { points: corners(graph(answer.units)) });
      drawRug();
      drawPlane();
      handles.draw();
      write();
    }

    function graph(units) {
      const bends = units.map(({ v }) => bend(v)).filter((x) => x > VIEW.x.low && x < VIEW.x.high).sort((a, b) => a - b);
      return [VIEW.x.low, ...bends, VIEW.x.high].map((x) => onScreen([x, evaluate(units, x)]));
    }

    function drawRug() {
      parts.rug.replaceChildren();
      const largest = Math.max(...[...answer.merged, ...answer.last].map(({ v }) => size(v)), NOTHING);
      for (const unit of answer.units) {
        const x = bend(unit.v), faces = Math.sign(unit.v[0]);
        if (!(x > VIEW.x.low && x < VIEW.x.high)) continue;
        const [h] = onScreen([x, 0]), v = faces > 0 ? RUG.right : RUG.left, r = 4 + 9 * Math.sqrt(size(unit.v) / largest);
        const d = `M${h.toFixed(2)},${(v - r / 2).toFixed(2)}v${r.toFixed(2)}l${(faces * r).toFixed(2)},${(-r / 2).toFixed(2)}Z`;
        make("path", { d, class: `repcost-merging-${colour(unit)}` }, parts.rug);
      }
    }

    function drawPlane() {
      const { points, units } = answer, middle = PLANE.side / 2, R = PLANE.radius;
      parts.sectors.replaceChildren();
      // Units that no point sees: c x + d <= 0 for the first and for the last point.
      const rim = (at) => inPlane([Math.cos(at), Math.sin(at)], R);
      const right = -Math.atan(points[points.length - 1][0]), left = -Math.PI - Math.atan(points[0][0]);
      const [from, to] = [rim(right), rim(left)].map((place) => corners([place]));
      make("path", { d: `M${middle},${middle}L${from}A${R},${R} 0 0 1 ${to}Z`, class: "repcost-merging-dead" }, parts.sectors);
      make("circle", { cx: middle, cy: middle, r: R, class: "repcost-merging-rim" }, parts.sectors);
      points.forEach(([x], n) => {
        const along = [1, -x].map((part) => part / Math.hypot(1, x)), ends = [1, -1].map((s) => along.map((part) => s * part));
        const [[x1, y1], [x2, y2]] = ends.map((end) => inPlane(end, R));
        make("line", { x1, y1, x2, y2 }, parts.sectors);
        for (const end of ends) {
          const [h, v] = inPlane(end, R + 11);
          make("text", { x: h, y: v + 4, "text-anchor": "middle", text: n + 1 }, parts.sectors);
        }
      });
      const longest = Math.max(...(isLast(answer) ? units : answer.merged).map(({ v }) => size(v)), NOTHING);
      const scale = (0.94 * R) / longest; // the same while pairs merge
      parts.units.replaceChildren();
      for (const { v, parts: made, ...unit } of units) {
        const kind = `repcost-merging-${colour(unit)}`, [x2, y2] = inPlane(v, scale);
        if (made.length > 1) {
          const chain = made.reduce((places, part) => [...places, part.map((one, axis) => one + places[places.length - 1][axis])], [[0, 0]]);
          make("polyline", { points: corners(chain.map((place) => inPlane(place, scale))), class: `repcost-merging-chain ${kind}` }, parts.units);
        }
        const isMade = made.length !== 1;
        make("line", { x1: middle, y1: middle, x2, y2, class: kind, "stroke-width": isMade ? 2.4 : 1.1 }, parts.units);
        make("circle", { cx: x2, cy: y2, r: isMade ? 4 : 2, class: kind }, parts.units);
      }
    }

    function write() {
      const { before, pairs, costs, units, points } = answer;
      const widest = Math.max(before.length, 4 * points.length + 2); // of the bar: also the mark 4N has room on it
      const share = (part, whole) => `${(whole ? (100 * part) / whole : 0).toFixed(2)}%`;
      parts.count.textContent = units.length;
      parts.cost.textContent = digits(costs.now);
      parts.bars.style.setProperty("--count", share(units.length, widest));
      parts.bars.style.setProperty("--cost", share(costs.now, costs.before));
      parts.bars.style.setProperty("--n", share(points.length, widest));
      parts.bars.style.setProperty("--four-n", share(4 * points.length, widest));
      set(parts.slider, { max: pairs + 1, "aria-valuetext": progress(answer) });
      parts.slider.value = isLast(answer) ? pairs + 1 : Math.min(get().steps, pairs);
      parts.progress.textContent = progress(answer);
      describe(answer).forEach((text, n) => { parts.words[n].textContent = text; });
    }

    /* What the reader does */

    /* Positions of the slider: the number of pairs; at their end all of them, whatever the points do; then the programme. */
    const slide = (at) => {
      const place = within(at, 0, answer.pairs + 1);
      step(place > answer.pairs ? PROGRAMME : place && place === answer.pairs ? ALL : place);
    };
    parts.slider.addEventListener("input", () => slide(Number(parts.slider.value)));
    const turn = (sign, isLarge) => slide(Number(parts.slider.value) + sign * (isLarge ? 5 : 1));
    common.rangeKeys(parts.slider, turn, () => slide(0), () => slide(answer.pairs + 1));
    common.button(parts.buttons, "Unmerge", () => step(0, "All pairs apart. "));
    common.button(parts.buttons, "Merge all", () => step(ALL, "All pairs merged. "));
    common.button(parts.buttons, "Linear programme", () => step(PROGRAMME));
    handles.addButtons(parts.buttons);
    common.tools(parts.buttons, root, held);
    common.presets(parts.presets, PRESETS, (points, note) => change({ points, steps: 0 }, note));
    common.stories(parts.stories, held, start, STORIES, { whole: ["steps"] });
    common.button(parts.buttons, "Reset", () => {
      change(copy(start), "Back to the start. ");
      handles.selectLast();
    });
    return held.begin({ draw, summary: () => describe(answer).join(" ") });
  }

  /* The elements of one widget. */
  function build(root) {
    const parts = {}, name = common.uniqueName("merging");
    common.legend(root, LEGEND, "0 0 30 12", (svg, kind) => {
      const isLine = kind === "now" || kind === "before", look = { class: `repcost-merging-${kind}` };
      if (isLine) make("line", { ...look, x1: 1, x2: 29, y1: 6, y2: 6 }, svg);
      else make("path", { ...look, d: "M10,0v12l12,-6Z" }, svg);
    });
    const pictures = make("div", { class: "repcost-merging-pictures" }, root);
    buildGraph(parts, pictures, name);
    const plane = { viewBox: `0 0 ${PLANE.side} ${PLANE.side}`, class: "repcost-merging-plane", "aria-hidden": true };
    parts.plane = make("svg", plane, pictures);
    for (const part of ["sectors", "units"]) parts[part] = make("g", { class: `repcost-merging-${part}` }, parts.plane);

    parts.bars = make("div", { class: "repcost-merging-bars", "aria-hidden": true }, root);
    for (const [key, text] of [["count", "units"], ["cost", "sum of squares"]]) {
      make("span", { text }, parts.bars);
      const track = make("span", { class: `repcost-widget-track repcost-merging-${key}` }, parts.bars);
      make("i", {}, track);
      if (key === "count") for (const [mark, label] of [["n", "N"], ["four-n", "4N"]]) make("em", { class: `repcost-merging-${mark}`, text: label }, track);
      parts[key] = make("b", {}, parts.bars);
    }
    const slider = common.range(root, "Merge, pair by pair", { min: 0, step: 1, "aria-describedby": `${name}-help` });
    [parts.slider, parts.progress] = [slider.input, slider.shown];
    parts.words = common.words(root, 3);
    parts.buttons = make("div", { class: "repcost-widget-buttons" }, root);
    parts.presets = make("div", { class: "repcost-widget-buttons repcost-widget-presets", role: "group", "aria-label": "Examples" }, root);
    parts.stories = make("div", {}, root);
    make("p", { class: "repcost-widget-help", "aria-hidden": true, text: NOTE }, root);
    make("p", { id: `${name}-help`, class: "repcost-widget-help", text: HELP }, root);
    return parts;
  }

  function buildGraph(parts, parent, name) {
    const [left, top] = onScreen([VIEW.x.low, VIEW.y.high]), [right, bottom] = onScreen([VIEW.x.high, VIEW.y.low]);
    parts.graph = make("svg", {
      viewBox: `0 0 ${GRAPH.width} ${GRAPH.height}`, role: "group", "aria-label": "Points that can be moved", "aria-describedby": `${name}-help`,
    }, parent);
    const clip = make("clipPath", { id: `${name}-clip` }, make("defs", {}, parts.graph));
    make("rect", { x: left, y: top, width: right - left, height: bottom - top }, clip);
    const axes = make("g", { class: "repcost-widget-axes", "aria-hidden": true }, parts.graph);
    common.axes(axes, { x: ticks(VIEW.x, 8), y: ticks(VIEW.y, 6) }, onScreen, { left, right, top, bottom });
    const curves = make("g", { "clip-path": `url(#${name}-clip)`, "aria-hidden": true }, parts.graph);
    for (const part of ["before", "now"]) parts[part] = make("polyline", { class: `repcost-merging-${part}` }, curves);
    parts.rug = make("g", { class: "repcost-merging-rug", "aria-hidden": true }, parts.graph);
    parts.points = make("g", {}, parts.graph);
  }

  window.repcostMerging = { solve, evaluate, programme };
  const allows = ({ points, steps }) => Number.isInteger(steps) && steps >= 0 && steps <= PROGRAMME &&
    common.arePoints(points, { fewest: FEWEST_POINTS, most: MOST_POINTS, gap: GAP, far: LIMIT });
  common.define("merging", ["points", "steps"], mount, allows);
})();
