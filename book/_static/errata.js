/* Who wrote the paper of an erratum, how it is cited, and where its authors may answer: made from the entry, as it would weigh more than the entries. */
(function () {
  "use strict";

  const element = (name, inside, attributes = {}) => {
    const made = Object.assign(document.createElement(name), attributes);
    made.append(...inside);
    return made;
  };

  /* In the colour of its paper, who wrote it, and the way to the row of the ledger. */
  function beside(entry, paper) {
    const kind = entry.querySelector(".repcost-kind"), box = entry.querySelector(".repcost-acts a[href*='#']:not(.repcost-act)");
    if (!paper) return;
    entry.classList.add(`thread-${paper.dataset.paper}`);
    const [authors, link] = paper.childNodes, who = element("p", [authors.textContent, link.cloneNode(true), ")"], { className: "repcost-who" });
    if (box) who.append(", ", element("a", ["in the ledger"], { href: `ledger.html${box.hash}` }));
    kind.after(who);
  }

  function start() {
    const { version, day, authors, repository } = document.getElementById("repcost-edition").dataset;
    const papers = [...document.querySelectorAll("#repcost-papers > li")];
    for (const entry of document.querySelectorAll("main section:has(> .repcost-kind)")) {
      beside(entry, papers.find((one) => entry.querySelector("h2").textContent.includes(one.dataset.name)));
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
