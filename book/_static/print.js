/* Paper is white: a page in the dark theme is printed in the light one. */
(function () {
  "use strict";
  var root = document.documentElement, theme;
  window.addEventListener("beforeprint", function () { theme = root.dataset.theme; root.dataset.theme = "light"; });
  window.addEventListener("afterprint", function () { root.dataset.theme = theme; });
})();
