# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the Python that the wheel is installed in: every class of unroll.nn by its kernels beside its reference form, outputs and
gradients. In double to 1e-12 of the largest number. In single, relative RMS to the reference in double: outputs to 1e-6 or twice what the
reference in single is off, gradients, where terms cancel, to 4e-6 or four times that."""

import copy
import itertools

import pytest
import torch
import unroll

torch.set_num_threads(1)  # small tensors: more threads only wait for each other

WIDTH = 8
RNN = [{}, {"num_layers": 2, "bidirectional": True}, {"bias": False}]
CASES = {
    "Attention": [{"num_heads": 2}, {"num_heads": 2, "positions": "learned"}, {"num_heads": 2, "positions": "none", "bias": False, "window": 40},
                  {"num_heads": 2, "positions": "relative"}, {"num_heads": 2, "positions": "xpos", "xpos_scale": 8.0},
                  {"num_heads": 2, "key_size": 8, "value_size": 8}, {"num_heads": 2, "key_size": 4, "value_size": 6},
                  {"num_heads": 1, "key_size": 2, "positions": "none", "projections": False}],
    "CfC": [{"units": 7, "backbone_units": 5}, {"units": 6, "backbone_units": 9, "mode": "no_gate", "backbone_activation": "silu"},
            {"units": 5, "backbone_units": 6, "backbone_activation": "relu"}],
    "DeltaNet": [{"units": 8, "num_heads": 2}, {"units": 8, "num_heads": 2, "negative_eigenvalues": True, "use_short_conv": False}],
    "DeltaProduct": [{"units": 8, "num_heads": 2}, {"units": 6, "num_heads": 2, "num_householder": 3, "use_forget_gate": False, "kernel_size": 2}],
    "DenseMML": [{"units": 6}, {"units": 6, "use_bias": False, "gradient": "keras"}],
    "GLA": [{"units": 8, "num_heads": 2, "gate_rank": 3}],
    "GLU": [{"units": 6, "inner": 10}, {"units": 6, "inner": 10, "ternary": False, "activation": "gelu"}, {"units": 6, "inner": 9, "use_bias": False, "gradient": "keras"}],
    "GRU": [{"units": 7, **more, "convention": c} for c in ("reset_after", "reset_before", "reset_before_inverted_z") for more in RNN],
    "GRUMML": [{"units": 6}, {"units": 6, "fully_mml": True, "scales": "per_gate"}, {"units": 6, "variant": "paper", "gradient": "keras"},
               {"units": 6, "variant": "mmfreelm"}, {"units": 6, "variant": "mmfreelm", "layer": 2, "layers": 4, "share_table": True},
               {"units": 6, "activation": "relu", "use_bias": False}, {"units": 6, "activation": "tanh", "recurrent_activation": "hard_sigmoid"}],
    "GatedDeltaNet": [{"units": 8, "num_heads": 2}, {"units": 6, "num_heads": 2, "negative_eigenvalues": True, "kernel_size": 2}],
    "HGRN": [{"units": 6}, {"units": 6, "layer": 2, "layers": 4}, {"units": 6, "convention": "fla", "layer": 1, "layers": 3}],
    "HGRN2": [{"units": 8, "num_heads": 2}, {"units": 8, "num_heads": 2, "convention": "hgru", "layer": 2, "layers": 4}],
    "IndRNN": [{"units": 7, "nonlinearity": n, "use_bias": bias} for n in ("relu", "tanh") for bias in (True, False)],
    "JANET": [{"units": 7, **more} for more in RNN] + [{"units": 7, "beta": 0.3, "chrono": 20}],
    "LRU": [{"units": 6, "state_size": 9, "skip": skip, "gamma": gamma} for skip, gamma in (("full", "free"), ("none", "tied"))]
    + [{"units": 8, "state_size": 9, "skip": "vector"}],
    "LRUMML": [{"units": 6, "state_size": 9}, {"units": 6, "state_size": 9, "fully_mml": True, "use_bias": True},
               {"units": 8, "state_size": 9, "skip": "vector", "gamma": "tied", "gradient": "keras", "use_bias": True}],
    "LSTM": [{"units": 7, **more} for more in RNN] + [{"units": 7, "chrono": 20}, {"units": 7, "activation": "softsign"}, {"units": 7, "gate_activation": "hard_sigmoid"}],
    "LiGRU": [{"units": 7, "nonlinearity": n, "normalization": norm} for n in ("relu", "tanh") for norm in ("layer_norm", "none")],
    "LinearAttention": [{"units": 8, "num_heads": 2}, {"units": 8, "num_heads": 2, "feature_map": "identity", "decay": "retnet"},
                        {"units": 8, "num_heads": 2, "normalize": False, "decay": "none"}],
    "MLSTM": [{"units": 8, "num_heads": 2}, {"units": 9, "num_heads": 1, "gate_soft_cap": 0.0}],
    "MRU": [{"units": 6, "matrix_size": 3, "maker": m} for m in ("ldu", "identity", "cayley", "householder", "old")],
    "Mamba": [{"state_size": 3}, {"state_size": 3, "kernel_size": 2, "use_bias": True, "conv_bias": False, "dt_rank": 2}],
    "Mamba2": [{"state_size": 3, "head_size": 4}, {"state_size": 3, "head_size": 8, "kernel_size": 2, "use_bias": True, "conv_bias": False}],
    "MinGRU": [{"units": 7, "activation": a, "use_bias": a == "g"} for a in ("g", "identity", "tanh")],
    "MinLSTM": [{"units": 7, "activation": a, "use_bias": a == "g"} for a in ("g", "identity", "tanh")],
    "QRNN": [{"units": 7}, {"units": 7, "window": 3}, {"units": 7, "pooling": "f", "convention": "pytorch_qrnn", "zoneout": 0.2}],
    "RGLRU": [{}, {"num_heads": 2}],
    "RNN": [{"units": 7, **more, "nonlinearity": n} for n in ("tanh", "relu") for more in RNN],
    "RWKV7": [{"head_size": 4, "decay_rank": 3, "rate_rank": 2, "gate_rank": 5}, {"head_size": 8}, {"head_size": 4, "value_residual": True},
              {"head_size": 4, "value_residual": True, "value_rank": 3, "v_first_size": WIDTH}],
    "RetNet": [{"units": 8, "num_heads": 2, "rotation": r, "norm": n} for r, n in (("xpos", "rms"), ("rope", "group"), ("none", "rms"))],
    "S4D": [{"state_size": 3}, {"state_size": 3, "discretization": "bilinear"}],
    "S5": [{"state_size": 5}, {"state_size": 5, "conj_sym": False, "discretization": "bilinear", "clip_eigs": True}],
    "SLSTM": [{"units": 8, "num_heads": heads, "forget_gate": gate} for heads in (1, 2, 4) for gate in ("sigmoid", "exp")],
    "SRU": [{"units": 8}, {"units": 8, "rescale": True, "highway_bias": -1.0, "activation": "tanh"}, {"units": 7, "v1": True},
            {"units": 7, "bidirectional": True}, {"units": 4, "bidirectional": True, "layer_norm": True, "normalize_after": True},
            {"units": 7, "has_skip_term": False, "projection_size": 3, "layer_norm": True}, {"units": 7, "dropout": 0.3, "rnn_dropout": 0.2},
            {"units": 2, "projections": False}],
    "SRUpp": [{"units": 8, "projection_size": 4, "num_heads": 2}, {"units": 7, "projection_size": 4, "window": 5, "rescale": True},
              {"units": 8, "projection_size": 4, "attention": "none", "layer_norm": True, "normalize_after": True, "rescale": True},
              {"units": 7, "projection_size": 4, "num_layers": 3, "attention_last_n_layers": 1, "dropout": 0.3},
              {"units": 7, "projection_size": 4, "attn_normalize_after": False, "dropout": 0.3, "transform_dropout": 0.2}],
}
ROUNDS = ("DenseMML", "GLU", "GRUMML", "LRUMML")
KINDS = list(itertools.product((1, 2, 33), (False, True), (False, True)))  # steps, masked, with a state
TRIALS = [(name, options) for name, cases in CASES.items() for options in cases]


def flat(outputs):
    found = outputs if isinstance(outputs, tuple) else (outputs,)
    return [tensor for part in found for tensor in (part if isinstance(part, tuple) else (part,)) if tensor is not None]


def arguments(module, name, dtype, steps, masked, carried):
    """x, state, mask, and v_first of a later layer of RWKV-7: the state is what some steps before have left."""
    x = torch.randn(steps, 3, WIDTH, dtype=dtype)
    if name in ("DenseMML", "GLU"):
        return [x]
    before = torch.randn(4, 3, WIDTH, dtype=dtype)
    with unroll.reference_forms(), torch.no_grad():
        state = module(before)[1] if carried else None
    mask = None
    if masked:
        mask = torch.rand(steps, 3) < 0.7
        mask[:, 0] = False  # a sequence that never begins
    return [x, state, mask] + ([torch.randn_like(x)] if name == "RWKV7" and module.v1 is not None else [])


def computed(module, given, weights):
    """Outputs, and gradients of one weighted sum of them all with respect to x, states and weights."""
    leaves = [tensor.detach().clone().requires_grad_() for tensor in flat(tuple(given)) if tensor.is_floating_point()]
    fresh = iter(leaves)
    renewed = [tuple(next(fresh) for _ in part) if isinstance(part, tuple) else next(fresh) if part is not None and part.is_floating_point() else part
               for part in given]
    module.zero_grad()
    torch.manual_seed(5)
    outputs = flat(module(*renewed))
    while len(weights) < len(outputs):
        weights.append(torch.randn_like(outputs[len(weights)]))
    sum((w.to(o.dtype) * o).sum() for w, o in zip(weights, outputs)).backward()
    zero = torch.zeros(())
    return [o.detach() for o in outputs] + [zero if leaf.grad is None else leaf.grad for leaf in [*leaves, *module.parameters()]]


def made(name, options, dtype):
    torch.manual_seed(3)
    module = getattr(unroll.nn, name)(WIDTH, **options)
    with torch.no_grad():  # zeros where a cell begins would hide what it computes
        for weight in module.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return module.to(dtype)


def record(name):
    found = unroll.kernels()[name]
    return found.by_kernels, sum(found.by_reference.values())


def distance(got, want):
    got, want = got.double(), want.double()
    return ((got - want).square().mean().sqrt() / want.square().mean().sqrt().clamp(min=1e-12)).item()


@pytest.mark.parametrize("steps, masked, carried", KINDS)
@pytest.mark.parametrize("name, options", TRIALS)
def test_double(name, options, steps, masked, carried):
    module = made(name, options, torch.float64)
    given, weights = arguments(module, name, torch.float64, steps, masked, carried), []
    before = record(name)
    got = computed(module, given, weights)
    went = record(name)
    with unroll.reference_forms():
        want = computed(module, given, weights)
    assert len(got) == len(want)
    for place, (g, w) in enumerate(zip(got, want)):
        scale = max(1.0, w.abs().max().item())
        assert g.shape == w.shape and (g - w).abs().max().item() <= 1e-12 * scale, f"{place} of {len(got)}: {(g - w).abs().max().item()}"
    partly = name in ("Attention", "LSTM")  # torch's own, where the kernel takes not all
    assert went[0] == before[0] + 1 or (partly and went[1] == before[1] + 1)


def near_the_middle(module, given):
    """Whether a value that is rounded lies so near the middle of two steps that single precision may fall on either."""
    met = []

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, arguments=(), keywords=None):
            if function in (torch.round, torch.Tensor.round):
                exact = arguments[0].detach()
                met.append(((exact - exact.floor() - 0.5).abs() < 1e-4).any().item())
            return function(*arguments, **(keywords or {}))

    with unroll.reference_forms(), Watch():
        module(*given)
    return any(met)


@pytest.mark.parametrize("steps, masked, carried", KINDS)
@pytest.mark.parametrize("name, options", TRIALS)
def test_single(name, options, steps, masked, carried):
    module = made(name, options, torch.float32)
    given, weights = arguments(module, name, torch.float32, steps, masked, carried), []
    exact = copy.deepcopy(module).double()
    wide = [tuple(t.double() for t in g) if isinstance(g, tuple) else g.double() if g is not None and g.is_floating_point() else g for g in given]
    if options.get("dropout"):
        pytest.skip("masks are drawn in the precision of the module")
    if name in ROUNDS and near_the_middle(exact, wide):
        pytest.skip("a value lies in the middle of two integers")
    got = computed(module, given, weights)
    with unroll.reference_forms():
        plain = computed(module, given, weights)
        want = computed(exact, wide, weights)
    outputs = len(weights)
    largest = max(w.abs().max().item() for w in want[outputs:])
    for place, (g, p, w) in enumerate(zip(got, plain, want)):
        least, times = (1e-6, 2) if place < outputs else (4e-6, 4)
        if name == "MLSTM" and place >= outputs and (g - w).abs().max() <= 1e-6 * largest:
            continue  # of one stored pair the divisor takes out what a query does: its gradient is what is left
        if w.abs().max() > 0:
            assert distance(g, w) <= max(least, times * distance(p, w)), f"{place} of {len(got)}: {distance(g, w)} and {distance(p, w)}"
