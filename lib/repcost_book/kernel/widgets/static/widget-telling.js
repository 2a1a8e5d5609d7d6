/* What lets a drawing be shown to somebody else, and taken back: the tools in its row of buttons, examples, things to try
   that play, and terms that light up in formula and picture. Loaded after widget-common.js; nothing here is mathematics.

   Who asked their system for less motion gets the same stages one after the other, without what lies between. */
(function () {
  "use strict";

  const common = window.repcostWidgets;
  const { make, set, button } = common;
  const GLIDE = 900; // ms from one stage to the next
  const reading = (words) => 1200 + 45 * words.length; // ms: a slow reader's pace
  const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  /* ---- Motion ---- */

  /* Calls apply(part) with parts from 0 to 1 of so many ms, then done(); at once with 1 for readers without motion.
     What it returns ends it where it is. */
  function motion(ms, apply, done = () => {}) {
    let frame = 0, timer = 0;
    const begun = performance.now();
    const next = () => {
      const part = isCalm() ? 1 : Math.min((performance.now() - begun) / ms, 1);
      apply(part * part * (3 - 2 * part)); // slow at both ends
      if (part < 1) frame = requestAnimationFrame(next);
      else timer = setTimeout(done, 0);
    };
    next();
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }

  /* Between two states: numbers move, everything else is at once as it will be. `whole` are the traits that only take
     whole numbers. */
  function between(from, to, part, whole = []) {
    const blend = (a, b, isWhole) => {
      if (typeof a === "number" && typeof b === "number") {
        const value = part === 1 ? b : a + part * (b - a);
        return isWhole ? Math.round(value) : value;
      }
      if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) return b.map((each, n) => blend(a[n], each, isWhole));
      return b;
    };
    return Object.fromEntries(Object.keys(to).map((name) => [name, blend(from[name], to[name], whole.includes(name))]));
  }

  /* ---- Undo, and a link to what is drawn ---- */

  function tools(row, root, held) {
    const back = button(row, "Undo", () => held.undo());
    back.title = "Ctrl+Z";
    const follow = () => set(back, { "aria-disabled": !held.canUndo() });
    held.onHistory(follow);
    follow();
    if (!common.address.isOnPage(root)) return;
    button(row, "Copy link", async () => {
      const link = common.address.link(root, held.get());
      try {
        await navigator.clipboard.writeText(link);
        held.say("A link to this drawing is on the clipboard. ", true);
      } catch (error) {
        common.address.keep(root, held.get());
        held.say("The link is in the address of the page. ", true);
      }
    });
  }

  /* Buttons for states that are worth a look: { name: part of the state }. */
  function presets(row, examples, change) {
    for (const [name, part] of Object.entries(examples)) button(row, name, () => change(part, `${name}. `));
  }

  /* ---- Things to try ---- */

  /* A button for each story { name, stages: [[part of the state, words], ...] }: it goes from stage to stage, until it ends
     or the reader does anything. What the first stage leaves open is as at the start; begin(stages) comes before it. */
  function stories(root, held, start, list, { whole = [], title = "Three things to try", begin = () => {} } = {}) {
    const box = make("div", { class: "repcost-widget-stories", role: "group", "aria-label": title }, root);
    make("span", { text: title, "aria-hidden": true }, box);
    const row = make("div", { class: "repcost-widget-buttons" }, box);
    const caption = make("p", { class: "repcost-widget-caption", "aria-hidden": true }, box);
    let ending = null, playing = null;

    function stop() {
      if (ending) ending();
      if (playing) set(playing, { "aria-pressed": false });
      ending = playing = null;
    }

    function play(element, { stages }) {
      stop();
      playing = element;
      set(element, { "aria-pressed": true });
      // The first stage is where a story begins, at once.
      const [[part, words]] = stages, from = { ...common.cloned(start), ...part };
      begin(stages);
      held.change(from, `${words} `);
      tell(stages, from);
    }

    function tell([stage, ...rest], from) {
      if (!stage) return stop();
      const [part, words] = stage, to = { ...from, ...part };
      caption.textContent = words;
      const wait = () => {
        const timer = setTimeout(() => tell(rest, to), reading(words));
        ending = () => clearTimeout(timer);
      };
      ending = motion(GLIDE, (share) => held.change(between(from, to, share, whole), `${words} `), wait);
    }

    list.forEach((story, n) => {
      const element = button(row, `${n + 1}. ${story.name}`, () => (playing === element ? stop() : play(element, story)));
      set(element, { "aria-pressed": false });
    });
    const interrupt = (event) => { if (playing && !box.contains(event.target)) stop(); };
    // Before the handles have it, which keep keys for themselves.
    for (const event of ["pointerdown", "keydown"]) held.listen(event, interrupt, { capture: true });
    held.onEnd(stop);
    return { stop };
  }

  /* ---- Formula and picture ---- */

  /* Parts with the same data-term belong together: pointing at one, or reaching it by a key, lights up all of them. */
  function terms(root, held) {
    const light = (event) => {
      const found = event.type === "pointerout" || event.type === "focusout" ? null : event.target.closest("[data-term]");
      const term = found && root.contains(found) ? found.dataset.term : "";
      root.classList.toggle("repcost-widget-pointed", term !== "");
      for (const part of root.querySelectorAll("[data-term]")) {
        part.classList.toggle("repcost-widget-lit", term !== "" && part.dataset.term === term);
      }
    };
    for (const event of ["pointerover", "pointerout", "focusin", "focusout"]) held.listen(event, light);
  }

  /* A formula whose terms light up: a list of texts, and of [term, text]. */
  function formula(parent, pieces) {
    const line = make("p", { class: "repcost-widget-formula" }, parent), found = {};
    for (const piece of pieces) {
      if (typeof piece === "string") make("span", { text: piece }, line);
      else found[piece[0]] = make("span", { text: piece[1], "data-term": piece[0] }, line);
    }
    return found;
  }

  Object.assign(common, { motion, between, tools, presets, stories, terms, formula, isCalm });
})();
