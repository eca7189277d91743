# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.RNN has the same names and shapes; a SimpleRNN of Keras has them transposed, and one bias."""

import torch
from unroll_weights import keras_layers as keras
from unroll_weights.stacked import NAMES, of_torch


def of_keras(given):
    settings = keras.settings_of(given, "nonlinearity")
    keras.same_function(given, settings, "activation", "nonlinearity", "tanh", ("tanh", "relu"))
    for suffix, theirs, kernel, recurrent, bias in keras.cells_of(given, "SimpleRNN"):
        keras.sized(given, recurrent, 1, theirs + "1", "SimpleRNN")
        yield "weight_ih" + suffix, theirs + "0", kernel.t(), "transposed"
        yield "weight_hh" + suffix, theirs + "1", recurrent.t(), "transposed"
        if bias is not None:
            yield "bias_ih" + suffix, theirs + "2", bias, ""
            yield "bias_hh" + suffix, theirs + "2", torch.zeros_like(bias), keras.ZEROS


SOURCES = (
    {"source": "torch.nn.RNN", "names": NAMES, "taken": of_torch(1, "RNN")},
    {"source": "keras.layers.SimpleRNN", "format": "keras", "names": keras.CELL, "fits": lambda own: keras.gates_of(own) == 1, "taken": of_keras},
)
