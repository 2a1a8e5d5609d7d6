import json

import numpy as np
import pytest
import torch
from torch import nn

from repcost import DeepNet, TwoLayer, measure
from repcost.devices import Device
from repcost.report.reading import read


@pytest.fixture
def model():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 2)
    ).double()


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 3))


def test_the_model_read_is_the_model_given(model, X):
    graph = read(model, torch.tensor(X))
    theirs = model(torch.tensor(X)).detach().numpy()
    assert graph(torch.tensor(X)).numpy() == pytest.approx(theirs, abs=1e-14)
    assert graph.ignored == ()


def test_the_model_is_not_changed_and_shares_no_memory(model, X):
    before = [parameter.clone() for parameter in model.parameters()]
    report = measure(model, X)
    assert all(torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))
    with torch.no_grad():
        model[0].weight.zero_()
    assert report.weight_norms[0] > 0


def test_norms_are_sums_of_squares_with_biases(model, X):
    report = measure(model, X)
    parts = [float((parameter.detach() ** 2).sum()) for parameter in model.parameters()]
    assert report.squared_norm == pytest.approx(sum(parts), rel=1e-12)
    assert report.weight_norms == pytest.approx(parts[::2]) and report.bias_norms == pytest.approx(
        parts[1::2]
    )


def test_rescaled_neurons_are_slack_and_nothing_else(model, X):
    """Any rescaling of the neurons leaves what balancing reaches, and the ranks, as they are."""
    plain = measure(model, X)
    with torch.no_grad():
        for into, out in ((model[0], model[2]), (model[2], model[4])):
            scales = torch.linspace(0.2, 5, len(into.weight), dtype=torch.float64)
            into.weight *= scales[:, None]
            into.bias *= scales
            out.weight /= scales
    scaled = measure(model, X)
    assert scaled.squared_norm > 2 * plain.squared_norm
    assert scaled.rebalanced_norm == pytest.approx(plain.rebalanced_norm, rel=1e-9)
    assert scaled.path_norm == pytest.approx(plain.path_norm, rel=1e-9)
    assert scaled.jacobian_ranks.tolist() == plain.jacobian_ranks.tolist()
    assert scaled.slack > plain.slack >= 0


def test_rescaled_layers_are_slack_in_the_weights(model, X):
    plain = measure(model, X).layerwise_norm
    with torch.no_grad():
        model[0].weight *= 10
        model[4].weight /= 10
    report = measure(model, X)
    assert report.layerwise_norm == pytest.approx(plain, rel=1e-12)
    assert report.layerwise_norm < report.weight_norms.sum()


def test_two_layers_agree_with_the_two_layer_class(X):
    rng = np.random.default_rng(1)
    net = TwoLayer(rng.normal(size=(5, 3)), rng.normal(size=5), np.zeros(5))
    report = measure(net, X)
    assert report.path_norm == pytest.approx(net.path_norm, rel=1e-12)
    assert report.rebalanced_norm == pytest.approx(2 * net.path_norm, rel=1e-9)


def test_a_bottleneck_of_one_direction_is_found(X):
    rng = np.random.default_rng(2)
    narrow = np.outer(rng.normal(size=6), rng.normal(size=8))
    weights = [rng.normal(size=(8, 3)), narrow, rng.normal(size=(2, 6))]
    report = measure(DeepNet(weights, [np.ones(8), np.full(6, 20.0), np.zeros(2)]), X)
    assert report.bottleneck == (2, 1)
    assert report.ranks[0] == 3
    assert report.jacobian_ranks.max() == 1


def test_the_spectrum_is_that_of_centred_values():
    report = measure(DeepNet([[[3.0]]], [[100.0]]), [[-1.0], [1.0]])
    assert report.spectra[0] == pytest.approx([3.0])


def test_dead_and_double_neurons_are_prunable():
    first = [[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    net = DeepNet([first, np.ones((1, 4))], [[0.0, 0.0, 0.0, -1.0], [0.0]])
    assert measure(net, [[1.0, 2.0], [3.0, 1.0], [-1.0, 0.5]]).prunable == (2,)


def test_everything_can_be_written_down(model, X):
    told = json.loads(json.dumps(measure(model, X).to_dict()))
    assert told["widths"] == [3, 8, 6, 2] and len(told["jacobian_spectra"]) == 40


def test_it_shows_itself_and_prints_nothing(model, X, capsys):
    report = measure(model, X)
    assert capsys.readouterr().out == ""
    assert "squared norm" in str(report) and "<th" in report._repr_html_()
    report.plot().figure.canvas.draw()


@pytest.mark.parametrize("tolerance", [1e-12, 1e-3, 0.5])
def test_ranks_fall_as_the_tolerance_grows(model, X, tolerance):
    report = measure(model, X, tolerance=tolerance)
    assert all(
        rank <= full
        for rank, full in zip(report.ranks, measure(model, X, tolerance=1e-14).ranks, strict=True)
    )


def test_nested_models_and_harmless_layers(X):
    inner = nn.Sequential(nn.Linear(12, 5, bias=False), nn.LeakyReLU(0.1), nn.Dropout(0.5))
    model = nn.Sequential(nn.Flatten(), inner, nn.Identity(), nn.Linear(5, 1))
    images = np.random.default_rng(3).normal(size=(7, 1, 3, 4)).astype(np.float32)
    report = measure(model, torch.tensor(images, requires_grad=True))
    assert report.ignored == ("0 (Flatten)", "1.2 (Dropout)", "2 (Identity)")
    graph = read(model, torch.tensor(images))
    model.eval()
    theirs = model(torch.tensor(images)).detach().numpy()
    assert graph(torch.tensor(images).double()).numpy() == pytest.approx(theirs, abs=1e-5)
    assert "Dropout" in str(report)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (np.zeros((4, 2)), "model cannot be called on rows of X: mat1 and mat2"),
        (np.full((4, 3), np.nan), "X holds NaN"),
        (np.zeros((0, 3)), "no points"),
    ],
)
def test_bad_points_are_named(model, given, says):
    with pytest.raises(ValueError, match=says):
        measure(model, given)


def test_other_objects_and_tolerances_are_refused(model, X):
    with pytest.raises(ValueError, match="not the class Linear; give the module itself"):
        measure(nn.Linear, X)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="tolerance"):
        measure(model, X, tolerance=0.0)


def test_derivatives_are_multiplied_where_it_is_asked_for(model, X):
    device = Device("cpu")
    net = DeepNet(*layers_of(model))
    here, there = (measure(net, X, device=where) for where in (device, "cpu:0"))
    assert there.jacobian_spectra == pytest.approx(here.jacobian_spectra, rel=1e-12)
    assert [work.what for work in device.done] == ["jacobian_spectra"]
    with pytest.raises(ValueError, match="device must be"):
        measure(model, X, device="nowhere")


def layers_of(model) -> tuple[list[np.ndarray], list[np.ndarray]]:
    layers = model[::2]
    weights = [layer.weight.detach().numpy() for layer in layers]
    return weights, [layer.bias.detach().numpy() for layer in layers]


def test_a_module_and_the_network_of_its_weights_have_the_same_numbers(model, X):
    """Two ways that share little: operations on labels and torch, and units and numpy."""
    net = DeepNet(*layers_of(model))
    ours, theirs = measure(model, X).to_dict(), measure(net, X).to_dict()
    for name in set(ours) - {"layers", "mismatch"}:
        assert flat(ours[name]) == pytest.approx(flat(theirs[name]), rel=1e-11, abs=1e-13), name
    for one, other in zip(ours["layers"], theirs["layers"], strict=True):
        for name in set(one) - {"name"}:
            assert flat(one[name]) == pytest.approx(flat(other[name]), rel=1e-11, abs=1e-13), name


def flat(value):
    """Numbers alone, whatever they stand in."""
    if isinstance(value, list | tuple):
        return [number for part in value for number in flat(part)]
    return [float(value)] if isinstance(value, int | float) else []


def test_a_model_is_compared_with_all_its_digits():
    """Also where a training has asked for fewer: some processors have products of bfloat16."""
    torch.manual_seed(0)
    wide = nn.Sequential(nn.Linear(3, 400), nn.ReLU(), nn.Linear(400, 400))
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("medium")
        measure(wide, torch.randn(16, 3))
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_model_on_a_gpu_gives_the_same_report(model, X):
    here = measure(model, X)
    there = measure(model.to("cuda"), torch.tensor(X, device="cuda"))
    assert there.squared_norm == pytest.approx(here.squared_norm, rel=1e-12)
    assert there.jacobian_ranks.tolist() == here.jacobian_ranks.tolist()
