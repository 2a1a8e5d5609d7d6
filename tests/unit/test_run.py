import sys
from dataclasses import asdict

import pytest

from repcost.devices import Device, Work
from repcost_book import Run
from repcost_book.kernel.placing import refuse_mixture, together

torch = pytest.importorskip("torch")


def test_sizes_follow_the_profile_and_are_remembered():
    quick, paper = Run("quick"), Run("paper")
    assert (quick.size("nets", quick=2, paper=90), paper.size("nets", quick=2, paper=90)) == (2, 90)
    assert quick.sizes == {"nets": (2, 90)}


def test_generators_depend_on_seed_and_stream_only():
    first = Run("quick", 3).rng().random()
    assert first == Run("paper", 3).rng().random()
    assert first != Run("quick", 4).rng().random()
    assert first != Run("quick", 3).rng(1).random()


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("quik",), "profile must be"),
        (("quick", -1), "seed must be"),
        (("quick", 0.5), "seed"),
        (("quick", 0, "gpu"), "device"),
    ],
)
def test_refuses(arguments, says):
    with pytest.raises(ValueError, match=says):
        Run(*arguments)


def test_the_device_is_settled_when_the_run_begins(monkeypatch):
    assert str(Run("quick").device) == str(Run("quick", 0, "cpu").device) == "cpu"
    # Whether a GPU is worth it is asked by each piece of work.
    assert str(Run("paper").device) == "auto" and str(Run("paper", 0, "cpu").device) == "cpu"
    assert Run("paper").settings == {"seed": 0, "device": "auto"}
    with pytest.raises(ValueError, match='device must not be "mps": it has no float64'):
        Run("quick", 0, "mps")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ValueError, match=r"device cuda needs torch.* install the extra \[torch\]"):
        Run("quick", 0, "cuda")


@pytest.mark.skipif(torch.cuda.is_available(), reason="here is a card")
def test_a_device_that_is_not_here_is_refused_with_what_there_is():
    with pytest.raises(ValueError, match=r"one that torch has here \(cpu.*not 'cuda'"):
        Run("quick", 0, "cuda")


def work(device, flops=1e9):
    return Work("train", device, flops, "float64", 100, 1.0, 1.0)


def test_the_same_steps_are_added_up():
    one, other = work("cpu"), work("cpu", 1e3)
    first, second = together([one, other, one])
    assert first == {**asdict(one), "steps": 200, "seconds": 2.0, "cpu_seconds": 2.0}
    assert second == asdict(other)


def test_devices_are_not_mixed():
    here, there = work("cpu"), work("cuda (Some Card)")
    with pytest.raises(ValueError, match=r"the sweep ran on cuda \(Some Card\) and on cpu; give"):
        refuse_mixture(Device("auto"), [here, there], "the sweep")
    with pytest.raises(ValueError, match="and on cuda"):
        refuse_mixture(Device("cuda"), [work("cuda (Other)", 1.0), there], "the sweep")
    # By the rule, small work is done here, also beside a card.
    refuse_mixture(Device("auto"), [work("cpu", 1e3), there, there], "the sweep")
    refuse_mixture(Device("cpu"), [here, here], "the sweep")
