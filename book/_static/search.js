/* Search by what a place is about. Its data is search-index.js, made with the pages; nothing is fetched. */
var Places = (function () {
  "use strict";

  const IDLE = new Set(("a an and are as at be by can do does for from how i if in is it its me my need of on or our own "
    + "something that the their there they this to was we what when where which who why will with you your").split(" "));
  /* What is called in one way by most readers, and in another one here. */
  const SAME = { neuron: "unit", node: "unit", l2: "weight", salesperson: "salesman", typo: "erratum", errata: "erratum",
    mistake: "erratum", error: "erratum", minima: "minimum", regularization: "regularisation", regularizer: "regularisation" };
  const WEIGHT = { title: 10, term: 12, page: 3, paper: 5, says: 3, words: 1.2 };
  const KIND = { page: 1.15, box: 1.05, erratum: 1, section: 0.9, name: 0.85 };
  const KINDS = { page: "Page", box: "Statement", erratum: "Erratum", section: "Section", name: "Library" };

  /* ---- Words ---- */

  function stem(word) {
    const known = SAME[word] || SAME[word.replace(/s$/, "")];
    const bare = (known || word).replace(/'s$/, "").replace(/ies$/, "y").replace(/([^s])s$/, "$1").replace(/iz/, "is");
    const root = bare.length > 5 ? bare.replace(/(ations?|ing|ment|ness|ed|al|ly)$/, "") : bare;
    return root.length > 4 ? root.replace(/(e|i)$/, "") : root;
  }

  const split = (text) => text.toLowerCase().match(/[\p{L}\d_]+(?:\.\d+)*/gu) || [];
  const stems = (text) => split(text).map(stem);

  function asked(query) {
    const all = split(query), telling = all.filter((word) => !IDLE.has(word));
    return (telling.length ? telling : all).map(stem);
  }

  /* ---- Places, read once ---- */

  function read(places) {
    const titles = new Map(places.map((place) => [place.at, place.title]));
    const whole = (place) => ({ page: place.at.includes("#") ? titles.get(place.at.split("#")[0]) || "" : "",
      title: "", paper: "", says: "", words: "", terms: [], ...place });
    const read = places.map(whole).map((place) => ({
      place,
      title: asked(place.title), page: new Set(stems(place.page)), paper: new Set(stems(place.paper)),
      says: new Set(stems(place.says)), words: new Set(stems(place.words)),
      terms: place.terms.map(([term, rank]) => ({ term: asked(term), share: 1 / (1 + rank / 4) })),
    }));
    const count = new Map();
    read.forEach((one) => new Set([...one.title, ...one.page, ...one.paper, ...one.says, ...one.words, ...one.terms.flatMap(({ term }) => term)])
      .forEach((word) => count.set(word, (count.get(word) || 0) + 1)));
    return { read, rarity: (word) => Math.log(1 + read.length / (1 + (count.get(word) || 0))) };
  }

  /* ---- The score: how rare the words are, and where in the place they stand ---- */

  const share = (list, words) => list.filter((word) => words.includes(word)).length / (list.length || 1);

  /* A word is found whole, or as the beginning of one, which tells less. */
  function begins(list, word) {
    if (list.includes(word)) return 1;
    return word.length > 3 && list.some((other) => other.startsWith(word)) ? 0.6 : 0;
  }

  function weight(one, word, words) {
    let best = 0;
    const take = (value) => { if (value > best) best = value; };
    /* A title or a term of which more was typed says more. */
    take(WEIGHT.title * begins(one.title, word) * (0.4 + 0.6 * share(one.title, words)));
    one.terms.forEach(({ term, share: part }) => take(WEIGHT.term * part * begins(term, word) * (0.4 + 0.6 * share(term, words))));
    if (one.paper.has(word)) take(WEIGHT.paper);
    if (one.page.has(word)) take(WEIGHT.page);
    if (one.says.has(word)) take(WEIGHT.says);
    if (one.words.has(word)) take(WEIGHT.words);
    return best;
  }

  const within = (list, words) => ` ${list.join(" ")} `.includes(` ${words.join(" ")} `);

  function score(one, words, rarity) {
    const all = words.reduce((sum, word) => sum + rarity(word), 0);
    let sum = 0, met = 0;
    for (const word of words) {
      const found = weight(one, word, words);
      sum += found * rarity(word);
      if (found) met += rarity(word);
    }
    if (!sum) return 0;
    const whole = (list) => list.join() === words.join();
    const named = one.place.kind === "section" ? 6 : 10;
    const title = whole(one.title) ? named : within(one.title, words) ? 4 * (0.5 + share(one.title, words)) : 0;
    const term = Math.max(0, ...one.terms.map(({ term, share: part }) => (whole(term) ? 9 : within(words, term) ? 5 : 0) * part));
    return (sum / all + title + term) * (met / all) ** 2 * KIND[one.place.kind];
  }

  function find(known, query) {
    const words = asked(query);
    if (!words.length) return [];
    return known.read.map((one) => ({ place: one.place, score: score(one, words, known.rarity) }))
      .filter((found) => found.score > 0.5).sort((a, b) => b.score - a.score).slice(0, 40);
  }

  /* ---- On the page of the search ---- */

  function marked(element, text, words) {
    for (const part of text.split(/([\p{L}\d_]+)/u)) {
      const isFound = part && words.includes(stem(part.toLowerCase()));
      const node = isFound ? document.createElement("mark") : document.createTextNode(part);
      if (isFound) node.textContent = part;
      element.append(node);
    }
    return element;
  }

  function result({ place }, words) {
    const item = document.createElement("li"), link = document.createElement("a");
    const [page, part] = place.at.split("#");
    link.href = `book/${page}.html${part ? `#${part}` : ""}`;
    marked(link, place.title, words);
    const about = document.createElement("small");
    about.textContent = [KINDS[place.kind], place.paper, place.page].filter(Boolean).join(" · ");
    item.append(link, about, marked(document.createElement("p"), place.says, words));
    return item;
  }

  function show(known, query) {
    const list = document.getElementById("search-results"), words = asked(query), found = find(known, query);
    const count = document.createElement("p"), results = document.createElement("ol");
    count.setAttribute("role", "status");
    count.textContent = found.length ? `${found.length === 40 ? "The best 40" : found.length} place${found.length === 1 ? "" : "s"}`
      : "Nothing has these words. A number, such as Theorem 3.1, a name or another word may help.";
    results.append(...found.map((one) => result(one, words)));
    list.replaceChildren(...(words.length ? [count, results] : []));
  }

  function start() {
    const field = document.querySelector(".repcost-search-page input");
    if (!field) return;
    const known = read(PLACES);
    field.value = new URLSearchParams(location.search).get("q") || "";
    field.addEventListener("input", () => {
      show(known, field.value);
      try { history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`); } catch (error) { /* a file */ }
    });
    field.form.addEventListener("submit", (event) => event.preventDefault());
    show(known, field.value);
    if (!field.value) field.focus();
  }

  if (typeof document === "object") document.addEventListener("DOMContentLoaded", start);
  return { read, find };
})();
