# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the authors' own code once and stores what went in and what came out, for tests/python/blocks/test_originals.py.

    python make.py keras-mml                 # keras-matmulless 0.1.2 installed, with keras and einops, KERAS_BACKEND=torch
    python make.py mru-lm CHECKOUT           # of branch main or old
    python make.py pytorch-qrnn CHECKOUT
    python make.py mmfreelm CHECKOUT         # with triton, TRITON_INTERPRET=1
    python make.py s5-pytorch                # s5-pytorch 0.2.1 installed, with numpy and scipy
    python make.py s4d CHECKOUT [COMMIT]     # of state-spaces/s4, with einops
    python make.py xlstm                     # xlstm 2.0.6 installed
    python make.py recurrentgemma            # recurrentgemma 1.0.1 installed, with einops and jaxtyping

A file holds, case by case, the weights under the authors' names, the inputs and what their layer made of them: outputs, states, and the gradients of
sum(output * cotangent). README.md says what was run. Nothing of theirs is kept here but numbers."""

import json
import os
import pathlib
import sys
import types

import torch
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).parent


class Cases:
    """What one package gave."""

    def __init__(self, facts):
        self.tensors, self.cases, self.facts = {}, [], facts

    def add(self, options, **kinds):
        """Of a case: {"weight": {name: tensor}, "in": ..., "out": ..., "grad": ...}."""
        number = len(self.cases)
        self.cases.append(options)
        for kind, named in kinds.items():
            for name, tensor in named.items():
                self.tensors[f"{number}.{kind}.{name}"] = tensor.detach().clone().contiguous()

    def save(self, name):
        save_file(self.tensors, HERE / f"{name}.safetensors", {"facts": json.dumps(self.facts), "cases": json.dumps(self.cases)})


def drawn(shape, generator, scale=1.0, dtype=torch.float64):
    return scale * torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


def gradients(outputs, cotangents, leaves):
    """Of the sum of products, by name; leaves that nothing reaches are left out."""
    total = sum((o * c).sum() for o, c in zip(outputs, cotangents))
    found = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    return {name: grad for name, grad in zip(leaves, found) if grad is not None}


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

def commit_of(checkout):
    import subprocess
    return subprocess.run(["git", "-C", checkout, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


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


# --- s5-pytorch

def s5_pytorch():
    """Its as_complex rounds to complex64, and so do its initial values: here both are complex128. Complex weights are stored as pairs."""
    from s5 import s5_model
    s5_model.as_complex = lambda pairs, dtype=None: torch.complex(pairs[..., 0], pairs[..., 1])
    cases = Cases({"package": "s5-pytorch 0.2.1", "with": f"torch {torch.__version__}", "precision": "float64", "seed": 5})
    random = torch.Generator().manual_seed(5)
    torch.manual_seed(5)
    for discretization in ("zoh", "bilinear"):
        for width, states, blocks in ((4, 6, 1), (3, 8, 2)):
            made = s5_model.S5(width, state_width=states, block_count=blocks, bcInit="dense").seq
            made.discretize = getattr(s5_model, f"discretize_{discretization}")
            for weight in made.parameters():
                weight.data = weight.data.to(torch.complex128 if weight.is_complex() else torch.float64)
            weights = dict(made.named_parameters())
            begun = torch.view_as_real(made.Lambda.detach().clone())
            with torch.no_grad():
                for name in ("B", "C", "D"):
                    weights[name].copy_(drawn(weights[name].shape, random) + (1j * drawn(weights[name].shape, random) if name == "C" else 0))
            x = drawn((9, width), random).requires_grad_()
            state = torch.complex(drawn((states,), random, 0.5), drawn((states,), random, 0.5))
            y, last = made(x, state=state, return_state=True)
            cotangent = drawn(y.shape, random)
            pairs = lambda named: {n: torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for n, t in named.items()}
            cases.add({"width": width, "state_size": states, "blocks": blocks, "discretization": discretization}, weight=pairs(weights),
                      **{"in": pairs({"x": x, "state": state, "cotangent": cotangent}) | {"Lambda_begun": begun}},
                      out=pairs({"y": y, "state": last}), grad=pairs(gradients([y], [cotangent], {"x": x, **weights})))
    cases.save("s5_pytorch")


# --- s4d

def s4d(checkout, commit=None):
    """The minimal form, models/s4/s4d.py, up to D x: without its activation and its output layer."""
    nn = types.ModuleType("src.models.nn")
    nn.DropoutNd = torch.nn.Dropout
    sys.modules |= {"src": types.ModuleType("src"), "src.models": types.ModuleType("src.models"), "src.models.nn": nn}
    sys.path.insert(0, str(pathlib.Path(checkout, "models", "s4")))
    import s4d as theirs
    cases = Cases({"package": "state-spaces/s4, models/s4/s4d.py", "commit": commit or commit_of(checkout), "with": f"torch {torch.__version__}",
                   "precision": "float64", "seed": 5})
    random = torch.Generator().manual_seed(5)
    for width, states in ((4, 8), (3, 2)):
        made = theirs.S4D(width, d_state=states, transposed=False).double()
        made.activation = made.output_linear = torch.nn.Identity()
        weights = {name: weight for name, weight in made.named_parameters()}
        with torch.no_grad():
            for name, weight in weights.items():
                weight.copy_(drawn(weight.shape, random) if name in ("D", "kernel.C") else weight + drawn(weight.shape, random, 0.3))
        x = drawn((2, 11, width), random).requires_grad_()
        y, _ = made(x)
        cotangent = drawn(y.shape, random)
        cases.add({"width": width, "state_size": states // 2}, weight=weights, **{"in": {"x": x, "cotangent": cotangent}}, out={"y": y},
                  grad=gradients([y], [cotangent], {"x": x, **weights}))
    cases.save("s4d")


# --- xlstm

def below(package, folders):
    """Modules of an installed package without what the __init__ of these folders ("" is its own) asks for."""
    import importlib.util
    root = pathlib.Path(importlib.util.find_spec(package).submodule_search_locations[0])
    for folder in folders:
        name = ".".join([package, *folder.split("/")] if folder else [package])
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(root / folder)]


def xlstm():
    """The cell with its vanilla backend, which is given the gates' inputs: here x W^T, with a matrix of ours."""
    below("xlstm", ("", "blocks", "blocks/slstm", "components"))
    from xlstm.blocks.slstm.cell import sLSTMCell_vanilla, sLSTMCellConfig
    cases = Cases({"package": "xlstm 2.0.6", "with": f"torch {torch.__version__}", "precision": "float64", "seed": 5})
    random = torch.Generator().manual_seed(5)
    for heads, units in ((1, 4), (2, 6)):
        config = sLSTMCellConfig(hidden_size=units, num_heads=heads, backend="vanilla", enable_automatic_mixed_precision=True, dtype="float32",
                                 batch_size=2, output_shape="BSH")
        made = sLSTMCell_vanilla(config).double()
        begun = made._bias_.detach().clone()
        weights = dict(made.named_parameters()) | {"W": drawn((4 * units, 5), random, 0.7).requires_grad_()}
        with torch.no_grad():
            for name in ("_recurrent_kernel_", "_bias_"):
                weights[name].copy_(drawn(weights[name].shape, random, 0.6))
        x = drawn((2, 9, 5), random).requires_grad_()
        y, first = made(torch.nn.functional.linear(x, weights["W"]))
        later, last = made(torch.nn.functional.linear(x, weights["W"]), first)  # on from there
        cotangents = [drawn(y.shape, random), drawn(later.shape, random)]
        cases.add({"num_heads": heads, "units": units}, weight=weights,
                  **{"in": {"x": x, "cotangent": cotangents[0], "cotangent_later": cotangents[1], "bias_begun": begun}},
                  out={"y": y, "later": later, "state": last}, grad=gradients([y, later], cotangents, {"x": x, **weights}))
    cases.save("xlstm")


# --- recurrentgemma

def recurrentgemma():
    """Its __init__ imports JAX, which its torch half does without. Its scan sums in float32."""
    below("recurrentgemma", ("", "torch"))
    from recurrentgemma.torch import layers
    single = {"dtype": torch.float32}
    cases = Cases({"package": "recurrentgemma 1.0.1, torch", "with": f"torch {torch.__version__}", "precision": "float32", "seed": 5})
    random = torch.Generator().manual_seed(5)
    for heads in (1, 2):
        made = layers.RGLRU(6, heads)
        weights = dict(made.named_parameters())
        with torch.no_grad():
            for name, weight in weights.items():
                weight.copy_(drawn(weight.shape, random, 0.6, **single) - (2 if name == "a_param" else 0))
        x = drawn((2, 9, 6), random, **single).requires_grad_()
        state = drawn((2, 6), random, 0.5, **single).requires_grad_()
        within = torch.arange(1, 10).expand(2, 9)  # position 0 begins a document
        y, last = made(x, within, state)
        begun, _ = made(x, within - 1, None)
        cotangent = drawn(y.shape, random, **single)
        cases.add({"num_heads": heads}, weight=weights, **{"in": {"x": x, "state": state, "cotangent": cotangent}},
                  out={"y": y, "state": last, "y_of_a_document": begun}, grad=gradients([y], [cotangent], {"x": x, "state": state, **weights}))
    cases.save("recurrentgemma")


if __name__ == "__main__":
    {"keras-mml": keras_mml, "mru-lm": mru_lm, "pytorch-qrnn": pytorch_qrnn, "mmfreelm": mmfreelm, "s5-pytorch": s5_pytorch, "s4d": s4d, "xlstm": xlstm,
     "recurrentgemma": recurrentgemma}[sys.argv[1]](*sys.argv[2:])
