# SPDX-License-Identifier: GPL-3.0-or-later
"""flash-linear-attention on a CPU: the naive forms of its recurrences, and its layers over them. Both are read file by file, by what the tests beside the
authors' code use (tests/python/blocks/fla_layers.py), since the package itself wants a GPU."""

import importlib.util
import pathlib
import sys
from unittest import mock

import torch

from case import Form, Unavailable, as_it_is, in_layout
from kinds import CPU, PACKAGE
from recurrence import sequences_first

BLOCKS = pathlib.Path(__file__).resolve().parents[2] / "python" / "blocks"
NAME = "flash-linear-attention"


def files():
    """The module that reads the package's files; a sentence where there is nothing to read."""
    if importlib.util.find_spec("fla") is None or importlib.util.find_spec("einops") is None:
        raise Unavailable(f"{NAME} is not installed.")
    if not BLOCKS.is_dir():
        raise Unavailable(f"{NAME} is read by the tests of the blocks, which are not here.")
    if str(BLOCKS) not in sys.path:
        sys.path.append(str(BLOCKS))
    import fla_layers

    return fla_layers


def naive_form(name, around, there=sequences_first, back=sequences_first):
    """A recurrence of the package: around(naive), naive(op) the file of its naive forms, gives what computes it. Those read (B,T,heads,n)."""

    def prepare(inputs):
        return in_layout("", PACKAGE, around(files().naive), there, back).prepare(inputs)

    return Form(f"{NAME} {name}", PACKAGE, prepare, devices=(CPU,))


def whole_chunks(steps, size):
    """Some of them do not take the rest of a sequence."""
    if steps % size:
        raise Unavailable(f"{NAME} takes whole chunks of {size} steps.")


def layer(file, name, options, in_chunks=as_it_is):
    """A layer of the package, over its forms step by step, or over those that in_chunks(module of files()) puts in their place."""
    package = files()
    contents = package.surroundings()
    contents["fla"].__spec__ = importlib.util.find_spec("fla")
    for module, functions in ({} if in_chunks is as_it_is else in_chunks(package)).items():
        vars(contents[module]).update(functions)
    with mock.patch.dict(sys.modules, contents):
        made = getattr(package.from_file("layers", file), name)(**options)
    if hasattr(made, "_use_fused_qkv_conv"):
        made._use_fused_qkv_conv = lambda **_: False  # for GPUs
    return made


def heads_first(x):
    """(T,B,heads,n) to (B,heads,T,n), as some of them read, and back."""
    return x.permute(1, 2, 0, 3)


def heads_last(x):
    return x.permute(2, 0, 1, 3)


def dplr(naive, name):
    """One of its two forms, of (B,heads,T,n)."""
    scan = getattr(naive("generalized_delta_rule/dplr"), name)

    def call(q, *others):
        if name == "dplr_chunkwise":
            whole_chunks(q.shape[2], 32)
        return scan(q, *others)

    return call


def delta_in_chunks(package):
    def rule(q, k, v, beta, **_):
        parts = (x.transpose(1, 2) for x in (package.unit(q), package.unit(k), v, beta))
        y, state = package.naive("delta_rule").delta_rule_chunkwise(*parts)
        return y.transpose(1, 2), state

    return {"fla.ops.delta_rule": {"chunk_delta_rule": rule}}


def gated_delta_in_chunks(package):
    def rule(q, k, v, g, beta, A_log, dt_bias, allow_neg_eigval, **_):
        decay, beta = -A_log.exp() * torch.nn.functional.softplus(g + dt_bias), beta.sigmoid() * (2 if allow_neg_eigval else 1)
        return package.naive("gated_delta_rule").naive_chunk_gated_delta_rule(package.unit(q), package.unit(k), v, decay, beta)

    return {"fla.ops.gated_delta_rule": {"chunk_gated_delta_rule": rule}}


def linear_in_chunks(package):
    def attention(q, k, v, normalize, **_):
        whole_chunks(q.shape[1], 64)
        return package.naive("linear_attn").naive_chunk_linear_attn(q, k, v, normalize=normalize), None

    return {"fla.ops.linear_attn": dict.fromkeys(("chunk_linear_attn", "fused_chunk_linear_attn"), attention)}


def retention_in_chunks(package):
    """By the form of one factor for each head, as its kernel for GPUs computes it."""

    def retention(q, k, v, **_):
        decay = (1 - torch.exp2(-5 - torch.arange(q.shape[2], dtype=q.dtype))).log()
        return package.naive("simple_gla").naive_chunk_simple_gla(q, k, v, decay.expand(q.shape[:3]))

    return {"fla.ops.retention": dict.fromkeys(("chunk_retention", "fused_chunk_retention", "parallel_retention"), retention)}
