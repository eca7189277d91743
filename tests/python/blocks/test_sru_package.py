# SPDX-License-Identifier: GPL-3.0-or-later
"""SRU against the authors' package, sru 2.6, with its weights set from ours: forward pass and state, all options. The
package compiles a CPU op when it is imported."""

import itertools
import warnings

import pytest
import torch

from authors import record
from block_dumps import reference_module, relative_rms

USUAL = {"dropout": 0.0, "rnn_dropout": 0.0, "highway_bias": -1.0}
MATRIX = {
    "bidirectional": (False, True),
    "has_skip_term": (True, False),
    "rescale": (False, True),
    "activation": ("identity", "tanh"),
    "v1": (False, True),
    "projection_size": (0, 2),
    "norm": ({"layer_norm": False, "normalize_after": False}, {"layer_norm": True, "normalize_after": False},
             {"layer_norm": True, "normalize_after": True}),
}


@pytest.fixture(scope="session")
def package():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("sru", exc_type=ModuleNotFoundError)  # where it is but does not build, that is a failure
        import sru.modules
    return sru.modules


def in_the_packages_order(name, ours, params):
    """The package keeps the parts of a unit side by side, and weights transposed."""
    if name == "weight_proj":
        return ours.t()
    if name != "weight":
        return ours
    parts = ours.view(2 if params["bidirectional"] else 1, -1, params["units"], ours.shape[1])
    return parts.permute(3, 0, 2, 1).reshape(ours.shape[1], -1)


def cell(package, width, params, weights):
    """A cell of the package with our weights."""
    made = package.SRUCell(
        width, params["units"], dropout=params["dropout"], rnn_dropout=params["rnn_dropout"],
        bidirectional=params["bidirectional"], n_proj=params["projection_size"],
        use_tanh=params["activation"] == "tanh", highway_bias=params["highway_bias"],
        has_skip_term=params["has_skip_term"], layer_norm=params["layer_norm"], rescale=params["rescale"],
        v1=params["v1"], normalize_after=params["normalize_after"]).double()
    with torch.no_grad():
        for name, ours in weights.items():
            made.get_parameter(name).copy_(in_the_packages_order(name, ours, params))
    # The package keeps this constant in single precision.
    scale = (1 + 2 * torch.tensor(params["highway_bias"], dtype=torch.float64).exp()).sqrt()
    made.scale_x = scale.view(1) if params["rescale"] and params["has_skip_term"] else torch.ones(1).double()
    return made


def cell_of(package, case):
    weights = {n.removeprefix("weight."): t for n, t in case.tensors.items() if n.startswith("weight.")}
    made = cell(package, case.facts["dimensions"]["input_size"], case.facts["params"], weights)
    return made.train(case.facts["training"])


def has_product(case):
    """Others take U as it is: beside custom_m."""
    return case.facts["params"].get("projections", True)


def our_outputs(module, x, c0, mask):
    y, (c,) = module(x, (c0,), mask)
    return y, c


def outputs_of(module, x, c0, mask):
    """y and c of the package. With normalize_after it shows the norm's bias at masked steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y, c = module(x, c0=c0, mask_pad=None if mask is None else ~mask)
    return y if mask is None else torch.where(mask.unsqueeze(-1), y, 0.0), c


def test_same_numbers(blocks, package):
    cases = [case for case in blocks["sru"].cases if case.facts["double"] and case.facts["params"]["masked_output"] == "zero" and has_product(case)]
    assert len(cases) > 30
    for case in cases:
        x, state, mask = case.inputs()
        module = cell_of(package, case)
        torch.manual_seed(case.facts["seed"])
        y, c = outputs_of(module, x, None if state is None else state[0], mask)
        for name, value in {"output.y.0": y, "output.state.0": c}.items():
            assert torch.allclose(value, case.tensors[name], rtol=1e-9, atol=1e-9), f"{case.text}: {name}"


def gradients_too(module, run, params, x, c0, mask):
    """Outputs and the gradients of a sum of them, weights in the package's order."""
    x, c0 = x.clone().requires_grad_(True), c0.clone().requires_grad_(True)
    y, c = run(module, x, c0, mask)
    (y.sin().sum() + c.cos().sum()).backward()
    ours = run is our_outputs
    weights = {n: in_the_packages_order(n, p.grad, params) if ours else p.grad
               for n, p in module.named_parameters() if p.requires_grad}
    return {"y": y, "c": c, "x": x.grad, "c0": c0.grad, **weights}


@pytest.mark.parametrize("width", (4, 8, 5))
def test_option_matrix(package, width):
    """Every combination of options, k = 3 and 4, by the reference class: outputs, state and all gradients."""
    reference, random = reference_module("sru").SRU, torch.manual_seed(3)
    mask = torch.tensor([[1, 1], [1, 0], [0, 1], [1, 1]], dtype=torch.bool)
    for values in itertools.product(*MATRIX.values()):
        chosen = dict(zip(MATRIX, values))
        norm = chosen.pop("norm")
        params = {"units": 4, **USUAL, **chosen, **norm}
        ours = reference(width, **params).double()
        with torch.no_grad():
            for weight in ours.parameters():
                weight.copy_(torch.randn(weight.shape, generator=random, dtype=torch.float64) * 0.5)
        theirs = cell(package, width, params, ours.state_dict())
        x, c0 = torch.randn(4, 2, width, dtype=torch.float64), torch.randn(2, ours.out, dtype=torch.float64)
        got = gradients_too(ours, our_outputs, params, x, c0, mask)
        want = gradients_too(theirs, outputs_of, params, x, c0, mask)
        assert got.keys() == want.keys()
        for name, value in got.items():
            error = relative_rms(value, want[name], want["y"])
            record("sru", "sru", **{"outputs" if name in ("y", "c") else "gradients": error})
            assert error < 1e-12, f"{params}: {name}"


class LowRank(torch.nn.Module):
    """U of the package, k fastest, by two factors."""

    def __init__(self, width, out, random):
        super().__init__()
        self.left, self.right = (torch.nn.Parameter(torch.randn(*sizes, generator=random, dtype=torch.float64)) for sizes in ((width, 2), (2, out)))

    def forward(self, x):
        return x @ self.left @ self.right


@pytest.mark.parametrize("both", (False, True))
@pytest.mark.parametrize("width, k", ((5, 4), (4, 4), (8, 4), (5, 3)))
def test_custom_m(package, width, k, both):
    """A module in the place of W is a block before the cell without projections. Where the package skips its input, that is the fourth part."""
    random, units, dirs = torch.Generator().manual_seed(5), 4, 2 if both else 1
    out, mask = units * dirs, torch.tensor([[1, 1], [1, 0], [0, 1], [1, 1]], dtype=torch.bool)
    skips_input = k == 4 and width == out
    parts = 3 if skips_input else k
    module = LowRank(width, out * parts, random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = package.SRUCell(width, units, bidirectional=both, has_skip_term=k == 4, highway_bias=-1.0, rescale=False, custom_m=module).double()
    ours = reference_module("sru").SRU(out * k, units=units, bidirectional=both, has_skip_term=k == 4, projections=False).double()
    with torch.no_grad():
        for name, weight in ours.named_parameters():
            weight.copy_(torch.randn(weight.shape, generator=random, dtype=torch.float64) * 0.5)
            theirs.get_parameter(name).copy_(weight)
    assert [name for name, _ in ours.named_parameters()] == ["weight_c", "bias"]

    def fed(cell, x, c0, mask):
        u = module(x).unflatten(-1, (dirs, units, parts)).transpose(-1, -2)
        if skips_input:
            u = torch.cat((u, x.unflatten(-1, (dirs, 1, units))), dim=-2)
        return our_outputs(cell, u.flatten(-3), c0, mask)

    x, c0 = (torch.randn(*sizes, generator=random, dtype=torch.float64) for sizes in ((4, 2, width), (2, out)))
    made = []
    for cell, run in ((ours, fed), (theirs, outputs_of)):
        module.zero_grad()
        made.append(gradients_too(cell, run, {}, x, c0, mask))
        made[-1] |= {"left": module.left.grad.clone(), "right": module.right.grad.clone()}
    got, want = made
    for name, value in got.items():
        error = relative_rms(value, want[name], want["y"])
        record("sru", "sru", **{"outputs" if name in ("y", "c") else "gradients": error})
        assert error < 1e-12, name


def test_inference_operation(blocks, package):
    """The package's compiled op, which it takes without gradients."""
    cases = [case for case in blocks["sru"].cases if case.facts["double"] and not case.facts["training"]
             and not case.values("input", "state") and has_product(case)]
    assert cases
    for case in cases:
        x, _, _ = case.inputs()
        with torch.no_grad():
            y, c = cell_of(package, case).float()(x.float())
        assert torch.allclose(y.double(), case.tensors["output.y.0"], rtol=1e-4, atol=1e-4), case.text
        assert torch.allclose(c.double(), case.tensors["output.state.0"], rtol=1e-4, atol=1e-4), case.text
