"""Where work is done: the rule, what is refused, what is noted, and what memory has no room for."""

from dataclasses import replace

import numpy as np
import pytest

from repcost import Architecture, DeepNet, Objective, Recipe, train
from repcost import devices as doors
from repcost.devices import WORTH_A_GPU, Device, computing, place
from repcost.ranks.jacobian import jacobian_spectra
from repcost.training.engine import Engine
from tests.training_problems import SAVARESE, SHORT, TEN, TWENTY

torch = pytest.importorskip("torch")
CARD = "cuda (Some Card)"


@pytest.fixture
def with_cuda(monkeypatch):
    """As if there were a card; nothing can compute on it."""
    monkeypatch.setattr(doors, "_has_cuda", lambda: True)


@pytest.mark.usefixtures("with_cuda")
def test_auto_asks_whether_a_step_is_worth_a_gpu():
    for dtype, least in WORTH_A_GPU.items():
        assert place("auto", least, dtype) == place(Device("auto"), 1e12) == "cuda"
        assert place("auto", 0.99 * least, dtype) == "cpu"
    # Whoever names a device gets it, for however large a step.
    assert place("cpu", 1e12) == place(Device("cpu"), 1e12) == "cpu"


@pytest.mark.skipif(torch.cuda.is_available(), reason="here is a card")
def test_without_a_gpu_auto_is_the_processor_and_a_named_one_is_refused():
    assert place("auto", 1e12) == "cpu"
    with pytest.raises(ValueError, match=r"one that torch has here \(cpu.*, not 'cuda'"):
        place("cuda", 1e12)
    with pytest.raises(ValueError, match=r"torch has here \(cpu"):
        train(TWENTY, TEN, SAVARESE, SHORT, range(2), device="cuda")


def test_mps_is_for_single_precision_only(monkeypatch):
    monkeypatch.setattr(doors, "torch_device", str)
    with pytest.raises(ValueError, match='must not be "mps" for float64, which it does not have'):
        place("mps", 1.0)
    assert place("mps", 1.0, "float32") == "mps"


def test_steps_are_counted_by_their_products():
    device = Device("cpu")
    architectures = [Architecture.deep((3, 7, 5, 2)), Architecture.deep((3, 4, 4, 2))]
    X, Y = np.ones((10, 3)), np.ones((10, 2))
    recipe = Recipe(steps=6, batch_size=4, log_every=4)
    train(architectures, (X, Y), Objective.jacot_2022(0.1), recipe, range(5), device=device)
    (work,) = device.done
    weights = (3 * 7 + 7 * 5 + 5 * 2) + (3 * 4 + 4 * 4 + 4 * 2)
    assert work.flops == 6 * weights * 4 * 5
    assert (work.what, work.device, work.steps) == ("train", "cpu", 6)
    assert work.seconds > 0
    # Without a batch, a step sees all points.
    train(architectures[:1], (X, Y), Objective.jacot_2022(0.1), Recipe(1), [0], device=device)
    assert device.done[1].flops == 6 * 66 * 10


def test_spectra_are_noted_and_are_those_of_torch_too(monkeypatch):
    monkeypatch.setattr(doors, "described", lambda device: device)
    rng, device = np.random.default_rng(0), Device("cpu")
    net = DeepNet([rng.normal(size=shape) for shape in ((6, 4), (5, 6))], [np.ones(6), np.ones(5)])
    X = rng.normal(size=(9, 4))
    here = jacobian_spectra(net, X, device=device)
    (work,) = device.done
    assert (work.what, work.flops, work.steps) == ("jacobian_spectra", 2 * 9 * 4 * 6 * 5, 1)
    # Torch's own way of doing it, on the one device that is everywhere.
    there = jacobian_spectra(net, X, device="cpu:0")
    assert there == pytest.approx(here, rel=1e-12)


def product() -> bytes:
    rng = torch.Generator().manual_seed(0)
    A = torch.randn((400, 400), generator=rng)
    return (A @ A).numpy().tobytes()


def test_float32_has_all_its_digits_meanwhile():
    before, full = torch.get_float32_matmul_precision(), product()
    try:
        for wanted in ("highest", "high", "medium"):
            torch.set_float32_matmul_precision(wanted)
            outside = product(), torch.backends.cuda.matmul.allow_tf32
            with pytest.raises(KeyError), computing("cpu", "train", "ask for less"):
                assert product() == full
                assert not uses_tf32()
                raise KeyError
            assert (product(), torch.backends.cuda.matmul.allow_tf32) == outside
            assert torch.get_float32_matmul_precision() == wanted
    finally:
        torch.set_float32_matmul_precision(before)


def uses_tf32() -> bool:
    matmul = torch.backends.cuda.matmul
    # The older of the two settings refuses to be read beside the newer one.
    newer = hasattr(matmul, "fp32_precision")
    return matmul.fp32_precision == "tf32" if newer else matmul.allow_tf32


FULL = "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 8.00 GiB"


def test_memory_that_ends_is_told_with_the_size_and_the_smaller_batch(monkeypatch):
    def full(*args):
        raise torch.OutOfMemoryError(FULL)

    monkeypatch.setattr(Engine, "advance", full)
    says = r"train needs more memory than cpu has \(Tried to allocate 20.00 GiB\); "
    with pytest.raises(MemoryError, match=says + r"ask for Recipe\(batch_size=5\), or at most 1"):
        train(TWENTY, TEN, SAVARESE, SHORT, range(3))
    single = replace(SHORT, batch_size=1)
    with pytest.raises(MemoryError, match=says + "ask for at most 2 networks in a call"):
        train(TWENTY, TEN, SAVARESE, single, range(4))
    monkeypatch.setattr(torch.linalg, "svdvals", full)
    net = DeepNet([[[1.0]], [[1.0]]], [[0.0], [0.0]])
    with pytest.raises(MemoryError, match="give at most 3 points in a call"):
        jacobian_spectra(net, np.ones((6, 1)), device="cpu:0")


def test_a_run_goes_on_where_it_was_begun_only(monkeypatch, tmp_path):
    options = {"checkpoint": tmp_path / "run.npz"}
    with monkeypatch.context() as patch:
        patch.setattr("repcost.training.plans.described", lambda device: CARD)
        train(TWENTY, TEN, SAVARESE, SHORT, range(3), **options)
    says = r"was computed on cuda \(Some Card\), and this run is on cpu; go on there, or delete it"
    with pytest.raises(ValueError, match=says):
        train(TWENTY, TEN, SAVARESE, SHORT, range(3), **options)
