/* How the search ranks: what Sphinx does, but a heading or a box whose name was typed comes before any text. */
var Scorer = {
  score: function (result) {
    var title = result[1], anchor = result[2], score = result[4];
    return anchor && title.indexOf(" > ") >= 0 ? score + 100 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
