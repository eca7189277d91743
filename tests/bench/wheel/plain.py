# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user of PyTorch has without this package: torch.nn's module, else the package of the authors, as a call of forward and backward."""

import importlib.util
import warnings

import torch


def of_torch(kind):
    def made(width):
        cell = getattr(torch.nn, kind)(width, width)
        return lambda x: cell(x)[0]

    return f"torch.nn.{kind}", None, made


def of_sru(width):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import sru

        cell = sru.SRU(width, width, num_layers=1)
    return lambda x: cell(x)[0]


def of_min_gru(width):
    from minGRU_pytorch import minGRU

    cell = minGRU(width)
    return lambda x: cell(x.transpose(0, 1)).transpose(0, 1)


PLAIN = {
    "LSTM": of_torch("LSTM"),
    "GRU": of_torch("GRU"),
    "RNN": of_torch("RNN"),
    "SRU": ("package sru", "sru", of_sru),
    "MinGRU": ("package minGRU-pytorch", "minGRU_pytorch", of_min_gru),
}


def plain_call(name, width, x):
    """(what it is, call); (None, None) where there is none, or its package is not installed."""
    what, package, made = PLAIN.get(name, (None, None, None))
    if what is None or (package and importlib.util.find_spec(package) is None):
        return None, None
    torch.manual_seed(1)
    run = made(width)

    def call():
        run(x).sum().backward()

    return what, call
