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

  /* aria-disabled buttons keep the focus, and do nothing. */
  function button(parent, text, act) {
    const element = make("button", { type: "button", text }, parent);
    element.addEventListener("click", () => { if (element.getAttribute("aria-disabled") !== "true") act(); });
    return element;
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
    kinds, define, render, make, set, shown, snapped, within, same, uniqueName, ticks, place, draggable, onKeys, button,
    announcer, widthOf,
  };
})();
