"""What people type into a search, and the place that must come first; several where each is right.

NEWCOMERS' were written before there was anything that ranks, by what somebody would ask who has
read nothing of the book; the others name what the book itself calls so.
"""

NEWCOMERS = {
    "how many neurons do I need": ("jacot-2022/plateau", "savarese-2019/how-many-units"),
    "does a deeper network draw something else": "savarese-2019/depth",
    "L2 regularisation": "savarese-2019/objective",
    "why straight lines between the points": ("savarese-2019/interpolants", "savarese-2019/play"),
    "my own pytorch model": "start/welcome#price-your-own-network",
    "mistakes in the papers": "start/errata",
    "do biases matter": "savarese-2019/biases",
    "denoising": "jacot-2023/autoencoders",
    "stuck in a bad local minimum": "jacot-2022/local-minima",
    "what does certified mean": "start/welcome#how-sure-is-a-number",
}
NAMED = {
    "erratum 7": "start/errata#savarese-e8-section-4",
    "Erratum 2": "start/errata#savarese-e3",
    "bottleneck rank": ("jacot-2023/ranks", "jacot-2023/ranks#jacot-2023-definition-2"),
    "cost of a line": ("savarese-2019/cost", "savarese-2019/cost#savarese-2019-theorem-3.1"),
    "infinite depth": "jacot-2023/infinite-depth",
    "Theorem 3.1 Savarese": "savarese-2019/cost#savarese-2019-theorem-3.1",
    "Ongie theorem 3.1": "ongie-willett-2022/linear-layers#ongie-willett-2022-theorem-3.1",
    "figure 1 jacot 2023": "jacot-2023/figure-1#jacot-2023-figure-1",
    "Jacobian rank": ("jacot-2023/ranks", "jacot-2023/ranks#jacot-2023-definition-1"),
    "nuclear norm": ("ongie-willett-2022/low-rank", "savarese-2019/linear-networks"),
    "linear spline": "savarese-2019/interpolants",
    "attraction and repulsion": "jacot-2022/forces",
    "aligned units": "ongie-willett-2022/two-rays",
    "Barron norm": "savarese-2019/barron",
    "travelling salesman": (
        "jacot-2023/recovery",
        "jacot-2023/recovery#jacot-2023-proposition-10",
    ),
    "zonotope": "savarese-2019/zonotope",
    "convexity of training": "jacot-2022/cone",
    "function_cost": "start/library#function-cost",
    "benchmarks": "start/speed",
    "cite this book": "start/references#citing",
}
QUERIES = {**NEWCOMERS, **NAMED}
