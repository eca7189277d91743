# SPDX-License-Identifier: GPL-3.0-or-later
"""State values space models and of cells since 2018; called by make.py."""

import pathlib
import sys
import types

import torch

from recording import Cases, below, commit_of, drawn, gradients


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


# --- speechbrain

def speechbrain():
    """One layer of its LiGRU with a layer norm."""
    below("speechbrain", ("", "nnet", "utils"))
    attention = types.ModuleType("speechbrain.nnet.attention")  # of its other cells
    attention.ContentBasedAttention = attention.KeyValueAttention = attention.LocationAwareAttention = None
    logger = types.ModuleType("speechbrain.utils.logger")
    logger.get_logger = lambda name: None
    sys.modules |= {"speechbrain.nnet.attention": attention, "speechbrain.utils.logger": logger}
    from speechbrain.nnet.RNN import LiGRU_Layer
    cases = Cases({"package": "speechbrain 1.1.2", "with": f"torch {torch.__version__}", "precision": "float64", "seed": 5})
    random = torch.Generator().manual_seed(5)
    for nonlinearity in ("relu", "tanh"):
        made = LiGRU_Layer(5, 6, num_layers=1, batch_size=2, normalization="layernorm", nonlinearity=nonlinearity).double().eval()
        weights = dict(made.named_parameters())
        with torch.no_grad():
            for name, weight in weights.items():
                weight.copy_(drawn(weight.shape, random, 0.5) + (1 if name == "norm.weight" else 0))
        x, state = drawn((2, 9, 5), random).requires_grad_(), drawn((2, 6), random).requires_grad_()
        y = made(x, state)
        cotangent = drawn(y.shape, random)
        cases.add({"units": 6, "nonlinearity": nonlinearity}, weight=weights, **{"in": {"x": x, "state": state, "cotangent": cotangent}}, out={"y": y},
                  grad=gradients([y], [cotangent], {"x": x, "state": state, **weights}))
    cases.save("speechbrain")


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
