/* What the drawings of the book have in common: elements, numbers, pointers, keys, announcements, and where a drawing
   stands: on a page, or as the view of a widget in a notebook.

   A drawing is a classic script KIND-widget.js that calls repcostWidgets.define(KIND, names, mount). `names` are the
   traits of its Python side, and its state is an object of these. mount(root, state, onchange) draws in the empty
   element `root`, calls onchange(state) for what the reader does, and returns { state(), set(state), remove() }. Pages
   load this script before it (no modules: pages are opened from files), notebooks get the two as one module. */
(function () {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";
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

  /* Handles in `svg`, for one pointer at a time: grab(place) says what follows it, a function of its place. */
  function draggable(svg, grab) {
    let held = null;
    const release = (event) => { if (held && event.pointerId === held.pointer) held = null; };
    svg.addEventListener("pointermove", (event) => {
      if (held && event.pointerId === held.pointer) held.follow(place(svg, event));
    });
    svg.addEventListener("pointerup", release);
    svg.addEventListener("pointercancel", release);
    return {
      isHeld: () => held !== null,
      addHandle(element) {
        element.classList.add("repcost-widget-handle");
        element.addEventListener("pointerdown", (event) => {
          if (event.button || held) return;
          event.preventDefault();
          held = { pointer: event.pointerId, follow: grab(place(svg, event)) };
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

  /* A list of samples with their names: sample(svg, key) draws one. The names, to be changed later, by their keys. */
  function legend(parent, entries, viewBox, sample, attributes = {}) {
    const list = make("ul", { class: "repcost-widget-legend", ...attributes }, parent), names = {};
    for (const [key, text] of entries) {
      const item = make("li", {}, list);
      sample(make("svg", { viewBox, "aria-hidden": true }, item), key);
      names[key] = make("span", { text }, item);
    }
    return names;
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
     Then addButtons before the first draw(). */
  function points(svg, parent, drawing) {
    const { get, put, redraw, toScreen, toPlane, room, name = "Point", newPoint = () => null, least = Infinity } = drawing;
    let buttons = null;
    let selected = get().length - 1;

    /* Targets of near points overlap: the nearest one is meant. Caught off its centre, it does not jump. */
    const pointer = draggable(svg, (place) => {
      const away = get().map((point) => { const [h, v] = toScreen(point); return Math.hypot(h - place[0], v - place[1]); });
      const n = away.indexOf(Math.min(...away)), at = toPlane(place), off = [0, 1].map((axis) => get()[n][axis] - at[axis]);
      focus(n);
      select(n);
      return (next) => {
        const [x, y] = toPlane(next);
        move(n, x + off[0], y + off[1]);
      };
    });

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

    function add() {
      const point = newPoint(), next = [...get(), point].sort((one, other) => one[0] - other[0]);
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
      say(note = "") {
        clearTimeout(timer);
        set(status, { "aria-busy": true });
        timer = setTimeout(() => set(status, { text: note + summary(), "aria-busy": false }), QUIET_BEFORE_ANNOUNCING);
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
     begin({ draw, summary, adopted, stop }) draws for the first time and gives what mount must return: draw() is the
     whole drawing, summary() what is announced, adopted() comes before a drawing whose state was set from outside, and
     stop() ends what would outlive the drawing. */
  function holder(root, start, onchange, copy) {
    let current = copy(start), draw = null, voice = null;
    return {
      get: () => current,
      change(next, note) {
        if (same(next, current)) return;
        current = next;
        draw();
        voice.say(note);
        onchange(copy(current));
      },
      begin({ draw: drawing, summary, adopted = () => {}, stop = () => {} }) {
        draw = drawing;
        draw();
        voice = announcer(root, summary);
        return {
          state: () => copy(current),
          set(next) {
            if (same(copy(next), current)) return;
            current = copy(next);
            adopted();
            draw();
            voice.say();
          },
          remove() {
            stop();
            voice.stop();
            root.replaceChildren();
          },
        };
      },
    };
  }

  /* ---- Where it stands: every [data-repcost-widget] of a page, or the view of a widget ---- */

  const kinds = (window.repcostWidgets || {}).kinds || {}; // what an earlier copy of this script knows stays known

  function define(kind, names, mount) {
    kinds[kind] = { names, mount };
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => mountAll(kind));
    else mountAll(kind);
  }

  function begin(root, kind, state, onchange) {
    root.classList.add("repcost-widget", `repcost-${kind}`);
    root.replaceChildren();
    return kinds[kind].mount(root, state, onchange);
  }

  function mountAll(kind) {
    for (const root of document.querySelectorAll(`[data-repcost-widget="${kind}"]`)) {
      if (root.repcostWidget) continue;
      const words = [...root.childNodes];
      try {
        root.repcostWidget = begin(root, kind, JSON.parse(root.dataset.state), () => {});
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
    const widget = begin(el.appendChild(document.createElement("div")), kind, read(), save);
    const follow = () => { if (!saving) widget.set(read()); };
    for (const name of names) model.on(`change:${name}`, follow);
    return () => {
      for (const name of names) model.off(`change:${name}`, follow);
      widget.remove();
    };
  }

  window.repcostWidgets = {
    kinds, define, render, make, set, shown, snapped, within, same, corners, uniqueName, ticks, place, draggable, onKeys,
    rangeKeys, range, legend, button, points, middle, axes, holder, widthOf,
  };
})();
