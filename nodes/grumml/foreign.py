# SPDX-License-Identifier: GPL-3.0-or-later
"""A GRUMML of Keras-MML: the node's variant keras. f and c are one ternary layer, with g where it is fully_mml."""

from unroll_weights import keras_layers as keras


def of_keras(given):
    own, settings = given.weights, keras.settings_of(given, "activation, recurrent_activation")
    keras.same_function(given, settings, "activation", "activation", "silu", keras.ELEMENTWISE)
    keras.same_function(given, settings, "recurrent_activation", "recurrent_activation", "sigmoid", keras.GATES)
    fully, use_bias = "cell._g_gate.vars.0" not in own, "cell._kernel.vars.bias" in own
    for name, default, wanted in (("variant", "keras", "keras"), ("scales", "shared", "shared"), ("fully_mml", False, fully), ("use_bias", True, use_bias)):
        given.demand(name, default, wanted, f"the layer has {name}")
    fused = "fcg" if fully else "fc"
    lines = list(keras.ternary_layer(own, "cell._kernel.", ("gain_" + fused, "weight_" + fused, "bias_" + fused), use_bias))
    given.demand("units", 128, len(lines[1][2]) // len(fused), "the layer has units")
    yield from lines
    if fully:
        yield from keras.ternary_layer(own, "cell._o_gate.", ("gain_o", "weight_o", "bias_o"), use_bias)
    else:
        yield from keras.dense_layer(own, "cell._g_gate.", ("weight_g", "bias_g"), use_bias)
        yield from keras.dense_layer(own, "cell._o_gate.", ("weight_o", "bias_o"), use_bias)


SOURCES = (
    {
        "source": "keras_mml.GRUMML",
        "format": "keras",
        "names": rf"cell\._kernel\.({keras.TERNARY})|cell\._[go]_gate\.({keras.TERNARY}|vars\.[01])",
        "fits": lambda own: "cell._kernel.vars.kernel_encoded" in own and "cell._o_gate.vars.0" in own or "cell._o_gate.vars.kernel_encoded" in own,
        "taken": of_keras,
    },
)
