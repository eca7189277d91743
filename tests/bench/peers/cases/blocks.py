# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole blocks of nodes/ that torch.nn has not, (T, B, width). Ours is what the classes of unroll.nn call, nodes/<block>/kernels.py; the loop is the block's
reference.py, as written and by torch.compile; packages are those that run on a CPU, with the same weights."""

import dataclasses
import functools
import importlib.util
import pathlib
import sys
import types

import torch
from torch.func import functional_call

from case import Case, Form, Prepared, as_it_is, from_package
from fla_forms import delta_in_chunks, dplr, files, gated_delta_in_chunks, heads_first, heads_last, layer, linear_in_chunks, retention_in_chunks
from kinds import BLOCK, COMPILED, CPU, LOOP, PACKAGE, UNROLL, WHOLE
from recurrence import sequences_first

NODES = pathlib.Path(__file__).resolve().parents[4] / "nodes"
HEADS = 4
OF_LOGARITHMS = 1e-2  # as for the kernel alone (gated.py)


@functools.cache
def part_of(block, name, use=""):
    """nodes/<block>/<name>.py; for each `use` one of its own, so that what is changed in one is not in another."""
    if str(NODES) not in sys.path:
        sys.path.append(str(NODES))  # what blocks share is imported from there
    spec = importlib.util.spec_from_file_location(f"unroll_{block}_{name}{use}", NODES / block / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # by its name torch.compile finds it
    spec.loader.exec_module(module)
    return module


@dataclasses.dataclass(frozen=True)
class Block:
    folder: str
    name: str  # of its class
    options: dict
    width: int

    def make(self):
        return getattr(part_of(self.folder, "reference"), self.name)(self.width, **self.options)

    @functools.cached_property
    def names(self):
        return [name for name, _ in self.make().named_parameters()]

    def draw(self, size):
        made = self.make()
        with torch.no_grad():
            for weight in made.parameters():
                if not weight.any():  # where some begin at 0, gradients of others are 0
                    weight.normal_(std=0.1)
        return [torch.randn(size), *(weight.detach().clone() for weight in made.parameters())]

    def loop(self, x, *weights):
        return functional_call(self.make().to(x.dtype), dict(zip(self.names, weights, strict=True)), (x,))[0]

    def form(self, name, kind, made, runs, renamed=as_it_is, there=as_it_is, **more):
        """made() -> a module whose weights are ours by the names renamed(name); runs(module) -> what computes y of x, x and y in the layout `there`,
        which is its own inverse."""

        def prepare(inputs):
            module = made()
            own = dict(module.named_parameters())
            weights = [own.pop(renamed(name)) for name in self.names]
            assert not own, f"not set: {', '.join(own)}"
            with torch.no_grad():
                for weight, given in zip(weights, inputs[1:], strict=True):
                    weight.copy_(given)
            x, call = there(inputs[0]).detach().clone(memory_format=torch.contiguous_format).requires_grad_(), runs(module)
            return Prepared(lambda: call(x), [x, *weights], there, lambda found: [there(found[0]), *found[1:]])

        return Form(name, kind, prepare, **more)

    def forms(self, steps):
        def ours(module):
            return functools.partial(by_kernels, part_of(self.folder, "kernels"), module)

        whole = [self.form("whole loop", COMPILED, self.make, compiled_whole)] if steps <= WHOLE else []
        return [self.form("Unroll", UNROLL, self.make, ours), self.form("step by step", LOOP, self.make, first_of),
                *whole, self.form(f"{BLOCK}-step blocks", COMPILED, self.make, compiled_in_blocks)]

    def package(self, name, made, **more):
        """One that reads (B,T,width)."""
        return self.form(name, PACKAGE, made, first_of, there=sequences_first, **more)

    def fla(self, file, name, in_chunks=as_it_is, how="step by step", renamed=as_it_is, **options):
        made = functools.partial(layer, file, name, options, in_chunks)
        return self.package(f"flash-linear-attention {how}", made, renamed=renamed, devices=(CPU,))


def by_kernels(kernels, module, x):
    return kernels.forward(module, x)[0]


def first_of(module):
    def call(x):
        found = module(x)
        return found[0] if isinstance(found, tuple) else found

    return call


def compiled(call):
    """Calls of all blocks are of the same few lines, so that each counts as one more compilation of these."""
    torch._dynamo.config.recompile_limit = 64
    return torch.compile(call, fullgraph=True, dynamic=False)


def compiled_whole(module):
    return compiled(first_of(module))


def compiled_in_blocks(module):
    walk = compiled(lambda x, state: module(x, state))

    @functools.cache
    def start(sequences, width):
        with torch.no_grad():
            return tuple(map(torch.zeros_like, module(torch.zeros(1, sequences, width))[1]))

    def call(x):
        state, outputs = start(*x.shape[1:]), []
        for part in x.split(BLOCK):
            y, state = walk(part, state)
            outputs.append(y)
        return torch.cat(outputs)

    return call


def mamba(block):
    def made(pscan):
        package = from_package("mambapy.mamba", "mambapy")
        return package.MambaBlock(package.MambaConfig(d_model=block.width, n_layers=1, pscan=pscan))

    return [block.package("mambapy pscan", lambda: made(True)), block.package("mambapy sequential", lambda: made(False))]


def min_package(block, name):
    def made():
        return getattr(from_package(f"minGRU_pytorch.{name}", "minGRU-pytorch"), name)(block.width, proj_out=False)

    return [block.package("minGRU-pytorch", made, largest_error=OF_LOGARITHMS)]


def rwkv7(block):
    """The package has RWKV-7's recurrence in torch, and its layer for GPUs alone: its recurrence takes the place of ours in our layer."""

    def runs_by(name):
        def runs(module):
            scan = dplr(files().naive, name)

            def delta_scan(r, k, v, z, b, w, *_):
                y, state = scan(*map(heads_first, (r * r.shape[-1] ** 0.5, k, v, z, b, w.log())))
                return heads_last(y), None, state

            kernels = part_of(block.folder, "kernels", name)
            kernels.ops = types.SimpleNamespace(delta_scan=delta_scan)
            return functools.partial(by_kernels, kernels, module)

        return runs

    forms = ("in chunks", "dplr_chunkwise"), ("step by step", "dplr_recurrence")
    return [block.form(f"flash-linear-attention dplr {how}, in our layer", PACKAGE, block.make, runs_by(name), devices=(CPU,)) for how, name in forms]


def mamba2(block):
    return [block.fla("mamba2", "Mamba2", how="SSD in chunks", hidden_size=block.width, head_dim=block.options["head_size"], state_size=64)]


def linear_attention(block):
    heads = {"hidden_size": block.width, "num_heads": HEADS}
    fla = functools.partial(block.fla, "linear_attn", "LinearAttention", feature_map="elu", do_feature_map_norm=True, output_norm="identity", **heads)
    return [fla(linear_in_chunks, "in chunks"), fla()]


def retnet(block):
    heads = {"hidden_size": block.width, "num_heads": HEADS}
    fla = functools.partial(block.fla, "multiscale_retention", "MultiScaleRetention", expand_k=1.0, expand_v=2.0, elementwise_affine=False, norm_eps=1e-6,
                            renamed=lambda name: name.replace("out_proj", "o_proj"), **heads)
    return [fla(retention_in_chunks, "in chunks"), fla(how="all steps at once")]


def gla(block):
    return [block.fla("gla", "GatedLinearAttention", hidden_size=block.width, num_heads=HEADS, expand_k=1.0)]


def hgrn2(block):
    return [block.fla("hgrn2", "HGRN2Attention", hidden_size=block.width, num_heads=HEADS, expand_ratio=None)]


def delta_net(block):
    fla = functools.partial(block.fla, "delta_net", "DeltaNet", hidden_size=block.width, num_heads=HEADS)
    return [fla(delta_in_chunks, "in chunks"), fla()]


def gated_delta_net(block):
    heads = {"hidden_size": block.width, "num_heads": HEADS, "head_dim": block.width // HEADS, "expand_v": 1}
    fla = functools.partial(block.fla, "gated_deltanet", "GatedDeltaNet", **heads)
    return [fla(gated_delta_in_chunks, "in chunks"), fla()]


def delta_product(block):
    heads = {"hidden_size": block.width, "num_heads": HEADS, "head_dim": block.width // HEADS, "expand_v": 1}
    return [block.fla("gated_deltaproduct", "GatedDeltaProduct", **heads)]


def slstm(block):
    """The package's layer has a convolution and a norm around its cell: here the cell, given W x."""

    def made():
        package, units = from_package("xlstm.blocks.slstm.cell", "xlstm"), block.options["units"]
        config = package.sLSTMCellConfig(hidden_size=units, num_heads=HEADS, backend="vanilla", dtype="float32", input_shape="SBGNH", output_shape="SBH")
        return torch.nn.Sequential(torch.nn.Linear(block.width, 4 * units, bias=False), package.sLSTMCell_vanilla(config))

    def renamed(name):
        return "0.weight" if name == "weight" else f"1._{name}_"

    return [block.form("xlstm vanilla", PACKAGE, made, first_of, renamed=renamed)]


def cfc(block):
    def made():
        options = {"mode": "default", "activation": "lecun_tanh", "batch_first": False}
        return from_package("ncps.torch", "ncps").CfC(block.width, backbone_layers=1, backbone_dropout=0.0, **options, **block.options)

    return [block.form("ncps", PACKAGE, made, first_of, renamed=lambda name: f"rnn_cell.{name}")]


def none(block):
    """No package that the tests install has it for a CPU."""
    return []


def cases_at(size):
    width = size[-1]
    units = {"units": width, "num_heads": HEADS}
    table = (
        ("Mamba", "mamba", "Mamba", {}, mamba),
        ("Mamba-2", "mamba2", "Mamba2", {"head_size": width // HEADS}, mamba2),
        ("minGRU", "mingru", "MinGRU", {"units": width}, functools.partial(min_package, name="minGRU")),
        ("minLSTM", "min_lstm", "MinLSTM", {"units": width}, functools.partial(min_package, name="minLSTM")),
        ("linear attention", "linear_attention", "LinearAttention", {**units, "decay": "none"}, linear_attention),
        ("RetNet", "retnet", "RetNet", {**units, "rotation": "rope"}, retnet),
        ("GLA", "gla", "GLA", units, gla),
        ("HGRN2", "hgrn2", "HGRN2", units, hgrn2),
        ("mLSTM", "mlstm", "MLSTM", units, none),
        ("DeltaNet", "delta_net", "DeltaNet", units, delta_net),
        ("Gated DeltaNet", "gated_delta_net", "GatedDeltaNet", units, gated_delta_net),
        ("DeltaProduct", "delta_product", "DeltaProduct", units, delta_product),
        ("RWKV-7", "rwkv7", "RWKV7", {"head_size": width // HEADS}, rwkv7),
        ("RG-LRU", "rg_lru", "RGLRU", {"num_heads": HEADS}, none),
        ("S5", "s5", "S5", {}, none),
        ("sLSTM", "slstm", "SLSTM", units, slstm),
        ("LiGRU", "ligru", "LiGRU", {"units": width}, none),
        ("JANET", "janet", "JANET", {"units": width}, none),
        ("IndRNN", "ind_rnn", "IndRNN", {"units": width}, none),
        ("CfC", "cfc", "CfC", {"units": width, "backbone_units": width}, cfc),
    )
    for name, folder, class_name, options, peers in table:
        block = Block(folder, class_name, options, width)
        yield Case(f"{name} block", size, functools.partial(block.draw, size), block.loop, [*block.forms(size[0]), *peers(block)])


def cases(sizes):
    return [case for size in sizes.blocks for case in cases_at(size)]
