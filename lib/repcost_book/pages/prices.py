"""The absolute value, priced by every name of the library: what is run, and why it comes out so."""

from dataclasses import dataclass

from repcost.conventions import (
    ALL_OF_WEIGHTS,
    ALL_OF_WEIGHTS_AND_BIASES,
    HALF_OF_WEIGHTS,
    HALF_OF_WEIGHTS_AND_BIASES,
    HALF_WITH_HIDDEN_BIASES,
    HALF_WITH_HIDDEN_BIASES_BESIDE_A_LINE,
    PER_LAYER,
    WEIGHTS_OVER_DEPTH,
    Convention,
)


@dataclass(frozen=True)
class Price:
    """An expression that is a Bracket, and one sentence on its value."""

    code: str
    why: str

    @property
    def name(self) -> str:
        """The function that is called."""
        return self.code.split("(")[0]

    @property
    def options(self) -> str:
        """Who pays for biases, as it is written in the call; empty where nothing is."""
        start = self.code.find("biases=")
        return self.code[start : self.code.rfind(")")] if start >= 0 else ""


# What stands on the page before the prices, and is run before them.
SETTING = """\
from repcost import *
from repcost.constructions import cost_along
f = PiecewiseLinear([0.0], [-1.0, 1.0])
net = TwoLayer(W=[[1.0], [-1.0]], a=[1.0, 1.0], b=[0.0, 0.0])
x, X, y = [-1, 0, 1], [[-1], [0], [1]], [1, 0, 1]
"""

PRICES = {
    "A function, on the whole line": [
        Price(
            "function_cost(f)",
            "The yardstick: $|x|=[x]_++[-x]_+$ has four weights of size one, half of their "
            "squares is 2, and no network has less.",
        ),
        Price(
            'function_cost(f, biases="paid")',
            "Hidden biases paid: a bend of size 2 at $t$ costs $2\\sqrt{1+t^2}$, and this one "
            "is at zero.",
        ),
        Price(
            'function_cost(f, biases="paid", output="paid")',
            "The output bias paid, too, as by PyTorch's `weight_decay`; it is zero here.",
        ),
        Price(
            'function_cost(f, biases="paid", output="linear")',
            "A linear term free beside the network, which has no use for it.",
        ),
    ],
    "Points": [
        Price(
            "interpolate_line(x, y).cost",
            "Whatever passes through these three points bends by 2 at least, so the points cost "
            "as much as the function; at $L=2$ the squares over $L$ are half the squares.",
        ),
        Price(
            'interpolate_line(x, y, biases="paid").cost',
            "With hidden biases paid $|x|$ is still the cheapest, as it bends where that is "
            "cheapest.",
        ),
        Price(
            "interpolate_line(x, y, depth=3).cost",
            "One linear layer more in front: three layers share the work, and by the "
            "inequality of the two means a third of the squares is $2^{2/3}$.",
        ),
        Price(
            "interpolate_plane([[-1, 0], [0, 0], [1, 0]], y, depth=3).cost",
            "The same points as a row in the plane; the second coordinate would only cost more.",
        ),
        Price(
            "cost_along([[-1, 0], [0, 0], [1, 0]], y, [1, 0], depth=3)",
            "Only functions of $\\langle u,x\\rangle$ are allowed; along this row nothing is lost "
            "by that.",
        ),
        Price(
            "shallow_cost(X, y)",
            "The same points once more, but with all the squares, so twice the 2; biases are paid "
            "here, and $|x|$ needs none, because it bends at zero.",
        ),
    ],
    "Units that are given": [
        Price(
            "rebalanced_norm(net)",
            "The squares of this network after the best rescaling of its units: all four, and "
            "those of the biases, which are zero.",
        ),
        Price(
            "linear_layers_cost(net, depth=3)",
            "Both units see one number, $x$, so a linear layer before them serves both, and the "
            "cost is that of the points above; units that look in different directions share less.",
        ),
        Price(
            "linear_layers_costs([net.W, 2 * net.W], [net.a, net.a], depth=3)[0]",
            "The same for many networks at once; this is the first of two.",
        ),
        Price(
            "linear_layers_bound(net, depth=3, basis=[[1.0]])",
            "What Theorem 3.9 bounds it by from above; on a line there is one direction only, and "
            "the bound is what is paid.",
        ),
        Price(
            "parallel_cost([1.0, 1.0], depth=3)",
            "Two separate paths that share no layer: each has three weights of size one, "
            "a third of whose squares is 1, at every depth.",
        ),
    ],
    "Maps without kinks": [
        Price(
            "diagonal_cost([1.0, 1.0], depth=3)",
            "The weights of the two paths again, all their squares instead of a third of them.",
        ),
        Price(
            "linear_map_cost(net.W, depth=3)",
            "No price of $|x|$, which is not linear: a product of three matrices here makes "
            "$x\\mapsto(x,-x)$, whose singular value $\\sqrt2$ costs $3\\cdot\\sqrt2^{\\,2/3}$.",
        ),
    ],
    "ReLUs in every layer": [
        Price(
            "cost_per_layer(net, 3, ([-1], [1]))",
            "Equality is asked for on $[-1,1]$ alone, and every layer may bend: from below slopes "
            "up and down count together, from above an explicit network; here both agree.",
        ),
    ],
    "Beside a loss": [
        Price(
            "regularised_fit(x, y, strength=0.01).objective",
            "Half the squared error and 0.01 of the cost: fitting exactly would be 0.02, and a "
            "function that bends a little less has a smaller sum.",
        ),
        Price(
            "shallow_optimum(X, y, strength=0.01).loss",
            "The mean squared error and 0.01 of all the squares, which were 0.04 for an exact fit.",
        ),
        Price(
            "certify_shallow(DeepNet.from_two_layer(net), X, y, strength=0.01)",
            "The same loss of one network: the upper end is what it has, 0.04; a network without "
            "any error proves nothing, so the lower end is zero.",
        ),
    ],
}

# One step to the right, where networks need biases.
SHIFTED = """\
g = PiecewiseLinear([1.0], [-1.0, 1.0])
moved = TwoLayer(W=[[1.0], [-1.0]], a=[1.0, 1.0], b=[-1.0, 1.0])
"""
MOVED = [
    Price("function_cost(g)", "Where a function stands is free if biases are."),
    Price(
        'function_cost(g, biases="paid")',
        "The bend of size 2 at $t=1$ costs $2\\sqrt{1+1}$; so it does with the other outputs.",
    ),
    Price(
        "rebalanced_norm(moved)",
        "A unit $[x-1]_+$ pays for its weight and for its bias: a vector of length $\\sqrt2$.",
    ),
    Price(
        "shallow_cost([[0], [1], [2]], y)",
        "The same for points: no network through them does better.",
    ),
]

# What each convention is called by, and where the papers have it.
SOURCES: dict[Convention, str] = {
    HALF_OF_WEIGHTS: "{cite:t}`savarese2019`, (3)",
    HALF_WITH_HIDDEN_BIASES: "[When biases pay](#beyond/biases-cost)",
    HALF_OF_WEIGHTS_AND_BIASES: "PyTorch's `weight_decay`, at two layers",
    HALF_WITH_HIDDEN_BIASES_BESIDE_A_LINE: "{cite:t}`boursier2023`",
    WEIGHTS_OVER_DEPTH: "{cite:t}`ongie2022`, (4); {cite:t}`savarese2019`, appendix C",
    ALL_OF_WEIGHTS: "{cite:t}`jacot2023`, introduction",
    ALL_OF_WEIGHTS_AND_BIASES: "{cite:t}`jacot2022`, section 2; {cite:t}`jacot2023`, section 2",
    PER_LAYER: "{cite:t}`jacot2023`, sections 2 and 4",
}

# The same numbers at several depths.
DEPTHS = (2, 3, 4, 10)
BY_DEPTH = (
    "interpolate_line(x, y, {L}).cost",
    "linear_layers_cost(net, {L})",
    "parallel_cost([1.0, 1.0], {L})",
    "diagonal_cost([1.0, 1.0], {L})",
    "linear_map_cost(net.W, {L})",
    "cost_per_layer(net, {L}, ([-1], [1]))",
)
