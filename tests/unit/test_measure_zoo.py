"""`measure` on modules of sixty shapes, against brute force.

What is read of each must compute what it computes; rescaling the channels that were found must
keep the outputs; there must be no more such channels than were found; and the least norm must be
what direct minimisation finds.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from repcost import measure
from repcost.report.exporting import exported
from repcost.report.labelling import Labelling, fixed
from repcost.report.orbits import orbit_of
from repcost.report.reading import read
from repcost.report.rescalings import Rescalings
from repcost.report.rules import RULES
from tests.module_zoo import PARTLY, REFUSED, SIXTY, TRAPS, WHOLE, ZOO
from tests.module_zoo import born as new_born

# Those whose graph is read.
HOOKED = {"branch on a value", "asks for the number of points"}
READ = [name for name in ZOO if name not in HOOKED | set(REFUSED)]
# With more weights, brute force takes too long; so many networks are drawn.
MOST_WEIGHTS, DRAWS = 330, 6
LARGE = {
    "channels",
    "padded shortcut",
    "reflected borders",
    "residual blocks",
    "transposed in groups",
}
# Groups that are not found: a kernel as large as its input sees each place by a weight of its own,
# but all places of a channel are tied by a convolution.
DEARER = {"pixels to channels": 3}


# Each module is born once: no test may change it.
born = cache(new_born)
programmes: dict[torch.nn.Module, Any] = {}


def exported_once(model, rows):
    if model not in programmes:
        programmes[model] = exported(model, rows)
    return programmes[model]


@pytest.fixture(autouse=True)
def tracing_once(monkeypatch):
    """To trace a module takes most of the time, and whoever asks gets the same programme."""
    monkeypatch.setattr("repcost.report.reading.exported", exported_once)


@cache
def found(name):
    """Each module is read once."""
    model, X = born(name)
    return Rescalings.of(read(model, X[:2]), X)


def test_there_are_sixty_and_most_are_measured_whole():
    assert len(SIXTY) == 60 and len(WHOLE) >= 52


@pytest.mark.parametrize("name", READ)
def test_what_is_read_computes_what_the_module_computes(name):
    model, X = born(name)
    ours, theirs = found(name).graph(X), model(X).detach()
    assert ours.shape == theirs.shape
    assert float((ours - theirs).abs().max()) <= 1e-13 * float(theirs.abs().max())


@pytest.mark.parametrize("name", READ)
def test_rescaling_what_was_found_keeps_the_outputs(name):
    rescalings, X = found(name), born(name)[1]
    assert bool(rescalings.reasons) == (name not in WHOLE)
    assert all(ZOO[name].says in reason for reason in rescalings.reasons)
    before = rescalings.graph(X)
    chance = np.random.default_rng(0)
    for _ in range(3):
        z = chance.normal(size=rescalings.orbit.groups)
        after = rescalings.at(rescalings.orbit.free @ z)(X)
        assert float((after - before).abs().max()) <= 1e-12 * float(before.abs().max())


@pytest.mark.parametrize("name", WHOLE)
def test_no_other_rescaling_keeps_the_outputs(name):
    """Rates of change of single weights that change no output: as many as groups were found.

    They must do so with any weights, so several are drawn: in one network units may be dead, or
    active at all points.
    """
    rescalings = found(name)
    graph, terms = rescalings.graph, rescalings.terms
    sizes = {each: graph.constants[each].tensor.numel() for each in terms}
    many = sum(sizes.values())
    if many > MOST_WEIGHTS:
        assert name in LARGE
        return
    points = 2 + many // (3 * graph(born(name)[1])[0].numel())

    def rescaled(rates, weights, X):
        parts = rates.split(list(sizes.values()))
        tensors = {
            each: weights[each] * torch.exp(part.view_as(weights[each]))
            for each, part in zip(terms, parts, strict=True)
        }
        # Transpositions follow their base.
        for each, constant in graph.constants.items():
            if constant.base:
                tensors[each] = tensors[constant.base].permute(constant.axes)
        return graph.with_tensors(tensors)(X).flatten()

    rows, zero = [], torch.zeros(many, dtype=torch.float64)
    for _ in range(DRAWS):
        weights = {each: torch.randn_like(graph.constants[each].tensor) for each in terms}
        X = 3 * torch.randn(points, *ZOO[name].shape, dtype=torch.float64)
        found_y: Any = torch.func.vjp(lambda rates, w=weights, X=X: rescaled(rates, w, X), zero)
        y, back = found_y
        rows.append(torch.stack([back(each)[0] for each in torch.eye(len(y), dtype=y.dtype)]))
    columns = torch.cat([each / each.norm(dim=1, keepdim=True).clamp_min(1e-300) for each in rows])
    values = torch.linalg.svdvals(columns)
    still = many - int((values > 1e-9 * values[0]).sum())
    assert still == rescalings.orbit.groups + DEARER.get(name, 0)


@pytest.mark.parametrize("name", READ)
def test_the_least_norm_is_what_direct_minimisation_finds(name):
    rescalings = found(name)
    u, least = rescalings.cheapest()
    classes = rescalings.labels.classes()
    free = torch.tensor(rescalings.orbit.free.toarray())
    squares = {each: rescalings.graph.constants[each].tensor ** 2 for each in rescalings.terms}

    def norm(numbers):
        z: Any = torch.tensor(numbers, requires_grad=True)
        u = free @ z
        total: Any = sum(
            (squares[each] * torch.exp(2 * (u[classes[term.plus]] - u[classes[term.minus]]))).sum()
            for each, term in rescalings.terms.items()
        )
        total.backward()
        return total.item(), z.grad.numpy()

    start = np.zeros(rescalings.orbit.groups)
    direct = (
        minimize(norm, start, jac=True, options={"gtol": 1e-9}).fun
        if len(start)
        else norm(start)[0]
    )
    assert sum(least.values()) == pytest.approx(direct, rel=1e-12)
    # The squares told are those of the weights there, and these have the same outputs.
    there = rescalings.at(u)
    for each, told in least.items():
        assert told == pytest.approx(float(there.squares(each).sum()), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("name", [*WHOLE, *PARTLY, *TRAPS])
def test_the_report(name):
    model, X = born(name)
    report = measure(model, X)
    assert bool(report.reasons or report.missing) == (name not in WHOLE)
    parameters = sum(float((each.detach() ** 2).sum()) for each in model.parameters())
    assert report.stored_norm == pytest.approx(parameters, rel=1e-12)
    text = str(report)
    assert max(map(len, text.splitlines())) <= 100
    if name in HOOKED:
        assert np.isnan(report.slack) and "not known" in text
        return
    # Folded and computed weights are others than those that are stored.
    parts = {type(each).__name__ for each in model.modules()}
    if not any("BatchNorm" in part or "Parametrized" in part for part in parts):
        assert report.squared_norm == pytest.approx(parameters, rel=1e-12)
    assert 0 < report.rebalanced_norm <= report.squared_norm * (1 + 1e-12)
    jacobian = torch.func.jacrev(lambda x: model(x[None]).flatten())(X[0]).flatten(1)
    values = torch.linalg.svdvals(jacobian).detach().numpy()
    assert report.jacobian_spectra[0] == pytest.approx(values, rel=1e-10, abs=1e-10 * values[0])


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_measured_is_refused_with_the_reason(name):
    model, X = born(name)
    with pytest.raises(ValueError, match=ZOO[name].says):
        measure(model, X)


# Planted faults: each rule once wrong


def by_rule():
    """Every rule, with the operations it stands for."""
    kinds = {}
    for kind, rule in RULES.items():
        kinds.setdefault(rule, set()).add(kind)
    return kinds


def all_free(here, step, value):
    """A rule that sees no tie: every entry of what comes out may be scaled alone."""
    parts = value if isinstance(value, tuple | list) else [value]
    made = [here.labels.fresh(*part.shape) for part in parts]
    return made if isinstance(value, tuple | list) else made[0]


# Where labels that are too free would only fix more: the rule takes too much for homogeneous.
TOO_MUCH = {"compared": fixed, "converted": RULES["relu"]}


def keeps_outputs(name, rules):
    """Whether random rescaling of what these rules find keeps the outputs."""
    graph, X = found(name).graph, born(name)[1]
    here = Labelling.run(graph, X[:2], rules)
    orbit = orbit_of(here.labels, here.terms.values(), graph.squares)
    made = Rescalings(graph, here.labels, here.terms, orbit, ())
    return made.keeps_outputs(X)


@pytest.mark.parametrize("rule", by_rule(), ids=lambda rule: rule.__name__)
def test_a_rule_that_ties_nothing_is_noticed(rule):
    kinds = by_rule()[rule]
    using = [name for name in READ if any(step.kind in kinds for step in found(name).graph.steps)]
    assert using, "no module of the zoo has this operation"
    wrong = {**RULES, **dict.fromkeys(kinds, TOO_MUCH.get(rule.__name__, all_free))}
    assert not all(keeps_outputs(name, wrong) for name in using)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("gelu in the middle", "gelu"),
        ("layer norm", "layer_norm"),
        ("clamped at six", "relu6"),
        ("rounded down", "div"),
    ],
)
def test_an_operation_that_is_taken_for_homogeneous_is_noticed(name, kind):
    assert not keeps_outputs(name, {**RULES, kind: RULES["relu"]})


def test_a_parameter_in_two_places_that_is_scaled_in_one_is_noticed(monkeypatch):
    monkeypatch.setattr("repcost.report.labelling._equations", lambda first, again: [])
    names = ["one layer three times", "recurrent", "tied to its transpose"]
    assert not any(keeps_outputs(name, RULES) for name in names)


def test_a_report_does_not_say_what_rescaling_saves_if_a_rule_was_wrong(monkeypatch):
    monkeypatch.setitem(RULES, "gelu", RULES["relu"])
    report = measure(*born("gelu in the middle"))
    assert np.isnan(report.rebalanced_norm) and "random rescaling" in report.missing[0]
