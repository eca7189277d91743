# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.LSTM has the same names, shapes and order of rows (i f g o). An LSTM of Keras has the same order in its columns, and one bias."""

import torch
from unroll_weights import keras_layers as keras
from unroll_weights.stacked import NAMES, of_torch


def of_keras(given):
    settings = keras.settings_of(given, "activation, and sigmoid gates")
    keras.same_function(given, settings, "activation", "activation", "tanh", ("tanh", "softsign", "relu", "identity"))
    keras.same_function(given, settings, "recurrent_activation", None, "", ("sigmoid",))
    for suffix, theirs, kernel, recurrent, bias in keras.cells_of(given, "LSTM"):
        keras.sized(given, recurrent, 4, theirs + "1", "LSTM")
        yield "weight_ih" + suffix, theirs + "0", kernel.t(), "transposed"
        yield "weight_hh" + suffix, theirs + "1", recurrent.t(), "transposed"
        if bias is not None:
            yield "bias_ih" + suffix, theirs + "2", bias, ""
            yield "bias_hh" + suffix, theirs + "2", torch.zeros_like(bias), keras.ZEROS


SOURCES = (
    {"source": "torch.nn.LSTM", "names": NAMES, "taken": of_torch(4, "LSTM")},
    {"source": "keras.layers.LSTM", "format": "keras", "names": keras.CELL, "fits": lambda own: keras.gates_of(own) == 4, "taken": of_keras},
)
