# SPDX-License-Identifier: GPL-3.0-or-later
"""A DenseMML of Keras-MML."""

from unroll_weights import keras_layers as keras


def of_keras(given):
    own, name = given.weights, "vars.bias"
    settings = given.layer[1] if given.layer else {}
    keras.same_function(given, settings, "activation", None, "", ("identity",))
    given.demand("use_bias", True, name in own, "the layer has use_bias")
    weight = keras.ternary_weight(own, "vars.")
    given.demand("units", 128, len(weight), "the layer has units")
    yield from keras.ternary_layer(own, "", ("gain", "weight", "bias"), name in own)


SOURCES = (
    {"source": "keras_mml.DenseMML", "format": "keras", "names": keras.TERNARY, "fits": lambda own: "vars.kernel_encoded" in own, "taken": of_keras},
)
