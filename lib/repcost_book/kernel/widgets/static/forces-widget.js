/* A hidden layer of two neurons: what attracts its representations, what repels them, and where they flow. See
   widget-common.js. What is drawn is what repcost.forces computes, with the Tikhonov term that it is given. */
(function () {
  "use strict";

  const common = window.repcostWidgets;
  const { make, set, shown, within, corners } = common;

  /* ---- Mathematics: no document, no window. ---- */

  const relu = (z) => Math.max(z, 0);
  const dot = (one, other) => one.reduce((sum, part, k) => sum + part * other[k], 0);
  const column = (rows, k) => rows.map((row) => row[k]);

  /* (S S^T + t)^-1 times each column of B, by elimination; the matrix is positive definite. */
  function divided(S, t, B) {
    const rows = S.map((one, i) => [...S.map((other, j) => dot(one, other) + (i === j ? t : 0)), ...B[i]]), n = S.length;
    for (let k = 0; k < n; k += 1) {
      for (let i = 0; i < n; i += 1) {
        const factor = i === k ? 0 : rows[i][k] / rows[k][k];
        if (factor) for (let j = k; j < rows[i].length; j += 1) rows[i][j] -= factor * rows[k][j];
      }
    }
    return rows.map((row, i) => row.slice(n).map((part) => part / row[i]));
  }

  const withBias = (rows, bias) => rows.map((row) => [...row, bias]);

  /* What acts on Z, a row for each point: attraction and repulsion are derivatives, so things move the other way. pull and
     push: for each neuron, its products with the two; loss: the two terms; ifOn: the repulsion of neurons that are on. */
  function solve({ inputs, outputs, bias, tikhonov }, Z) {
    const below = divided(withBias(inputs, bias), tikhonov, Z);
    const sent = Z.map((row) => row.map(relu)), G = divided(withBias(sent, bias), tikhonov, outputs);
    const attraction = below.map((row) => row.map((part) => 2 * part));
    // G^T sigma(Z): the outgoing weights of each neuron.
    const out = Z[0].map((_, k) => outputs[0].map((_, j) => dot(column(G, j), column(sent, k))));
    const ifOn = Z.map((_, i) => out.map((weights) => -2 * dot(G[i], weights)));
    const repulsion = Z.map((row, i) => row.map((z, k) => (z > 0 ? ifOn[i][k] : 0)));
    const total = (one, other) => one.reduce((sum, row, i) => sum + dot(row, other[i]), 0);
    const along = (force) => Z[0].map((_, k) => dot(column(Z, k), column(force, k)));
    return {
      attraction, repulsion, ifOn, pull: along(attraction), push: along(repulsion).map((part) => -part),
      loss: [total(Z, below), total(outputs, G)],
    };
  }

  const stepped = (Z, { attraction, repulsion }, by) =>
    Z.map((row, i) => row.map((z, k) => z - by * (attraction[i][k] + repulsion[i][k])));

  /* The same on the way of steepest descent. At zero the loss has a kink: up counts the repulsion, down does not, and what
     wants neither way stays. A step stops there. */
  function descended(Z, { attraction, ifOn }, by) {
    return Z.map((row, i) => row.map((z, k) => {
      const [on, off] = [-attraction[i][k] - ifOn[i][k], -attraction[i][k]];
      if (z === 0) return by * Math.max(on, 0) || by * Math.min(off, 0);
      const next = z + by * (z > 0 ? on : off);
      return next * z < 0 ? 0 : next;
    }));
  }
  const height = ({ loss }) => loss[0] + loss[1];

  /* Where the layer goes if both forces act: places on the way of steepest descent, from here to about rest. */
  function flow(setting, Z, stages = 40, each = 8) {
    const way = [Z];
    let now = Z, here = solve(setting, now), by = 0.01;
    for (let stage = 0; stage < stages; stage += 1) {
      for (let n = 0; n < each; n += 1) {
        let next = descended(now, here, by), there = solve(setting, next);
        while (!(height(there) <= height(here)) && by > 1e-9) {
          by /= 2;
          next = descended(now, here, by);
          there = solve(setting, next);
        }
        if (by <= 1e-9) return way;
        [now, here, by] = [next, there, by * 1.2];
      }
      way.push(now);
    }
    return way;
  }

  /* ---- Words ---- */

  const digits = (number) => number.toFixed(2).replace("-", "−");
  function describe({ pull, push, loss }) {
    const neurons = pull.map((part, k) => `neuron ${k + 1} is pulled by ${digits(part)} and pushed by ${digits(push[k])}`);
    const isAtRest = pull.every((part, k) => Math.abs(part - push[k]) <= 0.05 * Math.max(part, push[k], 0.2));
    return [
      `Loss ${digits(loss[0] + loss[1])}: ${digits(loss[0])} to make the layer, ${digits(loss[1])} to make the outputs of it.`,
      `Along their own columns, ${neurons.join(", ")}${isAtRest ? ": nearly at rest." : "."}`,
    ];
  }

  /* ---- Drawing and interaction ---- */

  const FAR = 1.75, GRID = 1 / 32, SIDE = 340, SMALL = 170, LONGEST = 0.9;
  const AXIS = { low: -1.625, high: 1.625, grid: GRID, step: 1 / 16, leap: 1 / 4 };
  const ROOM = { x: AXIS, y: AXIS, gap: -Infinity };
  const toScreen = ([x, y]) => [x, -y].map((part) => (SIDE / 2) * (1 + part / FAR));
  const toPlane = ([h, v]) => [h, v].map((part, k) => (k ? -1 : 1) * FAR * ((2 * part) / SIDE - 1));
  const LEGEND = [["pull", "attraction, from the layer below", "pull"], ["push", "repulsion, from the layer above", "push"], ["way", "where the layer flows"]];
  const HELP = "Drag the points. On the keyboard: Tab to a point and use the arrows (with Shift, larger steps), Page Up, Page " +
    "Down, Home and End; Ctrl+Z takes back.";
  const NOTE = "Left: the inputs, which stay. Right: what two neurons receive; point n is at (z₁, z₂), and in the grey part " +
    "both are silent. Arrows are minus the derivatives, a fifth as long, and cut where they would leave the picture.";

  function mount(root, given, onchange, { settings }) {
    const names = Object.keys(settings);
    const copy = ({ points, setting }) => ({ points: points.map((point) => point.slice()), setting });
    const held = common.holder(root, given, onchange, copy), start = copy(given);
    const change = (part, note) => held.change({ ...held.get(), ...part }, note);
    const parts = build(root, names, settings);
    let answer = null, ending = () => {};
    const handles = common.points(parts.svg, parts.points, {
      get: () => held.get().points, put: (points) => change({ points }), redraw: () => draw(), toScreen, toPlane, room: () => ROOM,
    });

    /* Drawing */

    function draw() {
      const { points, setting } = held.get(), here = settings[setting];
      answer = solve(here, points);
      drawInputs(here);
      drawArrows(points);
      drawWay(flow(here, points));
      handles.draw();
      parts.points.childNodes.forEach((dot, n) => { dot.dataset.kind = kindOf(here, n); });
      drawBars();
      for (const [name, button] of Object.entries(parts.choices)) set(button, { "aria-pressed": name === setting });
      describe(answer).forEach((text, n) => { parts.words[n].textContent = text; });
    }

    /* Which of the different outputs a point has. */
    const kindOf = ({ outputs }, n) => [...new Set(outputs.map(String))].indexOf(String(outputs[n]));

    function drawInputs(here) {
      parts.inputs.replaceChildren();
      here.inputs.forEach(([x, y], n) => {
        const dot = make("g", { transform: `translate(${((SMALL / 2) * (1 + x / 1.6)).toFixed(1)},${((SMALL / 2) * (1 - y / 1.6)).toFixed(1)})`, "data-kind": kindOf(here, n) }, parts.inputs);
        make("circle", { r: 8 }, dot);
        make("text", { y: 3.5, "text-anchor": "middle", text: n + 1 }, dot);
      });
    }

    function drawArrows(points) {
      for (const [key, force] of [["pull", answer.attraction], ["push", answer.repulsion]]) {
        parts[key].replaceChildren();
        points.forEach((point, n) => arrow(point, force[n].map((part) => -part / 5), parts[key]));
      }
    }

    function arrow(from, by, parent) {
      const size = Math.hypot(...by), share = size > LONGEST ? LONGEST / size : 1;
      if (size < 0.01) return;
      const [[h, v], [toH, toV]] = [from, from.map((part, axis) => part + share * by[axis])].map(toScreen);
      const at = Math.atan2(toV - v, toH - h), barb = (turn) => [toH - 7 * Math.cos(at + turn), toV - 7 * Math.sin(at + turn)];
      make("polyline", { points: corners([[h, v], [toH, toV]]) }, parent);
      make("polyline", { points: corners([barb(0.45), [toH, toV], barb(-0.45)]) }, parent);
    }

    function drawWay(way) {
      parts.way.replaceChildren();
      held.get().points.forEach((_, n) => {
        make("polyline", { points: corners(way.map((Z) => toScreen(Z[n]))) }, parts.way);
        const [cx, cy] = toScreen(way[way.length - 1][n]);
        make("circle", { cx, cy, r: 3 }, parts.way);
      });
    }

    function drawBars() {
      const largest = Math.max(...answer.pull, ...answer.push, 1e-9);
      parts.bars.forEach(({ pull, push, values }, k) => {
        pull.style.width = `${(100 * Math.max(answer.pull[k], 0)) / largest}%`;
        push.style.width = `${(100 * Math.max(answer.push[k], 0)) / largest}%`;
        values[0].textContent = digits(answer.pull[k]);
        values[1].textContent = digits(answer.push[k]);
      });
    }

    /* What the reader does */

    const rounded = (points) => points.map((point) => point.map((part) => within(part, AXIS.low, AXIS.high)));
    function letFlow() {
      ending();
      const { points, setting } = held.get(), way = flow(settings[setting], points), last = way.length - 1;
      ending = common.motion(2500, (share) => change({ points: rounded(way[Math.round(share * last)]) }, "The layer has moved. "));
    }
    function only(kind) {
      ending();
      const { points, setting } = held.get(), { attraction, repulsion } = solve(settings[setting], points);
      const none = points.map((point) => point.map(() => 0));
      const forces = kind === "pull" ? { attraction, repulsion: none } : { attraction: none, repulsion };
      const largest = Math.max(...[attraction, repulsion][kind === "pull" ? 0 : 1].flat().map(Math.abs), 1e-9);
      const next = rounded(stepped(points, forces, Math.min(0.1, 0.25 / largest)));
      ending = common.motion(600, (share) => change(common.between({ points }, { points: next }, share), ""));
    }
    const toSetting = (setting) => change({ setting, points: copy({ points: settings[setting].start }).points }, `${setting}. `);
    for (const name of names) parts.choices[name].addEventListener("click", () => toSetting(name));
    common.button(parts.buttons, "Let it flow", letFlow);
    common.button(parts.buttons, "Attraction alone", () => only("pull"));
    common.button(parts.buttons, "Repulsion alone", () => only("push"));
    common.tools(parts.buttons, root, held);
    common.button(parts.buttons, "Reset", () => held.change(copy(start), "Back to the start. "));
    common.stories(parts.stories, held, start, stories(settings));
    common.terms(root, held);
    held.listen("pointerdown", () => ending());
    return held.begin({ draw, summary: () => describe(answer).join(" "), stop: () => ending() });
  }

  /* Each begins at the start of a setting and ends where the layer comes to rest. */
  function stories(settings) {
    const at = (setting, share) => {
      const way = flow(settings[setting], settings[setting].start);
      return { setting, points: way[Math.round(share * (way.length - 1))] };
    };
    return [
      { name: "Classes contract", stages: [
        [at("three classes", 0), "Three classes, as the inputs are. Both forces act on every point."],
        [at("three classes", 0.4), "Points of a class move together, and classes away from each other."],
        [at("three classes", 1), "At rest two classes lie on a ray each, along one neuron; the third one is where both are silent."],
      ] },
      { name: "One neuron is enough", stages: [
        [at("two classes", 0), "Two classes, two neurons."],
        [at("two classes", 1), "All points come to lie on one line through the origin: the two neurons are aligned, and one of them would do."],
      ] },
      { name: "A point is pulled back", stages: [
        [at("three classes", 1), "A layer at rest."],
        [{ points: at("three classes", 1).points.map((point, n) => (n === 2 ? [0.4, 1.4] : point)) }, "One point is taken away: attraction is strong there, since the layer below can hardly make it."],
      ] },
    ];
  }

  /* The elements of one widget. What is seen at once is hidden from screen readers: they are told the same in a status,
     when the drawing has come to rest. */
  function build(root, names, settings) {
    const parts = { choices: {} }, name = common.uniqueName("forces");
    const choice = make("div", { class: "repcost-widget-buttons", role: "group", "aria-label": "Data" }, root);
    for (const setting of names) parts.choices[setting] = common.button(choice, setting, () => {});
    const line = (svg, key) => make("line", { class: `repcost-forces-${key}`, x1: 1, x2: 29, y1: 6, y2: 6 }, svg);
    common.legend(root, LEGEND, "0 0 30 12", line, { "aria-hidden": true });
    const both = make("div", { class: "repcost-forces-both" }, root);
    const small = { viewBox: `0 0 ${SMALL} ${SMALL}`, class: "repcost-forces-inputs", "aria-hidden": true };
    parts.inputs = make("g", {}, make("svg", small, make("div", { class: "repcost-forces-left" }, both)));
    parts.svg = make("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, role: "group", "aria-label": "Representations that can be moved", "aria-describedby": `${name}-help` }, both);
    const [[zero, up], [left, bottom], [right, top]] = [[0, 0], [-FAR, -FAR], [FAR, FAR]].map(toScreen);
    make("rect", { class: "repcost-forces-silent", x: left, y: up, width: zero - left, height: bottom - up, "aria-hidden": true }, parts.svg);
    const axes = make("g", { class: "repcost-forces-axes", "aria-hidden": true }, parts.svg);
    make("line", { x1: left, x2: right, y1: up, y2: up }, axes);
    make("line", { x1: zero, x2: zero, y1: top, y2: bottom }, axes);
    make("text", { x: right - 8, y: up + 16, "text-anchor": "end", text: "z₁" }, axes);
    make("text", { x: zero + 8, y: top + 16, text: "z₂" }, axes);
    for (const [key, term] of [["way", ""], ["pull", "pull"], ["push", "push"]]) {
      parts[key] = make("g", { class: `repcost-forces-${key}`, "aria-hidden": true, ...(term ? { "data-term": term } : {}) }, parts.svg);
    }
    parts.points = make("g", {}, parts.svg);

    const { bias, tikhonov } = settings[names[0]];
    const formulas = make("div", { "aria-hidden": true }, root);
    common.formula(formulas, ["loss = ", ["pull", `tr Zᵀ(K + ${tikhonov})⁻¹Z`], " + ", ["push", `tr Yᵀ(Kσ + ${tikhonov})⁻¹Y`],
      `, with the constant ${shown(bias)} in K and Kσ`]);
    const bars = make("div", { class: "repcost-forces-bars", "aria-hidden": true }, root);
    parts.bars = [1, 2].map((k) => {
      make("span", { text: `neuron ${k}` }, bars);
      const track = make("span", { class: "repcost-widget-track" }, bars);
      const [pull, push] = ["pull", "push"].map((key) => make("i", { class: `repcost-forces-bar-${key}`, "data-term": key }, track));
      const values = make("b", {}, bars), texts = ["pull", "push"].map((key) => make("span", { "data-term": key }, values));
      return { pull, push, values: texts };
    });
    parts.words = common.words(root, 2);
    parts.buttons = make("div", { class: "repcost-widget-buttons" }, root);
    parts.stories = make("div", {}, root);
    make("p", { class: "repcost-widget-help", "aria-hidden": true, text: NOTE }, root);
    make("p", { id: `${name}-help`, class: "repcost-widget-help", text: HELP }, root);
    return parts;
  }

  window.repcostForces = { solve, flow };
  const isIn = (point) => point.length === 2 && point.every((part) => Math.abs(part) <= AXIS.high);
  const allows = ({ points, setting }, { settings }) =>
    Object.keys(settings).includes(setting) && points.length === settings[setting].inputs.length && points.every(isIn);
  common.define("forces", ["points", "setting"], mount, allows);
})();
