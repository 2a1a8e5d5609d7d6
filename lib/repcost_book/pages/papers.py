"""The four papers as the first page and the boxes present them."""

from typing import NamedTuple

from repcost_book.kernel.ledger import PAPERS, Statement


class Paper(NamedTuple):
    """Who wrote it, where it is, what it asks, its answer in a sentence, and what is new here."""

    authors: str
    title: str
    year: int
    arxiv: str
    question: str
    answer: str
    new: str

    @property
    def link(self) -> str:
        return f"https://arxiv.org/abs/{self.arxiv}"


FOUR = {
    "savarese-2019": Paper(
        "Savarese, Evron, Soudry, Srebro",
        "How do infinite width bounded norm networks look in function space?",
        2019,
        "1902.05040",
        "What does a function of one variable cost?",
        "The total variation of its slope, or the sum of its two end slopes if that is larger; "
        "so weight decay draws linear splines.",
        "all the cheapest interpolants, and the fewest knots among them.",
    ),
    "ongie-willett-2022": Paper(
        "Ongie, Willett",
        "The role of linear layers in nonlinear interpolating networks",
        2022,
        "2202.00856",
        "What do linear layers add?",
        "A taste for few directions: the cost becomes a Schatten quasi-norm of all units "
        "together, and units align.",
        "the angle at which two rays change sides, and the sharp bound at every depth.",
    ),
    "jacot-2022": Paper(
        "Jacot, Golikov, Hongler, Gabriel",
        "Feature learning in L2-regularized DNNs: attraction/repulsion and sparsity",
        2022,
        "2205.15809",
        "What do hidden layers learn?",
        "Each layer is pulled by the one before it and pushed by the one after it, and needs "
        "only so many units.",
        "how many units the optimum needs on a line, and how merging finds them.",
    ),
    "jacot-2023": Paper(
        "Jacot",
        "Implicit bias of large depth networks: a notion of rank for nonlinear functions",
        2023,
        "2209.15055",
        "What happens at infinite depth?",
        "The cost per layer tends to a rank of the function, between its Jacobian rank and its "
        "bottleneck rank.",
        "how much depth is needed, and how many layers can have two directions.",
    ),
}
assert FOUR.keys() == PAPERS.keys()


def source_link(statement: Statement) -> str:
    """Where the paper of a statement is, as HTML; for our own results, that it is in none."""
    if statement.is_ours:
        return statement.source
    return f'<a href="{FOUR[statement.paper].link}">{statement.source.replace("&", "&amp;")}</a>'
