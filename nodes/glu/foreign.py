# SPDX-License-Identifier: GPL-3.0-or-later
"""A GLUMML of Keras-MML, and its kinds with a name of their own (SwiGLUMML, GEGLUMML, ...): always ternary, always with biases."""

from unroll_weights import keras_layers as keras


def of_keras(given):
    settings = given.layer[1] if given.layer else {}
    keras.same_function(given, settings, "activation", "activation", "silu", keras.ELEMENTWISE)
    up = list(keras.ternary_layer(given.weights, "_gate_dense.", ("gain_up", "weight_up", "bias_up"), True))
    down = list(keras.ternary_layer(given.weights, "_down_dense.", ("gain_down", "weight_down", "bias_down"), True))
    for name, default, wanted in (("ternary", True, True), ("use_bias", True, True), ("inner", 256, len(up[1][2]) // 2), ("units", 128, len(down[1][2]))):
        given.demand(name, default, wanted, f"the layer has {name}")
    yield from up + down


SOURCES = (
    {
        "source": "keras_mml.GLUMML",
        "format": "keras",
        "names": rf"_(gate|down)_dense\.({keras.TERNARY})",
        "fits": lambda own: "_gate_dense.vars.kernel_encoded" in own and "_down_dense.vars.kernel_encoded" in own,
        "taken": of_keras,
    },
)
