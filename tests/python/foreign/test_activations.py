# SPDX-License-Identifier: GPL-3.0-or-later
"""Our activations beside those of Keras of the same name: values and gradients in double precision, at both ends and at the corners' sides."""

import os
import pathlib
import sys

os.environ.setdefault("KERAS_BACKEND", "torch")
os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")

import pytest
import torch

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "app/python"), str(ROOT / "nodes")]

from shared.activations import element_function  # noqa: E402
from unroll_weights.keras_layers import BOUNDED, ELEMENTWISE, GATES, RECURRENT, function_name  # noqa: E402

keras = pytest.importorskip("keras")
OF_ROWS = {"softmax", "log_softmax", "sparsemax", "glu"}
WITHOUT_DEFAULTS = {"threshold"}
SINGLE = {"hard_sigmoid", "hard_silu"}  # in Keras 1 / 6 is fp32


def values():
    return torch.cat([torch.linspace(-9.03, 9.01, 401, dtype=torch.float64), torch.tensor([-60.0, 0.013, 60.0], dtype=torch.float64)]).requires_grad_()


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_values_and_slopes(name):
    theirs = keras.activations.get("linear" if name == "identity" else name)
    found, wanted = values(), values()
    with torch.device("cpu"):
        ours, given = element_function(name)(found), theirs(wanted)
    assert given.dtype == torch.float64
    bound = 1e-6 if name in SINGLE else 1e-12
    torch.testing.assert_close(ours, given, rtol=bound, atol=bound)
    slopes, wanted_slopes = torch.autograd.grad(ours.sum(), found)[0], torch.autograd.grad(given.sum(), wanted)[0]
    torch.testing.assert_close(slopes, wanted_slopes, rtol=bound, atol=bound)


def test_all_of_keras_are_here_or_said_why_not():
    theirs = {function_name(name) for name in keras.src.activations.ALL_OBJECTS_DICT}
    assert theirs - set(ELEMENTWISE) == OF_ROWS | WITHOUT_DEFAULTS
    assert set(ELEMENTWISE) - theirs == set() and set(GATES) < set(BOUNDED) < set(RECURRENT) < set(ELEMENTWISE)


def test_celu_of_keras_is_its_elu():
    x = values()
    assert torch.equal(keras.activations.celu(x), keras.activations.elu(x))
