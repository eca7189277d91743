# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.GRU has the same names, shapes and order of rows (r z n), in the convention reset_after. A GRU of Keras has z r n in its columns; with a
bias for each of its two matrices it is of the convention reset_after, with one of reset_before."""

import torch
from unroll_weights import keras_layers as keras
from unroll_weights.stacked import NAMES, of_torch

RZN = (1, 0, 2)  # of z r n
DONE = "transposed, z r n to r z n"


def of_module(given):
    given.demand("convention", "reset_after", "reset_after", "torch.nn.GRU has the convention")
    yield from of_torch(3, "GRU")(given)


def form_of(given, settings, bias):
    after = settings.get("reset_after")
    if after is None and bias is not None:
        after = bias.dim() == 2
    if after is not None:
        convention = f"reset_{'after' if after else 'before'}"
        given.demand("convention", "reset_after", convention, "the layer has the convention")
        return f"convention {convention}"
    given.notes.append("without a bias the file does not tell whether r is applied before or after the product; the node's convention is taken")
    return ""


def biases(bias, units):
    """Both of ours: with reset_after Keras has two, else one."""
    if bias.dim() == 2:
        return keras.rows_in_order(bias[0], units, RZN), keras.rows_in_order(bias[1], units, RZN), "z r n to r z n"
    ours = keras.rows_in_order(bias, units, RZN)
    return ours, torch.zeros_like(ours), keras.ZEROS


def of_keras(given):
    settings = keras.settings_of(given, "activation, gate_activation")
    keras.same_function(given, settings, "activation", "activation", "tanh", keras.RECURRENT)
    keras.same_function(given, settings, "recurrent_activation", "gate_activation", "sigmoid", keras.BOUNDED)
    for suffix, theirs, kernel, recurrent, bias in keras.cells_of(given, "GRU"):
        units = keras.sized(given, recurrent, 3, theirs + "1", "GRU")
        given.form = form_of(given, settings, bias)
        yield "weight_ih" + suffix, theirs + "0", keras.rows_in_order(kernel, units, RZN), DONE
        yield "weight_hh" + suffix, theirs + "1", keras.rows_in_order(recurrent, units, RZN), DONE
        if bias is not None:
            with_input, with_state, done = biases(bias, units)
            yield "bias_ih" + suffix, theirs + "2", with_input, "z r n to r z n"
            yield "bias_hh" + suffix, theirs + "2", with_state, done


SOURCES = (
    {"source": "torch.nn.GRU", "names": NAMES, "taken": of_module, "form": "convention reset_after"},
    {"source": "keras.layers.GRU", "format": "keras", "names": keras.CELL, "fits": lambda own: keras.gates_of(own) == 3, "taken": of_keras},
)
