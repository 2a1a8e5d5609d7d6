"""Representation costs: the least that weights can be, for a function, for data, for given units.

**The families.** Each is a file or a room. A cost is a `Bracket`, two ends with a proof of each.

  A function of two layers           `functions`      function_cost, cheapest_network (`attained`)
  Points of one variable             `line`           interpolate_line: all minimisers at once
  Both, biases paid                  `paid_biases`    the same two, with biases="paid"
  Points of one variable, with noise `fits`           regularised_fit, largest_useful_strength
  Points of the plane                `plane`          interpolate_plane: depth 2 and more
  Given units behind linear layers   `linear_layers`  linear_layers_cost, _bound, _network
  Maps without kinks                 `linear_maps`    linear_map_, diagonal_ and parallel_cost
  A network made much deeper         `per_layer`      cost_per_layer, deepened, slopes_both_ways

  Units that are given               `given_units`    least_weights, least_mass, cheapest_of_ramps,
                                                       cheapest_within
  Points of one variable, exactly    `exact_line`     exact_interpolation_cost, exact_certificate

Two more have rooms beside this one. `repcost.shallow` has `shallow_cost` and `shallow_optimum`,
for points and outputs of any dimension. `repcost.covariances` has `covariance_cost`, what layers
pay for the covariances of what they pass on (a plain float).

**What each counts.** The papers count alike up to factors, and every function here keeps to the
paper that it belongs to. A `Bracket` says it in `counts`, by one of `repcost.conventions`, and
prints it:

  function_cost                       half the squares, biases free
    with biases="paid": half the squares, hidden biases paid, output bias free;
    with output="paid": half the squares, biases paid (PyTorch's weight_decay);
    with output="linear": half the squares, hidden biases paid, output bias and slope free;
    interpolate_line with biases="paid" counts the same, at L = 2
  regularised_fit                     penalty: half the squares, biases free
  interpolate_line,                   the squares over L, biases free
    interpolate_plane,                  (half of them at L = 2, so the same as above)
    linear_layers_cost, parallel_cost,
    linear_layers_costs, cost_along,
    linear_layers_bound
  linear_map_cost, diagonal_cost      the squares, no biases
  cost_per_layer                      the squares over L, biases paid
  rebalanced_norm, shallow_cost       the squares, biases paid
  shallow_optimum, certify_shallow    penalty: the squares, biases paid

L is the number of layers. In the last two rows biases are weights of a constant input `bias`. What
is a loss and a penalty together says what the penalty counts, its strength left out. The docstring
of every public function says it again, as readers get it wrong more than all else. Two plain floats
carry no such note: `schatten_power` counts no weights, and `covariance_cost` counts the squares of
all weights of its layers, those of the constant input among them.

**What a new cost needs.**

  1. A file here, or a room if it has more than two ideas; its first lines derive what it computes.
  2. A certificate: a solver may propose, by `repcost.cones` if it is a cone programme, but each end
     is computed afterwards, from a feasible point, with its rounding bounded and added outward
     (`repcost.rounding`), or in whole numbers (`repcost.integers`).
  3. Arguments taken through `repcost.arrays` and `repcost.domains`, so that errors name the
     argument and the remedy.
  4. A docstring: the formula in the first line, the paper's equation, the shapes, what is counted,
     how certain the answer is, and an example that runs.
  5. Tests: problems whose cost is known by hand, in `tests/problems.py`; the same number by
     fractions or in 50 digits; another method on the same input; a plausible wrong formula that
     must fail.
  6. A row in `benchmarks/`, against the best other method that there is.
  7. Its name in the list beside this page, and in that of `repcost`; and in the ledger
     (`statements.yml`) the statement that it settles.

The names are imported when they are first used: whoever asks for one cost loads no more than it
takes.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
