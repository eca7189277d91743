# SPDX-License-Identifier: GPL-3.0-or-later
"""Mamba-2 against the mixer of Hugging Face's transformers, which runs on a CPU where mamba_ssm does not, with its weights set from ours: outputs and
gradients of whole sequences. In single precision, since parts of it are whatever is asked for; it has no mask, and a given state only in its cache."""

import pytest
import torch

from block_dumps import reference_module

SIZES = [{}, {"state_size": 16, "head_size": 8}, {"expand": 1, "head_size": 16}, {"kernel_size": 2, "conv_bias": False}, {"use_bias": True, "state_size": 5}]


@pytest.fixture(scope="session")
def package():
    return pytest.importorskip("transformers.models.mamba2.modeling_mamba2", reason="transformers is not installed: .venv/bin/python -m pip install transformers")


def theirs(package, ours, width, params):
    p = {"state_size": 64, "expand": 2, "head_size": 32, "kernel_size": 4, "use_bias": False, "conv_bias": True} | params
    config = package.Mamba2Config(hidden_size=width, state_size=p["state_size"], expand=p["expand"], head_dim=p["head_size"], num_heads=ours.heads,
                                  n_groups=1, conv_kernel=p["kernel_size"], use_bias=p["use_bias"], use_conv_bias=p["conv_bias"], chunk_size=16,
                                  num_hidden_layers=1, layer_norm_epsilon=1e-5)  # fmt: skip
    made = package.Mamba2Mixer(config, layer_idx=0)
    made.load_state_dict(ours.state_dict(), strict=True)
    return made


@pytest.mark.parametrize("params", SIZES, ids=str)
def test_whole_sequences(package, params):
    torch.manual_seed(5)
    ours = reference_module("mamba2").Mamba2(48, **params)
    made = theirs(package, ours, 48, params)
    x, weight = torch.randn(37, 3, 48), torch.randn(37, 3, 48)
    x_ours, x_theirs = (x.clone().requires_grad_() for _ in range(2))
    want, got = ours(x_ours)[0], made(x_theirs.transpose(0, 1)).transpose(0, 1)
    for out in (want, got):
        (out * weight).sum().backward()
    grads = dict(ours.named_parameters())
    pairs = [(got, want), (x_theirs.grad, x_ours.grad)] + [(p.grad, grads[n].grad) for n, p in made.named_parameters()]
    worst = max(((a - b).norm() / b.norm()).item() for a, b in pairs)
    print(f"Mamba-2 of transformers, {params}, outputs and gradients: {worst:.1e}")
    assert worst < 1e-5
