/* What the drawings of the book have in common: elements, numbers, pointers, keys, announcements, and where a drawing
   stands: on a page, or as the view of a widget in a notebook.

   A drawing is a classic script KIND-widget.js that calls repcostWidgets.define(KIND, names, mount). `names` are the
   traits of its Python side, and its state is an object of these; `given` is what it is told once. mount(root, state, onchange, given) draws in the empty
   element `root`, calls onchange(state) for what the reader does, and returns { state(), set(state), remove() }. Pages
   load this script before it (no modules: pages are opened from files), notebooks get the two as one module. */
(function () {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";
  const HOLD = 700, TWICE = 400, STILL = 8; // ms, ms, pixels: a point that is held, or clicked twice; a finger at rest
  const QUIET_BEFORE_ANNOUNCING = 400; // ms: a screen reader is told the outcome of a drag, not every step

  /* ---- Elements and numbers ---- */

  function make(name, attributes, parent) {
    const isSvg = parent instanceof SVGElement || name === "svg";
    const element = isSvg ? document.createElementNS(SVG, name) : document.createElement(name);
    set(element, attributes);
    parent.appendChild(element);
    return element;
  }

  function set(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") element.textContent = value;
      else element.setAttribute(name, value);
    }
  }

  function shown(number) {
    const plain = Math.abs(number) < 1e-3 || Math.abs(number) >= 1e5 ? number.toPrecision(3) : number.toFixed(3);
    return String(Number(plain)).replace("-", "−");
  }

  const snapped = (value, grid) => Math.round(value / grid) * grid;
  const within = (value, low, high) => Math.min(Math.max(value, low), high);
  const cloned = (state) => JSON.parse(JSON.stringify(state));
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  /* Unique also if this script is loaded twice. */
  const uniqueName = (kind) => `repcost-${kind}-${Math.random().toString(36).slice(2)}`;

  /* Round numbers from low to high, about `count` of them. */
  function ticks({ low, high }, count) {
    const rough = (high - low) / Math.max(count, 2), power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
    const found = [];
    for (let n = Math.ceil(low / step); n * step <= high; n += 1) found.push(n * step);
    return found;
  }

  /* The corners of a line or polygon, as SVG wants them. */
  const corners = (places) => places.map((place) => place.map((part) => part.toFixed(2)).join(",")).join(" ");

  /* ---- What the reader does ---- */

  /* The place of a pointer in the coordinates of the drawing. */
  function place(svg, event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [at.x, at.y];
  }

  /* Handles in `svg`, for one pointer at a time: grab(place, event) says what follows it, a function of its place, and
     letGo() comes when it is over. */
  function draggable(svg, grab, letGo = () => {}) {
    let held = null, releasedAt = -Infinity;
    const release = (event) => {
      if (!held || event.pointerId !== held.pointer) return;
      held = null;
      releasedAt = event.timeStamp;
      letGo();
    };
    svg.addEventListener("pointermove", (event) => {
      if (held && event.pointerId === held.pointer) held.follow(place(svg, event));
    });
    svg.addEventListener("pointerup", release);
    svg.addEventListener("pointercancel", release);
    return {
      isHeld: () => held !== null,
      releasedAt: () => releasedAt,
      addHandle(element) {
        element.classList.add("repcost-widget-handle");
        element.addEventListener("pointerdown", (event) => {
          if (event.button || held) return;
          event.preventDefault();
          held = { pointer: event.pointerId, follow: grab(place(svg, event), event) };
          svg.setPointerCapture(event.pointerId);
        });
        // In an SVG `touch-action: none` is not enough in every browser: without this the page scrolls instead.
        element.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
      },
    };
  }

  /* actions(isLarge) has a function for each key that does something; isLarge with Shift. */
  function onKeys(element, actions) {
    element.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const act = actions(event.shiftKey)[event.key];
      if (!act) return;
      event.preventDefault();
      event.stopPropagation(); // the theme turns pages with the arrow keys, notebooks delete cells
      act();
    });
  }

  /* A range: turn(sign, isLarge) for a step either way, and its two ends. */
  function rangeKeys(input, turn, toLow, toHigh) {
    onKeys(input, (isLarge) => {
      const by = (sign, large = isLarge) => () => turn(sign, large);
      return {
        ArrowRight: by(1), ArrowUp: by(1), ArrowLeft: by(-1), ArrowDown: by(-1),
        PageUp: by(1, true), PageDown: by(-1, true), Home: toLow, End: toHigh,
      };
    });
  }

  /* A range under `text`, with its value in words beside it: { input, shown }. */
  function range(parent, text, attributes) {
    const label = make("label", { class: "repcost-widget-slider" }, parent);
    make("span", { text }, label);
    const shown = make("b", { "aria-hidden": true }, label);
    const input = make("input", { type: "range", "aria-label": text, ...attributes }, label);
    return { input, shown };
  }

  /* A list of samples with their names, [key, text, term], where the last may be left out: sample(svg, key) draws one. The names, to be changed later, by their keys. */
  function legend(parent, entries, viewBox, sample, attributes = {}) {
    const list = make("ul", { class: "repcost-widget-legend", ...attributes }, parent), names = {};
    for (const [key, text, term] of entries) {
      const item = make("li", term ? { "data-term": term } : {}, list);
      sample(make("svg", { viewBox, "aria-hidden": true }, item), key);
      names[key] = make("span", { text }, item);
    }
    return names;
  }

  /* Paragraphs for what the drawing says in words, next to it and before its buttons. */
  function words(parent, count) {
    const box = make("div", { class: "repcost-widget-words", "aria-hidden": true }, parent);
    return Array.from({ length: count }, () => make("p", {}, box));
  }

  /* aria-disabled buttons keep the focus, and do nothing. */
  function button(parent, text, act) {
    const element = make("button", { type: "button", text }, parent);
    element.addEventListener("click", () => { if (element.getAttribute("aria-disabled") !== "true") act(); });
    return element;
  }

  /* ---- Points that the reader moves ---- */

  const spoken = ([x, y]) => `x ${shown(x)}, y ${shown(y)}`;

  /* Halfway between the two neighbours that are farthest apart, or null if it would come nearer to them than `gap`. */
  function middle(data, gap) {
    const gaps = data.slice(1).map(([x], n) => x - data[n][0]), n = gaps.indexOf(Math.max(...gaps));
    return gaps[n] >= 2 * gap ? [0, 1].map((axis) => (data[n][axis] + data[n + 1][axis]) / 2) : null;
  }

  /* Numbered handles in the group `parent` of `svg`. The drawing gives
     get() and put(next, note): the points [[x, y], ...] by increasing x, and what is done with the next ones;
     redraw(): the whole drawing, which calls draw() of the points; toScreen(point) and toPlane(place);
     room(n): { x, y, gap }, where point n may be: axes { low, high, grid, step, leap }, and how far from others in x;
     name: what one is called;
     and where points come and go: newPoint(), where one more would go, or null, and how few there may be at the `least`.
     Then addButtons before the first draw(); and a tap on the ground adds a point there, while one is removed by
     holding it with a finger, or by a double click. */
  function points(svg, parent, drawing) {
    const { get, put, redraw, toScreen, toPlane, room, name = "Point", newPoint = () => null, least = Infinity } = drawing;
    let buttons = null;
    let selected = get().length - 1;

    /* Targets of near points overlap: the nearest one is meant. Caught off its centre, it does not jump. */
    const pointer = draggable(svg, (place, event) => {
      const away = get().map((point) => { const [h, v] = toScreen(point); return Math.hypot(h - place[0], v - place[1]); });
      const n = away.indexOf(Math.min(...away)), at = toPlane(place), off = [0, 1].map((axis) => get()[n][axis] - at[axis]);
      focus(n);
      select(n);
      const holding = begunToHold(n, event);
      return (next) => {
        if (Math.hypot(next[0] - place[0], next[1] - place[1]) > STILL) {
          holding.end();
          lastDown.n = -1;
        }
        if (holding.isDone()) return;
        const [x, y] = toPlane(next);
        move(n, x + off[0], y + off[1]);
      };
    }, () => { if (held) held.end(); });
    let held = null, lastDown = { n: -1, at: -Infinity };

    /* A finger that stays where it is removes the point; so does a second click on it. */
    function begunToHold(n, event) {
      const isSecond = event.pointerType === "mouse" && n === lastDown.n && event.timeStamp - lastDown.at < TWICE;
      lastDown = { n, at: event.timeStamp };
      let timer = 0, isDone = false;
      const end = () => {
        clearTimeout(timer);
        parent.childNodes[n]?.classList.remove("repcost-widget-held");
      };
      const act = () => {
        isDone = true;
        end();
        remove(n);
        focus(selected);
      };
      held = { end, isDone: () => isDone };
      if (get().length <= least) return held;
      if (isSecond) act();
      else if (event.pointerType === "touch" || event.pointerType === "pen") {
        parent.childNodes[n].classList.add("repcost-widget-held");
        timer = setTimeout(act, HOLD);
      }
      return held;
    }

    /* On the ground of the drawing, where there is room for a point. */
    function tapped(event) {
      if (event.target.closest(".repcost-widget-handle") || event.timeStamp - pointer.releasedAt() < TWICE) return;
      const [x, y] = toPlane(place(svg, event)), axes = room(get().length), isIn = (at, { low, high }) => at >= low && at <= high;
      if (newPoint() === null || !isIn(x, axes.x) || !isIn(y, axes.y)) return;
      const point = [snapped(x, axes.x.grid), snapped(y, axes.y.grid)];
      if (get().every(([other]) => Math.abs(other - point[0]) >= axes.gap)) insert(point);
    }

    const focus = (n) => parent.childNodes[n].focus({ preventScroll: true });

    function select(n) {
      selected = n;
      redraw();
    }

    /* A point stays in its room and the gap away from its neighbours; one that starts elsewhere may stay there. */
    function move(n, x, y) {
      const data = get(), point = data[n].slice(), axes = room(n);
      if (x !== point[0]) {
        const before = n ? data[n - 1][0] + axes.gap : -Infinity;
        const after = n + 1 < data.length ? data[n + 1][0] - axes.gap : Infinity;
        const low = Math.min(Math.max(before, axes.x.low), point[0]), high = Math.max(Math.min(after, axes.x.high), point[0]);
        point[0] = within(snapped(x, axes.x.grid), low, high);
      }
      if (y !== point[1]) point[1] = within(snapped(y, axes.y.grid), axes.y.low, axes.y.high);
      put(data.map((other, m) => (m === n ? point : other)));
    }

    const add = () => insert(newPoint());

    function insert(point) {
      const next = [...get(), point].sort((one, other) => one[0] - other[0]);
      selected = next.indexOf(point);
      put(next, `${name} ${selected + 1} added at ${spoken(point)}. `);
    }

    function remove(n) {
      if (get().length <= least) return;
      selected = Math.min(n, get().length - 2);
      put(get().filter((_, m) => m !== n), `${name} ${n + 1} removed. `);
    }

    function handle(n) {
      const dot = make("g", { class: "repcost-widget-point", tabindex: 0, role: "slider", "aria-orientation": "vertical" }, parent);
      make("circle", { class: "repcost-widget-target", r: 18 }, dot);
      make("circle", { class: "repcost-widget-ring", r: 13 }, dot);
      make("circle", { class: "repcost-widget-dot", r: 9 }, dot);
      make("text", { y: 3.5, "text-anchor": "middle", "aria-hidden": true }, dot);
      dot.addEventListener("focus", () => { if (n !== selected && !pointer.isHeld()) select(n); });
      onKeys(dot, (isLarge) => actions(n, isLarge ? "leap" : "step"));
      pointer.addHandle(dot);
    }

    function actions(n, by) {
      const [x, y] = get()[n], axes = room(n);
      const removeFocused = () => {
        remove(n);
        focus(selected);
      };
      return {
        ArrowLeft: () => move(n, x - axes.x[by], y), ArrowRight: () => move(n, x + axes.x[by], y),
        ArrowUp: () => move(n, x, y + axes.y[by]), ArrowDown: () => move(n, x, y - axes.y[by]),
        PageUp: () => move(n, x, y + axes.y.leap), PageDown: () => move(n, x, y - axes.y.leap),
        Home: () => move(n, x, axes.y.low), End: () => move(n, x, axes.y.high),
        Delete: removeFocused, Backspace: removeFocused,
      };
    }

    return {
      addButtons(row) {
        svg.addEventListener("click", tapped);
        buttons = { add: button(row, `Add a ${name.toLowerCase()}`, add), remove: button(row, "", () => remove(selected)) };
      },
      selectLast: () => select(get().length - 1),
      draw() {
        const data = get();
        selected = Math.min(selected, data.length - 1);
        while (parent.childNodes.length > data.length) parent.lastChild.remove();
        while (parent.childNodes.length < data.length) handle(parent.childNodes.length);
        parent.childNodes.forEach((dot, n) => {
          const [h, v] = toScreen(data[n]), { y } = room(n);
          set(dot, {
            transform: `translate(${h.toFixed(2)},${v.toFixed(2)})`,
            "aria-label": `${name} ${n + 1} of ${data.length}`,
            "aria-valuemin": y.low, "aria-valuemax": y.high, "aria-valuenow": data[n][1], "aria-valuetext": spoken(data[n]),
          });
          dot.classList.toggle("repcost-widget-selected", n === selected);
          dot.lastChild.textContent = n + 1;
        });
        if (!buttons) return;
        set(buttons.add, { "aria-disabled": newPoint() === null });
        set(buttons.remove, { text: `Remove ${name.toLowerCase()} ${selected + 1}`, "aria-disabled": data.length <= least });
      },
    };
  }

  /* Lines and numbers for the ticks of a frame, in place of what was in `group`. */
  function axes(group, { x: xs, y: ys }, toScreen, { left, right, top, bottom }) {
    group.replaceChildren();
    for (const x of xs) {
      const [at] = toScreen([x, 0]);
      make("line", { x1: at, x2: at, y1: top, y2: bottom }, group);
      make("text", { x: at, y: bottom + 17, "text-anchor": "middle", text: shown(x) }, group);
    }
    for (const y of ys) {
      const [, at] = toScreen([0, y]);
      make("line", { x1: left, x2: right, y1: at, y2: at }, group);
      make("text", { x: left - 6, y: at + 4, "text-anchor": "end", text: shown(y) }, group);
    }
  }

  /* ---- What the reader is told ---- */

  /* A text for screen readers alone: summary() at once, and again once the drawing has come to rest. */
  function announcer(root, summary) {
    const status = make("p", { class: "repcost-widget-status", role: "status", "aria-live": "polite" }, root);
    let timer = 0;
    status.textContent = summary();
    return {
      say(note = "", isAll = false) {
        clearTimeout(timer);
        set(status, { "aria-busy": true });
        const text = () => (isAll ? note : note + summary());
        timer = setTimeout(() => set(status, { text: text(), "aria-busy": false }), QUIET_BEFORE_ANNOUNCING);
      },
      stop: () => clearTimeout(timer),
    };
  }

  /* The width of `root`, asked once a drawing: asking the document again after each change would make it lay out the
     page each time. */
  function widthOf(root, redraw) {
    const measured = () => Math.max(280, Math.round(root.clientWidth || 640));
    let width = measured();
    const observer = new ResizeObserver(() => {
      const before = width;
      width = measured();
      if (width !== before) redraw(); // its height follows its words
    });
    observer.observe(root);
    return { get: () => width, stop: () => observer.disconnect() };
  }

  /* ---- The state of a drawing ---- */

  /* Holds the state of one drawing. copy(state) is a copy that shares nothing with it.
     change(next, note) is for what the reader does: it redraws, announces, and tells the other side by onchange.
     undo() takes back all that followed from the last pointer, key or click.
     listen(event, act) hears events of the drawing while it stands; onEnd(act) comes when it is removed.
     begin({ draw, summary, adopted, stop }) draws for the first time and gives what mount must return: draw() is the
     whole drawing, summary() what is announced, adopted() comes before a drawing whose state was set from outside, and
     stop() ends what would outlive the drawing. */
  function holder(root, start, onchange, copy) {
    const ends = new AbortController(), past = [];
    let current = copy(start), draw = null, voice = null, isNew = true, followed = () => {};
    const listen = (event, act, options = {}) => root.addEventListener(event, act, { ...options, signal: ends.signal });
    const begins = (event) => { isNew = isNew || !event.repeat; };
    for (const event of ["pointerdown", "keydown", "click"]) listen(event, begins, { capture: true });

    function show(next, note) {
      current = next;
      draw();
      followed();
      voice.say(note);
      onchange(copy(current));
    }

    function undo() {
      if (past.length) show(past.pop(), "Taken back. ");
    }

    listen("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.key.toLowerCase() !== "z") return;
      event.preventDefault();
      event.stopPropagation();
      undo();
    });
    return {
      get: () => current,
      change(next, note) {
        if (same(next, current)) return;
        if (isNew) past.push(current);
        isNew = false;
        show(next, note);
      },
      undo, listen,
      canUndo: () => past.length > 0,
      onHistory(act) { followed = act; },
      onEnd: (act) => ends.signal.addEventListener("abort", act),
      say: (note, isAll) => voice.say(note, isAll),
      begin({ draw: drawing, summary, adopted = () => {}, stop = () => {} }) {
        draw = drawing;
        draw();
        voice = announcer(root, summary);
        return {
          state: () => copy(current),
          set(next) {
            if (same(copy(next), current)) return;
            current = copy(next);
            past.length = 0;
            adopted();
            draw();
            followed();
            voice.say();
          },
          remove() {
            ends.abort();
            stop();
            voice.stop();
            root.replaceChildren();
          },
        };
      },
    };
  }

  /* ---- The address of a page holds what is drawn on it ---- */

  /* Of the names of a kind in their order, in letters that an address may have: ?line=(((0,1),(2,0.5)),'free') */
  const written = (values) => JSON.stringify(values).replace(/\[/g, "(").replace(/\]/g, ")").replace(/"/g, "'");
  const unwritten = (text) => JSON.parse(text.replace(/\(/g, "[").replace(/\)/g, "]").replace(/'/g, '"'));

  /* Made as the example is: what somebody wrote into an address may be anything. */
  function alike(example, found) {
    if (!Array.isArray(example)) return typeof found === typeof example && (typeof found !== "number" || Number.isFinite(found));
    return Array.isArray(found) && found.length > 0 && found.length < 100 && found.every((part) => alike(example[0], part));
  }

  const told = (root) => JSON.parse(root.dataset.given || "{}");

  const address = {
    isOnPage: (root) => root.dataset.repcostWidget !== undefined,
    key: (root) => root.id.replace(/^drawing-/, ""),
    /* The first of a kind has its name, the others have a number. */
    name(root) {
      const kind = root.dataset.repcostWidget, all = [...document.querySelectorAll(`[data-repcost-widget="${kind}"]`)];
      root.id = root.id || `drawing-${kind}${all.indexOf(root) ? `-${all.indexOf(root) + 1}` : ""}`;
    },
    link(root, state) {
      const { names } = kinds[root.dataset.repcostWidget], url = new URL(location.href);
      const others = url.search.slice(1).split("&").filter((part) => part && !part.startsWith(`${address.key(root)}=`));
      const own = state ? [`${address.key(root)}=${written(names.map((name) => state[name]))}`] : [];
      url.search = [...others, ...own].join("&");
      if (state) url.hash = root.id;
      return url.href;
    },
    keep(root, state) {
      const link = address.link(root, same(state, JSON.parse(root.dataset.state)) ? null : state);
      try { history.replaceState(null, "", link); } catch (error) { /* some browsers refuse it for files */ }
    },
    /* The state that the address asks for, or null. */
    read(root) {
      const { names, allows } = kinds[root.dataset.repcostWidget], example = JSON.parse(root.dataset.state);
      const text = new URLSearchParams(location.search).get(address.key(root));
      if (!text) return null;
      try {
        const values = unwritten(text), state = Object.fromEntries(names.map((name, n) => [name, values[n]]));
        return names.every((name) => alike(example[name], state[name])) && allows(state, told(root)) ? state : null;
      } catch (error) {
        return null;
      }
    },
  };

  /* For allows(state) of a kind: points by increasing x, so many, so far apart, and so far out. */
  function arePoints(points, { fewest = 1, most = 16, gap = 0, far = Infinity }) {
    const isPair = (point) => point.length === 2 && point.every((part) => Math.abs(part) <= far);
    return points.length >= fewest && points.length <= most && points.every(isPair) &&
      points.slice(1).every(([x], n) => x > points[n][0] && x - points[n][0] >= gap - 1e-12);
  }

  /* ---- Where it stands: every [data-repcost-widget] of a page, or the view of a widget ---- */

  const kinds = (window.repcostWidgets || {}).kinds || {}; // what an earlier copy of this script knows stays known

  /* allows(state, given): whether a state of the right form, from an address, can be drawn. */
  function define(kind, names, mount, allows = () => true) {
    kinds[kind] = { names, mount, allows };
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => mountAll(kind));
    else mountAll(kind);
  }

  function begin(root, kind, state, onchange, given) {
    root.classList.add("repcost-widget", `repcost-${kind}`);
    root.replaceChildren();
    return kinds[kind].mount(root, state, onchange, given);
  }

  /* Once the drawing has come to rest: browsers count how often an address changes. */
  function keeping(root) {
    let timer = 0;
    address.name(root);
    return (state) => {
      clearTimeout(timer);
      timer = setTimeout(() => address.keep(root, state), QUIET_BEFORE_ANNOUNCING);
    };
  }

  function mountAll(kind) {
    for (const root of document.querySelectorAll(`[data-repcost-widget="${kind}"]`)) {
      if (root.repcostWidget) continue;
      const words = [...root.childNodes];
      try {
        root.repcostWidget = begin(root, kind, JSON.parse(root.dataset.state), keeping(root), told(root));
        const asked = address.read(root);
        if (asked) root.repcostWidget.set(asked);
      } catch (error) {
        console.error(`repcost-${kind}:`, error);
        root.replaceChildren(...words);
      }
    }
  }

  function render(kind, { model, el }) {
    const { names } = kinds[kind];
    const read = () => Object.fromEntries(names.map((name) => [name, model.get(name)]));
    let saving = false; // while the state is set one trait after the other, it must not be read back
    const save = (state) => {
      saving = true;
      for (const name of names) model.set(name, state[name]);
      saving = false;
      model.save_changes();
    };
    const widget = begin(el.appendChild(document.createElement("div")), kind, read(), save, model.get("given") || {});
    const follow = () => { if (!saving) widget.set(read()); };
    for (const name of names) model.on(`change:${name}`, follow);
    return () => {
      for (const name of names) model.off(`change:${name}`, follow);
      widget.remove();
    };
  }

  window.repcostWidgets = {
    kinds, define, render, make, set, shown, snapped, within, same, corners, uniqueName, ticks, place, draggable, onKeys,
    rangeKeys, range, legend, words, button, points, middle, axes, holder, widthOf,
    cloned, address, arePoints, alike, written, unwritten,
  };
})();
