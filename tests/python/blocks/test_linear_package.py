# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear attention, GLA, RetNet and Mamba-2 against the layers of flash-linear-attention, with their weights set from ours: outputs and gradients of whole
sequences."""

import pytest
import torch

from authors import record
from block_dumps import reference_module
from fla_layers import compared, enter, from_file

WIDTH, HEADS = 24, 3


def held(block, ours, made, bound, key="fla", **names):
    x, weight = (torch.randn(37, 3, WIDTH, dtype=next(ours.parameters()).dtype) for _ in range(2))
    outputs, gradients = compared(ours, made, x, weight, **names)
    print(f"{type(ours).__name__} of flash-linear-attention: outputs {outputs:.1e}, gradients {gradients:.1e}")
    record(block, key, outputs, gradients)
    assert max(outputs, gradients) < bound


@pytest.fixture
def package(monkeypatch):
    enter(monkeypatch)
    torch.manual_seed(5)


@pytest.mark.parametrize("feature_map,normalize", [("elu", True), ("elu", False), ("identity", False)])
def test_linear_attention(package, feature_map, normalize):
    """Without a feature map weights may be negative: ours never divides by their sum then."""
    ours = reference_module("linear_attention").LinearAttention(WIDTH, units=WIDTH, num_heads=HEADS, feature_map=feature_map, normalize=normalize, decay="none").double()
    made = from_file("layers", "linear_attn").LinearAttention(hidden_size=WIDTH, num_heads=HEADS, feature_map=feature_map, do_feature_map_norm=normalize,
                                                              output_norm="identity").double()  # fmt: skip
    made.load_state_dict(ours.state_dict(), strict=True)
    held("linear_attention", ours, made, 1e-5 if normalize else 1e-12, key="fla-divided" if normalize else "fla")


@pytest.mark.parametrize("params,theirs", [({}, {}), ({"gate_rank": 5, "gate_normalizer": 4.0}, {"gate_low_rank_dim": 5, "gate_logit_normalizer": 4})], ids=str)
def test_gla(package, params, theirs):
    ours = reference_module("gla").GLA(WIDTH, units=WIDTH, num_heads=HEADS, **params).double()
    made = from_file("layers", "gla").GatedLinearAttention(hidden_size=WIDTH, expand_k=1.0, num_heads=HEADS, **theirs).double()
    made.load_state_dict(ours.state_dict(), strict=True)
    held("gla", ours, made, 1e-12)


@pytest.mark.parametrize("factor", [1, 2])
def test_retnet(package, factor):
    ours = reference_module("retnet").RetNet(WIDTH, units=WIDTH, num_heads=HEADS, value_factor=factor, rotation="rope").double()
    made = from_file("layers", "multiscale_retention").MultiScaleRetention(hidden_size=WIDTH, expand_k=1.0, expand_v=float(factor), num_heads=HEADS,
                                                                           elementwise_affine=False, norm_eps=1e-6).double()  # fmt: skip
    made.load_state_dict({n.replace("out_proj", "o_proj"): weight for n, weight in ours.state_dict().items()}, strict=True)
    held("retnet", ours, made, 1e-12, our_name=lambda name: name.replace("o_proj", "out_proj"))


@pytest.mark.parametrize("params,theirs", [({}, {}), ({"use_bias": True, "kernel_size": 2, "state_size": 5}, {"use_bias": True, "conv_kernel": 2, "state_size": 5}),
                                           ({"expand": 1, "conv_bias": False}, {"expand": 1, "use_conv_bias": False})], ids=str)
def test_mamba2(package, params, theirs):
    ours = reference_module("mamba2").Mamba2(WIDTH, head_size=8, **({"state_size": 7} | params)).double()
    made = from_file("layers", "mamba2").Mamba2(hidden_size=WIDTH, head_dim=8, chunk_size=16, **({"state_size": 7} | theirs)).double()
    made.load_state_dict(ours.state_dict(), strict=True)
    held("mamba2", ours, made, 1e-11)
