/* Filters for the ledger: choose a paper, a verdict, a kind of evidence. Without this script the whole table is there. */
(function () {
  "use strict";
  var KINDS = [["Paper", 0], ["Verdict", 3], ["Evidence", 4]];

  function values(rows, name, column) {
    var found = {};
    rows.forEach(function (row) { told(row, name, column).forEach(function (value) { found[value] = true; }); });
    return Object.keys(found).sort();
  }

  /* What a row says in a column; a row may have claims of several kinds of evidence. */
  function told(row, name, column) {
    var text = row.cells[column].textContent;
    if (name !== "Evidence") return [text.trim()];
    return ["exact", "certified", "experiment", "open"].filter(function (kind) {
      return text.indexOf("(" + kind + ")") >= 0 || text.trim() === kind;
    });
  }

  function start() {
    var table = document.querySelector("main table");
    if (!table) return;
    var rows = Array.prototype.slice.call(table.tBodies[0].rows);
    var form = document.createElement("form");
    form.className = "repcost-filters";
    form.setAttribute("aria-label", "Filter the ledger");
    var menus = KINDS.map(function (kind) {
      var label = document.createElement("label"), menu = document.createElement("select");
      label.textContent = kind[0] + " ";
      menu.name = kind[0].toLowerCase();
      ["all"].concat(values(rows, kind[0], kind[1])).forEach(function (value) { menu.add(new Option(value, value)); });
      label.appendChild(menu);
      form.appendChild(label);
      return menu;
    });
    var count = document.createElement("output");
    form.appendChild(count);
    (table.closest(".pst-scrollable-table-container") || table).before(form);

    function show() {
      var shown = 0;
      rows.forEach(function (row) {
        row.hidden = !KINDS.every(function (kind, i) {
          return menus[i].value === "all" || told(row, kind[0], kind[1]).indexOf(menus[i].value) >= 0;
        });
        if (!row.hidden) shown += 1;
      });
      count.textContent = shown + " of " + rows.length + " statements";
    }

    /* A link to a statement shows it, whatever was filtered. */
    function reveal() {
      var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      var row = target && target.closest("tr");
      if (row && row.hidden) { menus.forEach(function (menu) { menu.value = "all"; }); show(); }
      if (row) row.scrollIntoView({ block: "center" });
    }

    form.addEventListener("change", show);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    window.addEventListener("hashchange", reveal);
    show();
    reveal();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
