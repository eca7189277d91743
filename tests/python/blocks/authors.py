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
KEPT = {"stored": True}
PEERS = {
    ("rnn", "torch"): Peer("torch 2.11", "nn.RNN, deep and in both directions"),
    ("lstm", "torch"): Peer("torch 2.11", "nn.LSTM, deep and in both directions"),
    ("gru", "torch"): Peer("torch 2.11", "nn.GRU, deep and in both directions"),
    ("ind_rnn", "torch"): Peer("torch 2.11", "nn.RNN whose recurrent matrix is diagonal"),
    ("janet", "torch"): Peer("torch 2.11", "nn.GRU whose reset gate is open; β = 0"),
    ("ligru", "speechbrain"): Peer("speechbrain 1.1.2", "LiGRU_Layer with a layer norm", **KEPT),
    ("qrnn", "pytorch_qrnn"): Peer("pytorch-qrnn, 1634991", "QRNNLayer, its loop", **KEPT),
    ("sru", "sru"): Peer("sru 2.6.0", "SRUCell, every combination of its options; custom_m by the cell without projections"),
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
    ("linear_attention", "fla"): Peer(FLA, "LinearAttention, elu + 1 and identity"),
    ("linear_attention", "fla-divided"): Peer(FLA, "the same, divided by the sum of weights"),
    ("gla", "fla"): Peer(FLA, "GatedLinearAttention"),
    ("retnet", "fla"): Peer(FLA, "MultiScaleRetention, its parallel form"),
    ("retnet", "torchscale"): Peer("torchscale 0.3.0", "MultiScaleRetention, parallel and recurrent", **KEPT),
    ("delta_net", "fla"): Peer(FLA, "DeltaNet"),
    ("gated_delta_net", "fla"): Peer(FLA, "GatedDeltaNet"),
    ("delta_product", "fla"): Peer(FLA, "GatedDeltaProduct"),
    ("rwkv7", "rwkv"): Peer("rwkv 0.8.32", "RWKV_x070_TMix_one, step by step", single=True),
    ("attention", "torch"): Peer("torch 2.11", "nn.MultiheadAttention with a causal mask"),
    ("attention", "x-transformers-rope"): Peer("x-transformers 2.31.10", "RotaryEmbedding on given q and k"),
    ("attention", "x-transformers-xpos"): Peer("x-transformers 2.31.10", "the same with xPos"),
}

# Recurrent blocks that no package of their authors can be asked for, and what holds them instead.
ALONE = {
    "lru": "its reference follows the equations of the paper, in the form of minimal-LRU, bbd71b1, which is JAX code and not a package",
}
# Of Category::Recurrent or with a state, but no cell of a paper.
NO_CELLS = {"delay", "causal_conv", "dilated_conv", "module_conv", "window_mlp"}

# Where a package departs from its paper: (block, as the paper has it, as the package has it, ours)
FORMS = [
    ("mamba", "B by zero-order hold (equation 4)", "mamba_ssm, mambapy: Δ B (Euler)", "Δ B"),
    ("mlstm", "no norm of the output, no cap on the gates", "xlstm: a layer norm over each head; xlstm_large caps the gates at 15", "xlstm_large's; `gate_soft_cap` 0 is without the cap"),
    ("mlstm", "m starts at 0; the divisor is the larger of abs(n·q) and exp(-m)", "xlstm: 1e-6 added to the divisor; its parallel form computes m without the 0", "as in single steps: with the 0, 1e-6 added to the divisor"),
    ("slstm", "one matrix W for the gates' inputs", "xlstm: the layer has a matrix per head, after a convolution for i and f, and a norm; its result is the cell's input", "the paper's W"),
    ("rwkv7", "exp(-e^(-1/2) σ(d))", "rwkv: exp(-0.606531 σ(d)), the decay in single precision", "exp(-1/2) in full"),
    ("rg_lru", "√(1 - a²) from the first step on", "recurrentgemma: not at the first step of a document", "the paper's"),
    ("rg_lru", "a⁸ is initialised in the ring from 0.9 to 0.999", "recurrentgemma: a is", "either, `ring_of`"),
    ("retnet", "GroupNorm over each head", "torchscale: an RMS norm, and weights divided by their sums, which the norm cancels; fla: RoPE in place of xPos, a gain in the norm",
     "either norm, `norm`; either rotation, `rotation`; no gain"),
    ("linear_attention", "divided by the sum of weights", "fla: by default an RMS norm over each head instead; else 1e-10 added to the divisor", "with or without the division, `normalize`; 1e-6 added to the divisor"),
    ("s5", "half of HiPPO-N's modes, twice the real part", "s5-pytorch: all modes, no factor 2, no clipping; complex weights rounded to complex64", "either, `conj_sym`"),
    ("s4d", "γ with the input", "s4d.py: γ with C, which gives the same y", "the paper's"),
    ("cfc", "gate σ(-f t)", "ncps: W_b z + b_b added", "ncps's"),
    ("ligru", "batch normalisation of the gates' inputs", "speechbrain: batch or layer normalisation", "layer normalisation: a sequence does not depend on its batch"),
    ("janet", "β = 1", "no package", "any, `beta`; compared at 0"),
    ("ind_rnn", "batch normalisation between layers", "no package", "not in the block"),
    ("min_lstm", "the listing takes g(h) of a given state h", "minGRU-pytorch: g(h) in parallel, h in single steps", "h"),
    ("hgrn", "complex, rotated by θ", "hgru-pytorch: a norm of h before the gate; fla: real, without θ, an RMS norm", "either, `convention`"),
    ("hgrn2", "outer products of gates and candidates", "fla: three matrices and an RMS norm; hgru-pytorch: one matrix, biases and a layer norm", "either, `convention`"),
    ("qrnn", "an open f keeps", "pytorch-qrnn: an open f writes; the window's earlier inputs are dropped between calls unless save_prev_x is set", "either, `convention`; the window is part of the state"),
    ("sru", "no norm, v in both gates", "sru 2.6: at masked steps `normalize_after` gives the norm's bias; `v1` is without v", "0 at masked steps; `v1` too"),
    ("srupp", "the memory is the keys and values of earlier steps", "sru 3.0: the layer's inputs before any norm, so outputs depend on where a text is cut", "keys and values of the normed inputs"),
    ("grumml", "four ternary layers, each with its norm", "keras-matmulless: f and c in one, g and the output in full precision; mmfreelm: a gated norm of h before the output", "each of the three, `variant`"),
    ("delta_net", "keys of length 1", "fla: 1e-6 added under the root of the length", "fla's"),
    ("mamba2", "one or several groups of B and C", "mamba_ssm, fla: the same; limits of Δ, a D for each feature", "one group, D for each head"),
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
        "Written by `./dev bench authors`, which runs the comparisons of `tests/python/blocks` and fails if one exceeds its bound.",
        "",
        "Every recurrent block is compared with its authors' code, or with the usual package: same weights, inputs and states. Compared are outputs, states, and the gradients of a",
        "random weighting of them with respect to x, the initial state and every weight. The figure is the largest deviation over all calls, relative to the largest value of",
        "its tensor (or RMS relative to RMS). Sequences have 7 to 37 steps; double precision if the package supports it.",
        "",
        "- *run*: the package runs in the tests, pinned in `tests/python/requirements.txt`.",
        "- *stored*: its results are stored, with the program that made them ([originals](../tests/python/blocks/originals/README.md)).",
        "",
        "The comparison is with each block's `reference.py`. `test_reference.py` compares the blocks in C++ with that: outputs and all gradients to 1e-9 in double and 1e-5 in single precision.",
        "",
        "| block | package | part of it | | precision | outputs and states | gradients |",
        "|---|---|---|---|---|---|---|",
    ]
    for (block, key), peer in PEERS.items():
        found = FOUND[block, key]
        lines.append(f"| {title[block]} | {peer.package} | {peer.what} | {'stored' if peer.stored else 'run'} | {'single' if peer.single else 'double'} | "
                     f"{said(found, 'outputs')} | {said(found, 'gradients')} |")
    lines += ["", "Reasons for deviations above 1e-13 in double precision: SRU++'s values are stored with twelve digits; S4D's parallel form loses digits of exp(z) - 1 where A is small; mLSTM and linear attention add different constants to their divisors (below).", "",
              "Without a package: " + "; ".join(f"{title[block]} ({why})" for block, why in ALONE.items()) + ".", "",
              "## Where a package departs from its paper", "", "| block | paper | package | here |", "|---|---|---|---|"]
    lines += [f"| {title[block]} | {paper} | {package} | {ours} |" for block, paper, package, ours in FORMS]
    return "\n".join(lines) + "\n"


def write(session):
    """At the end of a session that was asked to."""
    path = os.environ.get("UNROLL_AUTHORS")
    if path and not hasattr(session.config, "workerinput"):
        pathlib.Path(path).write_text(page(), encoding="utf-8")
