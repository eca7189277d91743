# SPDX-License-Identifier: GPL-3.0-or-later
"""SRU against the authors' package, sru 2.6, with its weights set from ours: forward pass and state, all options. The
package compiles a CPU op when it is imported."""

import warnings

import pytest
import torch


@pytest.fixture(scope="session")
def package():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("sru", exc_type=ModuleNotFoundError)  # where it is but does not build, that is a failure
        import sru.modules
    return sru.modules


def cell(package, case):
    """A cell of the package with our weights; its weight keeps the parts of a unit side by side."""
    params = case.facts["params"]
    width = case.facts["dimensions"]["input_size"]
    made = package.SRUCell(
        width, params["units"], dropout=params["dropout"], rnn_dropout=params["rnn_dropout"],
        bidirectional=params["bidirectional"], n_proj=params["projection_size"],
        use_tanh=params["activation"] == "tanh", highway_bias=params["highway_bias"],
        has_skip_term=params["has_skip_term"], layer_norm=params["layer_norm"], rescale=params["rescale"],
        v1=params["v1"], normalize_after=params["normalize_after"]).double()
    with torch.no_grad():
        for name, ours in ((n.removeprefix("weight."), t) for n, t in case.tensors.items() if n.startswith("weight.")):
            if name == "weight":
                dirs = 2 if params["bidirectional"] else 1
                parts = ours.view(dirs, made.num_matrices, params["units"], -1)
                ours = parts.permute(3, 0, 2, 1).reshape(made.weight.shape)
            elif name == "weight_proj":
                ours = ours.t()
            made.get_parameter(name).copy_(ours)
    # The package keeps this constant in single precision.
    scale = (1 + 2 * torch.tensor(params["highway_bias"], dtype=torch.float64).exp()).sqrt()
    made.scale_x = scale.view(1) if params["rescale"] and params["has_skip_term"] else torch.ones(1).double()
    return made.train(case.facts["training"])


def test_same_numbers(blocks, package):
    cases = [case for case in blocks["sru"].cases if case.facts["double"]]
    assert len(cases) > 40
    for case in cases:
        x, state, mask = case.inputs()
        module = cell(package, case)
        torch.manual_seed(case.facts["seed"])
        padded = None if mask is None else ~mask
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y, c = module(x, c0=None if state is None else state[0], mask_pad=padded)
        if mask is not None:
            y = torch.where(mask.unsqueeze(-1), y, 0.0)  # with normalize_after the package shows the norm's bias there
        for name, value in {"output.y.0": y, "output.state.0": c}.items():
            assert torch.allclose(value, case.tensors[name], rtol=1e-9, atol=1e-9), f"{case.text}: {name}"


def test_inference_operation(blocks, package):
    """The package's compiled op, which it takes without gradients."""
    cases = [case for case in blocks["sru"].cases if case.facts["double"] and not case.facts["training"]
             and not case.values("input", "state")]
    assert cases
    for case in cases:
        x, _, _ = case.inputs()
        with torch.no_grad():
            y, c = cell(package, case).float()(x.float())
        assert torch.allclose(y.double(), case.tensors["output.y.0"], rtol=1e-4, atol=1e-4), case.text
        assert torch.allclose(c.double(), case.tensors["output.state.0"], rtol=1e-4, atol=1e-4), case.text
