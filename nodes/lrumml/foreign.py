# SPDX-License-Identifier: GPL-3.0-or-later
"""An LRUMML of Keras-MML: gamma free and D a full matrix. The real and the imaginary parts of B are ternary layers, of C and D where it is fully_mml."""

from unroll_weights import keras_layers as keras

LAYERS = {"B_re": "_b_gate_re", "B_im": "_b_gate_im", "C_re": "_c_gate_re", "C_im": "_c_gate_im", "D": "_d_gate"}


def of_keras(given):
    own = given.weights
    if given.layer and given.layer[1].get("go_backwards"):
        raise ValueError("the layer reads backwards (go_backwards), which the block does not; put Reverse before and after it")
    fully, use_bias = "cell._d_gate.vars.0" not in own, "cell._b_gate_re.vars.bias" in own
    wanted = (("skip", "full", "full"), ("gamma", "free", "free"), ("fully_mml", False, fully), ("use_bias", False, use_bias))
    for name, default, value in wanted:
        given.demand(name, default, value, f"the layer has {name}")
    given.demand("state_size", 128, len(own["cell.vars.0"]), "the layer has state_dim")
    for i, ours in enumerate(("nu_log", "theta_log", "gamma_log")):
        yield ours, f"cell.vars.{i}", own[f"cell.vars.{i}"], ""
    for ours, theirs in LAYERS.items():
        if fully or ours.startswith("B"):
            yield from keras.ternary_layer(own, f"cell.{theirs}.", ("gain_" + ours, ours, "bias_" + ours), use_bias)
        else:
            yield from keras.dense_layer(own, f"cell.{theirs}.", (ours, "bias_" + ours), use_bias)


SOURCES = (
    {
        "source": "keras_mml.LRUMML",
        "format": "keras",
        "names": rf"cell\.vars\.[0-2]|cell\._(b_gate_re|b_gate_im|c_gate_re|c_gate_im|d_gate)\.({keras.TERNARY}|vars\.[01])",
        "fits": lambda own: "cell._b_gate_re.vars.kernel_encoded" in own and "cell.vars.2" in own,
        "taken": of_keras,
    },
)
