/* The map of statements: what a statement stands on and what it carries, cards, keys, and a filter by paper. The drawing
   itself is made with the page, and its nodes are links without this script. */
(function () {
  "use strict";

  function start() {
    const svg = document.querySelector(".repcost-map > svg");
    if (!svg) return;
    const told = JSON.parse(document.getElementById("repcost-map-data").textContent);
    const nodes = new Map([...svg.querySelectorAll(".repcost-node")].map((node) => [node.dataset.id, node]));
    const edges = [...svg.querySelectorAll(".repcost-edge")], order = [...nodes.keys()];
    const needs = (id) => Object.keys(told[id].needs).filter((other) => nodes.has(other));
    const users = (id) => order.filter((other) => id in told[other].needs);
    const items = [...document.querySelectorAll(".repcost-map-list > li")];
    const itemOf = new Map(Object.keys(told).map((id, n) => [id, items[n]]));
    const card = document.createElement("div");
    card.className = "repcost-map-card";
    card.setAttribute("role", "tooltip");
    card.hidden = true;
    document.body.append(card);

    /* All that can be reached by `next`, however far. */
    function reach(id, next, found = new Set()) {
      for (const other of next(id)) if (!found.has(other)) reach(other, next, found.add(other));
      return found;
    }

    function light(id) {
      const lit = new Set([id, ...reach(id, needs), ...reach(id, users)]);
      nodes.forEach((node, other) => node.classList.toggle("repcost-lit", lit.has(other)));
      edges.forEach((edge) => edge.classList.toggle("repcost-lit", lit.has(edge.dataset.from) && lit.has(edge.dataset.to)));
      svg.classList.add("repcost-focus");
      show(id);
    }
    function leave() {
      svg.classList.remove("repcost-focus");
      card.hidden = true;
    }

    function line(name, text) {
      const element = document.createElement(name);
      element.textContent = text;
      return element;
    }

    /* What a statement says stands in the list, with its formulas set. */
    function says(id) {
      const element = document.createElement("p");
      element.append(itemOf.get(id).querySelector("span").cloneNode(true));
      return element;
    }

    function show(id) {
      const { number, source, verdict, evidence } = told[id];
      const stands = `stands on ${reach(id, needs).size}, carries ${reach(id, users).size}`;
      const reasons = needs(id).map((other) => line("small", `uses ${told[other].number}: ${told[id].needs[other]}`));
      card.replaceChildren(line("b", `${number}, ${source}`), says(id), line("small", `${verdict}; ${evidence}; ${stands}`), ...reasons);
      card.style.setProperty("--thread", getComputedStyle(nodes.get(id)).getPropertyValue("--thread"));
      card.hidden = false;
      const [left, top] = free(nodes.get(id).getBoundingClientRect(), card.getBoundingClientRect());
      card.style.left = `${left}px`;
      card.style.top = `${top}px`;
    }

    /* Below, above, right or left of the node, or at an end of the window, where the card hides the fewest statements that are lit. */
    function free(at, { width, height }) {
      const lit = [...nodes.values()].filter((node) => node.classList.contains("repcost-lit")).map((node) => node.getBoundingClientRect());
      const middle = [at.left + at.width / 2 - width / 2, at.top + at.height / 2 - height / 2];
      const places = [[middle[0], at.bottom + 10], [middle[0], at.top - height - 10], [at.right + 16, middle[1]], [at.left - width - 16, middle[1]],
        [Infinity, middle[1]], [0, middle[1]]]
        .map(([left, top]) => [Math.max(8, Math.min(innerWidth - width - 8, left)), Math.max(60, Math.min(innerHeight - height - 8, top))]);
      const hides = ([left, top]) => lit.filter((box) => box.left < left + width && box.right > left && box.top < top + height && box.bottom > top).length;
      return places.reduce((best, place) => (hides(place) < hides(best) ? place : best));
    }

    function go(id) {
      nodes.forEach((node, other) => node.setAttribute("tabindex", other === id ? 0 : -1));
      nodes.get(id).focus();
    }

    nodes.forEach((node, id) => {
      for (const name of ["pointerenter", "focus"]) node.addEventListener(name, () => light(id));
      for (const name of ["pointerleave", "blur"]) node.addEventListener(name, leave);
      node.addEventListener("keydown", (event) => {
        if (event.key === "Escape") leave();
        const at = order.indexOf(id), next = (by) => order[(at + by + order.length) % order.length];
        const to = { ArrowLeft: needs(id)[0], ArrowRight: users(id)[0], ArrowDown: next(1), ArrowUp: next(-1) }[event.key];
        if (!to) return;
        event.preventDefault();
        go(to);
      });
    });

    /* A paper alone, kept in the address. */
    const buttons = [...document.querySelectorAll(".repcost-map-filters button")];
    let paper = new URLSearchParams(location.search).get("paper") || "";
    function filter() {
      buttons.forEach((button) => button.setAttribute("aria-pressed", button.dataset.paper === paper));
      items.forEach((item) => { item.hidden = Boolean(paper) && item.dataset.paper !== paper; });
      nodes.forEach((node, id) => node.classList.toggle("repcost-dim", Boolean(paper) && itemOf.get(id).dataset.paper !== paper));
    }
    buttons.forEach((button) => button.addEventListener("click", () => {
      paper = paper === button.dataset.paper ? "" : button.dataset.paper;
      history.replaceState(null, "", paper ? `?paper=${paper}` : location.pathname);
      filter();
    }));
    filter();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
