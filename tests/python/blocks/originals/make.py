# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the authors' own code once and stores what went in and what came out, for tests/python/blocks/test_originals.py.

    python make.py keras-mml                 # keras-matmulless 0.1.2 installed, with keras and einops, KERAS_BACKEND=torch
    python make.py mru-lm CHECKOUT           # of branch main or old
    python make.py pytorch-qrnn CHECKOUT
    python make.py mmfreelm CHECKOUT         # with triton, TRITON_INTERPRET=1
    python make.py s5-pytorch                # s5-pytorch 0.2.1 installed, with numpy and scipy
    python make.py s4d CHECKOUT [COMMIT]     # of state-spaces/s4, with einops
    python make.py xlstm                     # xlstm 2.0.6 installed
    python make.py speechbrain               # speechbrain 1.1.2 installed
    python make.py recurrentgemma            # recurrentgemma 1.0.1 installed, with einops and jaxtyping
    python make.py xlstm-mlstm               # xlstm 2.0.6 and mlstm-kernels 2.0.6 installed
    python make.py torchscale                # torchscale 0.3.0 installed
    python make.py ncps                      # ncps 1.0.1 installed
    python make.py fla                       # flash-linear-attention 0.6.0 and fla-core 0.6.0 installed, with einops
    python make.py hgru-pytorch CHECKOUT [COMMIT]  # of Doraemonzzz/hgru-pytorch, with einops

A file holds, case by case, the weights under the authors' names, the inputs and what their layer made of them: outputs, states, and the gradients of
sum(output * cotangent). README.md says what was run. Nothing of theirs is kept here but numbers."""

import os
import pathlib
import sys
import types

import torch

from matrix_cells import fla, hgru_pytorch, ncps, torchscale, xlstm_mlstm
from newer_cells import recurrentgemma, s4d, s5_pytorch, speechbrain, xlstm
from recording import Cases, commit_of, drawn, gradients


# --- Keras-MML

def keras_variables(layer):
    """Its variables in their order, by path below the layer: "grumml_cell/kernel/kernel"."""
    return {"/".join(v.path.split("/")[1:]): v.value for v in layer.trainable_variables}


def keras_case(cases, kind, options, layer, x, random):
    import keras
    x = x.clone().requires_grad_()
    recurrent = kind != "DenseMML"
    layer(x)  # makes the weights
    with torch.no_grad():
        for name, value in keras_variables(layer).items():
            gain = name.endswith("gain")
            if not name.endswith("_log"):  # those stay as they are drawn: the ring that the layer begins with
                value.copy_(drawn(value.shape, random, 0.3) + (1 if gain else 0))
    variables = keras_variables(layer)
    inputs = {"x": x}
    if recurrent:
        shape = layer.cell.get_initial_state(x.shape[0])[0].shape
        inputs["state"] = drawn(shape, random, 0.5).requires_grad_()
        y, *states = layer(x, initial_state=[inputs["state"]])
    else:
        y, states = layer(x), []
    cotangent = drawn(y.shape, random)
    grads = gradients([y], [cotangent], {**inputs, **variables})
    outputs = {"y": y} | ({"state": states[0]} if recurrent else {})
    cases.add({"layer": kind, **options}, weight=variables, **{"in": {**inputs, "cotangent": cotangent}}, out=outputs,
              grad=grads)


def keras_mml():
    os.environ.setdefault("KERAS_BACKEND", "torch")
    os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")
    import keras
    import keras_mml.layers as theirs
    keras.config.set_floatx("float64")
    keras.utils.set_random_seed(5)
    torch.set_default_device("cpu")
    cases = Cases({"package": "keras-matmulless 0.1.2", "with": f"keras {keras.__version__}, torch {torch.__version__}",
                   "precision": "float64", "seed": 5})
    random = torch.Generator().manual_seed(5)
    for use_bias in (True, False):
        options = {"units": 6, "use_bias": use_bias}
        keras_case(cases, "DenseMML", options, theirs.DenseMML(**options), drawn((4, 5), random, 2.0), random)
    shape = {"return_sequences": True, "return_state": True}
    for options in ({"units": 6}, {"units": 6, "num_heads": 3, "use_bias": False},
                    {"units": 6, "fully_mml": True}, {"units": 4, "activation": "tanh", "num_heads": 2, "fully_mml": True, "use_bias": False}):
        keras_case(cases, "GRUMML", options, theirs.GRUMML(**options, **shape), drawn((2, 7, 5), random, 2.0), random)
    for options in ({"units": 6, "state_dim": 5}, {"units": 6, "state_dim": 5, "use_bias": True, "r_min": 0.4, "r_max": 0.9},
                    {"units": 4, "state_dim": 6, "fully_mml": True, "max_phase": 0.6}):
        keras_case(cases, "LRUMML", options, theirs.LRUMML(**options, **shape), drawn((2, 7, 5), random, 2.0), random)
    cases.save("keras_mml")


# --- mru-lm

def mru_lm(checkout, commit=None):
    """The op that its model imports is CUDA's; its own Brent-Kung and Hillis-Steele scans stand in for it."""
    sys.path.insert(0, checkout)
    import mru_scans.bk_mru
    import mru_scans.hs_mru
    stand_in = types.ModuleType("mru_scans.cuda_mru")
    stand_in.op = mru_scans.bk_mru.op
    sys.modules["mru_scans.cuda_mru"] = stand_in
    import model
    torch.set_default_dtype(torch.float64)
    old = hasattr(model, "mru_lm_block")
    cases = Cases({"package": f"mikayahlevi/mru-lm, branch {'old' if old else 'main'}", "commit": commit or commit_of(checkout),
                   "with": f"torch {torch.__version__}", "precision": "float64", "seed": 5})
    random = torch.Generator().manual_seed(5)
    for scan in ("bk", "hs"):
        model.parallel_mru_op = getattr(mru_scans, f"{scan}_mru").op
        for width, heads, order, steps in ((8, 2, 2, 6), (12, 1, 3, 9)):
            state_size = heads * order * order
            if old:
                config = model.mru_lm_config(vocab_size=3, embedding_size=width, dropout_rate=0.0, n_state_heads=heads, state_size=state_size, n_blocks=4)
                made = model.mru_lm_block(config)
                run = made.mru
            else:
                config = model.hybrid_lm_config(vocab_size=3, embedding_size=width, dropout_rate=0.0, n_state_heads=heads, state_size=state_size,
                                                n_attn_heads=1, key_size=2, value_size=2, layers=["mru", "mlp"] * 3, max_sequence_length=8)
                made = model.mru(config)
                run = made
            names = ("state_matrices_up", "state_matrices_down", "mru_out.weight") if old else (
                "state_matrices_up.weight", "state_matrices_down", "mru_out.weight")
            weights = {name: made.get_parameter(name) for name in names}
            with torch.no_grad():
                for weight in weights.values():
                    weight.copy_(drawn(weight.shape, random, 0.4))
            # One sequence: branch old takes its last one for its last step otherwise.
            x, state = drawn((steps, width), random).requires_grad_(), drawn((heads, order, order), random, 0.5)
            first, carried = run(x, None)
            second, last = run(x, state)
            cotangents = [drawn(first.shape, random), drawn(second.shape, random)]
            grads = gradients([first, second], cotangents, {"x": x, **weights})
            cases.add({"width": width, "heads": heads, "order": order, "scan": scan}, weight=weights,
                      **{"in": {"x": x, "state": state, "cotangent": cotangents[0], "cotangent_state": cotangents[1]}},
                      out={"y": first, "H": carried, "y_state": second, "H_state": last}, grad=grads)
    cases.save("mru_lm_old" if old else "mru_lm")


# --- pytorch-qrnn

def pytorch_qrnn(checkout, commit=None):
    """Its CUDA kernel's imports are not looked for: the loop is run."""
    for name, member in (("cupy.cuda", "function"), ("pynvrtc.compiler", "Program")):
        module = types.ModuleType(name)
        setattr(module, member, None)
        sys.modules[name.split(".")[0]] = types.ModuleType(name.split(".")[0])
        sys.modules[name] = module
    sys.path.insert(0, checkout)
    from torchqrnn import QRNNLayer
    torch.set_default_dtype(torch.float64)
    cases = Cases({"package": "salesforce/pytorch-qrnn", "commit": commit or commit_of(checkout), "with": f"torch {torch.__version__}",
                   "precision": "float64", "seed": 5})
    random = torch.Generator().manual_seed(5)
    for options in ({"window": 1}, {"window": 2}, {"window": 2, "output_gate": False}, {"window": 1, "zoneout": 0.3}):
        made = QRNNLayer(5, 6, save_prev_x=True, use_cuda=False, **options).eval()
        weights = dict(made.named_parameters())
        with torch.no_grad():
            for weight in weights.values():
                weight.copy_(drawn(weight.shape, random, 0.5))
        x = drawn((9, 2, 5), random, 1.5).requires_grad_()
        hidden = drawn((2, 6), random, 0.5).requires_grad_()
        first, last = made(x[:5], hidden)  # then on from there: the layer keeps the input before
        second, final = made(x[5:], last[0])
        cotangent = drawn((5, 2, 6), random)
        grads = {}
        if "zoneout" not in options:  # which changes its gates in place
            grads = gradients([first], [cotangent], {"x": x, "hidden": hidden, **weights})
        cases.add(options, weight=weights, **{"in": {"x": x, "hidden": hidden, "cotangent": cotangent}},
                  out={"y": torch.cat([first, second]), "hidden": final[0]}, grad=grads)
    cases.save("pytorch_qrnn")


# --- mmfreelm

def on_this_processor():
    """Triton's interpreter runs the package's kernels; what else of it asks for a GPU is answered here. Rounding is that of CUDA's round, and swiglu,
    which is compiled by CUDA's compiler there, is silu(x) y."""
    import contextlib
    import triton
    import triton.language as tl
    empty = torch.empty
    torch.empty = lambda *a, **k: empty(*a, **{n: v for n, v in k.items() if n != "device"})
    torch.cuda.device = lambda *_: contextlib.nullcontext()
    torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(multi_processor_count=2)
    tl.math.round = lambda x: tl.where(x >= 0, tl.floor(x + 0.5), -tl.floor(0.5 - x))
    tuned = triton.autotune
    triton.autotune = lambda configs, **facts: tuned(configs=configs[:1], **facts)  # nothing to time


def mmfreelm(checkout, commit=None):
    on_this_processor()
    sys.path.insert(0, checkout)
    for name in ("mmfreelm", "mmfreelm.layers", "mmfreelm.models"):  # without what their __init__ asks of transformers
        package = types.ModuleType(name)
        package.__path__ = [str(pathlib.Path(checkout, *name.split(".")))]
        sys.modules[name] = package
    cache = types.ModuleType("transformers.cache_utils")
    cache.Cache = object
    sys.modules |= {"transformers": types.ModuleType("transformers"), "transformers.cache_utils": cache}
    from mmfreelm.layers import hgrn_bit
    hgrn_bit.swiglu = lambda x, y: torch.nn.functional.silu(x) * y
    cases = Cases({"package": "ridgerchu/matmulfreellm (mmfreelm)", "commit": commit or commit_of(checkout),
                   "with": f"torch {torch.__version__}, triton {sys.modules['triton'].__version__} interpreted", "precision": "float32",
                   "seed": 5})
    random = torch.Generator().manual_seed(5)
    for heads, layer, layers in ((1, 0, 4), (2, 2, 4), (4, 3, 5)):
        mmfreelm_case(cases, hgrn_bit, heads, layer, layers, random)
    cases.save("mmfreelm")


class Cache:
    """Of one layer, as the layer asks for it."""

    def __init__(self, state):
        self.state = state

    def __getitem__(self, layer):
        return (self.state,)

    def update(self, state, layer, length):
        self.state = state[-1]


def mmfreelm_case(cases, hgrn_bit, heads, layer, layers, random):
    """Of a model of so many layers the one with this index. Its table becomes lower bounds as HGRNBitModel makes them, and layernorm_eps is what its
    configuration has."""
    single = {"dtype": torch.float32}
    made = hgrn_bit.HGRNBitAttention(hidden_size=8, num_heads=heads, layernorm_eps=1e-6, layer_idx=layer)
    weights = dict(made.named_parameters())
    with torch.no_grad():
        for name, weight in weights.items():
            gain = "norm" in name
            weight.copy_(drawn(weight.shape, random, 0.2 if gain else 0.4, **single) + (1 if gain else 0))
    table = drawn((layers, 8), random, **single).requires_grad_()
    shares = table.softmax(0)
    bound = (shares.cumsum(0) - shares[0])[layer]
    x = drawn((2, 6, 8), random, 1.5, **single).requires_grad_()
    state = drawn((2, heads, 8 // heads), random, 0.5, **single)
    cache = Cache(state)
    y, _, _ = made(x, past_key_values=cache, use_cache=True, lower_bound=bound)
    cotangent = drawn(y.shape, random, **single)
    leaves = {"x": x, **weights} | ({"table": table} if layer > 0 else {})
    cases.add({"num_heads": heads, "layer": layer, "layers": layers}, weight=weights,
              **{"in": {"x": x, "state": state, "table": table, "cotangent": cotangent}}, out={"y": y, "state": cache.state},
              grad=gradients([y], [cotangent], leaves))


if __name__ == "__main__":
    {"keras-mml": keras_mml, "mru-lm": mru_lm, "pytorch-qrnn": pytorch_qrnn, "mmfreelm": mmfreelm, "s5-pytorch": s5_pytorch, "s4d": s4d, "xlstm": xlstm, "speechbrain": speechbrain,
     "recurrentgemma": recurrentgemma, "xlstm-mlstm": xlstm_mlstm, "torchscale": torchscale, "ncps": ncps, "fla": fla, "hgru-pytorch": hgru_pytorch}[sys.argv[1]](*sys.argv[2:])
