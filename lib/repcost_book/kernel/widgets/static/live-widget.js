/* Small live figures: one slider, one picture, one sentence. A figure is a script KIND-widget.js that calls
   repcostWidgets.live(KIND, figure). figure(given) has

     slider: { label, low, high, step }, and where it is not what is meant, value(at) of its place and place(value);
     view: { x: [low, high, name], y: [low, high, name] }, and ticks where powers of ten would not do;
     legend: [[key, text], ...]; shown(at), the number in words; and
     draw(at): { curves: [[key, points], ...], dots: [[key, point], ...], words }.

   Keys are the looks in live-widget.css. The state is { at }, the number that is meant. See widget-common.js. */
(function () {
  "use strict";

  const common = window.repcostWidgets;
  const { make, set, within } = common;
  const MARGIN = { left: 48, right: 14, top: 10, bottom: 42 };
  const itself = (value) => value;

  function live(kind, figure) {
    const mount = (root, start, onchange, given) => mounted(root, start, onchange, figure(given));
    function mounted(root, start, onchange, { slider, view, legend, shown, ticks = {}, draw }) {
      root.classList.add("repcost-live");
      const { value = itself, place = itself } = slider;
      // Whatever an address asks for, what is drawn is somewhere on the slider.
      const on = (at) => value(within(Number.isFinite(at) ? at : slider.low, slider.low, slider.high));
      const copy = ({ at }) => ({ at: at === start.at ? at : on(place(at)) });
      const held = common.holder(root, start, onchange, copy), parts = build(root, { slider, view, legend });
      const width = common.widthOf(root, () => redraw());
      const height = () => Math.round(within(width.get() * 0.42, 190, 270));
      const axis = (name) => { const [low, high] = view[name]; return { low, high }; };
      const part = (name, at) => (at - view[name][0]) / (view[name][1] - view[name][0]);
      const toScreen = ([x, y]) => [
        MARGIN.left + part("x", x) * (width.get() - MARGIN.left - MARGIN.right),
        height() - MARGIN.bottom - part("y", y) * (height() - MARGIN.top - MARGIN.bottom),
      ];
      let answer = null;

      function redraw() {
        const { at } = held.get();
        answer = draw(at);
        set(parts.svg, { viewBox: `0 0 ${width.get()} ${height()}`, "aria-label": `${slider.label} ${shown(at)}. ${answer.words}` });
        drawAxes();
        parts.curves.replaceChildren();
        for (const [key, points] of answer.curves) {
          make("polyline", { points: common.corners(points.map(toScreen)), class: `repcost-live-${key}`, "data-term": key }, parts.curves);
        }
        for (const [key, point] of answer.dots) {
          const [cx, cy] = toScreen(point);
          make("circle", { cx, cy, r: 5, class: `repcost-live-dot-${key}`, "data-term": key }, parts.curves);
        }
        parts.input.value = place(at);
        set(parts.input, { "aria-valuetext": shown(at) });
        parts.shown.textContent = shown(at);
        parts.words.textContent = answer.words;
      }

      function drawAxes() {
        const [[left, bottom], [right, top]] = [0, 1].map((end) => toScreen([view.x[end], view.y[end]]));
        set(parts.frame, { x: left, y: top, width: right - left, height: bottom - top });
        const xs = ticks.x || common.ticks(axis("x"), width.get() / 90).map((x) => [x, x]);
        const ys = ticks.y || common.ticks(axis("y"), 5).map((y) => [y, y]);
        common.axes(parts.axes, { x: xs.map(([x]) => x), y: ys.map(([y]) => y) }, toScreen, { left, right, top, bottom });
        const texts = parts.axes.querySelectorAll("text");
        [...xs, ...ys].forEach(([, text], n) => { if (typeof text === "string") texts[n].textContent = text; });
        make("text", { x: (left + right) / 2, y: height() - 6, "text-anchor": "middle", text: view.x[2] }, parts.axes);
        make("text", { x: -(top + bottom) / 2, y: 12, "text-anchor": "middle", transform: "rotate(-90)", text: view.y[2] }, parts.axes);
      }

      const go = (at) => held.change({ at: on(at) }, "");
      parts.input.addEventListener("input", () => go(Number(parts.input.value)));
      const turn = (sign, isLarge) => go(place(held.get().at) + sign * slider.step * (isLarge ? 5 : 1));
      common.rangeKeys(parts.input, turn, () => go(slider.low), () => go(slider.high));
      common.terms(root, held);
      return held.begin({ draw: redraw, summary: () => answer.words, stop: () => width.stop() });
    }

    common.define(kind, ["at"], mount);
  }

  /* The elements of one figure. */
  function build(root, { slider, legend }) {
    const parts = {}, name = common.uniqueName("live");
    common.legend(root, legend.map(([key, text]) => [key, text, key]), "0 0 30 12", (svg, key) => {
      if (key.startsWith("point")) make("circle", { cx: 15, cy: 6, r: 4.5, class: `repcost-live-dot-${key}` }, svg);
      else make("line", { x1: 1, x2: 29, y1: 6, y2: 6, class: `repcost-live-${key}` }, svg);
    }, { "aria-hidden": true });
    parts.svg = make("svg", { class: "repcost-live-picture", role: "img" }, root);
    parts.axes = make("g", { class: "repcost-widget-axes" }, parts.svg);
    parts.frame = make("rect", {}, make("clipPath", { id: name }, make("defs", {}, parts.svg)));
    parts.curves = make("g", { "clip-path": `url(#${name})` }, parts.svg);
    const { low, high } = slider;
    const { input, shown } = common.range(root, slider.label, { min: low, max: high, step: "any" });
    Object.assign(parts, { input, shown });
    parts.words = make("p", { class: "repcost-live-words", "aria-hidden": true }, root);
    return parts;
  }

  const listed = (low, high, count) => Array.from({ length: count + 1 }, (_, n) => low + (n * (high - low)) / count);
  Object.assign(common, { live, listed });
})();
