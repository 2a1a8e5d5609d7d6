"""One look for every figure: colours by meaning, and settings for matplotlib.

Apply the settings with `matplotlib.pyplot.style.use(STYLE)`. The colours are those of Okabe and
Ito, told apart by most colour-blind readers and by their lightness in grey. Backgrounds are
transparent, so that a figure is at home on a light page and, inverted, on a dark one.
"""

# One colour per depth; costs and minimisers of depth L have the colour of L.
DEPTH = {2: "#0072B2", 3: "#D55E00", 4: "#009E73", 5: "#CC79A7", 6: "#56B4E9"}

# One colour per object.
DATA = "#000000"
MINIMAL = DEPTH[2]
SPARSEST = "#E69F00"
TRAINED = "#CC79A7"
BAND = "#56B4E9"
WRONG = "#D55E00"

# What a plot takes when nobody chooses, as style sheets write it.
_IN_TURN = [
    colour.removeprefix("#") for colour in (*list(DEPTH.values())[:4], SPARSEST, BAND, DATA)
]

STYLE = {
    # On logarithmic axes 20 and 0.5 are told so, not as 2 x 10^1: shorter, and they do not collide.
    "axes.formatter.min_exponent": 2,
    "axes.grid": False,
    "axes.prop_cycle": f"cycler('color', {_IN_TURN})",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "figure.figsize": (6.4, 3.2),
    "font.family": "sans-serif",
    "font.size": 10,
    "image.cmap": "viridis",
    "legend.frameon": False,
    "lines.linewidth": 2,
    "savefig.transparent": True,
}
