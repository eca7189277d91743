# SPDX-License-Identifier: GPL-3.0-or-later
"""DeltaNet, Gated DeltaNet and DeltaProduct against the layers of flash-linear-attention, with their weights loaded from ours by name: outputs and gradients
of whole sequences."""

import pytest
import torch

from authors import record
from block_dumps import reference_module
from fla_layers import compared, enter, from_file

WIDTH = 48
CASES = [
    ("delta_net", "DeltaNet", {}, {}),
    ("delta_net", "DeltaNet", {"negative_eigenvalues": True, "use_short_conv": False}, {"allow_neg_eigval": True, "use_short_conv": False}),
    ("gated_delta_net", "GatedDeltaNet", {}, {}),
    ("gated_delta_net", "GatedDeltaNet", {"negative_eigenvalues": True, "kernel_size": 2}, {"allow_neg_eigval": True, "conv_size": 2}),
    ("delta_product", "DeltaProduct", {}, {}),
    ("delta_product", "DeltaProduct", {"num_householder": 3, "negative_eigenvalues": False, "use_forget_gate": False},
     {"num_householder": 3, "allow_neg_eigval": False, "use_forget_gate": False}),
]  # fmt: skip
LAYERS = {"DeltaNet": ("delta_net", "DeltaNet"), "GatedDeltaNet": ("gated_deltanet", "GatedDeltaNet"), "DeltaProduct": ("gated_deltaproduct", "GatedDeltaProduct")}


@pytest.mark.filterwarnings("ignore:ShortConvolution is crucial")
@pytest.mark.parametrize("block,name,params,their_params", CASES, ids=str)
def test_whole_sequences(monkeypatch, block, name, params, their_params):
    enter(monkeypatch)
    torch.manual_seed(7)
    layer = getattr(from_file("layers", LAYERS[name][0]), LAYERS[name][1])
    ours = getattr(reference_module(block), name)(WIDTH, units=WIDTH, num_heads=3, **params).double()
    sizes = {} if name == "DeltaNet" else {"expand_v": 1, "head_dim": WIDTH // 3}
    made = layer(hidden_size=WIDTH, num_heads=3, **sizes, **their_params).double()
    if name == "GatedDeltaNet":
        monkeypatch.setattr(made, "_use_fused_qkv_conv", lambda **_: False, raising=False)
    made.load_state_dict(ours.state_dict(), strict=True)
    outputs, gradients = compared(ours, made, *(torch.randn(37, 3, WIDTH, dtype=torch.float64) for _ in range(2)))
    print(f"{name} of flash-linear-attention, {params}: outputs {outputs:.1e}, gradients {gradients:.1e}")
    record(block, "fla", outputs, gradients)
    assert max(outputs, gradients) < 1e-12
