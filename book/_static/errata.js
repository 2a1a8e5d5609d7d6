/* How an erratum is cited, and where its authors may answer: made from the entry, as it would weigh more than the entries. */
(function () {
  "use strict";

  const element = (name, inside, attributes = {}) => {
    const made = Object.assign(document.createElement(name), attributes);
    made.append(...inside);
    return made;
  };

  function start() {
    const { version, day, authors, repository } = document.getElementById("repcost-edition").dataset;
    for (const entry of document.querySelectorAll("main section:has(> .repcost-kind)")) {
      const title = entry.querySelector("h2").firstChild.textContent.split(":")[0];
      if (!title.startsWith("Erratum ")) continue;
      const paper = entry.querySelector(".repcost-kind").textContent.match(/\((.*)\)/)[1];
      const there = `book/start/errata.html#${entry.id}`, acts = entry.querySelector(".repcost-acts");
      const statement = entry.querySelector("h2").textContent.split(": ")[1].split(", ").slice(-1)[0];
      const said = [`On ${title} (${there}), version ${version}.`, `Statement: ${statement}, ${paper}.`, "", "What we answer: "];
      const query = new URLSearchParams({ title: `On ${title}`, body: said.join("\n") });
      const cited = [
        `@misc{repcost-${title.toLowerCase().replace(" ", "-")},`,
        `  title  = {${title}, to ${paper}},`,
        `  author = {{${authors}}},`,
        `  year   = {${day.slice(0, 4)}},`,
        `  note   = {What a ReLU network pays, version ${version} of ${day}, ${there}},`,
        `  url    = {${repository}}`,
        "}",
      ].join("\n");
      const fold = element("details", [element("summary", ["Cite this erratum"]), element("pre", [cited])], { className: "repcost-fold" });
      acts.append(fold, element("p", [element("a", ["Answer it"], { className: "repcost-act", href: `${repository}/issues/new?${query}` })]));
    }
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
