# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of elements against torch's."""

import pytest
import torch

from scans import assert_captured_whole, opcheck

FUNCTIONS = {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "silu": torch.nn.functional.silu, "gelu": torch.nn.functional.gelu}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients(kernels, name):
    x = torch.randn(5, 7, dtype=torch.double, requires_grad=True)
    torch.testing.assert_close(kernels.activate(x, name), FUNCTIONS[name](x), rtol=1e-13, atol=1e-14)
    assert torch.autograd.gradcheck(lambda v: kernels.activate(v, name), x)


def test_opcheck_and_capture(kernels):
    x = torch.randn(20, 3, requires_grad=True)
    for name in FUNCTIONS:
        opcheck(kernels.activate.default, (x, name), traced=name == "gelu")
    assert_captured_whole(lambda v: kernels.activate(v, "gelu").square().sum(), [x])


def test_unknown_names_are_refused(kernels):
    with pytest.raises(RuntimeError, match='function is "gelo", expected sigmoid, tanh, silu or gelu'):
        kernels.activate(torch.zeros(2), "gelo")
