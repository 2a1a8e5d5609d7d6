/* Filters of the ledger, the errata and the notation, kept in the address. Without this script everything is there. */
(function () {
  "use strict";

  const PAPERS = ["Savarese et al. (2019)", "Ongie & Willett (2022)", "Jacot et al. (2022)", "Jacot (2023)", "not in the paper"];
  const IDS = { "savarese-2019": PAPERS[0], "ongie-willett-2022": PAPERS[1], "jacot-2022": PAPERS[2], "jacot-2023": PAPERS[3] };
  const all = (names, within = document) => [...within.querySelectorAll(names)];
  const having = (names) => (text) => names.filter((name) => text.includes(name));
  const cell = (row, n) => row.cells[n].textContent.trim();
  const evidence = (text) => ["exact", "certified", "experiment", "open"].filter((kind) => text.includes(`(${kind})`) || text === kind);

  /* What is listed on a page, what it is called, and what each item says in each menu. */
  const LISTS = {
    ledger: {
      items: () => all("main tbody tr"), name: "statements",
      menus: {
        Paper: (row) => [cell(row, 0)], Verdict: (row) => [cell(row, 3)], Evidence: (row) => evidence(cell(row, 4)),
      },
    },
    errata: {
      items: () => all("main > section > section").filter((section) => section.querySelector(".repcost-kind")), name: "entries",
      menus: {
        Paper: (section) => having(PAPERS)(section.querySelector("h2").textContent).slice(0, 1),
        Kind: (section) => [section.querySelector(".repcost-kind em").textContent.toLowerCase()],
      },
    },
    notation: {
      items: () => all("main tbody tr"), name: "symbols",
      menus: { Paper: (row) => having(PAPERS)(row.closest("section").querySelector("h2").textContent) },
    },
  };

  function start() {
    const list = LISTS[location.pathname.split("/").pop().replace(".html", "")];
    const items = list ? list.items() : [];
    if (!items.length) return;
    const asked = new URLSearchParams(location.search);
    const form = document.createElement("form");
    form.className = "repcost-filters";
    form.setAttribute("aria-label", "Filter");
    const menus = Object.entries(list.menus).map(([name, told]) => menu(name, told));
    const words = labelled("Words", document.createElement("input"));
    words.type = "search";
    words.value = asked.get("words") || "";
    const count = document.createElement("output");
    form.append(count);
    place();

    function labelled(name, element) {
      const label = document.createElement("label");
      label.textContent = `${name} `;
      element.name = name.toLowerCase();
      label.append(element);
      form.append(label);
      return element;
    }

    function menu(name, told) {
      const select = labelled(name, document.createElement("select"));
      const values = [...new Set(items.flatMap(told))].sort();
      ["all", ...values].forEach((value) => select.add(new Option(value, value)));
      const wanted = asked.get(select.name);
      if (values.includes(IDS[wanted] || wanted)) select.value = IDS[wanted] || wanted;
      return { select, told };
    }

    /* Above the first item, or the table that it is in. */
    function place() {
      const first = items[0].closest(".pst-scrollable-table-container") || items[0].closest("table") || items[0];
      const group = first.closest("main > section > section");
      (group && group !== items[0] && group.parentElement.contains(first) ? group : first).before(form);
    }

    function show() {
      const sought = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      const isWanted = (item) => menus.every(({ select, told }) => select.value === "all" || told(item).includes(select.value))
        && sought.every((word) => item.textContent.toLowerCase().includes(word));
      items.forEach((item) => { item.hidden = !isWanted(item); });
      for (const group of new Set(items.map((item) => item.closest("main > section > section")))) {
        if (group && !items.includes(group)) group.hidden = !all("tbody tr", group).some((row) => !row.hidden);
      }
      count.textContent = `${items.filter((item) => !item.hidden).length} of ${items.length} ${list.name}`;
    }

    function keep() {
      const chosen = [...menus.map(({ select }) => select), words].filter(({ value }) => value && value !== "all");
      const address = new URLSearchParams(chosen.map(({ name, value }) => [name, value])).toString();
      try { history.replaceState(null, "", `${location.pathname}${address && "?"}${address}`); } catch (error) { /* a file */ }
    }

    /* A link to an item shows it, whatever was filtered. */
    function reveal() {
      const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const item = target && items.find((one) => one.contains(target) || one === target);
      if (!item) return;
      if (item.hidden) {
        menus.forEach(({ select }) => { select.value = "all"; });
        words.value = "";
        show();
      }
      item.scrollIntoView({ block: "center" });
    }

    form.addEventListener("input", () => { show(); keep(); });
    form.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", reveal);
    show();
    reveal();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
