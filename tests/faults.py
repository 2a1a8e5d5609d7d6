"""Faults that the tests must notice, each by the test that is there for it.

A table and nothing else; `python -m tests.plant_faults` plants them, one after the other, into a
copy of the checkout. Built pages are planted too, so that what a browser sees can be wrong.
"""

from dataclasses import dataclass

LIB, BOOK, UNIT = "lib/repcost/", "lib/repcost_book/", "tests/unit/"
PAGE, SCRIPTS = "_build/html/book/start/welcome.html", "_build/html/_static/"
REFERENCE = "tests/reference/quick/savarese-2019/rescaling.ipynb"
LOOKS = "tests/browser/test_pages.py -k welcome"
AGREES = "test_it_computes_what_the_library_computes"


@dataclass(frozen=True)
class Fault:
    """In this file the first `old` becomes `new`, and these tests (arguments of pytest) fail."""

    kind: str
    file: str
    old: str
    new: str
    noticed_by: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.file}: {self.new.strip()}"


FAULTS = (
    # Signs
    Fault(
        "sign",
        LIB + "activations.py",
        "t, self.negative_slope * t)",
        "t, -self.negative_slope * t)",
        UNIT + "test_activations.py",
    ),
    Fault(
        "sign",
        LIB + "activations.py",
        "return self.negative_slope.as_integer_ratio()",
        "return (-self.negative_slope).as_integer_ratio()",
        UNIT + "test_activations.py",
    ),
    Fault(
        "sign",
        LIB + "integers.py",
        "(pivot * x - factor * y)",
        "(pivot * x + factor * y)",
        UNIT + "test_integers.py",
    ),
    Fault(
        "sign",
        LIB + "datasets/samples.py",
        "np.maximum(t - bend, 0.0)",
        "np.maximum(t + bend, 0.0)",
        UNIT + "test_datasets.py",
    ),
    Fault(
        "sign",
        LIB + "report/reports.py",
        "1 - self.rebalanced_norm / self.squared_norm",
        "self.rebalanced_norm / self.squared_norm",
        UNIT + "test_measure.py",
    ),
    # Factors
    Fault(
        "factor",
        LIB + "costs/line.py",
        "(e, -e), excess / 2",
        "(e, -e), excess",
        UNIT + "test_line_minimisers.py",
    ),
    Fault(
        "factor",
        LIB + "costs/line_interpolant.py",
        "2.0 if self.signs[0] else 1.0",
        "1.0",
        "tests/reference/quick/savarese-2019/interpolants.ipynb",
    ),
    Fault(
        "factor",
        LIB + "ranks/truncation.py",
        "(U[:, :rank] * s[:rank])",
        "(U[:, :rank] * s[:rank] / 2)",
        UNIT + "test_bottleneck_rank.py",
    ),
    Fault(
        "factor",
        LIB + "constructions/bump.py",
        "((d - 1) / 2) - 1) / (d - 1)",
        "((d - 1) / 2) - 1) / d",
        UNIT + "test_bump.py",
    ),
    Fault(
        "factor",
        LIB + "training/gradients.py",
        "partial(delta.mul_, 2 * scale)]",
        "partial(delta.mul_, scale)]",
        UNIT + "test_training_gradients.py",
    ),
    Fault(
        "factor",
        LIB + "training/gradients.py",
        "value=2 * strength_factor",
        "value=strength_factor",
        UNIT + "test_training_gradients.py",
    ),
    Fault(
        "factor",
        LIB + "training/recipes.py",
        "(1 + math.cos(math.pi * done)) / 2",
        "(1 + math.cos(math.pi * done))",
        UNIT + "test_training_inputs.py",
    ),
    Fault(
        "factor",
        LIB + "training/objectives.py",
        '"squared", mean=False, per_layer=True',
        '"squared", mean=True, per_layer=True',
        UNIT + "test_objectives.py",
    ),
    Fault(
        "factor",
        LIB + "balance.py",
        "(1 - np.log(np.where(",
        "(2 - np.log(np.where(",
        UNIT + "test_balance.py",
    ),
    Fault(
        "factor",
        LIB + "shallow/problem.py",
        "(self.rho + len(self.Y) * self.beta**2)",
        "(self.rho + self.beta**2)",
        UNIT + "test_shallow_optimum.py",
    ),
    # Directions of rounding, and ends
    Fault(
        "rounding",
        LIB + "rounding.py",
        "return nearest, math.nextafter(nearest, math.inf)",
        "return math.nextafter(nearest, -math.inf), nearest",
        UNIT + "test_function_cost.py " + UNIT + "test_line_certificate.py",
    ),
    Fault(
        "rounding",
        LIB + "shallow/oracle.py",
        "(1 + 8 * UNIT) + rounding",
        "(1 - 1e-6) + rounding",
        UNIT + "test_oracle.py",
    ),
    Fault(
        "rounding",
        LIB + "costs/slopes.py",
        "rest = (rise - p) - e",
        "rest = (rise - p) + e",
        UNIT + "test_line_certificate.py",
    ),
    Fault(
        "end",
        LIB + "ends.py",
        "max(max(abs(",
        "max(min(abs(",
        UNIT + "test_one_number.py",
    ),
    Fault(
        "end",
        LIB + "bounds.py",
        "bool(self.lower <= number)",
        "bool(self.lower < number)",
        UNIT + "test_bounds.py",
    ),
    # One too many, one too few, an end forgotten
    Fault(
        "off by one",
        LIB + "costs/hyperplanes.py",
        "sizes > 1",
        "sizes > 2",
        UNIT + "test_function_cost_hyperplanes.py",
    ),
    Fault(
        "off by one",
        LIB + "training/batches.py",
        "(place + 1) * size]",
        "(place + 1) * size - 1]",
        UNIT + "test_training_steps.py",
    ),
    Fault(
        "off by one",
        LIB + "training/rebalancing.py",
        "depth - 1)",
        "depth - 2)",
        UNIT + "test_training_steps.py",
    ),
    Fault(
        "left out",
        LIB + "joined.py",
        "weight @ inner.biases[-1] + bias",
        "weight @ inner.biases[-1]",
        UNIT + "test_joined_networks.py",
    ),
    Fault(
        "left out",
        LIB + "joined.py",
        "one.biases[-1] + other.biases[-1]",
        "one.biases[-1]",
        UNIT + "test_joined_networks.py",
    ),
    Fault(
        "left out",
        LIB + "covariances/cost.py",
        "(np.maximum(sizes, 0.0) + tikhonov)",
        "np.maximum(sizes, 1e-300)",
        UNIT + "test_covariance_cost.py",
    ),
    Fault(
        "the wrong one",
        LIB + "training/ensembles.py",
        "np.argmin(self._ranked)",
        "np.argmax(self._ranked)",
        UNIT + "test_training_runs.py",
    ),
    # Refusals
    Fault(
        "no refusal",
        LIB + "arrays.py",
        "if not np.isfinite(array).all():",
        "if False:",
        UNIT + "test_doors.py",
    ),
    Fault(
        "no refusal",
        LIB + "costs/line.py",
        "if not len(x):",
        "if False:",
        UNIT + "test_interpolate_line.py",
    ),
    Fault(
        "no refusal",
        BOOK + "kernel/measured.py",
        "if not self.worst <= self.at_most:",
        "if self.worst > self.at_most:",
        UNIT + "test_checks.py",
    ),
    Fault(
        "no refusal",
        BOOK + "commands/options.py",
        'if name == "profile":',
        'if name == "profil":',
        UNIT + "test_command_line.py",
    ),
    # Keys and references
    Fault(
        "stale key",
        BOOK + "runner/keys.py",
        '"parameters": dict(parameters),',
        "",
        UNIT + "test_runner.py -k the_key_and_the_files",
    ),
    Fault(
        "stale key",
        BOOK + "runner/keys.py",
        "_digest_now(name, project) == value",
        "_digest_now(name, project)",
        UNIT + "test_runner.py -k the_key_and_the_files",
    ),
    Fault(
        "the same numbers",
        BOOK + "kernel/run.py",
        "default_rng([self.seed, stream])",
        "default_rng([stream])",
        UNIT + "test_run.py",
    ),
    Fault(
        "left out",
        BOOK + "runner/references.py",
        'if cell.cell_type == "code"]',
        'if cell.cell_type != "code"]',
        UNIT + "test_references.py",
    ),
    Fault("another line", REFERENCE, "at most ", "at least ", REFERENCE),
    # Doubt
    Fault(
        "a state that stays",
        BOOK + "trials/doubt/world.py",
        "        trace.back()\n",
        "",
        UNIT + "test_doubt.py -k draw",
    ),
    Fault(
        "a state that stays",
        BOOK + "trials/doubt/world.py",
        "copied(value) if in_place else value",
        "value",
        UNIT + "test_doubt.py -k in_place",
    ),
    Fault(
        "counted as noticed",
        BOOK + "trials/doubt/outcomes.py",
        "OWN if came.own else RAISED",
        "RAISED",
        UNIT + "test_doubt.py -k exception",
    ),
    Fault(
        "stale key",
        BOOK + "trials/doubt/kept.py",
        "return kept if kept.key == key(chapter, project, kept.modules) else cls()",
        "return kept",
        UNIT + "test_doubts.py -k changed",
    ),
    Fault(
        "no refusal",
        BOOK + "trials/doubt/guard.py",
        "if not (path + os.sep).startswith(allowed):",
        "if not path:",
        UNIT + "test_doubts.py -k written",
    ),
    # Pages and drawings
    Fault("a wrong link", PAGE, 'href="ledger.html"', 'href="ledgers.html"', LOOKS),
    Fault("faint", SCRIPTS + "look/page.css", "#00508a", "#8ab8fa", LOOKS),
    Fault(
        "too wide",
        SCRIPTS + "look/text.css",
        ".repcost-text h2 {",
        ".repcost-text h2 { min-width: 900px;",
        LOOKS,
    ),
    Fault(
        "a number of a drawing",
        SCRIPTS + "line-widget.js",
        "cost: float(variation) + mayBend,",
        "cost: float(variation) + 2 * mayBend,",
        f"tests/browser/test_line_widget.py::{AGREES}",
    ),
    Fault(
        "a number of a drawing",
        SCRIPTS + "rays-widget.js",
        "Math.cbrt((A / B) ** 2)",
        "Math.cbrt((A / B) ** 3)",
        f"tests/browser/test_rays_widget.py::{AGREES}",
    ),
)
