# SPDX-License-Identifier: GPL-3.0-or-later
"""DeltaNet, Gated DeltaNet and DeltaProduct against the layers of flash-linear-attention, with their weights loaded from ours by name: outputs and gradients
of whole sequences. The layers' code runs, and the package's naive forms of the recurrences; what else it has for GPUs alone, convolutions and norms,
is replaced by torch's own."""

import importlib.util
import pathlib
import sys
import types

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from block_dumps import reference_module

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


class Convolution(nn.Conv1d):
    def __init__(self, hidden_size, kernel_size, bias, activation):
        super().__init__(hidden_size, hidden_size, kernel_size, groups=hidden_size, bias=bias)
        assert activation == "silu"
        self.backend, self.activation = None, activation

    def forward(self, x, **_):
        return F.silu(super().forward(F.pad(x.mT, (self.kernel_size[0] - 1, 0)))).mT, None


class GatedNorm(nn.RMSNorm):
    def __init__(self, hidden_size, eps, activation="swish"):
        super().__init__(hidden_size, eps=eps)

    def forward(self, x, gate):
        return super().forward(x) * F.silu(gate)


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


def rule(q, k, v, beta, **_):
    o, state = from_file("ops/delta_rule", "naive").delta_rule_recurrence(*(x.transpose(1, 2) for x in (unit(q), unit(k), v, beta)))
    return o.transpose(1, 2), state


def gated_rule(q, k, v, g, beta, A_log, dt_bias, allow_neg_eigval, **_):
    decay, beta = -A_log.exp() * F.softplus(g + dt_bias), beta.sigmoid() * (2 if allow_neg_eigval else 1)
    return from_file("ops/gated_delta_rule", "naive").naive_recurrent_gated_delta_rule(unit(q), unit(k), v, beta, decay)


def several_rules(q, k, v, g, beta, num_householder, **_):
    theirs = from_file("ops/gated_delta_product", "naive").naive_recurrent_gated_delta_product
    return theirs(unit(q), unit(k), v, g, beta, q.shape[-1] ** -0.5, num_householder=num_householder)


@pytest.fixture
def package(monkeypatch):
    """The package around the layers, as far as they ask for it."""
    around = {
        "fla": module("fla"),
        "fla.layers": module("fla.layers"),
        "fla.layers.utils": module("fla.layers.utils", get_layer_cache=lambda *_, **__: None, update_layer_cache=lambda *_, **__: None,
                                   repad_hidden_states=lambda hidden_states, *_, **__: hidden_states,
                                   unpad_hidden_states=lambda hidden_states, *_, **__: (hidden_states, None, None)),
        "fla.modules": module("fla.modules", FusedRMSNormGated=GatedNorm, ShortConvolution=Convolution,
                              RMSNorm=lambda hidden_size, eps, dtype: nn.RMSNorm(hidden_size, eps=eps)),
        "fla.modules.activations": module("fla.modules.activations", elu_p1=None),
        "fla.modules.convolution": module("fla.modules.convolution", causal_conv1d=None),
        "fla.ops": module("fla.ops"),
        "fla.ops.delta_rule": module("fla.ops.delta_rule", chunk_delta_rule=rule, fused_recurrent_delta_rule=rule),
        "fla.ops.gated_delta_rule": module("fla.ops.gated_delta_rule", chunk_gated_delta_rule=gated_rule, fused_recurrent_gated_delta_rule=gated_rule),
        "fla.ops.gated_delta_product": module("fla.ops.gated_delta_product", chunk_gated_delta_product=several_rules),
    }  # fmt: skip
    spec = importlib.util.find_spec("fla")
    if spec is None:
        pytest.skip("flash-linear-attention is not installed")
    around["fla"].__spec__ = spec
    for name, made in around.items():
        monkeypatch.setitem(sys.modules, name, made)


@pytest.mark.filterwarnings("ignore:ShortConvolution is crucial")
@pytest.mark.parametrize("block,name,params,their_params", CASES, ids=str)
def test_whole_sequences(package, monkeypatch, block, name, params, their_params):
    torch.manual_seed(7)
    layer = getattr(from_file("layers", LAYERS[name][0]), LAYERS[name][1])
    ours = getattr(reference_module(block), name)(WIDTH, units=WIDTH, num_heads=3, **params)
    sizes = {} if name == "DeltaNet" else {"expand_v": 1, "head_dim": WIDTH // 3}
    made = layer(hidden_size=WIDTH, num_heads=3, **sizes, **their_params)
    if name == "GatedDeltaNet":
        monkeypatch.setattr(made, "_use_fused_qkv_conv", lambda **_: False, raising=False)
    made.load_state_dict(ours.state_dict(), strict=True)
    x, weight = torch.randn(37, 3, WIDTH), torch.randn(37, 3, WIDTH)
    x_ours, x_theirs = (x.clone().requires_grad_() for _ in range(2))
    want, got = ours(x_ours)[0], made(x_theirs.transpose(0, 1))[0].transpose(0, 1)
    for out in (want, got):
        (out * weight).sum().backward()
    grads = dict(ours.named_parameters())
    pairs = [(got, want), (x_theirs.grad, x_ours.grad)] + [(p.grad, grads[n].grad) for n, p in made.named_parameters()]
    worst = max(((a - b).norm() / b.norm()).item() for a, b in pairs)
    print(f"{name} of flash-linear-attention, {params}, outputs and gradients: {worst:.1e}")
    assert worst < 1e-5
