# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of flash-linear-attention, read file by file, since the package itself wants a GPU. A layer's own code runs over the package's naive forms of the
recurrences; what else it has for GPUs alone (convolutions, norms, rotations) is replaced by torch's own."""

import functools
import importlib.util
import pathlib
import sys
import types

import pytest
import torch
import torch.nn.functional as F
from torch import nn


class Convolution(nn.Conv1d):
    def __init__(self, hidden_size, kernel_size, bias, activation):
        super().__init__(hidden_size, hidden_size, kernel_size, groups=hidden_size, bias=bias)
        assert activation == "silu"
        self.backend, self.activation = None, activation

    def forward(self, x, **_):
        return F.silu(super().forward(F.pad(x.mT, (self.kernel_size[0] - 1, 0)))).mT, None


class GatedNorm(nn.RMSNorm):
    """norm(x) silu(gate); of Mamba-2 norm(x silu(gate))."""

    def __init__(self, hidden_size, eps, activation="swish", elementwise_affine=True, norm_before_gate=True, group_size=None):
        super().__init__(hidden_size, eps=eps, elementwise_affine=elementwise_affine)
        self.first = norm_before_gate

    def forward(self, x, gate):
        return super().forward(x) * F.silu(gate) if self.first else super().forward(x * F.silu(gate))


class Norm(nn.RMSNorm):
    bias = None

    def __init__(self, hidden_size, eps, dtype, elementwise_affine=True):
        super().__init__(hidden_size, eps=eps, elementwise_affine=elementwise_affine)


class Rotation(nn.Module):
    """RoPE, entries i and i + n / 2 a pair; x is [B, T, heads, n]."""

    def __init__(self, dim):
        super().__init__()
        self.speeds = 10000 ** -(torch.arange(0, dim, 2, dtype=torch.float64) / dim)

    def forward(self, q, k, seqlen_offset, **_):
        angle = (torch.arange(q.shape[1]) + seqlen_offset)[:, None, None] * self.speeds
        cos, sin = torch.cos(angle).to(q.dtype), torch.sin(angle).to(q.dtype)
        turned = []
        for x in (q, k):
            one, other = x.chunk(2, dim=-1)
            turned.append(torch.cat([one * cos - other * sin, other * cos + one * sin], dim=-1))
        return turned


def normed_linear(x, gain, shift, weight, bias):
    assert shift is None
    return F.linear(F.rms_norm(x, gain.shape, gain, eps=1e-5), weight, bias)


def module(name, **contents):
    made = types.ModuleType(name)
    vars(made).update(contents)
    return made


def unit(x):
    return x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6)


def from_file(folder, name):
    package = importlib.util.find_spec("fla")
    if package is None:
        pytest.skip("flash-linear-attention is not installed")
    pytest.importorskip("einops")
    path = next((p for root in package.submodule_search_locations if (p := pathlib.Path(root, *folder.split("/"), name + ".py")).exists()), None)
    if path is None:
        pytest.skip("flash-linear-attention is installed without its layers")
    spec = importlib.util.spec_from_file_location(f"theirs_{folder.replace('/', '_')}_{name}", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@functools.cache
def naive(op):
    """The file of an op's naive forms."""
    return from_file(f"ops/{op}", "naive")


def rule(q, k, v, beta, **_):
    o, state = naive("delta_rule").delta_rule_recurrence(*(x.transpose(1, 2) for x in (unit(q), unit(k), v, beta)))
    return o.transpose(1, 2), state


def gated_rule(q, k, v, g, beta, A_log, dt_bias, allow_neg_eigval, **_):
    decay, beta = -A_log.exp() * F.softplus(g + dt_bias), beta.sigmoid() * (2 if allow_neg_eigval else 1)
    return naive("gated_delta_rule").naive_recurrent_gated_delta_rule(unit(q), unit(k), v, beta, decay)


def several_rules(q, k, v, g, beta, num_householder, **_):
    theirs = naive("gated_delta_product").naive_recurrent_gated_delta_product
    return theirs(unit(q), unit(k), v, g, beta, q.shape[-1] ** -0.5, num_householder=num_householder)


def linear(q, k, v, normalize, **_):
    return naive("linear_attn").naive_recurrent_linear_attn(q, k, v, normalize=normalize)


def gated(q, k, v, g=None, gk=None, **_):
    return naive("gla").naive_recurrent_gla(q, k, v, g if gk is None else gk)


def retention(q, k, v, **_):
    return naive("retention").naive_retention(*(x.transpose(1, 2) for x in (q, k, v))).transpose(1, 2), None


def surroundings():
    """Modules by name, as far as the layers ask for them."""
    activations = {"swish": F.silu, "silu": F.silu}
    logger = types.SimpleNamespace(warning=lambda *_: None, warning_once=lambda *_: None)
    contents = {
        "fla": {}, "fla.layers": {}, "fla.ops": {}, "transformers": {},
        "fla.layers.utils": {"get_layer_cache": lambda *_, **__: None, "update_layer_cache": lambda *_, **__: None,
                             "repad_hidden_states": lambda hidden_states, *_, **__: hidden_states,
                             "unpad_hidden_states": lambda hidden_states, *_, **__: (hidden_states, None, None)},
        "fla.modules": {"FusedRMSNormGated": GatedNorm, "ShortConvolution": Convolution,
                        "RMSNorm": Norm},
        "fla.modules.activations": {"swish": F.silu, "elu_p1": lambda x: F.elu(x) + 1, "ACT2FN": activations},
        "fla.modules.convolution": {"causal_conv1d": None, "causal_conv1d_update": None},
        "fla.modules.feature_map": dict.fromkeys(("DPFPFeatureMap", "HadamardFeatureMap", "HedgehogFeatureMap", "T2RFeatureMap")),
        "fla.modules.layernorm": {"rms_norm_linear": normed_linear},
        "fla.modules.layernorm_gated": {"RMSNormGated": GatedNorm},
        "fla.modules.rotary": {"RotaryEmbedding": Rotation},
        "fla.ops.delta_rule": {"chunk_delta_rule": rule, "fused_recurrent_delta_rule": rule},
        "fla.ops.gated_delta_rule": {"chunk_gated_delta_rule": gated_rule, "fused_recurrent_gated_delta_rule": gated_rule},
        "fla.ops.gated_delta_product": {"chunk_gated_delta_product": several_rules},
        "fla.ops.linear_attn": dict.fromkeys(("chunk_linear_attn", "fused_chunk_linear_attn", "fused_recurrent_linear_attn"), linear),
        "fla.ops.gla": dict.fromkeys(("chunk_gla", "fused_chunk_gla", "fused_recurrent_gla"), gated),
        "fla.ops.retention": dict.fromkeys(("chunk_retention", "fused_chunk_retention", "fused_recurrent_retention", "parallel_retention"), retention),
        "fla.ops.utils": {}, "fla.ops.utils.index": {"prepare_lens_from_mask": None},
        "transformers.activations": {"ACT2FN": activations},
        "transformers.utils": {"logging": types.SimpleNamespace(get_logger=lambda _: logger)},
    }  # fmt: skip
    return {name: module(name, **held) for name, held in contents.items()}


def enter(monkeypatch):
    """Puts these modules in the place of the package's, and keeps its naive forms, which would go through single precision, from doing so."""
    spec = importlib.util.find_spec("fla")
    if spec is None:
        pytest.skip("flash-linear-attention is not installed")
    for name, made in surroundings().items():
        monkeypatch.setitem(sys.modules, name, made)
    sys.modules["fla"].__spec__ = spec
    monkeypatch.setattr(torch.Tensor, "float", lambda tensor: tensor)
    for name in ("float", "float32"):
        monkeypatch.setattr(torch, name, torch.float64)


def compared(ours, theirs, x, weight, our_name=lambda theirs: theirs):
    """Relative deviations of the output, and the greatest of the gradients by x and by all weights."""
    x_ours, x_theirs = (x.clone().requires_grad_() for _ in range(2))
    want, got = ours(x_ours)[0], theirs(x_theirs.transpose(0, 1))[0].transpose(0, 1)
    for out in (want, got):
        (out * weight).sum().backward()
    grads = dict(ours.named_parameters())
    pairs = [(got, want), (x_theirs.grad, x_ours.grad)] + [(p.grad, grads[our_name(n)].grad) for n, p in theirs.named_parameters()]
    found = [((a - b).norm() / b.norm()).item() for a, b in pairs]
    return found[0], max(found[1:])
