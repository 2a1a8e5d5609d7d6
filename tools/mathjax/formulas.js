// MathJax 3.2.2 without a browser: `formula(tex, display)` gives one formula as strokes and as MathML, and `glyphs()`
// all shapes that formulas so far refer to. Bundled into one file (see README.md beside).
const {mathjax} = require('mathjax-full/js/mathjax.js');
const {TeX} = require('mathjax-full/js/input/tex.js');
const {SVG} = require('mathjax-full/js/output/svg.js');
const {liteAdaptor} = require('mathjax-full/js/adaptors/liteAdaptor.js');
const {RegisterHTMLHandler} = require('mathjax-full/js/handlers/html.js');
const {AllPackages} = require('mathjax-full/js/input/tex/AllPackages.js');
const {SerializedMmlVisitor} = require('mathjax-full/js/core/MmlTree/SerializedMmlVisitor.js');
const {STATE} = require('mathjax-full/js/core/MathItem.js');

const adaptor = liteAdaptor();
RegisterHTMLHandler(adaptor);
// Proof trees need a browser to be measured, and an unknown command must be an error, not red letters.
const packages = AllPackages.filter((name) => !['bussproofs', 'noundefined', 'noerrors'].includes(name));
const strokes = new SVG({fontCache: 'global', exFactor: 0.5});
const document_ = mathjax.document('', {InputJax: new TeX({packages}), OutputJax: strokes});
const visitor = new SerializedMmlVisitor();
const METRICS = {em: 16, ex: 8, containerWidth: 1200};

globalThis.formula = (tex, display) => {
  const drawn = document_.convert(tex, {display, ...METRICS});
  const spoken = document_.convert(tex, {display, end: STATE.CONVERT});
  return {svg: adaptor.innerHTML(drawn), mathml: visitor.visitTree(spoken)};
};
globalThis.glyphs = () => adaptor.innerHTML(strokes.fontCache.getCache());
