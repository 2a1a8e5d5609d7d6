/* Theme, the switch for code, figures that enlarge, paper. No request, and nothing that it needs. */
(function () {
  "use strict";
  const root = document.documentElement;
  const all = (names, within = document) => [...within.querySelectorAll(names)];
  const store = {
    get(name) { try { return localStorage.getItem(name); } catch (error) { return null; } },
    set(name, value) { try { localStorage.setItem(name, value); } catch (error) { /* private window */ } },
  };

  /* ---- Light and dark: what the reader chose, or what the system says ---- */

  const dark = matchMedia("(prefers-color-scheme: dark)");
  function follow() {
    const mode = store.get("mode") || "auto";
    root.dataset.theme = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
  }
  dark.addEventListener("change", follow);

  function themes() {
    const button = document.querySelector(".theme-switch-button");
    button.addEventListener("click", () => {
      store.set("mode", root.dataset.theme === "dark" ? "light" : "dark");
      if (store.get("mode")) follow();
      else root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    });
  }

  /* ---- Code: all of it, if the reader wants so, on every page ---- */

  function code() {
    const folds = all("details.repcost-code"), about = document.querySelector("details.repcost-about");
    if (!about || !folds.length) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "repcost-tool repcost-all-code";
    const show = (on) => {
      button.setAttribute("aria-pressed", on);
      button.textContent = on ? "Fold the code" : "Show all code";
      folds.forEach((fold) => { fold.open = on; });
    };
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      store.set("code", on ? "all" : "folded");
      show(on);
    });
    about.before(button);
    show(store.get("code") === "all");
  }

  /* An address may lead into a fold. */
  function reveal() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView();
  }

  /* ---- Figures enlarge ---- */

  function figures() {
    all(".repcost-text figure img").forEach((image) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "repcost-enlarge";
      button.setAttribute("aria-label", "Enlarge this figure");
      const picture = image.closest("picture") || image;
      picture.before(button);
      button.append(picture);
      button.addEventListener("click", () => enlarge(image));
    });
  }

  /* Its files, as below its caption. */
  function saves(image) {
    const line = image.closest("figure").querySelector(".repcost-saves");
    return line ? line.cloneNode(true) : "";
  }

  function enlarge(image) {
    const dialog = document.createElement("dialog"), close = document.createElement("button");
    dialog.setAttribute("aria-label", "Figure, enlarged");
    close.type = "button";
    close.className = "repcost-tool";
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    /* As it was drawn, with its panels beside each other; in a part of its own, which keyboards can move. */
    const whole = document.createElement("div");
    whole.tabIndex = 0;
    whole.setAttribute("role", "group");
    whole.setAttribute("aria-label", "The whole figure");
    whole.append(image.cloneNode());
    dialog.append(close, saves(image), whole);
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  /* ---- A formula of a box says what its letters mean, to a pointer or a tap; the list at the end says it to all ---- */

  function symbols() {
    const listed = all(".repcost-symbols dt");
    if (!listed.length) return;
    const card = document.createElement("div");
    card.className = "repcost-symbol-card";
    card.hidden = true;
    card.setAttribute("role", "note");
    document.body.append(card);
    const hide = () => { card.hidden = true; };
    function show(formula) {
      const list = document.createElement("dl");
      formula.dataset.symbols.split(" ").forEach((number) => {
        const term = document.getElementById(`symbol-${number}`);
        [term, term.nextElementSibling].forEach((part) => {
          const copy = part.cloneNode(true);
          copy.removeAttribute("id");
          list.append(copy);
        });
      });
      card.replaceChildren(list);
      card.hidden = false;
      const at = formula.getBoundingClientRect(), width = card.offsetWidth, tall = card.offsetHeight;
      const below = at.bottom + 6 + tall < innerHeight || at.top < tall + 6;
      card.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - width - 8)) + scrollX}px`;
      card.style.top = `${(below ? at.bottom + 6 : at.top - tall - 6) + scrollY}px`;
    }
    all("[data-symbols]").forEach((formula) => {
      formula.addEventListener("pointerenter", () => show(formula));
      formula.addEventListener("pointerleave", (event) => { if (!card.contains(event.relatedTarget)) hide(); });
      formula.addEventListener("click", (event) => { event.stopPropagation(); show(formula); });
    });
    card.addEventListener("pointerleave", hide);
    card.addEventListener("click", (event) => event.stopPropagation());
    document.addEventListener("click", hide);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  }

  /* ---- Paper is white, and what is folded in the text is printed ---- */

  let before = null;
  addEventListener("beforeprint", () => {
    const closed = all(":is(.repcost-proof, .repcost-aside, .repcost-solution):not([open])");
    before = { theme: root.dataset.theme, closed };
    root.dataset.theme = "light";
    closed.forEach((fold) => { fold.open = true; });
  });
  addEventListener("afterprint", () => {
    root.dataset.theme = before.theme;
    before.closed.forEach((fold) => { fold.open = false; });
  });

  const WIDE = "main :is(mjx-container, .pst-scrollable-table-container, table.dataframe, .highlight pre)";

  /* ---- What is wider than its place fades where it is cut, says that it scrolls, and can be reached by keys ---- */

  function wide() {
    const look = (place) => {
      const hidden = place.scrollWidth - place.clientWidth;
      place.classList.toggle("repcost-wide", hidden > 1);
      place.classList.toggle("repcost-before", hidden > 1 && place.scrollLeft > 1);
      place.classList.toggle("repcost-after", place.scrollLeft < hidden - 1);
      if (hidden > 1) place.tabIndex = 0;
    };
    const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => look(target)));
    all(WIDE).forEach((place) => {
      sizes.observe(place);
      place.addEventListener("scroll", () => look(place), { passive: true });
    });
  }

  function menu() {
    const menus = all(".repcost-menu");
    document.addEventListener("click", (event) => menus.forEach((one) => { if (!one.contains(event.target)) one.open = false; }));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") menus.filter((one) => one.open).forEach((one) => { one.open = false; one.firstElementChild.focus(); });
    });
  }

  function start() { themes(); code(); figures(); symbols(); wide(); menu(); reveal(); }
  addEventListener("hashchange", reveal);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
