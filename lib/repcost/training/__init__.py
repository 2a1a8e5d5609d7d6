"""Training of regularised networks, many at once; torch is imported when something trains.

**What is minimised.** Each member of an ensemble is a network f with weights W and biases b, and
its objective is

    loss(f(x_1), y_1) + ... + loss(f(x_n), y_n), or the mean,
    + strength * factor * (sum of squared W + bias_price * sum of squared b).

The papers differ in every word of this: sum or mean, factor 1 or 1 / L, whether biases pay. An
`Objective` is made by the name of a paper, so that a number is never read by the convention of
another; and where an exact solver knows the optimum, the objective tells it in the same scale
(`regularised_fit`, `shallow_optimum`).

**How a training flows.** An `Architecture` says what a network looks like, an `Objective` what it
minimises, a `Recipe` how, and a seed where it starts. `train` takes the data, one recipe, and one
or several of everything else; it trains every combination, all of them together:

- `inputs` checks what was asked, and `plans` spells it out, member by member;
- `training_run` is how far the members are: it advances, looks, stops at the target, and polishes;
- `crew` divides the members into chunks that fit a processor's cache, with an engine for each;
- `engine` is the loop: `batches` gives the points of a step, `gradients` goes forward and backward
  through all members at once, by calls that `passages` makes ready, `optimiser` moves them, and
  `rebalancing` rescales their units;
- `ensembles` is what comes back: networks, objectives, and who is stuck or diverged.

Nobody calls back. A run does not know its file: it can be asked for its state at any time, frozen
(`states`), and `train` hands that to the file (`checkpoints`).

**Why it is fast.** For a network of twenty units on ten points, a step is about a thousand
multiplications; what takes the time is asking for them, one operation after the other. So the
parameters of all members are one flat vector, and `layouts` says where each stands. Members of one
width form a stack, which one call multiplies as a whole; the first layers of all widths see the
same points, so they are the columns of one matrix; and a step of Adam is one call for everybody.
Every call has its arrays before the first step, so that no step asks for memory. A member that
diverges rests where it was, and harms nobody.

**Where to add something.**

- The convention of another paper: a classmethod of `Objective`. Another loss: its targets and its
  values in `losses`, its derivative by the outputs and its values on tensors in `gradients`.
- Another schedule: `Recipe.rate`. Another optimiser: its name in `recipes`, its step in
  `optimiser`; what its steps depend on belongs into `states.EngineState`, or runs that were
  interrupted end elsewhere.
- Another activation: `repcost.activations`, and its derivative in `passages.TensorActivation`.
  Rebalancing, and every cost here, ask that it is positively homogeneous.
"""

from repcost.training.architectures import Architecture
from repcost.training.ensembles import Ensemble
from repcost.training.members import Member
from repcost.training.objectives import Objective
from repcost.training.polishing import polish_network
from repcost.training.recipes import Recipe
from repcost.training.runs import train
from repcost.training.sweeps import sweep

__all__ = [
    "Architecture",
    "Ensemble",
    "Member",
    "Objective",
    "Recipe",
    "polish_network",
    "sweep",
    "train",
]
