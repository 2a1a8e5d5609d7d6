/* The cheapest functions through points that the reader moves; see widget-common.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets;
  const { make, set, shown, within, ticks } = common;

  /* ---- Mathematics: no document, no window. The same closed forms as repcost.interpolate_line. ---- */

  /* Fractions of whole numbers, [above, below] with below > 0: which way data bend is decided exactly, as in the
     library, so that "unique" does not hang on rounding. */
  function fraction(number) {
    let below = 1n;
    while (!Number.isInteger(number)) { number *= 2; below *= 2n; }
    return [BigInt(number), below];
  }
  const minus = ([a, b], [c, d]) => [a * d - c * b, b * d];
  const plus = ([a, b], [c, d]) => [a * d + c * b, b * d];
  const over = ([a, b], [c, d]) => (c < 0n ? [-a * d, -b * c] : [a * d, b * c]);
  const size = ([a, b]) => [a < 0n ? -a : a, b];
  const sign = ([a]) => (a > 0n) - (a < 0n);
  const bits = (whole) => whole.toString(16).length * 4;

  /* The nearest float, but for the last bit. */
  function float([above, below]) {
    const shift = Math.max(0, bits(below) - bits(above) + 72);
    const half = Math.floor(shift / 2); // in two steps, since 2 ** 1100 is infinite
    return Number((above << BigInt(shift)) / below) / 2 ** half / 2 ** (shift - half);
  }

  function sorted(points) {
    const data = points.map(([x, y]) => [x, y]).sort((one, other) => one[0] - other[0]);
    if (!data.length) throw new Error("points is empty; give at least one");
    data.forEach(([x, y], n) => {
      if (!Number.isFinite(x) || !Number.isFinite(y)) throw new Error("points must be pairs of finite numbers");
      if (n && x === data[n - 1][0]) throw new Error("two points have the same x = " + x + "; move one");
    });
    return data;
  }

  /* The cheapest functions through points [[x, y], ...]:
     cost = max(T, (T + S) / 2), variation T = sum of |changes of slope|, slopeSum S = |first slope + last slope|;
     spline and sparsest: {knots, slopes, anchor}; band(at) = [lowest, highest] value of all cheapest functions;
     signs, turns: which way they bend at each point and by how much (at the two ends: by how much they may). */
  function solve(points) {
    const data = sorted(points), last = data.length - 1;
    const exact = data.map(([x, y]) => [fraction(x), fraction(y)]);
    const between = exact.slice(1).map(([x, y], n) => over(minus(y, exact[n][1]), minus(x, exact[n][0])));
    if (!last) between.push([0n, 1n]);
    const bends = between.slice(1).map((slope, n) => minus(slope, between[n]));
    const variation = bends.map(size).reduce(plus, [0n, 1n]);
    const slopeSum = plus(between[0], between[between.length - 1]);
    const excess = minus(size(slopeSum), variation);

    const slopes = between.map(float);
    const lines = [slopes[0], ...(last ? slopes : []), slopes[slopes.length - 1]];
    const mayBend = sign(excess) > 0 ? float(excess) / 2 : 0;
    const end = sign(excess) > 0 ? sign(slopeSum) : 0;
    const signs = last ? [end, ...bends.map(sign), 0 - end] : [0];
    const turns = last ? [mayBend, ...bends.map((bend) => float(size(bend))), mayBend] : [0];

    return {
      points: data, lines, signs, turns,
      cost: float(variation) + mayBend,
      variation: float(variation),
      slopeSum: float(size(slopeSum)),
      isUnique: end === 0 && !signs.some((s, n) => s !== 0 && s === signs[n + 1]),
      spline: splineOf(data, lines, signs, turns),
      sparsest: sparsestOf(data, lines, signs, turns),
      band: (at) => bandAt(data, lines, signs, turns, at),
    };
  }

  /* Where S > T the ends bend by a further (S - T) / 2 together: here all of it at one end. */
  function bendAtOneEnd(lines, signs, turns, atLast) {
    const bent = lines.slice(), still = signs.slice(), last = signs.length - 1;
    bent[atLast ? last + 1 : 0] -= signs[0] * turns[0];
    still[atLast ? 0 : last] = 0;
    return [bent, still];
  }

  function splineOf(data, lines, signs, turns) {
    const [slopes, still] = bendAtOneEnd(lines, signs, turns, true);
    const knots = data.map(([x]) => x).filter((_, n) => still[n] !== 0);
    return { knots, slopes: slopes.filter((_, n) => n === 0 || still[n - 1] !== 0), anchor: data[0] };
  }

  /* Neighbours that bend the same way share a knot in twos: where the pieces beside them, prolonged, meet. */
  function sparsestOf(data, lines, signs, turns) {
    const firstRun = Math.max(0, signs.findIndex((s) => s !== signs[0]));
    const [slopes, still] = bendAtOneEnd(lines, signs, turns, firstRun % 2 === 1);
    const found = { knots: [], slopes: [slopes[0]], anchor: data[0] };
    for (let n = 0; n < data.length; n += 1) {
      if (still[n] === 0) continue;
      const shares = still[n + 1] === still[n];
      found.knots.push(shares ? meeting(data, turns, n) : data[n][0]);
      n += shares ? 1 : 0;
      found.slopes.push(slopes[n + 1]);
    }
    return found;
  }

  function meeting(data, turns, n) {
    const [from, to] = [data[n][0], data[n + 1][0]];
    return Math.min(from + (to - from) * (turns[n + 1] / (turns[n] + turns[n + 1])), to);
  }

  /* From the chord to the lines of the neighbouring pieces, where both ends of the chord turn the same way. */
  function bandAt(data, lines, signs, turns, at) {
    const next = data.findIndex(([x]) => x > at), n = next < 0 ? data.length : next, last = data.length - 1;
    const left = Math.max(n - 1, 0), right = Math.min(n, last);
    const before = n > 0 ? turns[left] * (at - data[left][0]) : Infinity;
    const after = n <= last ? turns[right] * (data[right][0] - at) : Infinity;
    const side = signs[left] === signs[right] ? signs[left] * (left < right ? -1 : 1) : 0;
    const line = data[left][1] + lines[n] * (at - data[left][0]);
    const other = line + (side ? side * Math.min(before, after) : 0);
    return [Math.min(line, other), Math.max(line, other)];
  }

  function evaluate({ knots, slopes, anchor }, at) {
    const fromFirstKnot = (x) => {
      if (!knots.length) return slopes[0] * x;
      let value = 0, n = 0;
      for (; n < knots.length && knots[n] < x; n += 1) if (n) value += slopes[n] * (knots[n] - knots[n - 1]);
      return value + slopes[n] * (x - knots[Math.max(n - 1, 0)]);
    };
    return fromFirstKnot(at) - fromFirstKnot(anchor[0]) + anchor[1];
  }

  /* ---- Words ---- */

  function why({ points, lines, variation, slopeSum, cost }) {
    if (points.length === 1) return "A constant fits one point, and costs nothing.";
    if (cost === 0) return "The points lie on a level line, which costs nothing.";
    const ends = `the first and the last slope, ${shown(lines[0])} and ${shown(lines[lines.length - 1])}, add up to ` +
      `${shown(slopeSum)} in size`;
    const bends = variation ? `changes by ${shown(variation)} in all` : "does not change";
    if (cost > variation) {
      return `From point to point the slope ${bends}, but ${ends}. So it pays to bend flatter towards the ends, and ` +
        "the cost lies halfway between the two.";
    }
    return `From point to point the slope ${bends}, and that is the cost. At the ends, ${ends}; only more than ` +
      `${shown(variation)} would add to it.`;
  }

  function howMany({ isUnique, signs }) {
    if (isUnique) return "Only one function is this cheap: the linear spline.";
    const where = signs[0] ? "It reaches beyond the points." : "Elsewhere they all agree.";
    return `Many functions are this cheap: each point of the shaded band lies on one of them. ${where}`;
  }

  /* ---- Drawing and interaction ---- */

  const MOST_POINTS = 16;
  const MARGIN = { left: 40, right: 12, top: 12, bottom: 28 };
  const LEGEND = [["spline", ""], ["sparsest", ""], ["band", "all the cheapest functions"]];
  const HELP = "Drag the points. On the keyboard: Tab to a point and use the arrows (with Shift, larger steps), Page Up, " +
    "Page Down, Home and End; Delete removes it.";
  /* The part of the plane that is shown: fixed while points move. Points move in steps of `grid`, a power of two, so
     that floats add them exactly and a point can be put exactly on a line. */
  function windowAround(points) {
    const axis = (values, margin) => {
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const room = (high - low || 4) * margin;
      const grid = 2 ** Math.floor(Math.log2((high - low + 2 * room) / 200));
      return { low: low - room, high: high + room, grid, step: 8 * grid, leap: 32 * grid };
    };
    return { x: axis(points.map(([x]) => x), 0.25), y: axis(points.map(([, y]) => y), 0.5) };
  }

  function mount(root, { points }, onchange) {
    const copy = ({ points: given }) => ({ points: sorted(given).map((point) => point.slice()) });
    const held = common.holder(root, { points }, onchange, copy);
    const get = () => held.get().points, change = (next, note) => held.change({ points: next }, note);
    const start = get();
    let view = windowAround(start), height = 0;
    const name = common.uniqueName("line");
    const parts = build(root, name);
    const width = common.widthOf(root, () => draw());
    const handles = common.points(parts.svg, parts.points, {
      get, put: change, redraw: () => draw(), toScreen, toPlane, newPoint, least: 1,
      room: () => ({ ...view, gap: view.x.step }),
    });

    function toScreen([x, y]) {
      const inner = [width.get() - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
      return [
        MARGIN.left + ((x - view.x.low) / (view.x.high - view.x.low)) * inner[0],
        MARGIN.top + ((view.y.high - y) / (view.y.high - view.y.low)) * inner[1],
      ];
    }
    function toPlane([h, v]) {
      const [left, top] = toScreen([view.x.low, view.y.high]), [right, bottom] = toScreen([view.x.high, view.y.low]);
      return [
        view.x.low + ((h - left) / (right - left)) * (view.x.high - view.x.low),
        view.y.high - ((v - top) / (bottom - top)) * (view.y.high - view.y.low),
      ];
    }
    const path = (places) => common.corners(places.map(toScreen));

    /* Changes */

    /* The middle of the widest gap: on the spline, so that at first the cost stays. */
    function newPoint() {
      const now = get();
      if (now.length >= MOST_POINTS) return null;
      if (now.length === 1) {
        const [[x, y]] = now, beyond = x + view.x.leap;
        return [beyond <= view.x.high ? beyond : x - view.x.leap, y];
      }
      return common.middle(now, view.x.step);
    }

    function reset() {
      view = windowAround(start);
      change(start, "Back to the first points. ");
      handles.selectLast();
    }

    /* Drawing */

    function draw() {
      const answer = solve(get());
      height = Math.round(within(width.get() * 0.5, 260, 360));
      set(parts.svg, { viewBox: `0 0 ${width.get()} ${height}` });
      const [left, top] = toScreen([view.x.low, view.y.high]), [right, bottom] = toScreen([view.x.high, view.y.low]);
      set(parts.frame, { x: left, y: top, width: right - left, height: bottom - top });
      const many = { x: ticks(view.x, (right - left) / 50), y: ticks(view.y, (bottom - top) / 45) };
      common.axes(parts.axes, many, toScreen, { left, right, top, bottom });
      parts.band.replaceChildren();
      for (const corners of shaded(answer)) make("polygon", { points: path(corners) }, parts.band);
      set(parts.spline, { points: path(graph(answer.spline)) });
      set(parts.sparsest, { points: path(graph(answer.sparsest)) });
      drawKnots(answer.sparsest);
      handles.draw();
      write(answer);
    }

    /* The corners of the band: a triangle on each chord that has room, and a wedge beyond each end. */
    function shaded({ points: data, lines, signs, turns }) {
      const found = [], last = data.length - 1;
      for (let n = 0; n < last; n += 1) {
        if (!signs[n] || signs[n] !== signs[n + 1]) continue;
        const x = meeting(data, turns, n);
        const y = data[n][1] + (lines[n + 1] - signs[n] * turns[n]) * (x - data[n][0]);
        found.push([data[n], [x, y], data[n + 1]]);
      }
      if (signs[0]) {
        for (const [[x, y], edge, slope] of [[data[0], view.x.low, lines[0]], [data[last], view.x.high, lines[last + 1]]]) {
          const rise = (by) => [edge, y + by * (edge - x)];
          found.push([[x, y], rise(slope), rise(slope - signs[0] * turns[0])]);
        }
      }
      return found;
    }

    function graph(f) {
      const inside = f.knots.filter((x) => x > view.x.low && x < view.x.high);
      return [view.x.low, ...inside, view.x.high].map((x) => [x, evaluate(f, x)]);
    }

    function drawKnots(f) {
      parts.knots.replaceChildren();
      for (const x of f.knots) {
        const [h, v] = toScreen([x, evaluate(f, x)]);
        make("path", { d: `M${h - 6},${v}L${h},${v - 6}L${h + 6},${v}L${h},${v + 6}Z` }, parts.knots);
      }
    }

    function write(answer) {
      const largest = Math.max(answer.variation, answer.slopeSum) * 1.15 || 1;
      const share = (value) => `${((100 * value) / largest).toFixed(2)}%`;
      parts.cost.textContent = shown(answer.cost);
      parts.variation.textContent = shown(answer.variation);
      parts.slopeSum.textContent = shown(answer.slopeSum);
      parts.bars.style.setProperty("--variation", share(answer.variation));
      parts.bars.style.setProperty("--slope-sum", share(answer.slopeSum));
      parts.bars.style.setProperty("--cost", share(answer.cost));
      parts.why.textContent = why(answer);
      parts.howMany.textContent = howMany(answer);
      const knots = (f) => (f.knots.length === 1 ? "1 knot" : `${f.knots.length || "no"} knots`);
      parts.splineKnots.textContent = `linear spline, ${knots(answer.spline)}`;
      parts.sparsestKnots.textContent = `as cheap, ${knots(answer.sparsest)}: no fewer will do`;
    }

    /* What the reader does */

    handles.addButtons(parts.buttons);
    common.button(parts.buttons, "Reset", reset);
    return held.begin({
      draw, summary: parts.summary, adopted: () => { view = windowAround(get()); }, stop: () => width.stop(),
    });
  }

  /* The elements of one widget; `summary` is what is announced. */
  function build(root, name) {
    const parts = {};
    const names = common.legend(root, LEGEND, "0 0 30 12", buildSample);
    [parts.splineKnots, parts.sparsestKnots] = [names.spline, names.sparsest];
    parts.svg = make("svg", { role: "group", "aria-label": "Points that can be moved", "aria-describedby": `${name}-help` }, root);
    const clip = make("clipPath", { id: `${name}-clip` }, make("defs", {}, parts.svg));
    parts.frame = make("rect", {}, clip);
    parts.axes = make("g", { class: "repcost-widget-axes", "aria-hidden": true }, parts.svg);
    const curves = make("g", { "clip-path": `url(#${name}-clip)`, "aria-hidden": true }, parts.svg);
    parts.band = make("g", { class: "repcost-line-band" }, curves);
    parts.spline = make("polyline", { class: "repcost-line-spline" }, curves);
    parts.sparsest = make("polyline", { class: "repcost-line-sparsest" }, curves);
    parts.knots = make("g", { class: "repcost-line-knots" }, curves);
    parts.points = make("g", {}, parts.svg);

    // Seen at once, and hidden from screen readers: they are told the same in `status`, when the points have come to rest.
    const answer = make("div", { class: "repcost-line-answer", "aria-hidden": true }, root);
    const cost = make("p", { class: "repcost-line-cost", text: "Cost " }, answer);
    parts.cost = make("strong", {}, cost);
    parts.bars = make("div", { class: "repcost-line-bars" }, answer);
    for (const [key, text] of [["variation", "changes of slope, T"], ["slopeSum", "the two end slopes, S"]]) {
      make("span", { text }, parts.bars);
      const track = make("span", { class: `repcost-widget-track repcost-line-${key === "variation" ? "t" : "s"}` }, parts.bars);
      make("i", {}, track);
      parts[key] = make("b", {}, parts.bars);
    }

    parts.buttons = make("div", { class: "repcost-widget-buttons" }, root);
    const words = make("div", { class: "repcost-line-words", "aria-hidden": true }, root);
    parts.why = make("p", {}, words);
    parts.howMany = make("p", {}, words);
    make("p", { id: `${name}-help`, class: "repcost-widget-help", text: HELP }, root);
    parts.summary = () => `Cost ${parts.cost.textContent}. ${parts.why.textContent} ${parts.howMany.textContent}`;
    return parts;
  }

  function buildSample(svg, key) {
    const group = (name) => make("g", { class: `repcost-line-${name}` }, svg);
    if (key === "band") make("polygon", { points: "1,11 15,1 29,11" }, group("band"));
    else make("line", { class: `repcost-line-${key}`, x1: 1, x2: 29, y1: 6, y2: 6 }, svg);
    if (key === "sparsest") make("path", { d: "M10,6L15,1L20,6L15,11Z" }, group("knots"));
  }

  window.repcostLine = { solve, evaluate };
  common.define("line", ["points"], mount);
})();
