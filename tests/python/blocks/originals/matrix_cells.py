# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of the cells with matrix states and of those beside them; called by make.py. Where a package's layer calls a GPU kernel, it is given the
package's own plain form of it."""

import sys
import types

import torch

from recording import Cases, below, commit_of, drawn, gradients

DOUBLE = {"with": f"torch {torch.__version__}", "precision": "float64", "seed": 5}


def module(name, **contents):
    made = types.ModuleType(name)
    vars(made).update(contents)
    sys.modules[name] = made


def fill(weights, random, scale=0.5):
    with torch.no_grad():
        for name, weight in weights.items():
            weight.copy_(drawn(weight.shape, random, scale) + (1 if "norm" in name and name.endswith("weight") else 0))


# --- xlstm: its layer of xLSTM-7B, whose backend is given mlstm_kernels' plain forms, and its mLSTMCell

class Backend(torch.nn.Module):
    """mlstm_kernels' parallel form, and from a given state its single step; the package itself asks for Triton."""

    def __init__(self, config=None):
        super().__init__()

    def forward(self, q, k, v, i, f, c_initial=None, n_initial=None, m_initial=None):
        from mlstm_kernels.torch.parallel.native.fw import mlstm_parallel_fw
        from mlstm_kernels.torch.recurrent.native_step import mlstm_recurrent_step__native_fw
        if c_initial is None:
            return mlstm_parallel_fw(q, k, v, i, f)[0], None
        state, outputs = (c_initial, n_initial, m_initial), []
        for t in range(q.shape[2]):
            h, state = mlstm_recurrent_step__native_fw(*state, q[:, :, t], k[:, :, t], v[:, :, t], i[:, :, t, None], f[:, :, t, None], dtype_state=torch.float64)
            outputs.append(h)
        return torch.stack(outputs, 2), state


def xlstm_mlstm():
    names = ("mLSTMBackendConfig", "ChunkwiseKernelType", "SequenceKernelType", "StepKernelType", "DtypeType", "BackendModeType")
    below("xlstm", ("", "xlstm_large", "blocks", "blocks/mlstm", "components"))
    below("mlstm_kernels", ("", "torch", "torch/parallel", "torch/parallel/native", "torch/recurrent"))
    module("mlstm_kernels.torch.backend_module", mLSTMBackend=Backend, **{name: str for name in names})
    from xlstm.xlstm_large.model import mLSTMLayer, mLSTMLayerConfig
    from xlstm.blocks.mlstm.cell import mLSTMCell, mLSTMCellConfig
    cases = Cases({"package": "xlstm 2.0.6, mLSTMLayer of xlstm_large and mLSTMCell", **DOUBLE})
    random = torch.Generator().manual_seed(5)
    for heads, units in ((1, 4), (2, 6)):
        made = mLSTMLayer(mLSTMLayerConfig(embedding_dim=units, num_heads=heads, qk_dim_factor=1.0, norm_reduction_force_float32=False)).double()
        weights = dict(made.named_parameters())
        fill(weights, random)
        d = units // heads
        x = drawn((2, 9, units), random).requires_grad_()
        state = {"S": drawn((2, heads, d, d), random), "n": drawn((2, heads, d), random), "m": drawn((2, heads, 1), random)}
        y, _ = made(x)
        later, last = made(x, tuple(state.values()))
        cotangents = [drawn(y.shape, random), drawn(later.shape, random)]
        cases.add({"layer": "mLSTMLayer", "num_heads": heads, "units": units}, weight=weights,
                  **{"in": {"x": x, "cotangent": cotangents[0], "cotangent_later": cotangents[1], **state}},
                  out={"y": y, "later": later, **dict(zip(("S", "n", "m"), last))}, grad=gradients([y, later], cotangents, {"x": x, **weights}))
        cell = mLSTMCell(mLSTMCellConfig(context_length=9, embedding_dim=units, num_heads=heads)).double()
        weights = dict(cell.named_parameters())
        fill({n: w for n, w in weights.items() if "outnorm" not in n}, random)
        begun = mLSTMCell(mLSTMCellConfig(context_length=9, embedding_dim=units, num_heads=heads)).fgate.bias
        given = {name: drawn((2, 9, units), random).requires_grad_() for name in ("q", "k", "v")}
        y = cell(**given)
        cotangent = drawn(y.shape, random)
        cases.add({"layer": "mLSTMCell", "num_heads": heads, "units": units}, weight=weights, **{"in": {**given, "cotangent": cotangent, "forget_bias_begun": begun}},
                  out={"y": y}, grad=gradients([y], [cotangent], {**given, **weights}))
    cases.save("xlstm_mlstm")


# --- torchscale

def torchscale():
    """Its retention, parallel and recurrent. Its divisions of the weights cancel in the norm but for the norm's epsilon, which is made small."""
    below("torchscale", ("", "component", "architecture"))
    module("torchscale.component.multiway_network", MultiwayWrapper=lambda args, made: made)
    from torchscale.component.multiscale_retention import MultiScaleRetention
    cases = Cases({"package": "torchscale 0.3.0, MultiScaleRetention", **DOUBLE})
    random = torch.Generator().manual_seed(5)
    for heads, units, factor in ((1, 4, 1), (2, 8, 2)):
        args = types.SimpleNamespace(layernorm_eps=1e-30)
        made = MultiScaleRetention(args, units, factor * units, heads).double()
        made.group_norm._norm = lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-30)
        made.group_norm.forward = made.group_norm._norm  # its own goes through float
        weights = dict(made.named_parameters())
        fill(weights, random)
        x = drawn((2, 11, units), random).requires_grad_()
        # What RetNetRelPos makes, in double.
        angle = (1.0 / (10000 ** torch.linspace(0, 1, units // heads // 2, dtype=torch.float64))).unsqueeze(-1).repeat(1, 2).flatten()
        decay = torch.log(1 - 2 ** (-5 - torch.arange(heads, dtype=torch.float64)))
        index = torch.arange(11, dtype=torch.float64)
        turn = torch.sin(index[:, None] * angle), torch.cos(index[:, None] * angle)
        mask = torch.exp((index[:, None] - index).clamp(min=0) * decay[:, None, None]) * torch.ones(11, 11, dtype=torch.float64).tril()
        y = made(x, (turn, mask / mask.sum(dim=-1, keepdim=True).sqrt()))
        kept, steps = {}, []
        with torch.no_grad():
            for t in range(11):
                place = torch.sin(angle * t), torch.cos(angle * t)
                steps.append(made(x[:, t : t + 1], (place, decay.exp()), incremental_state=kept))
        cotangent = drawn(y.shape, random)
        cases.add({"num_heads": heads, "units": units, "value_factor": factor}, weight=weights, **{"in": {"x": x, "cotangent": cotangent}},
                  out={"y": y, "y_by_steps": torch.cat(steps, 1)}, grad=gradients([y], [cotangent], {"x": x, **weights}))
    cases.save("torchscale")


# --- ncps

def ncps():
    below("ncps", ("", "torch"))
    from ncps.torch.cfc_cell import CfCCell
    cases = Cases({"package": "ncps 1.0.1, torch, CfCCell", **DOUBLE})
    random = torch.Generator().manual_seed(5)
    for mode, layers, activation in (("default", 1, "lecun_tanh"), ("no_gate", 2, "silu"), ("pure", 0, "tanh"), ("pure", 1, "gelu"), ("default", 2, "relu")):
        made = CfCCell(3, 4, mode, activation, backbone_units=5, backbone_layers=layers).double()
        weights = dict(made.named_parameters())
        fill(weights, random)
        x, h, dt = drawn((2, 7, 3), random).requires_grad_(), drawn((2, 4), random).requires_grad_(), drawn((2, 7, 1), random).abs().requires_grad_()
        state, outputs = h, []
        for t in range(7):
            out, state = made(x[:, t], state, dt[:, t])
            outputs.append(out)
        y = torch.stack(outputs, 1)
        cotangent = drawn(y.shape, random)
        cases.add({"mode": mode, "backbone_layers": layers, "backbone_activation": activation}, weight=weights,
                  **{"in": {"x": x, "state": h, "dt": dt, "cotangent": cotangent}}, out={"y": y},
                  grad=gradients([y], [cotangent], {"x": x, "state": h, "dt": dt, **weights}))
    cases.save("ncps")


# --- flash-linear-attention: its layers over its naive forms, with torch's norms

def fla():
    below("fla", ("", "layers", "ops", "ops/gla", "ops/hgrn", "ops/retention", "modules"))
    # Its naive forms would go through single precision; an initial state does.
    torch.Tensor.float = lambda tensor: tensor
    from fla.ops.gla.naive import naive_recurrent_gla
    from fla.ops.hgrn.naive import naive_recurrent_hgrn
    silu = torch.nn.functional.silu

    def gla(q, k, v, gk=None, g=None, initial_state=None, output_final_state=False, **_):
        return naive_recurrent_gla(q, k, v, gk if g is None else g, initial_state, output_final_state)

    class Norm(torch.nn.Module):
        def __init__(self, hidden_size, elementwise_affine=True, eps=1e-5, dtype=None):
            super().__init__()
            self.weight, self.bias, self.eps = torch.nn.Parameter(torch.ones(hidden_size)), None, eps

        def forward(self, x, gate=None):
            y = torch.nn.functional.rms_norm(x, x.shape[-1:], self.weight, self.eps)
            return y if gate is None else y * silu(gate)

    module("fla.layers.utils", get_layer_cache=lambda layer, cache: cache, update_layer_cache=lambda layer, cache, **kept: cache and cache.update(kept),
           unpad_hidden_states=lambda x, *_: (x, None, None), repad_hidden_states=lambda x, *_: x)
    module("fla.modules", FusedRMSNormGated=Norm, RMSNorm=Norm, ShortConvolution=None)
    module("fla.modules.activations", swish=silu, swiglu=lambda x, y: silu(x) * y)
    module("fla.modules.layernorm", rms_norm_linear=lambda x, gain, _, weight, bias: torch.nn.functional.linear(
        torch.nn.functional.rms_norm(x, x.shape[-1:], gain, 1e-5), weight, bias))
    module("fla.ops.gla", chunk_gla=gla, fused_chunk_gla=gla, fused_recurrent_gla=gla)
    module("fla.ops.hgrn", chunk_hgrn=naive_recurrent_hgrn, fused_recurrent_hgrn=naive_recurrent_hgrn)
    from fla.layers.hgrn import HGRNAttention
    from fla.layers.hgrn2 import HGRN2Attention
    cases = Cases({"package": "flash-linear-attention 0.6.0, HGRNAttention and HGRN2Attention over its naive forms", **DOUBLE})
    random = torch.Generator().manual_seed(5)
    for layer, layers in ((0, 3), (2, 3)):
        for block, made, state in (("hgrn", HGRNAttention(hidden_size=6, layer_idx=layer), (2, 6)),
                                   ("hgrn2", HGRN2Attention(hidden_size=6, num_heads=2, expand_ratio=3, layer_idx=layer), (2, 2, 3, 3))):
            made = made.double().eval()
            weights = dict(made.named_parameters())
            fill(weights, random)
            table = drawn((layers, 6), random).requires_grad_()
            shares = table.softmax(0)  # as its models make bounds of it
            x, kept = drawn((2, 9, 6), random).requires_grad_(), {"recurrent_state": drawn(state, random).to(torch.float32).double(), "conv_state": None}
            given = kept["recurrent_state"]
            y, _, kept = made(x, past_key_values=kept, use_cache=True, lower_bound=(shares.cumsum(0) - shares[0])[layer])
            cotangent = drawn(y.shape, random)
            cases.add({"block": block, "layer": layer, "layers": layers}, weight=weights, **{"in": {"x": x, "state": given, "table": table, "cotangent": cotangent}},
                      out={"y": y, "state": kept["recurrent_state"]}, grad=gradients([y], [cotangent], {"x": x, **weights} | ({"table": table} if layer else {})))
    cases.save("fla")


# --- hgru-pytorch

def hgru_pytorch(checkout, commit=None):
    """Its Hgru1d, complex, by its naive loop; with a lower bound and without."""
    sys.path.insert(0, checkout)
    below("hgru", ("",))
    module("hgru.helpers", get_activation_fn=lambda name: getattr(torch.nn.functional, name), print_params=lambda **_: None)
    module("hgru.hgru_cuda", HgruFunction=types.SimpleNamespace(apply=None))
    from hgru.hgru1d import Hgru1d
    cases = Cases({"package": "Doraemonzzz/hgru-pytorch, Hgru1d", "commit": commit or commit_of(checkout), **DOUBLE})
    random = torch.Generator().manual_seed(5)
    for layer in (0, 1):
        made = Hgru1d(4).double()
        weights = dict(made.named_parameters())
        begun = made.theta.detach().clone()
        fill(weights, random)
        table = drawn((2, 4), random).requires_grad_()
        shares = table.softmax(0)
        x = drawn((9, 2, 4), random).requires_grad_()
        y = made.forward_naive(x, (shares.cumsum(0) - shares[0])[layer])
        cotangent = drawn(y.shape, random)
        cases.add({"layer": layer, "layers": 2}, weight=weights, **{"in": {"x": x, "table": table, "cotangent": cotangent, "theta_begun": begun}}, out={"y": y},
                  grad=gradients([y], [cotangent], {"x": x, **weights} | ({"table": table} if layer else {})))
    cases.save("hgru_pytorch")
