"""What is proven about the numbers of a report, in our words, with a link each."""

_ARXIV = "https://arxiv.org/abs/"

SAYINGS = (
    "balanced: at a local minimum of a loss with weight decay nothing is slack, each unit "
    f"receiving as much as it sends (Jacot 2023, Remark 6: {_ARXIV}2209.15055).",
    "path norm: with two layers, half the balanced norm without biases is the path norm, and its "
    "least value over wide networks a seminorm of the function "
    f"(Savarese et al. 2019: {_ARXIV}1902.05040).",
    "stable ranks: linear layers added below a ReLU layer make functions of few directions cheap "
    f"(Ongie & Willett 2022: {_ARXIV}2202.00856).",
    "ranks of layers: the norm over the number of layers tends to a rank of the function, between "
    f"that of its Jacobians and the width of its bottleneck (Jacot 2023: {_ARXIV}2209.15055).",
    "prunable units: with N points and n outputs some least-norm network needs no more than about "
    f"N (N + 1) units in a layer (Jacot et al. 2022: {_ARXIV}2205.15809); Shenouda et al. have "
    f"bounds by the dimensions of a layer's values ({_ARXIV}2305.16534).",
)
