# SPDX-License-Identifier: GPL-3.0-or-later
"""What every recurrent block is compared with, and how far it is from it: docs/authors.md. A test that compares hands its deviations to record(); a session
with UNROLL_AUTHORS=FILE writes them (`./dev bench authors`)."""

import math
import os
import pathlib
from dataclasses import dataclass

from block_dumps import ROOT

DOCUMENT = ROOT / "docs" / "authors.md"


@dataclass(frozen=True)
class Peer:
    """A package, pinned in tests/python/requirements.txt where it runs in the tests, and what of it is compared."""

    package: str
    what: str
    stored: bool = False  # its numbers are in originals/ (or, of SRU++, beside the test); else it is run
    single: bool = False  # it computes in single precision


FLA = "flash-linear-attention 0.6.0"
RUN, KEPT = {}, {"stored": True}
PEERS = {
    ("rnn", "torch"): Peer("torch 2.11", "nn.RNN, deep and in both directions"),
    ("lstm", "torch"): Peer("torch 2.11", "nn.LSTM, deep and in both directions"),
    ("gru", "torch"): Peer("torch 2.11", "nn.GRU, deep and in both directions"),
    ("ind_rnn", "torch"): Peer("torch 2.11", "nn.RNN whose recurrent matrix is diagonal"),
    ("ligru", "speechbrain"): Peer("speechbrain 1.1.2", "LiGRU_Layer with a layer norm", **KEPT),
    ("qrnn", "pytorch_qrnn"): Peer("pytorch-qrnn, 1634991", "QRNNLayer, its loop", **KEPT),
    ("sru", "sru"): Peer("sru 2.6.0", "SRUCell, every combination of its options"),
    ("srupp", "sru"): Peer("sru 3.0.0-dev, c2d44e6", "SRUppCell with its attention and without", **KEPT),
    ("mingru", "minGRU-pytorch"): Peer("minGRU-pytorch 0.2.1", "minGRU, parallel and sequential"),
    ("min_lstm", "minGRU-pytorch"): Peer("minGRU-pytorch 0.2.1", "minLSTM, parallel and sequential"),
    ("cfc", "ncps"): Peer("ncps 1.0.1", "CfCCell, its three modes", **KEPT),
    ("slstm", "xlstm"): Peer("xlstm 2.0.6", "sLSTMCell_vanilla", **KEPT),
    ("mlstm", "xlstm"): Peer("xlstm 2.0.6", "mLSTMLayer of xlstm_large, stepwise", **KEPT),
    ("mlstm", "xlstm-parallel"): Peer("xlstm 2.0.6", "the same, its parallel form", **KEPT),
    ("mlstm", "xlstm-cell"): Peer("xlstm 2.0.6", "mLSTMCell, parallel", **KEPT),
    ("mru", "mru_lm"): Peer("mru-lm, c45d36d", "mru, by its two scans", **KEPT),
    ("mru", "mru_lm_old"): Peer("mru-lm, branch old, 1598c86", "mru_lm_block.mru, by its two scans", **KEPT),
    ("grumml", "keras_mml"): Peer("keras-matmulless 0.1.2", "GRUMML", single=True, **KEPT),
    ("grumml", "mmfreelm"): Peer("matmulfreellm, a016f72", "HGRNBitAttention", single=True, **KEPT),
    ("lrumml", "keras_mml"): Peer("keras-matmulless 0.1.2", "LRUMML", single=True, **KEPT),
    ("s4d", "s4d"): Peer("state-spaces/s4, e757cef", "s4d.py, its convolution", **KEPT),
    ("s5", "s5_pytorch"): Peer("s5-pytorch 0.2.1", "S5SSM, zero-order hold and bilinear", **KEPT),
    ("rg_lru", "recurrentgemma"): Peer("recurrentgemma 1.0.1", "RGLRU, torch", single=True, **KEPT),
    ("hgrn", "fla"): Peer(FLA, "HGRNAttention", **KEPT),
    ("hgrn", "hgru_pytorch"): Peer("hgru-pytorch, 09f4ed2", "Hgru1d, complex", **KEPT),
    ("hgrn2", "fla"): Peer(FLA, "HGRN2Attention", **KEPT),
    ("mamba", "mambapy"): Peer("mambapy 1.2.0", "MambaBlock, its parallel and its sequential scan"),
    ("mamba", "mambapy-steps"): Peer("mambapy 1.2.0", "MambaBlock stepping, A and D in single precision there", single=True),
    ("mamba2", "fla"): Peer(FLA, "Mamba2.torch_forward, the SSD in chunks"),
    ("linear_attention", "fla"): Peer(FLA, "LinearAttention, elu + 1 and as it is", single=True),
    ("gla", "fla"): Peer(FLA, "GatedLinearAttention"),
    ("retnet", "fla"): Peer(FLA, "MultiScaleRetention, its parallel form"),
    ("retnet", "torchscale"): Peer("torchscale 0.3.0", "MultiScaleRetention, parallel and recurrent", **KEPT),
    ("delta_net", "fla"): Peer(FLA, "DeltaNet"),
    ("gated_delta_net", "fla"): Peer(FLA, "GatedDeltaNet", single=True),
    ("delta_product", "fla"): Peer(FLA, "GatedDeltaProduct", single=True),
    ("rwkv7", "rwkv"): Peer("rwkv 0.8.32", "RWKV_x070_TMix_one, step by step", single=True),
    ("attention", "torch"): Peer("torch 2.11", "nn.MultiheadAttention with a causal mask"),
}

# Recurrent blocks that no package of their authors can be asked for, and what holds them instead.
ALONE = {
    "janet": "the authors' code is TensorFlow 1's and no package; held to the equations of the paper",
    "lru": "the paper came without code; held to its equations and its appendix, in double precision",
}
# Of Category::Recurrent or with a state, but no cell of a paper.
NO_CELLS = {"delay", "causal_conv", "dilated_conv", "window_mlp"}

# Where a package is not what its paper, or its neighbour, has. (block, as the paper has it, as the package has it, ours)
FORMS = [
    ("mamba", "B by zero-order hold (equation 4)", "mamba_ssm, mambapy: Δ B (Euler)", "Δ B"),
    ("mlstm", "no norm of what is read, no cap on the gates", "xlstm: a layer norm over each head; xlstm_large caps the gates at 15", "xlstm_large's; `gate_soft_cap` 0 is without the cap"),
    ("mlstm", "m begins at 0 and the divisor is max(|n·q|, exp(-m))", "xlstm: 1e-6 beside the divisor; its parallel form takes m without the 0", "the stepwise form's m, 1e-6 beside the divisor"),
    ("slstm", "one matrix W for the gates' inputs", "xlstm: the cell is given the gates' inputs; the layer has a convolution and block-diagonal matrices", "the paper's W"),
    ("rwkv7", "exp(-e^(-1/2) σ(d))", "rwkv: exp(-0.606531 σ(d)), and the decay in single precision", "exp(-1/2) in full"),
    ("rg_lru", "√(1 - a²) from the first step on", "recurrentgemma: the first step of a document takes i ∘ x whole", "the paper's"),
    ("rg_lru", "a⁸ begins in the ring from 0.9 to 0.999", "recurrentgemma: a does", "either, `ring_of`"),
    ("retnet", "GroupNorm over each head", "torchscale: an RMS norm; weights of a step divided by their sums, which the norm takes out again; fla: pairs i and i + n / 2 turn (RoPE)",
     "either norm, `norm`; either rotation, `rotation`"),
    ("linear_attention", "divided by the sum of weights", "fla: not by default, and an RMS norm over each head; 1e-10 beside the divisor", "either, `normalize`; 1e-6 beside the divisor; no norm"),
    ("s5", "half of HiPPO-N's modes, twice their real part", "s5-pytorch: all modes, no factor 2, no clipping; complex weights rounded to complex64", "either, `conj_sym`"),
    ("s4d", "γ with the input", "s4d.py: γ with C, for the same y", "the paper's"),
    ("cfc", "gate σ(-f t)", "ncps: W_b z + b_b beside it", "ncps's"),
    ("ligru", "batch normalisation of the gates' inputs", "speechbrain: batch or layer normalisation, by choice", "a layer norm: a sequence does not depend on its batch"),
    ("ind_rnn", "batch normalisation between layers", "no package", "none"),
    ("min_lstm", "the listing takes g(h) of a given state h", "minGRU-pytorch: g(h) in parallel, h when stepping", "h"),
    ("hgrn", "no norm before the gate (HGRN); complex", "hgru-pytorch: a norm before the gate; fla: real, no θ, a gated RMS norm", "either, `convention`"),
    ("hgrn2", "one matrix for q, f and i", "fla: three, an RMS norm; hgru-pytorch: one", "either, `convention`"),
    ("qrnn", "zoneout on the forget gate", "pytorch-qrnn: zoneout scales f by its keep rate when evaluating, and changes the gates in place", "either, `convention`"),
    ("sru", "c_t read by the gates, `v1` without", "sru 2.6: with `normalize_after` the norm's bias shows at masked steps", "0 at masked steps"),
    ("grumml", "f and c with W in {-1, 0, 1}; ε as in the package", "keras-matmulless: no ε in the norm; mmfreelm: 1e-6", "1e-8, or mmfreelm's, `variant`"),
    ("delta_net", "keys of length 1", "fla: 1e-6 beside the squares of q and k", "fla's"),
]

FOUND = {}


def record(block, key, outputs=None, gradients=None):
    """Keeps the greatest of each; outputs include states."""
    assert (block, key) in PEERS, f"({block}, {key}) is missing in authors.PEERS"
    found = FOUND.setdefault((block, key), {})
    for kind, value in (("outputs", outputs), ("gradients", gradients)):
        if value is not None:
            assert math.isfinite(value)
            found[kind] = max(value, found.get(kind, 0.0))


def said(found, kind):
    return f"{found[kind]:.0e}".replace("e-0", "e-") if found.get(kind) else "0" if kind in found else "-"


def titles():
    """Of the blocks, in their specs."""
    found = {}
    for path in sorted((ROOT / "nodes").glob("*/spec.cpp")):
        text = path.read_text(encoding="utf-8")
        found[path.parent.name] = text.split('.title = "', 1)[1].split('"', 1)[0]
    return found


def page():
    """docs/authors.md."""
    title = titles()
    missing = [key for key in PEERS if key not in FOUND]
    assert not missing, f"not compared in this session: {missing}"
    lines = [
        "# Beside the authors' code",
        "",
        "Written by `./dev bench authors`, which runs the comparisons of `tests/python/blocks` and fails where one is beyond its bound.",
        "",
        "Every recurrent block beside the code of its authors, or the package that is used for it: the same weights, inputs and states, outputs and states compared, and",
        "the gradients of a random weighting of them by x, the initial state where there is one, and every weight. The figure is the greatest deviation of all calls,",
        "relative to the greatest value of its tensor (or root of mean squares by root of mean squares). Sequences of 7 to 37 steps, in double precision where the package can.",
        "*run*: the package runs in the tests, pinned in `tests/python/requirements.txt`; *stored*: what it gave is stored, with the program that made it",
        "([originals](../tests/python/blocks/originals/README.md)). The comparison is with each block's `reference.py`; the blocks themselves, in C++, are held to that by",
        "`test_reference.py`: outputs and all gradients to 1e-9 in double and 1e-5 in single precision.",
        "",
        "| block | beside | what of it | | precision | outputs and states | gradients |",
        "|---|---|---|---|---|---|---|",
    ]
    for (block, key), peer in PEERS.items():
        found = FOUND[block, key]
        lines.append(f"| {title[block]} | {peer.package} | {peer.what} | {'stored' if peer.stored else 'run'} | {'single' if peer.single else 'double'} | "
                     f"{said(found, 'outputs')} | {said(found, 'gradients')} |")
    lines += ["", "Deviations of 1e-6 and more in double precision are the packages' small constants, named below.", "",
              "Without a package: " + "; ".join(f"{title[block]} ({why})" for block, why in ALONE.items()) + ".", "",
              "## Where a package departs from its paper", "", "| block | paper | package | here |", "|---|---|---|---|"]
    lines += [f"| {title[block]} | {paper} | {package} | {ours} |" for block, paper, package, ours in FORMS]
    return "\n".join(lines) + "\n"


def write(session):
    """At the end of a session that was asked to."""
    path = os.environ.get("UNROLL_AUTHORS")
    if path and not hasattr(session.config, "workerinput"):
        pathlib.Path(path).write_text(page(), encoding="utf-8")
