# SPDX-License-Identifier: GPL-3.0-or-later
"""The cells of the whole field in the same width, 4 heads where there are heads: one list for every frame that compares them."""

import collections
import json
import pathlib

import state_size
from trials import Cell

HEADS = 4
LOOKING_BACK = ("attention", "srupp")  # blocks with a window that is part of their state
NODES = pathlib.Path(__file__).resolve().parents[3] / "nodes"


class Sizes(collections.ChainMap):
    """Parameters of a cell by name; the program is asked for those that are not set."""

    def __init__(self, engine, cell, width):
        super().__init__({"input_size": width, **cell.params})
        self.engine, self.block = engine, cell.block

    def __missing__(self, name):
        return self.engine.defaults(self.block)[name]


def state_numbers(engine, cell, width):
    """Numbers that one layer keeps between two steps: the formula of the block's family.json, which a test holds to the reference."""
    family = json.loads((NODES / cell.block / "family.json").read_text(encoding="utf-8"))
    return round(state_size.numbers(family["state"], Sizes(engine, cell, width)))


def non_linear(width):
    return [Cell("LSTM", "lstm", {"units": width}),
            Cell("GRU", "gru", {"units": width}),
            Cell("RNN", "rnn", {"units": width}),
            Cell("sLSTM", "slstm", {"num_heads": HEADS, "units": width}),
            Cell("JANET", "janet", {"units": width}),
            Cell("LiGRU", "ligru", {"units": width}),
            Cell("CfC", "cfc", {"backbone_units": width, "units": width}),
            Cell("SRU", "sru", {"units": width}),
            Cell("IndRNN", "ind_rnn", {"units": width})]  # fmt: skip


def diagonal(width):
    return [Cell("QRNN", "qrnn", {"units": width}),
            Cell("HGRN", "hgrn", {"units": width}),
            Cell("Mamba", "mamba", {}),
            Cell("GRUMML", "grumml", {"units": width}),
            Cell("RG-LRU", "rg_lru", {}),
            Cell("minGRU", "mingru", {"units": width}),
            Cell("minLSTM", "min_lstm", {"units": width}),
            Cell("S4D", "s4d", {"state_size": 16}),
            Cell("S5", "s5", {"state_size": width}),
            Cell("LRU", "lru", {"units": width, "state_size": width}),
            Cell("LRUMML", "lrumml", {"state_size": width, "units": width})]  # fmt: skip


def outer_products(width):
    heads = {"num_heads": HEADS, "units": width}
    return [Cell("linear attention", "linear_attention", heads),
            Cell("GLA", "gla", heads),
            Cell("RetNet", "retnet", heads),
            Cell("HGRN2", "hgrn2", heads),
            Cell("Mamba-2", "mamba2", {"head_size": width // 2, "state_size": 16}),
            Cell("mLSTM", "mlstm", heads)]  # fmt: skip


def delta_rules(width):
    heads = {"num_heads": HEADS, "units": width}
    reflecting = {**heads, "negative_eigenvalues": True}
    return [Cell("DeltaNet, β to 1", "delta_net", {**heads, "negative_eigenvalues": False}),
            Cell("DeltaNet, β to 2", "delta_net", reflecting),
            Cell("Gated DeltaNet, β to 1", "gated_delta_net", {**heads, "negative_eigenvalues": False}),
            Cell("Gated DeltaNet, β to 2", "gated_delta_net", reflecting),
            Cell("DeltaProduct, 2", "delta_product", {**reflecting, "num_householder": 2, "use_forget_gate": False}),
            Cell("DeltaProduct, 4", "delta_product", {**reflecting, "num_householder": 4, "use_forget_gate": False}),
            Cell("RWKV-7", "rwkv7", {"decay_rank": width // 2, "gate_rank": width, "head_size": width // HEADS, "rate_rank": width // 2})]  # fmt: skip


def windows(width):
    """What looks back so many steps: SRU++ by attention, as far as that does; the others over 8 and 32 steps."""
    return [Cell("SRU++", "srupp", {"num_heads": HEADS, "projection_size": width // 2, "units": width}),
            Cell("window MLP", "window_mlp", {"hidden": width, "width": width, "window": 8}),
            Cell("dilated convolutions", "dilated_conv", {"activation": "relu", "num_layers": 5, "width": width})]  # fmt: skip


def field(width, layers):
    """All of them; attention, which the others' numbers of weights are matched to, is the last."""
    products = {"depth": layers, "matrix_size": 4, "num_heads": HEADS, "units": width}
    return [*non_linear(width), *diagonal(width), *outer_products(width), *delta_rules(width),
            Cell("MRU, householder", "mru", {**products, "maker": "householder"}),
            Cell("MRU, identity", "mru", {**products, "maker": "identity"}),
            *windows(width),
            Cell("attention", "attention", {"bias": False, "depth": layers, "num_heads": HEADS})]  # fmt: skip
