# SPDX-License-Identifier: GPL-3.0-or-later
"""Our activations beside those of Keras of the same name: values and gradients in double precision, at both ends and at the corners' sides.
Those over the features of a step beside their definitions too."""

import importlib.util
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
from shared.feature_functions import feature_function  # noqa: E402
from unroll_weights.keras_layers import BOUNDED, ELEMENTWISE, GATES, RECURRENT, function_name  # noqa: E402

keras = pytest.importorskip("keras")
OVER_FEATURES = ("softmax", "log_softmax", "sparsemax")
WITH_NUMBERS = {"threshold"}
HALVES_THE_WIDTH = {"glu"}
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
    assert theirs - set(ELEMENTWISE) == {*OVER_FEATURES} | WITH_NUMBERS | HALVES_THE_WIDTH
    assert {name for name in theirs if feature_function(name)} == {*OVER_FEATURES}, "cells take no other"
    assert set(ELEMENTWISE) - theirs == set() and set(GATES) < set(BOUNDED) < set(RECURRENT) < set(ELEMENTWISE)


def test_celu_of_keras_is_its_elu():
    x = values()
    assert torch.equal(keras.activations.celu(x), keras.activations.elu(x))


def rows(width, scale):
    drawn = torch.randn(6, 2, width, generator=torch.Generator().manual_seed(width), dtype=torch.float64) * scale
    drawn[0] = drawn[0, :, :1]  # equal features
    return drawn.requires_grad_()


@pytest.mark.parametrize("name", OVER_FEATURES)
@pytest.mark.parametrize("width", (1, 2, 7, 64))
def test_values_and_slopes_over_features(name, width):
    """sparsemax of Keras (3.15) adds the running sums of all that is open, so that two or more open features do not sum to 1: compared where one is."""
    for scale in (0.1, 1, 5, 1e4):
        found, wanted = rows(width, scale), rows(width, scale)
        ours, given = feature_function(name)(found), getattr(keras.activations, name)(wanted)
        if name == "sparsemax":
            alone = (ours > 0).sum(-1) == 1
            assert alone.any() or scale < 1e4
            ours, given = ours[alone], given[alone]
        torch.testing.assert_close(ours, given, rtol=1e-9, atol=1e-9)
        arriving = torch.randn(ours.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
        slopes, wanted_slopes = torch.autograd.grad(ours, found, arriving)[0], torch.autograd.grad(given, wanted, arriving)[0]
        assert slopes.isfinite().all()
        torch.testing.assert_close(slopes, wanted_slopes, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", OVER_FEATURES)
def test_slopes_over_features_are_those_of_differences(name):
    assert torch.autograd.gradcheck(feature_function(name), (rows(7, 1)[1:].detach().requires_grad_(),), eps=1e-6, atol=1e-8)


def test_sparsemax_is_the_nearest_point_that_shares():
    """max(a - c, 0) with the c, found by halving, whose sum is 1."""
    for scale in (0.1, 1, 1e4):
        a = rows(9, scale).detach()
        low, high = a.amax(-1, keepdim=True) - 1, a.amax(-1, keepdim=True)
        for _ in range(60):
            middle = (low + high) / 2
            above = (a - middle).clamp(min=0).sum(-1, keepdim=True) > 1
            low, high = torch.where(above, middle, low), torch.where(above, high, middle)
        torch.testing.assert_close(feature_function("sparsemax")(a), (a - low).clamp(min=0), rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", OVER_FEATURES)
def test_huge_features_in_single_precision(name):
    """Finite, as are their gradients; a number that is none is seen in its row alone."""
    a = torch.tensor([[1e4, -1e4, 1e4], [0, 0, 0], [-1e4, -1e4, -1e4], [3e38, -3e38, 0]], requires_grad=True)
    y = feature_function(name)(a)
    shares = y.exp() if name == "log_softmax" else y
    thirds = [1 / 3] * 3
    torch.testing.assert_close(shares, torch.tensor([[0.5, 0, 0.5], thirds, thirds, [1, 0, 0]]))
    slopes = torch.autograd.grad(y[:3].sum() + y[0, 0], a)[0]
    assert slopes.isfinite().all()
    torch.testing.assert_close(y[0, 1].item(), -2e4 - 0.6931 if name == "log_softmax" else 0.0)
    broken = feature_function(name)(torch.tensor([[1.0, float("nan")], [1.0, 2.0]]))
    assert broken.isnan().tolist() == [[True, True], [False, False]]


def test_the_block_takes_every_function():
    spec = importlib.util.spec_from_file_location("reference_activation", ROOT / "nodes" / "activation" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = rows(5, 1).detach()
    for name in (*ELEMENTWISE, *OVER_FEATURES):
        assert torch.equal(module.Activation(5, name)(x), (feature_function(name) or element_function(name))(x))
    for threshold, other in ((0.0, 0.0), (0.3, -2.0)):
        assert torch.equal(module.Activation(5, "threshold", threshold, other)(x), keras.activations.threshold(x, threshold, other))
