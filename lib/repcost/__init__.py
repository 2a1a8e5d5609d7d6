"""What a ReLU network pays to represent a function: costs and ranks, each with how sure it is.

A network has one function, and many networks have the same one. What is the least sum of squared
weights among them? How does that price depend on the number of layers, and which functions become
cheap as layers are added? The library computes such prices, the networks that attain them, and the
ranks that decide them in the limit. Every answer is a `Bracket`: two ends, and whether they are
exact, proven in floats with all rounding added outward, or an experiment.

The rooms stand on one another, and none imports from one above it:

- arrays, exact whole numbers, rounding, brackets, activations;
- the objects: `TwoLayer`, `DeepNet`, `PiecewiseLinear`, networks joined, rescaled and balanced;
- `regions`, the parts of the domain where a network is affine, and `datasets`;
- `costs`, `ranks`, `shallow`, `representations` and `covariances`, which answer the questions;
- `training`, which asks the same of gradient descent;
- `report`, which says of a given network what it pays and what it has learned.

The public names and where they live are listed in `__init__.pyi`. A name is imported when it is
first used, so whoever asks for one cost loads no more than that takes.
"""

import lazy_loader

__version__ = "1.0.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
