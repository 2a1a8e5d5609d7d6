"""Models of torch: such as a report can be had of, and such as compute something else."""

import warnings
from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrizations, prune


def small(**options):
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)).to(**options)


def old(make, *arguments, **options):
    """A function of torch's that is deprecated, and in use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        return make(*arguments, **options)


class OnlySetsUp(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(3, width), nn.ReLU(), nn.Linear(width, 1))


class PlainLinear(nn.Linear):
    pass


class Doubling(nn.Module):
    def forward(self, X):
        return 2 * X


def shared_block():
    layer, act = nn.Linear(20, 20), nn.ReLU()
    return nn.Sequential(
        nn.Linear(3, 20), act, layer, act, layer, act, layer, act, nn.Linear(20, 3)
    )


def repeated_sequential():
    block = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    return nn.Sequential(block, block, block, nn.Linear(3, 1))


def changed(change, model=None):
    model = small() if model is None else model
    return change(model) or model


def pruned_twice(model):
    prune.l1_unstructured(model[0], "weight", 5)
    prune.random_unstructured(model[0], "bias", 1)
    prune.ln_structured(model[0], "weight", 1, n=2, dim=0)


def stale_weight_norm(model):
    """The weight that lies there is the one of the last call, not that of the next."""
    old(nn.utils.weight_norm, model[0])
    with torch.no_grad():
        model[0].weight_g.mul_(3)


def materialised():
    model = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(2))
    model(torch.zeros(1, 3))
    return model


class WithScale(nn.Sequential):
    """A parameter that no layer has, and no call uses."""

    def __init__(self, **options):
        super().__init__(*small())
        self.scale = nn.Parameter(torch.ones(1, **options), requires_grad=False)


def without_parameters(keep):
    """Frozen for good: the same numbers, but nothing that an optimiser would find."""

    def change(model):
        for layer, name in ((layer, name) for layer in model[::2] for name in ("weight", "bias")):
            numbers = getattr(layer, name).detach().clone()
            delattr(layer, name)
            keep(layer, name, numbers)

    return lambda: changed(change)


READ_RIGHT = {
    "buffers": without_parameters(nn.Module.register_buffer),
    "tensors": without_parameters(setattr),
    "beside a double": lambda: WithScale(dtype=torch.float64),
    "beside a whole number": lambda: WithScale(dtype=torch.int64),
    "beside a parameter without numbers": lambda: WithScale(device="meta"),
    "shared block": shared_block,
    "repeated sequential": repeated_sequential,
    "a class that only sets up": lambda: OnlySetsUp(5),
    "in a sequential": lambda: nn.Sequential(OnlySetsUp(5), nn.ReLU(), nn.Linear(1, 2)),
    "a linear of one's own": lambda: nn.Sequential(PlainLinear(3, 4), nn.ReLU(), nn.Linear(4, 1)),
    "in training": lambda: small().train(),
    "dropout": lambda: nn.Sequential(
        nn.Dropout(0.9), nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Dropout(0.9), nn.Linear(4, 1)
    ),
    "alpha dropout in place": lambda: nn.Sequential(
        nn.Linear(3, 4),
        nn.AlphaDropout(0.5, inplace=True),
        nn.LeakyReLU(0.2, True),
        nn.Linear(4, 1),
    ),
    "identity and in place": lambda: nn.Sequential(
        nn.Identity(), nn.Linear(3, 4), nn.Flatten(), nn.ReLU(inplace=True), nn.Linear(4, 1)
    ),
    "no bias": lambda: nn.Sequential(nn.Linear(3, 4, bias=False), nn.ReLU(), nn.Linear(4, 1)),
    "a single linear": lambda: nn.Sequential(nn.Linear(3, 2)),
    "double": lambda: small(dtype=torch.float64),
    "half": lambda: small(dtype=torch.float16),
    "bf16": lambda: small(dtype=torch.bfloat16),
    "weight norm": lambda: changed(lambda m: old(parametrizations.weight_norm, m[0]) and None),
    "spectral norm": lambda: changed(lambda m: parametrizations.spectral_norm(m[0]) and None),
    "orthogonal": lambda: changed(lambda m: parametrizations.orthogonal(m[2]) and None),
    "weight norm, old": lambda: changed(lambda m: old(nn.utils.weight_norm, m[0]) and None),
    "weight norm, stale": lambda: changed(stale_weight_norm),
    "spectral norm, old": lambda: changed(lambda m: old(nn.utils.spectral_norm, m[2]) and None),
    "pruned": lambda: changed(pruned_twice),
    "materialised lazy": materialised,
    "compiled in place": lambda: changed(lambda m: old(m.compile)),
    "frozen": lambda: small().requires_grad_(False),
}


class Scaled(nn.Sequential):
    def forward(self, input):
        return 2 * super().forward(input)


class Backwards(nn.Sequential):
    def __iter__(self):
        return reversed(list(self._modules.values()))


class Called(nn.Sequential):
    def __call__(self, X):
        return super().__call__(X) + 1


class Masked(nn.Linear):
    def forward(self, input):
        return super().forward(input).clamp(max=0.1)


class Leaking(nn.ReLU):
    def forward(self, input):
        return input.clamp(min=-1)


def with_forward(model):
    model[1].forward = lambda X: X


class Bent(torch.Tensor):
    """A weight that is not linear."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        result: Any = super().__torch_function__(func, types, args, kwargs or {})
        return result.clamp(max=1e3) if func is nn.functional.linear else result


def bent(model):
    model[0].weight = nn.Parameter(model[0].weight.detach().as_subclass(Bent))


def whole(model):
    model[0].weight = nn.Parameter(model[0].weight.detach().long(), requires_grad=False)


def with_nan(model):
    nn.init.constant_(model[2].bias, float("nan"))


def holding_itself(model):
    model.append(model)


def hooked(register, where: int | None = 0):
    def change(model):
        module = model if where is None else model[where]
        getattr(module, register)(lambda *given: None)

    return change


def scripted():
    # One of the ways to make what is no Sequential any more.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.jit.trace(small(), torch.zeros(1, 3))


def mixed(**options):
    model = small()
    model[2].to(**options)
    return model


def beside(layer):
    return lambda: nn.Sequential(nn.Linear(3, 4), nn.ReLU(), layer, nn.Linear(4, 2))


def nothing_between():
    model = small()
    model.register_module("1", None)
    return model


# What was refused while layers were read by their classes, and is read as it computes.
READ_RIGHT |= {
    "own forward": lambda: Scaled(*small()),
    "own order": lambda: Backwards(*nn.Sequential(nn.Linear(4, 2), nn.ReLU(), nn.Linear(3, 4))),
    "nested": lambda: nn.Sequential(Scaled(*small())),
    "own linear": lambda: nn.Sequential(Masked(3, 4), nn.ReLU(), nn.Linear(4, 2)),
    "own activation": beside(Leaking()),
    "instance": lambda: changed(with_forward),
    "single linear": lambda: nn.Linear(3, 2),
    "parallel inside": lambda: nn.Sequential(nn.DataParallel(small())),
    "norm": beside(nn.BatchNorm1d(4)),
    "steep": lambda: nn.Sequential(nn.Linear(3, 4), nn.LeakyReLU(1.5), nn.Linear(4, 2)),
    "tanh": beside(nn.Tanh()),
}

REFUSED = {
    "hook": (
        lambda: changed(hooked("register_forward_hook")),
        "layer 0 is a Linear with forward hooks, which may.*remove",
    ),
    "hook of ReLU": (lambda: changed(hooked("register_forward_hook", 1)), "layer 1 is a ReLU with"),
    "pre-hook": (
        lambda: changed(hooked("register_forward_pre_hook", 2)),
        "layer 2 is a Linear with forward pre hooks",
    ),
    "hook of the model": (
        lambda: changed(hooked("register_forward_hook", None)),
        "model is a Sequential with forward hooks",
    ),
    "itself": (lambda: changed(holding_itself), "model cannot be called on rows of X"),
    "nothing": (nothing_between, "model cannot be called on rows of X"),
    "traced": (scripted, "not TopLevelTracedModule; give the module that it was made of"),
    "lazy": (
        lambda: nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.Linear(4, 1)),
        "layer 0: its weight has no size yet; call the model once",
    ),
    "meta": (lambda: small(device="meta"), "model .*meta"),
    "mixed": (lambda: mixed(dtype=torch.float64), "model cannot be called on rows of X: .*dtype"),
    "flatten of all": (beside(nn.Flatten(0)), "model cannot be called on rows of X"),
    "a tensor of one's own": (
        lambda: changed(bent),
        "layer 0: its weight is a Bent, which may compute otherwise; give a plain",
    ),
    "whole numbers": (lambda: changed(whole), "model cannot be called on rows of X: .*Long"),
    "namesake": (
        beside(type("Linear", (nn.Module,), {"__module__": "others"})()),
        "model cannot be called on rows of X: .*missing the required .forward",
    ),
    "no layers": (nn.Sequential, "model gives back the points; there is nothing to measure"),
    "not a number": (
        lambda: changed(with_nan),
        "layer 2: its bias holds NaN or infinity; remove",
    ),
}
