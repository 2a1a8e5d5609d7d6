"""A network measured again and again while it is trained."""

from collections.abc import Sequence
from typing import Any

from repcost.arrays import ArrayLike
from repcost.deep_networks import DeepNet
from repcost.networks import TwoLayer
from repcost.report.admission import unwrapped
from repcost.report.comparing import compare, draw_along
from repcost.report.measurements import points_of, points_of_any_shape
from repcost.report.measuring import Model, checked_options, measure
from repcost.report.reports import Report
from repcost.report.views import Axes
from repcost.scalars import whole_number


class Watch:
    """Call it in any training loop: at every so many calls it measures the model and keeps that.

    model, X, tolerance, jacobian_points: as in `measure`; every: measure at the first call, and
    then at every so many.

        watch = Watch(model, X, every=100)
        for batch in batches:
            ...  # a step of yours
            watch()
        watch.plot()

    With Lightning: `LambdaCallback(on_train_batch_end=lambda *_: watch())`.

    >>> from repcost import DeepNet
    >>> watch = Watch(DeepNet([[[2.0]], [[1.0]]], [[0.0], [0.0]]), [[1.0]], every=2)
    >>> [watch() is not None for _ in range(5)], watch.steps
    ([True, False, True, False, True], [0, 2, 4])
    """

    def __init__(
        self,
        model: Model,
        X: ArrayLike,
        *,
        every: int = 1,
        tolerance: float = 1e-3,
        jacobian_points: int = 100,
    ) -> None:
        # What is wrong is said now, and not in the middle of a training.
        ours = isinstance(model, DeepNet | TwoLayer)
        self.model = model if ours else unwrapped(model)
        self.X = points_of(X) if ours else points_of_any_shape(X)
        self.every = whole_number(every, "every", 1)
        self.tolerance, self.jacobian_points = checked_options(tolerance, jacobian_points)
        self.calls = 0
        self.steps: list[int] = []
        self.reports: list[Report] = []

    def __call__(self) -> Report | None:
        """One step is done: the report, if it was time for one."""
        step, self.calls = self.calls, self.calls + 1
        if step % self.every:
            return None
        report = measure(
            self.model, self.X, tolerance=self.tolerance, jacobian_points=self.jacobian_points
        )
        self.reports.append(report)
        self.steps.append(step)
        return self.reports[-1]

    def __str__(self) -> str:
        if not self.reports:
            return "nothing measured yet: call it once in each step of the training"
        return str(compare({f"step {step}": r for step, r in self._named()}))

    def to_dict(self) -> dict[str, Any]:
        """The steps, and the report of each in plain numbers, ready for JSON."""
        return {"steps": self.steps, "reports": [report.to_dict() for report in self.reports]}

    def plot(self, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
        """Norms, slack and bottleneck against the steps, in three drawings."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = list(plt.subplots(1, 3, figsize=(10, 3), layout="constrained")[1])
        draw_along(self.steps, self.reports, axes)
        return axes

    def _named(self) -> list[tuple[int, Report]]:
        return list(zip(self.steps, self.reports, strict=True))
