"""Reports beside each other, and along a training."""

import json
from typing import Any, cast

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from torch import nn

from repcost import Watch, compare, measure


def model() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 2))


X = np.random.default_rng(0).normal(size=(40, 3))


def test_a_comparison_shows_what_the_reports_say():
    wide, scaled = model(), model()
    with torch.no_grad():
        scaled[0].weight *= 10
        scaled[0].bias *= 10
        scaled[2].weight /= 10
    reports = {"as drawn": measure(wide, X), "scaled by a factor of ten": measure(scaled, X)}
    found = compare(reports)
    text = str(found)
    assert max(map(len, text.splitlines())) <= 100 and "as drawn" in text
    for report in reports.values():
        assert f"{100 * report.slack:.3g}" in text and f"{report.squared_norm:.3g}" in text
    assert found._repr_html_().count("<tr>") == 3
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["as drawn"]["slack"] < told["scaled by a factor of ten"]["slack"]
    ax: Any = found.plot()
    assert len(ax.lines) == 2
    plt.close(ax.figure)


def test_a_watch_in_a_training_loop():
    """Strong decay alone takes slack away, as every unit of both sides shrinks alike."""
    net = model()
    optimiser = torch.optim.SGD(net.parameters(), lr=0.02, weight_decay=0.5)
    watch = Watch(net, X, every=20)
    assert "nothing measured" in str(watch)
    inputs = torch.tensor(X, dtype=torch.float32)
    targets = torch.stack([inputs[:, 0].abs(), inputs[:, 1]], 1)
    for _ in range(101):
        optimiser.zero_grad()
        ((net(inputs) - targets) ** 2).mean().backward()
        optimiser.step()
        watch()
    assert watch.steps == [0, 20, 40, 60, 80, 100]
    assert watch.reports[-1].slack < watch.reports[0].slack
    assert watch.reports[-1].squared_norm == measure(net, X).squared_norm
    assert json.loads(json.dumps(watch.to_dict()))["steps"] == watch.steps
    assert "step 100" in str(watch)
    axes: Any = watch.plot()
    assert list(axes[1].lines[0].get_xdata()) == watch.steps
    plt.close(axes[0].figure)


def test_a_watch_with_lightning():
    """As in the docstring, where Lightning is installed."""
    lightning = pytest.importorskip("lightning")
    from torch.utils.data import DataLoader

    class Learner(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = model()

        def training_step(self, batch):
            return (self.net(batch) ** 2).mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    learner, inputs = Learner(), cast(Any, torch.tensor(X, dtype=torch.float32))
    watch = Watch(learner.net, X, every=2)
    callback = lightning.pytorch.callbacks.LambdaCallback(on_train_batch_end=lambda *_: watch())
    trainer = lightning.Trainer(
        max_epochs=1, callbacks=[callback], logger=False, enable_checkpointing=False
    )
    trainer.fit(learner, DataLoader(inputs, batch_size=10))
    assert watch.steps == [0, 2]


def test_a_frame_has_a_row_for_each_layer():
    pandas = pytest.importorskip("pandas")
    frame = measure(model(), X).to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.index) == ["0", "2", "4"] and frame["units"].tolist() == [8, 6, 2]


def test_without_pandas_the_remedy_is_said(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ValueError, match=r"needs pandas; install it, or take .to_dict"):
        measure(model(), X).to_frame()


def test_every_saying_has_a_link():
    text = measure(model(), X).explain()
    assert len(text.splitlines()) == text.count("https://arxiv.org/abs/") - 1
