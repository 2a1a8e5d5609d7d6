/* The cheapest functions through points that the reader moves: biases free, or hidden ones paid (paid-widget.js). See
   widget-common.js. */
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

  /* The cheapest function where hidden biases pay: what it would cost if they were free, and what its places add. */
  function whenPaid(points) {
    const found = window.repcostPaid.solve(sorted(points));
    const surcharge = found.bends.reduce((sum, [t, price]) => sum + price * (1 - 1 / Math.hypot(1, t)), 0);
    return { ...found, surcharge, bare: Math.max(found.cost - surcharge, 0) };
  }

  function whyPaid({ cost, bends, surcharge }) {
    if (!cost) return "A level line needs no bend, and costs nothing.";
    const shares = bends.map(([t, price]) => `${shown(t)} (${shown(price)})`);
    const where = shares.length > 1 ? `${shares.slice(0, -1).join(", ")} and ${shares[shares.length - 1]}` : shares[0];
    const far = surcharge > 0.0005 ? " A bend far from zero needs a large bias, so bends move inwards." : "";
    return `A bend by m at t costs √(1 + t²) times m. Here they are at ${where}.${far}`;
  }

  function compared({ cost }, free) {
    if (cost - free.cost < 0.0005) return "With free biases the points cost as much.";
    return `With free biases the points cost ${shown(free.cost)}` + (free.isUnique ? "." : ", whichever function of the band is drawn.");
  }

  /* ---- Drawing and interaction ---- */

  const MOST_POINTS = 16;
  const MARGIN = { left: 40, right: 12, top: 12, bottom: 28 };
  const LEGEND = [["paid", ""], ["spline", ""], ["sparsest", ""], ["band", "all the cheapest functions"], ["trained", "trained networks, stored"]];
  const HELP = "Drag the points. A tap beside them adds one; holding one with a finger, or a double click, removes it. On the " +
    "keyboard: Tab to a point and use the arrows (with Shift, larger steps), Page Up, Page Down, Home and End; Delete " +
    "removes it, Ctrl+Z takes back.";
  const PRESETS = {
    Bump: [[-3, 0.5], [-2, 0], [0, 0.5], [1, 1.75], [2, 2.25], [3, 1.75]],
    Climb: [[0, 0], [1, 1], [2, 3]],
    Bowl: [[-2, 2], [-1, 0.5], [0, 0], [1, 0.5], [2, 2]],
    "Far bowl": [[1, 2], [2, 0.5], [3, 0], [4, 0.5], [5, 2]],
    Zigzag: [[-2, 0], [-1, 1], [0, -1], [1, 1], [2, 0]],
  };
  const FREE = [["bends", "changes of slope, T"], ["ends", "the two end slopes, S"]];
  const PAID = [["bends", "R, as if biases were free"], ["ends", "what the places of bends add"]];
  const withPoint = (points, n, y) => points.map((point, m) => (m === n ? [point[0], y] : point));
  const more = (y) => [...PRESETS.Bump.slice(0, 2), [-1, y], ...PRESETS.Bump.slice(2)];
  const STORIES = [
    { name: "A free point", stages: [
      [{ points: PRESETS.Bump, biases: "free" }, "Everything in the shaded band costs 3.5."],
      [{ points: more(0.25) }, "One more point, where the line was: still 3.5."],
      [{ points: more(-0.5) }, "Down to the lower edge of the band, the cost does not move."],
      [{ points: more(-1) }, "Below the band it rises. A further point is free in the band, and nowhere else."],
    ] },
    { name: "A straight line", stages: [
      [{ points: PRESETS.Bump, biases: "free" }, "Points 4 and 5 bend the same way, so there is room between them."],
      [{ points: withPoint(PRESETS.Bump, 3, 1.375) }, "Point 4 comes to lie on a line with its neighbours: the band on the right closes."],
    ] },
    { name: "A climb", stages: [
      [{ points: PRESETS.Climb, biases: "free" }, "All slopes are positive. The ends weigh more than the bend, and the band is open there."],
      [{ points: withPoint(PRESETS.Climb, 0, 0.5) }, "The first point rises. The bend grows by as much as the ends lose: the cost stays."],
      [{ points: withPoint(PRESETS.Climb, 0, 1) }, "Where the two are equal the wedges close, and one function is left."],
    ] },
    { name: "Biases pay", stages: [
      [{ points: PRESETS.Bowl, biases: "free" }, "Five points, and a band of functions that all cost 3 if biases are free."],
      [{ biases: "paid" }, "Now hidden biases pay. One function is left, with its bends nearer to zero."],
      [{ points: PRESETS["Far bowl"] }, "The same points, moved by 3: each bend needs a larger bias, and the cost grows."],
    ] },
  ];
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

  function mount(root, given, onchange, { trained = [] } = {}) {
    const copy = ({ points, biases }) => ({ points: sorted(points).map((point) => point.slice()), biases });
    const held = common.holder(root, given, onchange, copy), start = copy(given);
    const get = () => held.get().points, put = (points, note) => change({ points }, note);
    const change = (part, note) => held.change({ ...held.get(), ...part }, note);
    let view = windowAround(start.points), height = 0;
    const name = common.uniqueName("line");
    const parts = build(root, name, change);
    const width = common.widthOf(root, () => draw());
    const handles = common.points(parts.svg, parts.points, {
      get, put, redraw: () => draw(), toScreen, toPlane, newPoint, least: 1,
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

    function show(state, note) {
      view = windowAround(state.points);
      held.change({ ...held.get(), ...copy({ ...held.get(), ...state }) }, note);
      handles.selectLast();
    }

    /* Drawing */

    function draw() {
      const { points, biases } = held.get(), free = solve(points), answer = biases === "paid" ? whenPaid(points) : free;
      height = Math.round(within(width.get() * 0.5, 260, 360));
      set(parts.svg, { viewBox: `0 0 ${width.get()} ${height}` });
      const [left, top] = toScreen([view.x.low, view.y.high]), [right, bottom] = toScreen([view.x.high, view.y.low]);
      set(parts.frame, { x: left, y: top, width: right - left, height: bottom - top });
      const many = { x: ticks(view.x, (right - left) / 50), y: ticks(view.y, (bottom - top) / 45) };
      common.axes(parts.axes, many, toScreen, { left, right, top, bottom });
      parts.band.replaceChildren();
      for (const corners of shaded(free)) make("polygon", { points: path(corners) }, parts.band);
      if (biases === "paid") drawPaid(answer);
      else drawFree(answer);
      drawTrained({ points, biases });
      root.dataset.biases = biases;
      for (const [key, button] of Object.entries(parts.switches)) set(button, { "aria-pressed": key === biases });
      handles.draw();
      write(answer, free, biases);
    }

    function drawFree(answer) {
      set(parts.paid, { points: "" });
      set(parts.spline, { points: path(graph(answer.spline)) });
      set(parts.sparsest, { points: path(graph(answer.sparsest)) });
      drawKnots(answer.sparsest.knots, (x) => evaluate(answer.sparsest, x));
      const last = answer.points.length - 1;
      drawEnds(last ? [answer.points.slice(0, 2), answer.points.slice(last - 1)] : []);
    }

    /* What the second term is about, shown when it is pointed at. */
    function drawEnds(pieces) {
      parts.ends.replaceChildren();
      for (const piece of pieces) make("polyline", { points: path(piece) }, parts.ends);
    }

    function drawPaid({ knots, at }) {
      for (const part of [parts.spline, parts.sparsest]) set(part, { points: "" });
      const inside = [...knots, ...get().map(([x]) => x)].filter((x) => x > view.x.low && x < view.x.high);
      const places = [view.x.low, ...inside.sort((one, other) => one - other), view.x.high];
      set(parts.paid, { points: path(places.map((x) => [x, at(x)])) });
      drawKnots(knots, at);
      drawEnds(knots.map((t) => [[0, at(t)], [t, at(t)]]));
    }

    /* What was found by training on the first points, wherever they are still there. */
    function drawTrained({ points, biases }) {
      const isHere = trained.length > 0 && biases === "paid" && common.same(points, start.points);
      parts.trained.replaceChildren();
      for (const curve of isHere ? trained : []) make("polyline", { points: path(curve) }, parts.trained);
      parts.names.trained.parentNode.hidden = !isHere;
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

    function drawKnots(knots, at) {
      parts.knots.replaceChildren();
      for (const x of knots) {
        const [h, v] = toScreen([x, at(x)]);
        make("path", { d: `M${h - 6},${v}L${h},${v - 6}L${h + 6},${v}L${h},${v + 6}Z` }, parts.knots);
      }
    }

    function write(answer, free, biases) {
      const isPaid = biases === "paid", [bends, ends] = isPaid ? [answer.bare, answer.surcharge] : [answer.variation, answer.slopeSum];
      const largest = Math.max(answer.cost, bends, ends) * (isPaid ? 1 : 1.15) || 1;
      const share = (value) => `${((100 * value) / largest).toFixed(2)}%`;
      parts.cost.textContent = shown(answer.cost);
      for (const [key, text] of isPaid ? PAID : FREE) parts.rows[key].name.textContent = text;
      for (const [key, value] of [["bends", bends], ["ends", ends]]) parts.rows[key].value.textContent = shown(value);
      for (const [key, value] of [["bends", bends], ["ends", ends], ["cost", answer.cost]]) parts.bars.style.setProperty(`--${key}`, share(value));
      parts.why.textContent = isPaid ? whyPaid(answer) : why(answer);
      parts.howMany.textContent = isPaid ? compared(answer, free) : howMany(answer);
      parts.formulas.free.hidden = isPaid;
      parts.formulas.paid.hidden = !isPaid;
      const knots = (found) => (found.length === 1 ? "1 knot" : `${found.length || "no"} knots`);
      parts.names.paid.textContent = `biases paid: the cheapest, ${knots(isPaid ? answer.knots : [])}`;
      parts.names.spline.textContent = `linear spline, ${knots(free.spline.knots)}`;
      parts.names.sparsest.textContent = `as cheap, ${knots(free.sparsest.knots)}: no fewer will do`;
      parts.names.band.textContent = isPaid ? "the cheapest where biases are free" : "all the cheapest functions";
    }

    /* What the reader does */

    handles.addButtons(parts.buttons);
    common.tools(parts.buttons, root, held);
    common.button(parts.buttons, "Reset", () => show(start, "Back to the first points. "));
    common.presets(parts.presets, PRESETS, (points, note) => show({ points }, note));
    const begin = (stages) => { view = windowAround(stages.flatMap(([{ points }]) => points || [])); };
    common.stories(parts.stories, held, start, STORIES, { begin, title: "Things to try" });
    common.terms(root, held);
    return held.begin({
      draw, summary: parts.summary, adopted: () => { view = windowAround(get()); }, stop: () => width.stop(),
    });
  }

  /* The elements of one widget; `summary` is what is announced. */
  function build(root, name, change) {
    const parts = { switches: {}, rows: {}, formulas: {} };
    const choice = make("div", { class: "repcost-widget-buttons repcost-line-choice", role: "group", "aria-label": "Biases" }, root);
    make("span", { text: "Biases", "aria-hidden": true }, choice);
    for (const biases of ["free", "paid"]) parts.switches[biases] = common.button(choice, biases, () => change({ biases }, `Biases ${biases}. `));
    parts.names = common.legend(root, LEGEND, "0 0 30 12", buildSample);
    parts.svg = make("svg", { role: "group", "aria-label": "Points that can be moved", "aria-describedby": `${name}-help` }, root);
    const clip = make("clipPath", { id: `${name}-clip` }, make("defs", {}, parts.svg));
    parts.frame = make("rect", {}, clip);
    parts.axes = make("g", { class: "repcost-widget-axes", "aria-hidden": true }, parts.svg);
    const curves = make("g", { "clip-path": `url(#${name}-clip)`, "aria-hidden": true }, parts.svg);
    parts.band = make("g", { class: "repcost-line-band" }, curves);
    for (const key of ["spline", "sparsest", "paid"]) parts[key] = make("polyline", { class: `repcost-line-${key}` }, curves);
    parts.trained = make("g", { class: "repcost-line-trained" }, curves);
    parts.knots = make("g", { class: "repcost-line-knots", "data-term": "bends" }, curves);
    parts.ends = make("g", { class: "repcost-line-ends", "data-term": "ends" }, curves);
    parts.points = make("g", {}, parts.svg);

    // Seen at once, and hidden from screen readers: they are told the same in `status`, when the points have come to rest.
    const answer = make("div", { class: "repcost-line-answer", "aria-hidden": true }, root);
    const cost = make("p", { class: "repcost-line-cost", text: "Cost " }, answer);
    parts.cost = make("strong", {}, cost);
    parts.bars = make("div", { class: "repcost-line-bars" }, answer);
    for (const [key] of FREE) {
      const label = make("span", { "data-term": key }, parts.bars);
      const track = make("span", { class: `repcost-widget-track repcost-line-${key}`, "data-term": key }, parts.bars);
      make("i", {}, track);
      parts.rows[key] = { name: label, value: make("b", { "data-term": key }, parts.bars) };
    }
    const formulas = make("div", { "aria-hidden": true }, root);
    common.formula(formulas, ["cost = max( ", ["bends", "T"], " , ½ ( ", ["bends", "T"], " + ", ["ends", "S"], " ) )"]);
    common.formula(formulas, ["cost = ", ["bends", "R"], " + ", ["ends", "Σ (√(1 + t²) − 1) |m|"]]);
    [parts.formulas.free, parts.formulas.paid] = formulas.childNodes;

    [parts.why, parts.howMany] = common.words(root, 2);
    parts.buttons = make("div", { class: "repcost-widget-buttons" }, root);
    parts.presets = make("div", { class: "repcost-widget-buttons repcost-widget-presets", role: "group", "aria-label": "Examples" }, root);
    parts.stories = make("div", {}, root);
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
  const allows = ({ points, biases }) => common.arePoints(points, { most: MOST_POINTS }) && ["free", "paid"].includes(biases);
  common.define("line", ["points", "biases"], mount, allows);
})();
