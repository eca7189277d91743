# SPDX-License-Identifier: GPL-3.0-or-later
"""RoPE and xPos against x-transformers' RotaryEmbedding with q, k and v given: outputs and gradients of causal attention. It pairs entries 2i and 2i + 1, ours i and
i + n / 2, and counts xPos's powers from the middle of the text, which cancels between q and k. Its rates are made in double precision here."""

import importlib

import pytest
import torch
import torch.nn.functional as F

from authors import record
from block_dumps import reference_module

STEPS, SEQUENCES, HEADS, SIZE = 37, 3, 2, 12


@pytest.fixture
def package(monkeypatch):
    pytest.importorskip("x_transformers", reason="x-transformers is not installed")
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)
    torch.set_default_dtype(torch.float64)
    yield importlib.import_module("x_transformers.x_transformers")
    torch.set_default_dtype(torch.float32)


def theirs(package, q, k, v, xpos):
    """q, k and v (T, B, heads n)."""
    q, k, v = (x.unflatten(-1, (HEADS, SIZE)).permute(1, 2, 0, 3) for x in (q, k, v))
    q, k = (x.unflatten(-1, (2, -1)).transpose(-1, -2).flatten(-2) for x in (q, k))
    freqs, scale = package.RotaryEmbedding(SIZE, use_xpos=xpos, scale_base=20).forward_from_seq_len(STEPS)
    q = package.apply_rotary_pos_emb(q, freqs, scale)
    k = package.apply_rotary_pos_emb(k, freqs, scale**-1.0)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).permute(2, 0, 1, 3).flatten(2)


def apart(got, want):
    return ((got - want).abs().max() / want.abs().max()).item()


@pytest.mark.parametrize("positions", ["rope", "xpos"])
def test_given_queries_and_keys(package, positions):
    torch.manual_seed(5)
    width = HEADS * SIZE
    parts = [torch.randn(STEPS, SEQUENCES, width, requires_grad=True) for _ in range(3)]
    ours = reference_module("attention").Attention(3 * width, num_heads=HEADS, projections=False, positions=positions, xpos_scale=20.0)
    want, got = ours(torch.cat(parts, dim=-1))[0], theirs(package, *parts, positions == "xpos")
    weight = torch.randn_like(want)
    wanted, found = (torch.autograd.grad((y * weight).sum(), parts) for y in (want, got))
    outputs, gradients = apart(got, want), max(map(apart, found, wanted))
    print(f"Attention of x-transformers, {positions}: outputs {outputs:.1e}, gradients {gradients:.1e}")
    record("attention", f"x-transformers-{positions}", outputs, gradients)
    assert max(outputs, gradients) < 1e-12
    other = theirs(package, *parts, positions != "xpos")
    assert apart(other, want) > 1e-3, "the other rotation is noticed"
