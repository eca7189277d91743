# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.RNN has the same names and shapes; a SimpleRNN of Keras has them transposed, and one bias."""

from unroll_weights import keras_layers as keras
from unroll_weights.stacked import NAMES, of_torch


def of_keras(given):
    settings = keras.settings_of(given, "nonlinearity")
    keras.same_function(given, settings, "activation", "nonlinearity", "tanh", ("tanh", "relu"))
    return keras.as_in_torch(given, "SimpleRNN", 1)


SOURCES = (
    {"source": "torch.nn.RNN", "names": NAMES, "taken": of_torch(1, "RNN")},
    {"source": "keras.layers.SimpleRNN", "format": "keras", "names": keras.CELL, "fits": lambda own: keras.gates_of(own) == 1, "taken": of_keras},
)
