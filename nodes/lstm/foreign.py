# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.LSTM has the same names, shapes and order of rows (i f g o). An LSTM of Keras has the same order in its columns, and one bias."""

from unroll_weights import keras_layers as keras
from unroll_weights.stacked import NAMES, of_torch


def of_keras(given):
    settings = keras.settings_of(given, "activation, gate_activation")
    keras.same_function(given, settings, "activation", "activation", "tanh", keras.RECURRENT)
    keras.same_function(given, settings, "recurrent_activation", "gate_activation", "sigmoid", keras.BOUNDED)
    return keras.as_in_torch(given, "LSTM", 4)


SOURCES = (
    {"source": "torch.nn.LSTM", "names": NAMES, "taken": of_torch(4, "LSTM")},
    {"source": "keras.layers.LSTM", "format": "keras", "names": keras.CELL, "fits": lambda own: keras.gates_of(own) == 4, "taken": of_keras},
)
